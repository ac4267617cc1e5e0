"""Results of a LangWatch batch evaluation: what its package sends, in one object."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from recall_core.details import JudgementDetail
from recall_core.errors import UnreadableFile
from recall_core.export.safe_cells import cell_number
from recall_core.formats.outside import OutsideScore, Source, objects_in, text_of
from recall_core.types import Json


def langwatch_json(details: Iterable[JudgementDetail]) -> str:
    """A whole run as one batch, a body for `POST /api/evaluations/batch/log_results`.

    Finals are those that count now; rows stand in the dataset's order.
    """
    rows: list[Json] = []
    evaluations: list[Json] = []
    name = ""
    for detail in details:
        name = detail.run.name
        rows.append({"index": detail.position - 1, "entry": _entry(detail), "duration": 0})
        evaluations.append(_evaluation(detail))
    batch: dict[str, Json] = {
        "experiment_slug": name,
        "name": name,
        "run_id": name,
        "dataset": rows,
        "evaluations": evaluations,
        "progress": len(rows),
        "total": len(rows),
    }
    return json.dumps(batch, ensure_ascii=False, allow_nan=False) + "\n"


def _entry(detail: JudgementDetail) -> dict[str, Json]:
    example = detail.example
    entry: dict[str, Json] = {
        "id": example.id,
        "input": example.question,
        "output": example.actual_output,
        "expected_output": example.expected_output,
        "contexts": None if example.retrieved is None else [p.text for p in example.retrieved],
        "expected_contexts": None
        if example.ground_truth is None
        else [p.text for p in example.essential],
        **example.metadata,
    }
    return {key: value for key, value in entry.items() if value is not None}


def _evaluation(detail: JudgementDetail) -> dict[str, Json]:
    final, mark = detail.trace.final, detail.run.pass_mark
    status = "processed" if final is not None else detail.status.value
    evaluation: dict[str, Json] = {
        "name": detail.run.judge,
        "evaluator": detail.run.judge,
        "status": status,
        "score": cell_number(final),
        "passed": None if final is None or mark is None else final >= mark,
        "details": detail.details,
        "index": detail.position - 1,
        "duration": 0,
        "error_type": None
        if final is not None or detail.error_type is None
        else detail.error_type.value,
    }
    return {key: value for key, value in evaluation.items() if value is not None}


def read_langwatch(text: str) -> list[OutsideScore]:
    """The scores of one or several batches; of rows that come again the last counts.

    A row that logged an error without a status is an error, and so is one whose score is missing.
    """
    found: dict[tuple[str, str], OutsideScore] = {}
    for batch in objects_in(text):
        evaluations = batch.get("evaluations")
        if not isinstance(evaluations, list):
            raise UnreadableFile("A batch has no list of evaluations.")
        for one in evaluations:
            score = _score(one)
            found[score.example, score.name] = score
    return list(found.values())


def _score(one: Mapping[str, Any]) -> OutsideScore:
    name = "name" if one.get("name") else "evaluator"
    processed = one.get("status", "error" if one.get("error_type") else "processed") == "processed"
    value = one.get("score") if one.get("score") is not None else one.get("passed")
    details = str(one.get("details") or "")
    answered = processed and value is not None
    return OutsideScore(
        text_of(one, "index", "row"),
        text_of(one, name, "row"),
        value if answered else None,
        Source.JUDGE,
        str(one.get("evaluator") or ""),
        details,
        None if answered else details or str(one.get("error_type") or "no score"),
    )

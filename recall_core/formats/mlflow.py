"""Assessments of MLflow 3: feedback by people and judges, each with its source."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from recall_core.details import JudgementDetail
from recall_core.formats.giving import Given, given_finals, trace_of
from recall_core.formats.outside import OutsideScore, Source, objects_in, text_of
from recall_core.types import Json

_TYPES = {Source.HUMAN: "HUMAN", Source.JUDGE: "LLM_JUDGE", Source.CODE: "CODE"}
_SOURCES = {
    **{name: source for source, name in _TYPES.items()},
    "AI_JUDGE": Source.JUDGE,
}


def mlflow_jsonl(details: Iterable[JudgementDetail]) -> Iterator[str]:
    """One assessment a line, in the form that `Assessment.from_dictionary` takes.

    A judge's final that people changed is no longer `valid`, and theirs `overrides` it. A judge
    without an answer gives feedback with an error and no value.
    """
    for detail in details:
        for given in given_finals(detail):
            yield json.dumps(_assessment(detail, given), ensure_ascii=False, allow_nan=False) + "\n"


def _assessment(detail: JudgementDetail, given: Given) -> dict[str, Json]:
    own = f"recall-{detail.run.id}-{detail.id}"
    people = given.source is Source.HUMAN
    feedback: dict[str, Json] = (
        {"value": given.value}
        if given.error is None
        else {"error": {"error_code": given.error.upper(), "error_message": given.reason}}
    )
    return {
        "assessment_id": f"{own}-human" if people else f"{own}-judge",
        "assessment_name": detail.run.judge,
        "trace_id": trace_of(detail),
        "source": {"source_type": _TYPES[given.source], "source_id": given.by},
        "create_time": _time(given.at),
        "last_update_time": _time(given.at),
        "feedback": feedback,
        "rationale": given.reason,
        "metadata": {"run": detail.run.name, "dataset": detail.run.dataset},
        "valid": not given.overridden,
        **({"overrides": f"{own}-judge"} if given.overrides else {}),
    }


def _time(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def read_mlflow(text: str) -> list[OutsideScore]:
    """The feedback in a file of assessments: a list, one a line, or traces that hold them.

    Expectations are no scores and are left out, as is feedback that another one has overridden.
    """
    found = []
    for one in objects_in(text, "assessments"):
        inside = one.get("assessments")
        for assessment in inside if isinstance(inside, list) else [one]:
            if assessment.get("feedback") is not None and assessment.get("valid", True):
                found.append(_score(assessment))
    return found


def _score(one: Mapping[str, Any]) -> OutsideScore:
    feedback, source = one["feedback"], one.get("source") or {}
    error = feedback.get("error") or one.get("error")
    return OutsideScore(
        text_of(one, "trace_id", "assessment"),
        text_of(one, "assessment_name" if "assessment_name" in one else "name", "assessment"),
        None if error else feedback.get("value"),
        _SOURCES.get(str(source.get("source_type")), Source.UNKNOWN),
        str(source.get("source_id") or ""),
        str(one.get("rationale") or ""),
        _message(error),
    )


def _message(error: object) -> str | None:
    if not error:
        return None
    if isinstance(error, Mapping):
        return str(error.get("error_message") or error.get("error_code") or "error")
    return str(error)

"""A reviewed run as rows, one a unit, for people who go on in a spreadsheet or a notebook.

An example without units (skipped, or failed before any) has one row with empty unit fields, so
that no example is missing from the file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

from recall_core.details import JudgementDetail
from recall_core.export.safe_cells import cell_number
from recall_core.policy import NamedPolicy
from recall_core.types import EffectiveScore, Evidence, Json

Number = int | float | None


@dataclass(frozen=True, slots=True)
class ResultRow:
    """The columns of the results table, in order; `None` is an empty cell.

    `status` and `error_type` are what the judge said; `score_now`, `example_final` and `formulas`
    are what counts, with every decision of a person applied. `basis` says how a unit's value came
    about, `twin` which unit a duplicate repeats, `recalled` whether a value was taken over from an
    earlier run.
    """

    run: str
    judge: str
    judge_version: int
    position: int
    example_id: str
    question: str | None
    status: str
    error_type: str | None
    details: str
    warnings: str
    example_judge_final: Number
    example_final: Number
    example_state: str
    unit: str | None = None
    kind_judged: str | None = None
    kind_now: str | None = None
    text: str | None = None
    judge_score: Number = None
    score_now: Number = None
    override: str | None = None
    excluded: str | None = None
    reviewed: str | None = None
    basis: str | None = None
    reviewer: str | None = None
    decided_at: str | None = None
    cause: str | None = None
    note: str | None = None
    twin: str | None = None
    recalled: str | None = None
    reasoning: str | None = None
    evidence: str | None = None
    similarity: Number = None
    probability: Number = None
    unit_error: str | None = None
    formulas: str = ""
    settings: str = ""
    policy: str | None = None
    policy_final: Number = None
    policy_passed: str | None = None


COLUMNS = tuple(column.name for column in fields(ResultRow))

cells_of: Callable[[ResultRow], tuple[Number | str, ...]] = attrgetter(*COLUMNS)
"""The row's cells in the order of `COLUMNS`."""


def rows_of(detail: JudgementDetail, policy: NamedPolicy | None = None) -> Iterator[ResultRow]:
    """The rows of one example: one a unit, or a single one where it has no units."""
    example = _example_cells(detail) | _policy_cells(detail, policy)
    if not detail.effective:
        yield ResultRow(**example)
    for effective in detail.effective:
        yield ResultRow(**example, **_unit_cells(effective))


def _example_cells(detail: JudgementDetail) -> dict[str, Any]:
    return {
        "run": detail.run.name,
        "judge": detail.run.judge,
        "judge_version": detail.run.judge_version,
        "position": detail.position,
        "example_id": detail.example.id,
        "question": detail.example.question,
        "status": detail.status.value,
        "error_type": None if detail.error_type is None else detail.error_type.value,
        "details": detail.details,
        "warnings": "\n".join(detail.warnings),
        "example_judge_final": cell_number(detail.judge_trace.final),
        "example_final": cell_number(detail.trace.final),
        "example_state": detail.trace.state.value,
        "formulas": "\n".join(map(str, detail.trace.lines)),
        "settings": settings_text(detail.run.settings),
    }


def _policy_cells(detail: JudgementDetail, policy: NamedPolicy | None) -> dict[str, Any]:
    if policy is None:
        return {}
    cells: dict[str, Any] = {"policy": policy.name}
    if not detail.sight.judge_hidden:
        passed = policy.passed(detail.id)
        cells["policy_final"] = cell_number(policy.result.finals.get(detail.id))
        cells["policy_passed"] = None if passed is None else _yes(passed)
    return cells


def _unit_cells(effective: EffectiveScore) -> dict[str, Any]:
    verdict, state, decision = effective.verdict, effective.state, effective.decision
    cells: dict[str, Any] = {
        "unit": effective.ref.label,
        "kind_judged": effective.ref.kind.value,
        "kind_now": state.kind.value,
        "text": verdict.unit.text,
        "judge_score": cell_number(verdict.score),
        "score_now": None if state.excluded else cell_number(state.score),
        "override": _yes(effective.changed),
        "excluded": _yes(state.excluded),
        "reviewed": _yes(effective.reviewed),
        "basis": effective.basis.value,
        "reasoning": verdict.reasoning,
        "evidence": "\n".join(map(evidence_text, verdict.evidence)),
        "similarity": cell_number(verdict.similarity),
        "probability": cell_number(verdict.probability),
        "unit_error": None if verdict.failure is None else verdict.failure.value,
    }
    if decision is not None:
        cells |= {
            "reviewer": decision.reviewer,
            "decided_at": decision.at.isoformat(timespec="seconds"),
            "cause": None if decision.cause is None else decision.cause.value,
            "note": decision.note,
            "twin": None if decision.twin is None else decision.twin.label,
            "recalled": _yes(decision.recalled is not None),
        }
    return cells


def evidence_text(evidence: Evidence) -> str:
    """`passage 2: "…"`, and whether the quote does not stand there."""
    place = "answer" if evidence.rank is None else f"passage {evidence.rank}"
    lost = "" if evidence.located else " (not found in it)"
    return f"{place}{lost}: “{evidence.quote}”"


def settings_text(settings: Mapping[str, Json]) -> str:
    """The settings as JSON on one line."""
    return json.dumps(settings, ensure_ascii=False, sort_keys=True, allow_nan=False)


def _yes(value: bool) -> str:
    return "yes" if value else "no"

"""The one result that the command line, the HTTP interface, exports and the client all give."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache

from recall_core.judges.base import Judge
from recall_core.scoring import printed, trace_of_verdicts
from recall_core.types import (
    Cost,
    Evidence,
    Example,
    FailureKind,
    Formula,
    Json,
    JudgeFailure,
    Judgement,
    Outcome,
    ScoreTrace,
    Skipped,
    TraceState,
    Verdict,
)


class Status(StrEnum):
    """What became of an example."""

    PROCESSED = "processed"
    SKIPPED = "skipped"
    """It lacks a field that the judge needs, or the judge is not configured."""
    ERROR = "error"
    """Every other reason for having no score."""


@dataclass(frozen=True, slots=True)
class Result:
    """What one judge says about one example.

    `score` is `None` unless `status` is processed. `passed` and `label` are `None` unless the
    judge has a pass mark. `units` keep what did arrive also where the example has no score.
    """

    id: str
    status: Status
    score: Fraction | None
    details: str
    error_type: FailureKind | None = None
    passed: bool | None = None
    label: str | None = None
    cost: Cost | None = None
    raw_response: str | None = None
    traceback: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    units: tuple[Verdict, ...] = ()

    def as_json(self) -> dict[str, Json]:
        """Plain values that `json.dumps(..., allow_nan=False)` takes."""
        return {
            "id": self.id,
            "status": self.status.value,
            "score": None if self.score is None else float(self.score),
            "passed": self.passed,
            "label": self.label,
            "details": self.details,
            "error_type": None if self.error_type is None else self.error_type.value,
            "cost": _cost_json(self.cost),
            "raw_response": self.raw_response,
            "traceback": list(self.traceback),
            "warnings": list(self.warnings),
            "units": [unit_json(verdict) for verdict in self.units],
        }


def result_of(example: Example, judge: Judge, outcome: Outcome, *, debug: bool = False) -> Result:
    """The result of `outcome`, before any person's decision; tracebacks only where `debug`."""
    match outcome:
        case Skipped():
            return Result(example.id, Status.SKIPPED, None, outcome.reason)
        case JudgeFailure():
            return Result(
                example.id,
                Status.ERROR,
                None,
                outcome.message,
                error_type=outcome.kind,
                cost=outcome.cost,
                raw_response=outcome.raw_response,
                traceback=outcome.traceback if debug else (),
                warnings=outcome.warnings,
                units=outcome.verdicts,
            )
        case Judgement():
            return _judged(example, judge, outcome)


def _judged(example: Example, judge: Judge, judgement: Judgement) -> Result:
    trace = trace_of_verdicts(judge.formula, judgement.verdicts, rounding=judge.rounding_rule)
    mark = judge.pass_mark
    has_mark = mark is not None and trace.final is not None
    return Result(
        example.id,
        Status.ERROR if trace.final is None else Status.PROCESSED,
        trace.final,
        judgement.details,
        error_type=None if trace.final is not None else _why_no_score(judgement.verdicts),
        passed=trace.final >= mark if mark is not None and trace.final is not None else None,
        label=score_label(trace, [v.score for v in judgement.verdicts]) if has_mark else None,
        cost=judgement.cost,
        raw_response=judgement.raw_response,
        warnings=judgement.warnings,
        units=judgement.verdicts,
    )


def _why_no_score(verdicts: Sequence[Verdict]) -> FailureKind:
    """The kind of the first failed unit; units missing without a reason make it incomplete."""
    kinds = (v.failure for v in verdicts if v.score is None and v.failure is not None)
    return next(kinds, FailureKind.INCOMPLETE)


def score_label(trace: ScoreTrace, scores: Sequence[Fraction | None]) -> str:
    """`2 of 3 found`, or `3.67 of 5` on the passage scale; `scores` are those of the units."""
    if trace.state is TraceState.VACUOUS:
        return "nothing expected"
    if trace.formula is Formula.PASSAGE and trace.final is not None:
        return f"{printed(trace.final)} of 5"
    return _found(tuple(scores))


@lru_cache(maxsize=1024)
def _found(scores: tuple[Fraction | None, ...]) -> str:
    """Remembered, because the same few scores come again and again in a run."""
    found = sum((score for score in scores if score is not None), Fraction(0))
    return f"{printed(found)} of {len(scores)} found"


def unit_json(verdict: Verdict) -> dict[str, Json]:
    """One unit of `Result.as_json`: what the judge said of it."""
    unit: dict[str, Json] = {
        "kind": verdict.unit.ref.kind.value,
        "index": verdict.unit.ref.index,
        "text": verdict.unit.text,
        "score": _number(verdict.score),
        "reasoning": verdict.reasoning,
        "evidence": [_evidence_json(e) for e in verdict.evidence],
    }
    if verdict.failure is not None:
        unit["error_type"] = verdict.failure.value
    if verdict.similarity is not None:
        unit["similarity"] = _number(verdict.similarity)
    if verdict.probability is not None:
        unit["probability"] = _number(verdict.probability)
    if verdict.spread is not None:
        unit["spread"] = _number(verdict.spread)
    if verdict.marks:
        unit["marks"] = [mark.value for mark in verdict.marks]
    return unit


def _evidence_json(evidence: Evidence) -> dict[str, Json]:
    return {
        "rank": evidence.rank,
        "start": evidence.start,
        "end": evidence.end,
        "quote": evidence.quote,
        "located": evidence.located,
    }


def _cost_json(cost: Cost | None) -> Json:
    return None if cost is None else {"currency": cost.currency, "amount": _number(cost.amount)}


def _number(value: Fraction | Decimal | float | None) -> int | float | None:
    """Whole numbers as such (`4`, not `4.0`); what is not a number becomes `None`, never NaN."""
    if value is None:
        return None
    number = float(value)
    if not math.isfinite(number):
        return None
    return int(value) if isinstance(value, Fraction) and value.denominator == 1 else number

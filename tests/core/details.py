"""Reviewed judgements made by hand, without a database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

from recall_core.details import JudgementDetail, RunFacts, scores_of
from recall_core.results import Status
from recall_core.summary import (
    Counts,
    JudgementLine,
    Mean,
    ReviewCounts,
    RunSummary,
    UnitScoreCount,
    binned,
)
from recall_core.types import (
    Action,
    Cause,
    Decision,
    Evidence,
    Example,
    FailureKind,
    Formula,
    GroundTruthPassage,
    PassageKind,
    RetrievedPassage,
    Rounding,
    TraceState,
    Unit,
    UnitKind,
    UnitRef,
    UnitState,
    Verdict,
)

NOW = datetime(2026, 11, 30, 14, 2, tzinfo=UTC)

RUN = RunFacts(
    id=1,
    name="Retriever v7",
    dataset_id=1,
    dataset="help centre",
    content_hash="7f3c" * 16,
    examples=4,
    judge="passage_recall_lexical",
    judge_title="Passage recall (lexical screen)",
    judge_version=1,
    screen=True,
    settings={"rounding": "half_up", "pass_at": 4},
    pass_mark=Fraction(4),
    formula=Formula.PASSAGE,
    rounding=Rounding.HALF_UP,
    review_mode="shared",
    blind=False,
    reviewers_needed=1,
    halves=False,
    notes_required=False,
    created_at=NOW,
    created_by="Ana",
)
SHARE_RUN = replace(RUN, formula=Formula.SHARE, pass_mark=None, judge="context_recall")


def ref(label: str) -> UnitRef:
    """`E1` and the like."""
    kinds = {
        "E": UnitKind.ESSENTIAL,
        "B": UnitKind.BONUS,
        "S": UnitKind.STATEMENT,
        "C": UnitKind.EXPECTED_CONTEXT,
    }
    return UnitRef(kinds[label[0]], int(label[1:]))


def verdict(
    label: str,
    score: int | str | None,
    *,
    text: str = "A unit.",
    reasoning: str = "It is there.",
    evidence: Iterable[Evidence] = (),
    **rest: Any,
) -> Verdict:
    exact = None if score is None else Fraction(score)
    return Verdict(Unit(ref(label), text), exact, reasoning, tuple(evidence), **rest)


def decision(
    number: int,
    label: str,
    before: int | str | None,
    after: int | str | None,
    *,
    action: Action = Action.SET,
    kind: UnitKind | None = None,
    excluded: bool = False,
    reviewer: str = "Mara",
    cause: Cause | None = None,
    note: str = "",
    undoes: int | None = None,
) -> Decision:
    unit = ref(label)
    old, new = (None if s is None else Fraction(s) for s in (before, after))
    return Decision(
        number,
        unit,
        action,
        UnitState(unit.kind, old),
        UnitState(kind or unit.kind, new, excluded),
        reviewer,
        NOW,
        cause,
        note,
        undoes,
    )


def detail(
    *verdicts: Verdict,
    decisions: Iterable[Decision] = (),
    run: RunFacts = RUN,
    number: int = 1,
    status: Status = Status.PROCESSED,
    error_type: FailureKind | None = None,
    example: Example | None = None,
    details: str = "Screened.",
    warnings: tuple[str, ...] = (),
    raw_response: str | None = None,
) -> JudgementDetail:
    made = tuple(decisions)
    return JudgementDetail(
        id=number,
        run=run,
        position=number,
        repeat=1,
        example=example or an_example(number),
        status=status,
        error_type=error_type,
        details=details,
        warnings=warnings,
        raw_response=raw_response,
        cost=None,
        judged_at=NOW,
        verdicts=verdicts,
        decisions=made,
        newest={d.unit: d.id for d in made},
        batches={},
        scores=scores_of(
            status,
            verdicts,
            made,
            formula=run.formula,
            rounding=run.rounding,
            needed=run.needed,
        ),
    )


def an_example(number: int, **fields: Any) -> Example:
    values: dict[str, Any] = {
        "question": f"Question {number}?",
        "ground_truth": (GroundTruthPassage(PassageKind.ESSENTIAL, "A unit."),),
        "retrieved": (RetrievedPassage(1, "A unit, and more."), RetrievedPassage(2, "Other.")),
    }
    return Example(f"ex-{number}", **{**values, **fields})


def summary(
    *details: JudgementDetail, run: RunFacts = RUN, review: Mapping[str, int] | None = None
) -> RunSummary:
    """A summary with the means and counts of these details, enough for files and the report."""
    finals = [d.trace.final for d in details if d.trace.final is not None]
    judged = [d.judge_trace.final for d in details if d.judge_trace.final is not None]
    counts = Counts(scored=len(finals), failed=len(details) - len(finals))
    numbers = {"examples": 0, "examples_started": 0, "examples_changed": 0, "failed_scored": 0}
    units = {"units": 3, "units_reviewed": 0, "units_changed": 0}
    return RunSummary(
        run=run,
        counts=counts,
        mean=_mean(finals, counts.total),
        judge_mean=_mean(judged, counts.total),
        finals=binned(run.formula, _tally(judged), _tally(finals)),
        unit_scores=(
            UnitScoreCount(UnitKind.ESSENTIAL, None, 1, 0),
            UnitScoreCount(UnitKind.ESSENTIAL, Fraction(4), 3, 4),
        ),
        causes=((Cause.JUDGE_WRONG, 1), (None, 1)),
        reviewers=(("Mara", 2),),
        review=ReviewCounts(**{**numbers, **units, **(review or {})}),
        lowest=(),
    )


def _mean(scores: list[Fraction], of: int) -> Mean:
    return Mean(sum(scores, Fraction(0)) / len(scores) if scores else None, len(scores), of)


def _tally(scores: list[Fraction]) -> dict[Fraction, int]:
    return {score: scores.count(score) for score in scores}


def line(**fields: Any) -> JudgementLine:
    """A line of a list, judged and unreviewed unless the fields say otherwise."""
    values: dict[str, Any] = {
        "id": 1,
        "position": 1,
        "repeat": 1,
        "example_id": "ex-1",
        "question": None,
        "status": Status.PROCESSED,
        "error_type": None,
        "trace_state": TraceState.SCORED,
        "details": "",
        "warnings": (),
        "judge_final": Fraction(4),
        "final": Fraction(4),
        "essential": None,
        "bonus": None,
        "units": 2,
        "reviewed_units": 0,
        "changed_units": 0,
        "last_decision_at": None,
    }
    return JudgementLine(**{**values, **fields})

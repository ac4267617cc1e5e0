"""A run's numbers: exact means with their coverage, distributions, what people changed."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from sqlalchemy import ColumnElement, Engine, and_, func, select
from sqlalchemy.orm import Session

from db.copies import scores_by_id
from db.details import BATCH, run_facts, stream_details
from db.engine import reading
from db.judgement_filters import JudgementFilter, JudgementOrder, OrderBy
from db.judgement_lists import (
    JudgementPage,
    Neighbours,
    lines_of,
    list_judgements,
    neighbours,
    ordered_ids,
)
from db.recount import Recount, recount
from db.sights import hidden_judges
from db.slices import MetadataField, metadata_fields, slices
from db.tables import DecisionRow, JudgementRow, UnitRow, VerdictRow
from recall_core.results import Status
from recall_core.summary import (
    GAPS,
    Counts,
    ReviewCounts,
    RunSummary,
    UnitScoreCount,
    binned,
    mean_of,
)
from recall_core.types import Action, Cause, EffectiveScore, TraceState, UnitKind

__all__ = [
    "JudgementFilter",
    "JudgementOrder",
    "JudgementPage",
    "MetadataField",
    "Neighbours",
    "OrderBy",
    "Recount",
    "list_judgements",
    "metadata_fields",
    "neighbours",
    "ordered_ids",
    "recount",
    "run_summary",
    "slices",
    "stream_details",
]

LOWEST = 10
"""How many of the lowest examples a summary names."""

UnitScores = Counter[tuple[UnitKind, Fraction | None]]


def run_summary(engine: Engine, run_id: int, viewer: str | None = None) -> RunSummary:
    """Every number of the run's page, from one snapshot; `NotKept` if the run is gone.

    For a `viewer` who may not see the judge's word on some examples, none is named as low, and
    `withheld` says how many these are.
    """
    with reading(engine) as session:
        run = run_facts(session, run_id)
        counts = _counts(session, run_id, run.examples)
        now = _finals(session, run_id, judge=False)
        judged = _finals(session, run_id, judge=True)
        changed = _changed(session, run_id)
        scored = JudgementFilter(scored=True)
        lowest = lines_of(session, run_id, scored, JudgementOrder(OrderBy.FINAL), LOWEST)
        hidden = set() if viewer is None else hidden_judges(session, run, viewer)
        return RunSummary(
            run=run,
            counts=counts,
            mean=mean_of(now.items(), counts.total),
            judge_mean=mean_of(judged.items(), counts.total),
            finals=binned(run.formula, judged, now),
            unit_scores=_unit_scores(session, run_id, changed),
            causes=_causes(changed),
            reviewers=_reviewers(session, run_id),
            review=_review_counts(session, run_id),
            lowest=() if hidden else lowest,
            withheld=len(hidden),
        )


def _counts(session: Session, run_id: int, examples: int) -> Counts:
    row = JudgementRow
    columns = (row.status, row.error_type, row.trace_state)
    query = select(*columns, func.count()).where(row.run_id == run_id).group_by(*columns)
    places: Counter[str] = Counter()
    for status, error_type, state, count in session.execute(query):
        places[_place(status, error_type, TraceState(state))] += count
    return Counts(**places, left=max(0, examples - _examples_judged(session, run_id)))


def _place(status: str, error_type: str | None, state: TraceState) -> str:
    """The field of `Counts` that the judgement belongs to."""
    if status == Status.SKIPPED.value:
        return "skipped"
    if state is TraceState.INCOMPLETE and error_type is not None and error_type not in GAPS:
        return "failed"
    return state.value


def _examples_judged(session: Session, run_id: int) -> int:
    query = select(func.count()).where(JudgementRow.run_id == run_id, JudgementRow.repeat == 1)
    return session.scalar(query) or 0


def _finals(session: Session, run_id: int, *, judge: bool) -> Counter[Fraction]:
    """How often each final occurs among those that a mean covers."""
    row = JudgementRow
    final = row.judge_final if judge else row.final
    covered = row.trace_state != TraceState.VACUOUS.value
    query = select(final, func.count()).where(row.run_id == run_id, final.is_not(None), covered)
    rows = session.execute(query.group_by(final))
    return Counter({score: count for score, count in rows if score is not None})


def _review_counts(session: Session, run_id: int) -> ReviewCounts:
    row = JudgementRow
    query = select(
        _number_of(and_(row.units > 0, row.reviewed_units >= row.units)),
        _number_of(and_(row.reviewed_units > 0, row.reviewed_units < row.units)),
        _number_of(row.changed_units > 0),
        _number_of(and_(row.status == Status.ERROR.value, row.final.is_not(None))),
        func.coalesce(func.sum(row.units), 0),
        func.coalesce(func.sum(row.reviewed_units), 0),
        func.coalesce(func.sum(row.changed_units), 0),
    )
    return ReviewCounts(*session.execute(query.where(row.run_id == run_id)).one())


def _number_of(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.count().filter(condition)


def _changed(session: Session, run_id: int) -> list[EffectiveScore]:
    """The units of the run that count differently from what the judge said."""
    row = JudgementRow
    query = select(row.id).where(row.run_id == run_id, row.changed_units > 0)
    ids = session.scalars(query.order_by(row.id)).all()
    return [
        effective
        for start in range(0, len(ids), BATCH)
        for scores, _ in scores_by_id(session, ids[start : start + BATCH]).values()
        for effective in scores.effective
        if effective.changed
    ]


def _unit_scores(
    session: Session, run_id: int, changed: list[EffectiveScore]
) -> tuple[UnitScoreCount, ...]:
    """The judge's scores counted by the database, and moved to where the changed units are now."""
    query = (
        select(UnitRow.kind, VerdictRow.score, func.count())
        .join(VerdictRow, VerdictRow.unit_id == UnitRow.id)
        .join(JudgementRow, JudgementRow.id == VerdictRow.judgement_id)
        .where(JudgementRow.run_id == run_id)
        .group_by(UnitRow.kind, VerdictRow.score)
    )
    judge: UnitScores = Counter(
        {(UnitKind(kind), score): count for kind, score, count in session.execute(query)}
    )
    now = judge.copy()
    for effective in changed:
        now[effective.ref.kind, effective.verdict.score] -= 1
        if not effective.state.excluded:
            now[effective.state.kind, effective.state.score] += 1
    return tuple(
        UnitScoreCount(kind, score, judge[kind, score], now[kind, score])
        for kind, score in sorted(judge | now, key=_scale_order)
    )


def _scale_order(key: tuple[UnitKind, Fraction | None]) -> tuple[int, Fraction]:
    kind, score = key
    return (list(UnitKind).index(kind), Fraction(-1) if score is None else score)


def _causes(changed: list[EffectiveScore]) -> tuple[tuple[Cause | None, int], ...]:
    causes = Counter(e.decision.cause for e in changed if e.decision is not None)
    return tuple(causes.most_common())


def _reviewers(session: Session, run_id: int) -> tuple[tuple[str, int], ...]:
    row = DecisionRow
    query = select(row.reviewer, func.count()).where(
        row.run_id == run_id, row.action != Action.UNDO.value
    )
    rows = session.execute(query.group_by(row.reviewer))
    return tuple(sorted(((name, n) for name, n in rows), key=lambda pair: (-pair[1], pair[0])))

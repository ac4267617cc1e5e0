"""What people said before they saw what had been hidden: agreement is measured on these values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Engine, exists, select
from sqlalchemy.orm import Session

from db.decisions import DecisionsOn, decisions_of
from db.details import BATCH, verdicts_of
from db.engine import reading
from db.tables import JudgementRow, ReviewRow
from recall_core.effective import first_opinion
from recall_core.queues import Queue
from recall_core.types import Decision, Opinion, UnitRef, UnitState, Verdict


@dataclass(frozen=True, slots=True)
class FirstValue:
    """One person's first value for one unit.

    `judge_visible`: whether they saw the judge's score before they gave theirs. `finished`:
    whether they are done with the example. `audit_draw_id`: the draw that brought it. `decision` is
    the one that gave the value, with its cause and note.
    """

    judgement_id: int
    verdict: Verdict
    reviewer: str
    state: UnitState
    judge_visible: bool
    queue: Queue
    audit_draw_id: int | None
    finished: bool
    decision: Decision


def first_values(engine: Engine, run_id: int, *, audit_only: bool = False) -> Iterator[FirstValue]:
    """The first values of the run in the dataset's order, read in batches; of `audit_only` those
    that an audit draw has brought.
    """
    with reading(engine) as session:
        ids = _reviewed(session, run_id, audit_only)
    for start in range(0, len(ids), BATCH):
        with reading(engine) as session:
            values = list(_values(session, ids[start : start + BATCH], audit_only))
        yield from values


def _reviewed(session: Session, run_id: int, audit_only: bool) -> list[int]:
    """The judgements of the run that somebody has begun to review, in the dataset's order."""
    row, review = JudgementRow, ReviewRow
    begun = exists().where(review.judgement_id == row.id)
    if audit_only:
        begun = begun.where(review.audit_draw_id.is_not(None))
    query = select(row.id).where(row.run_id == run_id, begun).order_by(row.position, row.repeat)
    return list(session.scalars(query))


def revealed_values(
    engine: Engine, judgement_ids: Sequence[int], reviewer: str
) -> Mapping[int, Mapping[UnitRef, UnitState]]:
    """What the person had each unit at when what had been hidden was shown to them; only of those
    judgements where something was, and has been shown.
    """
    with reading(engine) as session:
        query = select(ReviewRow).where(
            ReviewRow.judgement_id.in_(judgement_ids),
            ReviewRow.reviewer == reviewer,
            ReviewRow.revealed_after.is_not(None),
        )
        reviews = session.scalars(query).all()
        ids = [review.judgement_id for review in reviews]
        verdicts, decided = verdicts_of(session, ids), decisions_of(session, ids)
        return {
            review.judgement_id: _first(
                review,
                verdicts.get(review.judgement_id, ()),
                decided.get(review.judgement_id, DecisionsOn()).decisions,
            )
            for review in reviews
        }


def _first(
    review: ReviewRow, verdicts: Sequence[Verdict], decisions: Sequence[Decision]
) -> dict[UnitRef, UnitState]:
    states = {}
    for verdict in verdicts:
        unit = [d for d in decisions if d.unit == verdict.unit.ref]
        opinion = first_opinion(verdict, unit, review.reviewer, until=review.revealed_after)
        if opinion is not None:
            states[verdict.unit.ref] = opinion.state
    return states


def _values(session: Session, ids: Sequence[int], audit_only: bool) -> Iterator[FirstValue]:
    verdicts, decided = verdicts_of(session, ids), decisions_of(session, ids)
    reviews: dict[int, list[ReviewRow]] = defaultdict(list)
    query = select(ReviewRow).where(ReviewRow.judgement_id.in_(ids)).order_by(ReviewRow.id)
    for row in session.scalars(query):
        if row.audit_draw_id is not None or not audit_only:
            reviews[row.judgement_id].append(row)
    for judgement_id in ids:
        decisions = decided.get(judgement_id, DecisionsOn()).decisions
        for review in reviews[judgement_id]:
            for verdict in verdicts.get(judgement_id, ()):
                unit = [d for d in decisions if d.unit == verdict.unit.ref]
                opinion = first_opinion(verdict, unit, review.reviewer, until=review.revealed_after)
                if opinion is not None:
                    yield _value(review, verdict, opinion)


def _value(review: ReviewRow, verdict: Verdict, opinion: Opinion) -> FirstValue:
    return FirstValue(
        judgement_id=review.judgement_id,
        verdict=verdict,
        reviewer=review.reviewer,
        state=opinion.state,
        judge_visible=review.judge_visible,
        queue=Queue(review.selection),
        audit_draw_id=review.audit_draw_id,
        finished=review.finished_at is not None,
        decision=opinion.decision,
    )

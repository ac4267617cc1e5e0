"""Second looks: a few finished examples come back to the same person, who scores them afresh.

What they say then is kept beside their decisions and changes no score; it tells how well they
agree with themselves.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from fractions import Fraction

from sqlalchemy import Engine, delete, func, select
from sqlalchemy.orm import Session

from db.decisions import DecisionsOn, decisions_of
from db.details import detail_of, verdicts_of
from db.engine import reading, transaction
from db.tables import (
    DecisionRow,
    JudgementRow,
    ReviewRow,
    RunRow,
    SecondLookRow,
    SecondLookWishRow,
    SecondScoreRow,
    UnitRow,
    VerdictRow,
)
from recall_core.deciding import state_after
from recall_core.details import JudgementDetail
from recall_core.effective import first_opinion
from recall_core.errors import InvalidDecision
from recall_core.second_look import AFTER, SelfAgreement, comes_back, self_agreement_of
from recall_core.types import Action, UnitKind, UnitRef, UnitState
from recall_core.viewing import second_look

States = Mapping[UnitRef, tuple[UnitState, datetime]]


def wants_second_looks(engine: Engine, name: str) -> bool:
    """Whether this person has asked for some of their examples to come back."""
    with reading(engine) as session:
        return session.get(SecondLookWishRow, name) is not None


def set_second_looks(engine: Engine, name: str, wanted: bool) -> None:
    """Have examples come back from now on, or not any more; what is begun is then dropped."""
    with transaction(engine) as session:
        if wanted:
            session.merge(SecondLookWishRow(name=name))
            return
        session.execute(delete(SecondLookWishRow).where(SecondLookWishRow.name == name))
        own = select(ReviewRow.id).where(ReviewRow.reviewer == name)
        begun = SecondLookRow.review_id.in_(own), SecondLookRow.ended_at.is_(None)
        session.execute(delete(SecondLookRow).where(*begun))


def second_looks_due(
    engine: Engine, run_id: int, reviewer: str, *, now: datetime
) -> tuple[int, ...]:
    """The judgements of the run that come back to the person now, in the order they were finished.

    Each is open for a second look from here on, until it is ended.
    """
    row = ReviewRow
    query = (
        select(row.id, row.judgement_id)
        .join(JudgementRow, JudgementRow.id == row.judgement_id)
        .where(JudgementRow.run_id == run_id, row.reviewer == reviewer)
        .where(row.finished_at.is_not(None))
        .order_by(row.finished_at, row.id)
    )
    with transaction(engine) as session:
        if session.get(SecondLookWishRow, reviewer) is None:
            return ()
        finished = session.execute(query).all()
        due = [r for r in finished[: max(0, len(finished) - AFTER)] if comes_back(reviewer, r[1])]
        begun = _looks(session, [review_id for review_id, _ in due])
        newest = session.scalar(select(func.max(DecisionRow.id))) or 0
        session.add_all(
            SecondLookRow(review_id=review_id, opened_at=now, until=newest)
            for review_id, _ in due
            if review_id not in begun
        )
        ended = {i for i, look in begun.items() if look.ended_at is not None}
        return tuple(judgement_id for review_id, judgement_id in due if review_id not in ended)


def _looks(session: Session, review_ids: Sequence[int]) -> dict[int, SecondLookRow]:
    query = select(SecondLookRow).where(SecondLookRow.review_id.in_(review_ids))
    return {look.review_id: look for look in session.scalars(query)}


def second_scores(
    engine: Engine, judgement_ids: Collection[int], reviewer: str
) -> Mapping[int, States]:
    """What the person has given so far where a second look is open; `{}` of one just begun."""
    with reading(engine) as session:
        looks = _open(session, judgement_ids, reviewer)
        return {judgement_id: _states(session, look) for judgement_id, look in looks.items()}


def _open(
    session: Session, judgement_ids: Collection[int], reviewer: str
) -> dict[int, SecondLookRow]:
    query = (
        select(ReviewRow.judgement_id, SecondLookRow)
        .join(SecondLookRow, SecondLookRow.review_id == ReviewRow.id)
        .where(ReviewRow.judgement_id.in_(judgement_ids), ReviewRow.reviewer == reviewer)
        .where(SecondLookRow.ended_at.is_(None))
    )
    return dict(session.execute(query).all())


def _states(session: Session, look: SecondLookRow) -> States:
    query = (
        select(SecondScoreRow, UnitRow.kind, UnitRow.position)
        .join(UnitRow, UnitRow.id == SecondScoreRow.unit_id)
        .where(SecondScoreRow.review_id == look.review_id)
        .order_by(SecondScoreRow.at, UnitRow.id)
    )
    return {
        UnitRef(UnitKind(kind), position): (_state(row), row.at)
        for row, kind, position in session.execute(query)
    }


def _state(row: SecondScoreRow) -> UnitState:
    return UnitState(UnitKind(row.kind), row.score, row.excluded)


def score_again(
    engine: Engine,
    judgement_id: int,
    unit: UnitRef,
    action: Action,
    *,
    reviewer: str,
    now: datetime,
    score: Fraction | None = None,
    to_kind: UnitKind | None = None,
) -> bool:
    """Keep what the person says of a unit the second time; `undo` takes it back.

    False, with nothing stored, where no second look is open. Raises as `db.reviews.decide` does.
    """
    if not second_scores(engine, [judgement_id], reviewer):
        return False  # without waiting for other writers
    with transaction(engine) as session:
        look = _open(session, [judgement_id], reviewer).get(judgement_id)
        if look is None:
            return False
        detail = _seen_again(session, look, judgement_id, reviewer)
        current = detail.unit(unit)
        if current is None:
            raise InvalidDecision(f"There is no unit {unit.label} to score.")
        unit_id = _unit_id(session, judgement_id, unit)
        row = session.get(SecondScoreRow, (look.review_id, unit_id))
        if action is Action.UNDO:
            if row is not None:
                session.delete(row)
            return True
        halves = detail.run.halves
        state = state_after(current, action, score=score, to_kind=to_kind, halves=halves)
        if row is None:
            row = SecondScoreRow(review_id=look.review_id, unit_id=unit_id)
            session.add(row)
        row.kind, row.score, row.excluded, row.at = state.kind, state.score, state.excluded, now
        return True


def _seen_again(
    session: Session, look: SecondLookRow, judgement_id: int, reviewer: str
) -> JudgementDetail:
    return second_look(detail_of(session, judgement_id), reviewer, _states(session, look))


def _unit_id(session: Session, judgement_id: int, unit: UnitRef) -> int:
    query = (
        select(UnitRow.id)
        .join(VerdictRow, VerdictRow.unit_id == UnitRow.id)
        .where(VerdictRow.judgement_id == judgement_id)
        .where(UnitRow.kind == unit.kind.value, UnitRow.position == unit.index)
    )
    return session.scalars(query).one()


def end_second_look(engine: Engine, judgement_id: int, *, reviewer: str, now: datetime) -> bool:
    """The person is done with the second look; False where none is open. `InvalidDecision` names
    the units that they have not scored.
    """
    with transaction(engine) as session:
        look = _open(session, [judgement_id], reviewer).get(judgement_id)
        if look is None:
            return False
        detail = _seen_again(session, look, judgement_id, reviewer)
        left = [
            e.ref.label
            for e in detail.effective
            if not e.reviewed or (e.state.score is None and not e.state.excluded)
        ]
        if left:
            raise InvalidDecision(f"Give {', '.join(left)} a score first.")
        look.ended_at = now
        return True


def self_agreement(engine: Engine, reviewer: str) -> SelfAgreement:
    """How well the person agrees with themselves, over all their ended second looks."""
    with reading(engine) as session:
        return self_agreement_of(_pairs(session, _ended(session, reviewer), reviewer))


def agreements_on(
    engine: Engine, judgement_ids: Collection[int], reviewer: str
) -> Mapping[int, SelfAgreement]:
    """The same for each of these examples that the person has looked at twice."""
    with reading(engine) as session:
        looks = _ended(session, reviewer, judgement_ids)
        found = list(_pairs(session, looks, reviewer))
        return {
            judgement_id: self_agreement_of([pairs])
            for (judgement_id, _), pairs in zip(looks, found, strict=True)
        }


def _ended(
    session: Session, reviewer: str, judgement_ids: Collection[int] | None = None
) -> list[tuple[int, SecondLookRow]]:
    query = (
        select(ReviewRow.judgement_id, SecondLookRow)
        .join(SecondLookRow, SecondLookRow.review_id == ReviewRow.id)
        .join(JudgementRow, JudgementRow.id == ReviewRow.judgement_id)
        .join(RunRow, RunRow.id == JudgementRow.run_id)
        .where(ReviewRow.reviewer == reviewer, SecondLookRow.ended_at.is_not(None))
        .where(RunRow.state != "deleting")
    )
    if judgement_ids is not None:
        query = query.where(ReviewRow.judgement_id.in_(judgement_ids))
    return [(judgement_id, look) for judgement_id, look in session.execute(query)]


def _pairs(
    session: Session, looks: Sequence[tuple[int, SecondLookRow]], reviewer: str
) -> Iterator[list[tuple[UnitState, UnitState]]]:
    """What the person first had each unit at, and what they gave it the second time."""
    ids = [judgement_id for judgement_id, _ in looks]
    verdicts, decided = verdicts_of(session, ids), decisions_of(session, ids)
    for judgement_id, look in looks:
        again = _states(session, look)
        decisions = decided.get(judgement_id, DecisionsOn()).decisions
        pairs = []
        for verdict in verdicts.get(judgement_id, ()):
            ref = verdict.unit.ref
            unit = [d for d in decisions if d.unit == ref]
            first = first_opinion(verdict, unit, reviewer, until=look.until)
            if first is not None and ref in again:
                pairs.append((first.state, again[ref][0]))
        yield pairs

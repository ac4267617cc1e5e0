"""What a person can review next: the ids of each queue, best first, and how many there are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Engine,
    Select,
    String,
    and_,
    cast,
    exists,
    func,
    or_,
    select,
    type_coerce,
)
from sqlalchemy.orm import Session

from db.audits import audit_count, audit_ids
from db.details import run_facts
from db.engine import reading
from db.sights import hidden_judges
from db.stopping import run_mean
from db.tables import (
    AssignmentRow,
    FlagRow,
    JudgementRow,
    ReviewRow,
    UnitRow,
    VerdictRow,
)
from recall_core.details import RunFacts
from recall_core.disagreement import DISAGREES
from recall_core.queues import Doubt, Queue, doubt_of, stake_of
from recall_core.results import Status
from recall_core.stop_rule import Reach
from recall_core.types import Mark, UnitKind


def queue_counts(engine: Engine, run_id: int, reviewer: str) -> Mapping[Queue, int]:
    """How many examples each queue of the run holds for this person."""
    with reading(engine) as session:
        run = run_facts(session, run_id)
        return {queue: _count(session, run, queue, reviewer) for queue in Queue}


def _count(session: Session, run: RunFacts, queue: Queue, reviewer: str) -> int:
    """How long the queue is; where a condition makes it, without reading the ids."""
    if queue is Queue.AUDIT:
        return audit_count(session, run, reviewer)
    if queue not in _CONDITIONS:
        return len(_IDS[queue](session, run, reviewer))
    query = select(func.count()).select_from(JudgementRow)
    return session.scalar(query.where(_CONDITIONS[queue](run, reviewer))) or 0


def queue_ids(engine: Engine, run_id: int, queue: Queue, reviewer: str) -> tuple[int, ...]:
    """The judgements of the queue for this person, what to review first at the front."""
    with reading(engine) as session:
        return tuple(_IDS[queue](session, run_facts(session, run_id), reviewer))


def next_valuable(
    engine: Engine, run_id: int, reviewer: str, *, after: int | None = None
) -> tuple[int, Queue] | None:
    """What is most worth reviewing now, other than `after`, and the queue that says so."""
    ids = queue_ids(engine, run_id, Queue.STAKE, reviewer)
    found = next((i for i in ids if i != after), None)
    return None if found is None else (found, Queue.STAKE)


def open_for(run: RunFacts, reviewer: str) -> ColumnElement[bool]:
    """Whether a judgement of the run waits for a review by this person."""
    row = JudgementRow
    unreviewed = and_(row.run_id == run.id, row.units > 0, row.reviewed_units < row.units)
    if not run.independent:
        return unreviewed
    done = exists().where(
        ReviewRow.judgement_id == row.id,
        ReviewRow.reviewer == reviewer,
        ReviewRow.finished_at.is_not(None),
    )
    return and_(unreviewed, row.disputed_units == 0, ~done)


def _disagreement(session: Session, run: RunFacts, reviewer: str) -> list[int]:
    row = JudgementRow
    doubts = _doubts(session, run)
    doubtful_ids = or_(row.disagreement >= DISAGREES, row.id.in_(_doubtful(run)))
    query = select(row.id, row.position, row.disagreement).where(
        open_for(run, reviewer), doubtful_ids
    )
    found = [
        (doubt_of(size, doubts[judgement_id]), position, judgement_id)
        for judgement_id, position, size in session.execute(query)
    ]
    doubtful = [one for one in found if one[0] >= DISAGREES]
    return [i for _, _, i in sorted(doubtful, key=lambda one: (-one[0], one[1], one[2]))]


def _doubts(session: Session, run: RunFacts) -> Mapping[int, list[Doubt]]:
    """What speaks against verdicts of the run, by judgement."""
    row = VerdictRow
    query = _marked(
        select(row.judgement_id, UnitRow.kind, row.spread, row.marks).join(
            UnitRow, UnitRow.id == row.unit_id
        ),
        run,
    )
    doubts: dict[int, list[Doubt]] = defaultdict(list)
    for judgement_id, kind, spread, marks in session.execute(query):
        doubts[judgement_id].append(Doubt(UnitKind(kind), spread, [Mark(m) for m in marks]))
    return doubts


def _doubtful(run: RunFacts) -> Select[Any]:
    return _marked(select(VerdictRow.judgement_id), run)


def _marked(query: Select[Any], run: RunFacts) -> Select[Any]:
    """The verdicts of the run that carry a mark or a spread."""
    row = VerdictRow
    marked = or_(row.spread.is_not(None), cast(row.marks, String) != "[]")
    joined = query.join(JudgementRow, JudgementRow.id == row.judgement_id)
    return joined.where(JudgementRow.run_id == run.id, marked)


def _stake(session: Session, run: RunFacts, reviewer: str) -> list[int]:
    """Equal stakes by doubt, then in the dataset's order. What is hidden from the person has no
    part in the order.
    """
    row = JudgementRow
    blind = hidden_judges(session, run, reviewer)
    stakes = _Stakes(run_mean(session, run).value, run.pass_mark)
    columns: tuple[Any, ...] = tuple(
        type_coerce(column, String) for column in (row.lowest, row.highest, row.final)
    )
    query = select(row.id, row.position, row.disagreement, *columns).where(_at_stake(run, reviewer))
    ranked = []
    for judgement_id, position, doubt, lowest, highest, final in session.execute(query):
        known = (None, None) if judgement_id in blind else (final, doubt)
        stake = stakes[lowest, highest, known[0]]
        ranked.append((-stake, -(known[1] or 0.0), position, judgement_id))
    return [judgement_id for *_, judgement_id in sorted(ranked)]


class _Stakes(dict[tuple[str, str, str | None], float]):
    """Stakes by the texts of lowest, highest and present final: a run has few different ones."""

    def __init__(self, mean: Fraction | None, mark: Fraction | None) -> None:
        super().__init__()
        self._mean, self._mark = mean, mark

    def __missing__(self, texts: tuple[str, str, str | None]) -> float:
        lowest, highest, final = texts
        reach = Reach(Fraction(lowest), Fraction(highest))
        now = None if final is None else Fraction(final)
        self[texts] = float(stake_of(reach, now, self._mean, self._mark))
        return self[texts]


def _flagged(session: Session, run: RunFacts, reviewer: str) -> list[int]:
    query = (
        select(FlagRow.judgement_id)
        .join(JudgementRow, JudgementRow.id == FlagRow.judgement_id)
        .where(JudgementRow.run_id == run.id, FlagRow.cleared_at.is_(None))
        .order_by(FlagRow.flagged_at, FlagRow.id)
    )
    return list(dict.fromkeys(session.scalars(query)))


def _at_stake(run: RunFacts, reviewer: str) -> ColumnElement[bool]:
    return and_(open_for(run, reviewer), JudgementRow.lowest.is_not(None))


def _failed(run: RunFacts, reviewer: str) -> ColumnElement[bool]:
    return and_(open_for(run, reviewer), JudgementRow.status == Status.ERROR.value)


def _assigned(run: RunFacts, reviewer: str) -> ColumnElement[bool]:
    asked = exists().where(
        AssignmentRow.judgement_id == JudgementRow.id, AssignmentRow.reviewer == reviewer
    )
    return and_(open_for(run, reviewer), asked)


def _disputed(run: RunFacts, reviewer: str) -> ColumnElement[bool]:
    return and_(JudgementRow.run_id == run.id, JudgementRow.disputed_units > 0)


def _every(run: RunFacts, reviewer: str) -> ColumnElement[bool]:
    return JudgementRow.run_id == run.id


_CONDITIONS: Mapping[Queue, Callable[[RunFacts, str], ColumnElement[bool]]] = {
    Queue.STAKE: _at_stake,
    Queue.FAILURES: _failed,
    Queue.MINE: _assigned,
    Queue.RESOLVE: _disputed,
    Queue.CHOSEN: _every,
}


def _in_order(queue: Queue) -> Callable[[Session, RunFacts, str], list[int]]:
    """The queue that a condition makes, in the dataset's order."""

    def ids(session: Session, run: RunFacts, reviewer: str) -> list[int]:
        row = JudgementRow
        query = select(row.id).where(_CONDITIONS[queue](run, reviewer))
        return list(session.scalars(query.order_by(row.position, row.repeat, row.id)))

    return ids


_IDS: Mapping[Queue, Callable[[Session, RunFacts, str], list[int]]] = {
    Queue.AUDIT: audit_ids,
    Queue.DISAGREEMENT: _disagreement,
    Queue.STAKE: _stake,
    Queue.FAILURES: _in_order(Queue.FAILURES),
    Queue.FLAGGED: _flagged,
    Queue.MINE: _in_order(Queue.MINE),
    Queue.RESOLVE: _in_order(Queue.RESOLVE),
    Queue.CHOSEN: _in_order(Queue.CHOSEN),
}

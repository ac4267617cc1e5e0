"""The audit: draws in a random order, each an event that is kept when the example is first shown.

The order is fixed by the run's seed. The next draw is the first example in it that nobody has drawn
or reviewed, so a draw is uniform over those, and the row says how many they were.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Engine,
    Row,
    Select,
    and_,
    case,
    exists,
    func,
    or_,
    select,
)
from sqlalchemy.orm import Session

from db.details import run_facts
from db.engine import reading, transaction
from db.errors import NotPossibleNow
from db.review_rows import review_row
from db.run_cards import RunState, required_run
from db.tables import AuditDrawRow, JudgementRow, ReviewRow, RunRow
from recall_core.details import RunFacts
from recall_core.queues import FAILED, JUDGED, AuditItem, Queue, audit_order, next_in_order

PENDING, DONE = "pending", "done"

_STILL_JUDGING = (RunState.QUEUED, RunState.RUNNING, RunState.PAUSED)


@dataclass(frozen=True, slots=True)
class Draw:
    """One draw: `position` counts the run's draws from 1, `undrawn` the examples of the stratum
    that were neither drawn nor reviewed, this one included. `state` is pending until the example
    is reviewed, by whomever.
    """

    id: int
    judgement_id: int
    example_id: int
    position: int
    seed: int
    stratum: str
    undrawn: int
    drawn_at: datetime
    drawn_by: str
    state: str


def draw_audit(
    engine: Engine, run_id: int, *, reviewer: str, now: datetime, expected: int | None = None
) -> Draw | None:
    """Draw the next example for the person, when it is shown to them; `None` when none is left.

    `expected` is the judgement that the desk is about to show: where the person has it by an
    earlier draw, that draw is given back and none is made. In all other cases the draw says what to
    show. What was drawn for the person beforehand (`db.shared_audits`) comes first, then, where
    several people review each example, the draws of the others.
    `NotPossibleNow` while the run still judges.
    """
    with transaction(engine) as session:
        row = run_to_draw_from(session, run_id)
        run = run_facts(session, run_id)
        found = _drawn_before(session, run, reviewer, expected)
        if found is None:
            found = session.execute(_pending(run, _not_shown_to(reviewer))).first()
        if found is None:
            found = _to_join(session, run, reviewer).first() if run.needed > 1 else None
        if found is None:
            drawn = _draw_next(session, run, row.audit_seed, reviewer, now)
            if drawn is None:
                return None
            found = session.execute(_draws(run.id).where(AuditDrawRow.id == drawn)).one()
        draw = _draw(found)
        review = review_row(session, run, draw.judgement_id, reviewer, now=now, queue=Queue.AUDIT)
        if review.audit_draw_id is None and review.finished_at is None:
            review.selection, review.audit_draw_id = Queue.AUDIT.value, draw.id
        return draw


def run_to_draw_from(session: Session, run_id: int) -> RunRow:
    """The run, held until the transaction ends; `NotPossibleNow` while it still judges."""
    row = session.get_one(RunRow, required_run(session, run_id).id, with_for_update=True)
    if row.state in _STILL_JUDGING:
        raise NotPossibleNow(
            f"{row.name} is {row.state}. The audit draws from all of its examples, so it begins "
            "when the run is done."
        )
    return row


def audit_draws(engine: Engine, run_id: int) -> tuple[Draw, ...]:
    """Every draw of the run, in the order of drawing."""
    with reading(engine) as session:
        rows = session.execute(_draws(run_id).order_by(AuditDrawRow.position))
        return tuple(_draw(row) for row in rows)


def audit_ids(session: Session, run: RunFacts, reviewer: str) -> list[int]:
    """The judgements of the audit as the person goes through them: what they have drawn and not
    done, the draws of others where each example needs several, then the order still to draw.
    """
    row = session.get_one(RunRow, run.id)
    if row.state in _STILL_JUDGING:
        return []
    undrawn = undrawn_of(session, run.id)
    to_draw = {found.position: found.id for found in undrawn}
    drawn = _failures_drawn(session, run.id)
    order = audit_order(row.audit_seed, _items(undrawn), failures_drawn=drawn)
    pending = _waiting(session, run, reviewer)
    return [*pending, *(to_draw[item.position] for item in order)]


def audit_count(session: Session, run: RunFacts, reviewer: str) -> int:
    """How many `audit_ids` there are."""
    if session.get_one(RunRow, run.id).state in _STILL_JUDGING:
        return 0
    left = select(func.count()).select_from(JudgementRow).where(_undrawn(run.id))
    return len(_waiting(session, run, reviewer)) + (session.scalar(left) or 0)


def _waiting(session: Session, run: RunFacts, reviewer: str) -> list[int]:
    """The judgements that are drawn and wait for this person."""
    begun = exists().where(
        ReviewRow.audit_draw_id == AuditDrawRow.id,
        ReviewRow.reviewer == reviewer,
        ReviewRow.finished_at.is_(None),
    )
    mine = session.execute(_pending(run, or_(begun, _not_shown_to(reviewer))))
    joined = _to_join(session, run, reviewer) if run.needed > 1 else ()
    return [_draw(found).judgement_id for found in (*mine, *joined)]


def _draw_next(
    session: Session, run: RunFacts, seed: int, reviewer: str, now: datetime
) -> int | None:
    """The id of a new draw."""
    undrawn = undrawn_of(session, run.id)
    if not undrawn:
        return None
    drawn = _failures_drawn(session, run.id)
    item = next_in_order(seed, _items(undrawn), failures_drawn=drawn)
    found = next(one for one in undrawn if one.position == item.position)
    left = sum(one.stratum == found.stratum for one in undrawn)
    return write_draw(session, run.id, found, seed=seed, undrawn=left, by=reviewer, now=now)


def write_draw(
    session: Session,
    run_id: int,
    found: Row[Any],
    *,
    seed: int,
    undrawn: int,
    by: str,
    now: datetime,
) -> int:
    """Keep the draw of an example that was found among the `undrawn` of its stratum; its id."""
    count = select(func.count()).where(AuditDrawRow.run_id == run_id)
    draw = AuditDrawRow(
        run_id=run_id,
        position=(session.scalar(count) or 0) + 1,
        seed=seed,
        stratum=found.stratum,
        undrawn=undrawn,
        example_id=found.example_id,
        drawn_at=now,
        drawn_by=by,
        state=PENDING,
    )
    session.add(draw)
    session.flush()
    return draw.id


def undrawn_of(session: Session, run_id: int) -> Sequence[Row[Any]]:
    """What can still be drawn: examples with units that nobody has drawn or reviewed."""
    row = JudgementRow
    stratum = case((row.judge_final.is_(None), FAILED), else_=JUDGED).label("stratum")
    query = select(row.id, row.example_id, row.position, stratum).where(_undrawn(run_id))
    return session.execute(query).all()


def _undrawn(run_id: int) -> ColumnElement[bool]:
    row = JudgementRow
    drawn = exists().where(AuditDrawRow.run_id == run_id, AuditDrawRow.example_id == row.example_id)
    return and_(
        row.run_id == run_id,
        row.repeat == 1,
        row.units > 0,
        row.reviewed_units < row.units,
        row.disputed_units == 0,
        ~drawn,
    )


def _failures_drawn(session: Session, run_id: int) -> int:
    count = select(func.count()).where(
        AuditDrawRow.run_id == run_id, AuditDrawRow.stratum == FAILED
    )
    return session.scalar(count) or 0


def _items(rows: Sequence[Row[Any]]) -> list[AuditItem]:
    return [AuditItem(found.position, found.stratum) for found in rows]


def _drawn_before(
    session: Session, run: RunFacts, reviewer: str, expected: int | None
) -> Row[Any] | None:
    """The draw by which the person already has the judgement that is about to be shown."""
    if expected is None:
        return None
    own = exists().where(ReviewRow.audit_draw_id == AuditDrawRow.id, ReviewRow.reviewer == reviewer)
    query = _draws(run.id).where(JudgementRow.id == expected)
    return session.execute(query.where(or_(own, AuditDrawRow.drawn_by == reviewer))).one_or_none()


def _pending(run: RunFacts, which: ColumnElement[bool]) -> Select[Any]:
    """Those of the draws that wait for a review, in the order of drawing."""
    query = _draws(run.id).where(AuditDrawRow.state == PENDING, which)
    return query.order_by(AuditDrawRow.position)


def _not_shown_to(reviewer: str) -> ColumnElement[bool]:
    """Whether the draw was made for this person, who has not been shown the example yet."""
    seen = exists().where(ReviewRow.judgement_id == JudgementRow.id, ReviewRow.reviewer == reviewer)
    return and_(AuditDrawRow.drawn_by == reviewer, ~seen)


def _to_join(session: Session, run: RunFacts, reviewer: str) -> Any:
    """Draws of others that still lack a reviewer and that this person has not looked at."""
    of_draw = ReviewRow.audit_draw_id == AuditDrawRow.id
    taken = select(func.count()).where(of_draw).scalar_subquery()
    mine = exists().where(ReviewRow.judgement_id == JudgementRow.id, ReviewRow.reviewer == reviewer)
    query = _draws(run.id).where(and_(AuditDrawRow.state == PENDING, taken < run.needed, ~mine))
    return session.execute(query.order_by(AuditDrawRow.position))


def _draws(run_id: int) -> Select[Any]:
    same_run = JudgementRow.run_id == AuditDrawRow.run_id
    same = and_(same_run, JudgementRow.example_id == AuditDrawRow.example_id)
    columns: tuple[Any, ...] = (AuditDrawRow, JudgementRow.id)
    return (
        select(*columns)
        .join(JudgementRow, and_(same, JudgementRow.repeat == 1))
        .where(AuditDrawRow.run_id == run_id)
    )


def _draw(found: Any) -> Draw:
    row, judgement_id = found
    return Draw(
        id=row.id,
        judgement_id=judgement_id,
        example_id=row.example_id,
        position=row.position,
        seed=row.seed,
        stratum=row.stratum,
        undrawn=row.undrawn,
        drawn_at=row.drawn_at,
        drawn_by=row.drawn_by,
        state=row.state,
    )

"""Many judgements decided on as one: in short transactions, taken up again where it was broken off.

All decisions of a write carry one batch name, which is the same when the write is sent again. What
it has stored is not stored twice, so a write that a crash cut short is completed by sending it once
more, or undone as far as it came.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Engine, func, select
from sqlalchemy.orm import Session

from db.appending import Act, Write, batch_name, lock_run, require_name, store
from db.copies import refresh_copies
from db.details import run_facts
from db.engine import reading, transaction
from db.review_stand import Standing, standings_of
from db.reviews import undoing_batch
from db.tables import DecisionRow
from recall_core.details import RunFacts
from recall_core.errors import InvalidDecision

AT_ONCE = 25
"""How many judgements one transaction decides on, so that nobody waits for long."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A judgement of the selection on which nothing was decided, and why."""

    judgement_id: int
    sentence: str


@dataclass(frozen=True, slots=True)
class BulkDone:
    """What a batch has stored: decisions on `units` units of `examples` examples."""

    batch: str
    examples: int
    units: int
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, slots=True)
class BatchCard:
    """A batch over several examples; `standing` of its decisions have not been taken back."""

    batch: str
    reviewer: str
    at: datetime
    examples: int
    units: int
    standing: int


class LeaveOut(Exception):
    """Raised while a batch is made, for a judgement on which nothing can be decided."""


def write_batch(
    engine: Engine,
    run_id: int,
    judgement_ids: Sequence[int],
    write: Write,
    acts_of: Callable[[Session, Standing], Sequence[Act]],
) -> BulkDone:
    """Store what `acts_of` decides on each judgement, some at a time, as one batch."""
    require_name(write)
    name = batch_name(write)
    left_out: list[LeftOut] = []
    ids = list(dict.fromkeys(judgement_ids))
    for start in range(0, len(ids), AT_ONCE):
        with transaction(engine) as session:
            lock_run(session, run_id)
            run = run_facts(session, run_id)
            _require_own(session, run, write)
            left = _not_stored(session, ids[start : start + AT_ONCE], name)
            left_out += _store(session, run, left, write, name, acts_of)
    with reading(engine) as session:
        row = DecisionRow
        counts = select(func.count(row.judgement_id.distinct()), func.count())
        examples, units = session.execute(counts.where(row.batch == name)).one()
    return BulkDone(name, examples, units, tuple(left_out))


def _require_own(session: Session, run: RunFacts, write: Write) -> None:
    """Raise if this write is stored already as something else."""
    row = DecisionRow
    query = select(row.run_id, row.reviewer, row.batch).where(
        row.client_id == write.client_id, row.client_seq == write.client_seq
    )
    found = session.execute(query.limit(1)).one_or_none()
    if found is not None and tuple(found) != (run.id, write.reviewer, batch_name(write)):
        raise InvalidDecision(
            f"Write {write.client_seq} of this browser is already stored as another decision. "
            "Reload the page and decide again."
        )


def _not_stored(session: Session, ids: Sequence[int], batch: str) -> list[int]:
    query = select(DecisionRow.judgement_id).where(
        DecisionRow.batch == batch, DecisionRow.judgement_id.in_(ids)
    )
    stored = set(session.scalars(query))
    return [i for i in ids if i not in stored]


def _store(
    session: Session,
    run: RunFacts,
    ids: Sequence[int],
    write: Write,
    batch: str,
    acts_of: Callable[[Session, Standing], Sequence[Act]],
) -> list[LeftOut]:
    row = DecisionRow
    newest = select(func.max(row.part)).where(
        row.client_id == write.client_id, row.client_seq == write.client_seq
    )
    last = session.scalar(newest)
    part = 0 if last is None else last + 1
    decided, left_out = [], []
    for stand in standings_of(session, run, ids, write.reviewer):
        try:
            acts = acts_of(session, stand)
        except LeaveOut as reason:
            left_out.append(LeftOut(stand.detail.id, str(reason)))
            continue
        if acts:
            store(session, stand.detail, acts, write, batch=batch, first_part=part)
            part += len(acts)
            decided.append(stand.detail.id)
    refresh_copies(session, decided)
    return left_out


def undo_bulk(
    engine: Engine,
    run_id: int,
    batch: str,
    *,
    reviewer: str,
    client_id: str,
    client_seq: int,
    now: datetime,
) -> BulkDone:
    """Take back, as one, what is left standing of the reviewer's decisions of that batch.

    What anybody decided later on the same units stays and goes on counting.
    """
    row = DecisionRow
    query = select(row.judgement_id).where(
        row.run_id == run_id, row.batch == batch, row.reviewer == reviewer
    )
    with reading(engine) as session:
        ids = list(dict.fromkeys(session.scalars(query.order_by(row.id))))
    write = Write(reviewer, client_id, client_seq, now)
    done = write_batch(
        engine, run_id, ids, write, lambda _, stand: undoing_batch(stand, batch, reviewer)
    )
    if not done.units:
        raise InvalidDecision(f"{reviewer} has nothing left to take back of that step.")
    return done


def bulk_batches(engine: Engine, run_id: int, reviewer: str) -> tuple[BatchCard, ...]:
    """The person's batches over more than one example, newest first; undos are none."""
    row = DecisionRow
    undone = select(row.undoes).where(row.run_id == run_id, row.undoes.is_not(None))
    standing = func.count().filter(row.id.not_in(undone))
    examples = func.count(row.judgement_id.distinct())
    query = (
        select(row.batch, row.reviewer, func.max(row.at), examples, func.count(), standing)
        .where(row.run_id == run_id, row.reviewer == reviewer)
        .where(row.batch.is_not(None), row.undoes.is_(None))
        .group_by(row.batch, row.reviewer)
        .having(examples > 1)
        .order_by(func.max(row.id).desc())
    )
    with reading(engine) as session:
        return tuple(
            BatchCard(batch, name, at, count, units, left)
            for batch, name, at, count, units, left in session.execute(query)
            if batch is not None
        )

"""Which worker judges which run: an atomic claim, a lease that it renews, and how it lets go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Engine, Select, bindparam, func, select
from sqlalchemy.orm import Session

from db.engine import reading, transaction
from db.owners import is_gone
from db.run_cards import JUDGED, RunState
from db.tables import ExampleRow, JudgementRow, RunRow, table_of
from recall_core.types import Json

LEASE = timedelta(seconds=60)
"""For how long a worker that is not heard of keeps its run; renewed every third of it."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A run that is now this owner's to judge."""

    run_id: int
    owner: str
    name: str
    dataset_id: int
    statement_set_id: int | None
    judge: str
    judge_version: int
    settings: Mapping[str, Json]
    endpoint: str | None = None
    """Whom its judge asks; `None`: no model."""


@dataclass(frozen=True, slots=True)
class Busy:
    """What a worker has its hands on: these runs, and these endpoints (`None`: the processor)."""

    runs: frozenset[int] = frozenset()
    endpoints: frozenset[str | None] = frozenset()


def claim_run(engine: Engine, owner: str, now: datetime, busy: Busy | None = None) -> Claim | None:
    """Take the oldest run that waits for a worker, or whose worker is gone; `None` if none does.

    A worker of this host counts as gone as soon as its process is; another host's when its lease
    has run out. Runs that need what the worker is `busy` with are left for later.
    """
    busy = busy or Busy()
    with reading(engine) as session:
        if _waiting(session, now, busy) is None:
            return None
    with transaction(engine) as session:
        row = _waiting(session, now, busy)
        if row is None:
            return None
        note_work(session, row)
        row.state, row.owner, row.lease_until = RunState.RUNNING.value, owner, now + LEASE
        row.claimed_at, row.started_at = now, row.started_at or now
        return Claim(
            run_id=row.id,
            owner=owner,
            name=row.name,
            dataset_id=row.dataset_id,
            statement_set_id=row.statement_set_id,
            judge=row.judge,
            judge_version=row.judge_version,
            settings=row.settings,
            endpoint=row.endpoint,
        )


def _waiting(session: Session, now: datetime, busy: Busy) -> RunRow | None:
    """Rows are locked where the database can (SQLite's write transactions are alone anyway)."""
    query = select(RunRow).where(
        RunRow.state.in_((RunState.QUEUED, RunState.RUNNING)), RunRow.kind == JUDGED
    )
    for row in session.scalars(query.order_by(RunRow.id).with_for_update(skip_locked=True)):
        if row.id in busy.runs or row.endpoint in busy.endpoints:
            continue
        if row.state == RunState.QUEUED or _is_abandoned(row, now):
            return row
    return None


def _is_abandoned(row: RunRow, now: datetime) -> bool:
    if row.owner is None or row.lease_until is None or row.lease_until <= now:
        return True
    return is_gone(row.owner)


def renew_lease(engine: Engine, claim: Claim, now: datetime) -> bool:
    """Keep the run for another lease; false if it is no longer this owner's to judge (paused,
    cancelled, deleted, or taken over).
    """
    with transaction(engine) as session:
        row = _mine(session, claim)
        if row is None:
            return False
        row.lease_until = now + LEASE
        return True


def is_mine(engine: Engine, claim: Claim) -> bool:
    """Whether the run is still this owner's to judge."""
    with reading(engine) as session:
        return holds(session, claim)


def holds(session: Session, claim: Claim) -> bool:
    """`is_mine` within a transaction that is already open."""
    held = {"run_id": claim.run_id, "owner": claim.owner}
    return session.scalar(_HELD, held) is not None


def finish_run(engine: Engine, claim: Claim, now: datetime) -> bool:
    """Let the run go: done, or for the next worker if examples without a judgement are left.

    False if the run is no longer this owner's.
    """
    with transaction(engine) as session:
        row = _mine(session, claim)
        if row is None:
            return False
        left = session.scalar(unjudged(claim.run_id, claim.dataset_id, after=0).limit(1))
        note_work(session, row, until=now)
        row.owner, row.lease_until = None, None
        if left is None:
            row.state, row.ended_at = RunState.DONE.value, now
        else:
            row.state = RunState.QUEUED.value
        return True


def fail_run(engine: Engine, claim: Claim, message: str, now: datetime) -> None:
    """Stop the run as a whole; `message` is the sentence that people read."""
    stop_run(engine, claim, RunState.FAILED, message, now)


def stop_run(engine: Engine, claim: Claim, state: RunState, message: str, now: datetime) -> None:
    """Let the run go where it is, failed or paused, with a sentence; it can be resumed."""
    with transaction(engine) as session:
        row = _mine(session, claim)
        if row is not None:
            note_work(session, row, until=now)
            row.state, row.message = state.value, message
            row.ended_at = None if state is RunState.PAUSED else now
            row.owner, row.lease_until = None, None


def note_work(session: Session, row: RunRow, *, until: datetime | None = None) -> None:
    """Count what its worker, which loses the run now, has worked: until then, or until the newest
    judgement that it made."""
    if row.claimed_at is None:
        return
    at = JudgementRow.judged_at
    newest = select(func.max(at)).where(JudgementRow.run_id == row.id, at >= row.claimed_at)
    until = until or session.scalar(newest) or row.claimed_at
    row.worked_seconds += max(0.0, (until - row.claimed_at).total_seconds())
    row.claimed_at = None


_R = table_of(RunRow).c
_HELD = select(_R.id).where(
    _R.id == bindparam("run_id"), _R.owner == bindparam("owner"), _R.state == RunState.RUNNING.value
)


def _mine(session: Session, claim: Claim) -> RunRow | None:
    query = select(RunRow).where(RunRow.id == claim.run_id, RunRow.owner == claim.owner)
    return session.scalar(query.where(RunRow.state == RunState.RUNNING))


def unjudged(run_id: int, dataset_id: int, *, after: int) -> Select[int]:
    """The row ids of the dataset's examples after that position that the run has no answer for,
    or whose answer is to be replaced.
    """
    judged = select(JudgementRow.id).where(
        JudgementRow.run_id == run_id,
        JudgementRow.example_id == ExampleRow.id,
        ~JudgementRow.again,
    )
    return (
        select(ExampleRow.id)
        .where(ExampleRow.dataset_id == dataset_id, ExampleRow.position > after)
        .where(~judged.exists())
        .order_by(ExampleRow.position)
    )

"""How far a run is, how fast it goes, and when it will be done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from sqlalchemy import Engine, func, select
from sqlalchemy.orm import Session

from db.engine import reading
from db.run_cards import RunState, budget_of, required_run, status_counts
from db.spending import Spending, spending_of
from db.tables import DatasetRow, JudgementRow, RunRow

WINDOW = timedelta(seconds=30)
"""The rate is counted over this, so that it follows a judge that gets slower or faster …"""
AT_LEAST = 20
"""… but over this many judgements at least, so that a slow judge has a steady rate as well."""


@dataclass(frozen=True, slots=True)
class Progress:
    """A run's progress; `per_minute` and `seconds_left` are `None` unless it runs and has begun.

    `by_kind` counts the failed ones by error type.
    """

    state: RunState
    message: str
    total: int
    processed: int
    failed: int
    skipped: int
    left: int
    per_minute: float | None
    seconds_left: float | None
    by_kind: Mapping[str, int]
    spending: Spending | None = None
    """What its calls came to so far; `None` for a judge that asks no model."""
    budget: Decimal | None = None

    @property
    def judged(self) -> int:
        """How many examples have an answer of some kind."""
        return self.processed + self.failed + self.skipped


def progress(engine: Engine, run_id: int, now: datetime) -> Progress:
    """The run's progress at this moment; `NotKept` if it is gone."""
    with reading(engine) as session:
        run = required_run(session, run_id)
        counts = status_counts(session, [run_id]).get(run_id, {})
        total = session.get_one(DatasetRow, run.dataset_id).examples
        kinds = _kinds(session, run_id) if counts.get("error") else {}
        rate = _per_second(session, run, now) if run.state == RunState.RUNNING else None
        spending = None if run.endpoint is None else spending_of(session, run)
    left = max(0, total - sum(counts.values()))
    return Progress(
        state=RunState(run.state),
        message=run.message,
        total=total,
        processed=counts.get("processed", 0),
        failed=counts.get("error", 0),
        skipped=counts.get("skipped", 0),
        left=left,
        per_minute=None if rate is None else rate * 60,
        seconds_left=None if rate is None else left / rate,
        by_kind=kinds,
        spending=spending,
        budget=budget_of(run),
    )


def _kinds(session: Session, run_id: int) -> dict[str, int]:
    query = (
        select(JudgementRow.error_type, func.count())
        .where(JudgementRow.run_id == run_id, JudgementRow.status == "error", ~JudgementRow.again)
        .group_by(JudgementRow.error_type)
        .order_by(func.count().desc(), JudgementRow.error_type)
    )
    return {kind: count for kind, count in session.execute(query) if kind is not None}


def _per_second(session: Session, run: RunRow, now: datetime) -> float | None:
    """Judgements a second since the window began; the time before this worker does not count."""
    claimed = run.claimed_at or now
    at = JudgementRow.judged_at
    mine = select(at).where(JudgementRow.run_id == run.id, at >= claimed)
    since = max(claimed, now - WINDOW)
    count = _count(session, run.id, since)
    if count < AT_LEAST:
        earlier = session.scalar(mine.order_by(at.desc()).offset(AT_LEAST).limit(1))
        since = min(since, earlier or claimed)
        count = _count(session, run.id, since)
    elapsed = (now - since).total_seconds()
    return count / elapsed if count and elapsed > 0 else None


def _count(session: Session, run_id: int, since: datetime) -> int:
    query = select(func.count()).where(
        JudgementRow.run_id == run_id, JudgementRow.judged_at > since
    )
    return session.scalar(query) or 0

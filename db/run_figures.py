"""What the list of runs says about each run: its mean with its coverage, and how far people are.

`db.results.run_summary` has every number of one run; this has a few numbers of many runs, in a
fixed number of queries.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from sqlalchemy import Engine, and_, func, select
from sqlalchemy.orm import Session

from db.engine import reading
from db.tables import DecisionRow, JudgementRow, ReviewRow, RunRow
from recall_core.queues import Queue
from recall_core.summary import Mean, mean_of
from recall_core.types import TraceState


@dataclass(frozen=True, slots=True)
class RunFigures:
    """A run's mean over its judged examples, and what people have done in it.

    `reviewable` counts examples that have units, `reviewed` those with every unit reviewed,
    `touched` those with at least one.
    """

    mean: Mean
    reviewable: int
    reviewed: int
    touched: int
    last_reviewer: str | None = None
    last_decision_at: datetime | None = None

    @property
    def judge_only(self) -> bool:
        """Whether no person has decided on anything yet."""
        return self.touched == 0

    @property
    def all_reviewed(self) -> bool:
        """Whether there was something to review and people have reviewed all of it."""
        return 0 < self.reviewable <= self.reviewed


@dataclass(frozen=True, slots=True)
class LastStop:
    """Where a reviewer decided last, and the queue that had brought it."""

    run_id: int
    judgement_id: int
    at: datetime
    queue: Queue


def run_figures(engine: Engine, run_ids: Sequence[int]) -> dict[int, RunFigures]:
    """The figures of these runs; a run without any judgement has a mean over none."""
    with reading(engine) as session:
        finals = _finals(session, run_ids)
        counts = _counts(session, run_ids)
        last = _last_decisions(session, run_ids)
    return {
        run_id: RunFigures(
            mean_of(finals[run_id].items(), counts[run_id][0]),
            *counts[run_id][1:],
            *last.get(run_id, (None, None)),
        )
        for run_id in run_ids
    }


def last_stop(engine: Engine, reviewer: str, *, run_id: int | None = None) -> LastStop | None:
    """The judgement on which this reviewer decided last, in a run that is still in the lists, or in
    this one.
    """
    row = DecisionRow
    query = (
        select(row.run_id, row.judgement_id, row.at, ReviewRow.selection)
        .join(RunRow, RunRow.id == row.run_id)
        .join(ReviewRow, ReviewRow.id == row.review_id)
        .where(row.reviewer == reviewer, RunRow.archived_at.is_(None), RunRow.state != "deleting")
        .order_by(row.id.desc())
        .limit(1)
    )
    if run_id is not None:
        query = query.where(row.run_id == run_id)
    with reading(engine) as session:
        found = session.execute(query).one_or_none()
    if found is None:
        return None
    run, judgement, at, selection = found
    return LastStop(run, judgement, at, Queue(selection))


def _finals(session: Session, run_ids: Sequence[int]) -> dict[int, Counter[Fraction]]:
    row = JudgementRow
    covered = row.trace_state == TraceState.SCORED.value
    query = select(row.run_id, row.final, func.count()).where(row.run_id.in_(run_ids), covered)
    finals: dict[int, Counter[Fraction]] = defaultdict(Counter)
    for run_id, final, count in session.execute(query.group_by(row.run_id, row.final)):
        if final is not None:
            finals[run_id][final] += count
    return finals


def _counts(session: Session, run_ids: Sequence[int]) -> dict[int, tuple[int, int, int, int]]:
    row = JudgementRow
    reviewed = func.count().filter(and_(row.units > 0, row.reviewed_units >= row.units))
    touched = func.count().filter(row.reviewed_units > 0)
    with_units = func.count().filter(row.units > 0)
    columns = (row.run_id, func.count(), with_units, reviewed, touched)
    query = select(*columns).where(row.run_id.in_(run_ids)).group_by(row.run_id)
    counts = dict.fromkeys(run_ids, (0, 0, 0, 0))
    for run_id, judged, units, done, begun in session.execute(query):
        counts[run_id] = (judged, units, done, begun)
    return counts


def _last_decisions(session: Session, run_ids: Sequence[int]) -> dict[int, tuple[str, datetime]]:
    row = DecisionRow
    newest = select(func.max(row.id)).where(row.run_id.in_(run_ids)).group_by(row.run_id)
    query = select(row.run_id, row.reviewer, row.at).where(row.id.in_(newest))
    return {run_id: (reviewer, at) for run_id, reviewer, at in session.execute(query)}

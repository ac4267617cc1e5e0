"""How far each person has come with a run, and by which queue."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Engine, and_, func, or_, select, union
from sqlalchemy.orm import Session

from db.engine import reading
from db.tables import (
    AssignmentRow,
    DatasetRow,
    DecisionRow,
    JudgementRow,
    PersonRow,
    ReviewRow,
    RunRow,
)
from recall_core.queues import Queue
from recall_core.types import Action


@dataclass(frozen=True, slots=True)
class Passes:
    """How many examples somebody has opened, and how many of these are finished."""

    opened: int = 0
    finished: int = 0


@dataclass(frozen=True, slots=True)
class PersonProgress:
    """One person's part in a run. `decisions` leaves undos out; `changes` changed a value."""

    reviewer: str
    assigned: int = 0
    assigned_done: int = 0
    passes: Passes = Passes()
    by_queue: Mapping[Queue, Passes] = field(default_factory=dict)
    decisions: int = 0
    changes: int = 0
    last_at: datetime | None = None


def review_progress(engine: Engine, run_id: int) -> tuple[PersonProgress, ...]:
    """Everybody who has been asked to review, or has begun to, by name."""
    with reading(engine) as session:
        assigned = _assigned(session, run_id)
        opened, finished = _reviews(session, run_id)
        decided = _decisions(session, run_id)
    progress = []
    for name in sorted({*assigned, *opened, *decided}):
        asked, done = assigned.get(name, (0, 0))
        decisions, changes, last_at = decided.get(name, (0, 0, None))
        by_queue = {
            queue: Passes(opened[name][queue], finished[name][queue])
            for queue in Queue
            if opened[name][queue]
        }
        passes = Passes(opened[name].total(), finished[name].total())
        progress.append(
            PersonProgress(name, asked, done, passes, by_queue, decisions, changes, last_at)
        )
    return tuple(progress)


@dataclass(frozen=True, slots=True)
class RunProgress:
    """One person's part in one run."""

    run_id: int
    run: str
    dataset: str
    progress: PersonProgress


def own_progress(engine: Engine, reviewer: str) -> tuple[RunProgress, ...]:
    """The person's part in every run where they have one, the newest run first; runs that are put
    away are left out.
    """
    row = JudgementRow
    parts = [
        select(row.run_id)
        .join(table, table.judgement_id == row.id)
        .where(table.reviewer == reviewer)
        for table in (AssignmentRow, ReviewRow)
    ]
    query = (
        select(RunRow.id, RunRow.name, DatasetRow.name)
        .join(DatasetRow, DatasetRow.id == RunRow.dataset_id)
        .where(RunRow.id.in_(union(*parts)), RunRow.archived_at.is_(None))
        .where(RunRow.state != "deleting")
    )
    with reading(engine) as session:
        runs = session.execute(query.order_by(RunRow.id.desc())).all()
    return tuple(
        RunProgress(run_id, run, dataset, progress)
        for run_id, run, dataset in runs
        for progress in review_progress(engine, run_id)
        if progress.reviewer == reviewer
    )


def known_people(engine: Engine) -> tuple[str, ...]:
    """Everybody who has reviewed, has been asked to, or has set something for themselves."""
    with reading(engine) as session:
        columns = (ReviewRow.reviewer, AssignmentRow.reviewer, PersonRow.name)
        names = {name for column in columns for name in session.scalars(select(column).distinct())}
    return tuple(sorted(names, key=str.casefold))


def _assigned(session: Session, run_id: int) -> dict[str, tuple[int, int]]:
    row = JudgementRow
    reviewed = and_(row.units > 0, row.reviewed_units >= row.units)
    done = or_(reviewed, ReviewRow.finished_at.is_not(None))
    same = and_(
        ReviewRow.judgement_id == AssignmentRow.judgement_id,
        ReviewRow.reviewer == AssignmentRow.reviewer,
    )
    query = (
        select(AssignmentRow.reviewer, func.count(), func.count().filter(done))
        .join(row, row.id == AssignmentRow.judgement_id)
        .outerjoin(ReviewRow, same)
        .where(row.run_id == run_id)
        .group_by(AssignmentRow.reviewer)
    )
    return {name: (count, finished) for name, count, finished in session.execute(query)}


def _reviews(
    session: Session, run_id: int
) -> tuple[dict[str, Counter[Queue]], dict[str, Counter[Queue]]]:
    row = ReviewRow
    finished = func.count().filter(row.finished_at.is_not(None))
    query = (
        select(row.reviewer, row.selection, func.count(), finished)
        .join(JudgementRow, JudgementRow.id == row.judgement_id)
        .where(JudgementRow.run_id == run_id)
        .group_by(row.reviewer, row.selection)
    )
    opened_by: dict[str, Counter[Queue]] = defaultdict(Counter)
    finished_by: dict[str, Counter[Queue]] = defaultdict(Counter)
    for name, selection, opened, done in session.execute(query):
        opened_by[name][Queue(selection)] += opened
        finished_by[name][Queue(selection)] += done
    return opened_by, finished_by


def _decisions(session: Session, run_id: int) -> dict[str, tuple[int, int, datetime | None]]:
    row = DecisionRow
    changed = or_(
        row.before_kind != row.after_kind,
        row.before_excluded != row.after_excluded,
        row.before_score.is_distinct_from(row.after_score),
    )
    query = select(
        row.reviewer, func.count(), func.count().filter(changed), func.max(row.at)
    ).where(row.run_id == run_id, row.action != Action.UNDO.value)
    rows: Any = session.execute(query.group_by(row.reviewer))
    return {name: (count, changes, last) for name, count, changes, last in rows}

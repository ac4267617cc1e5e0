"""Deleting in two steps: out of sight in one small transaction with a tombstone, then row by row in
short batches, so that no reviewer waits. What a crash leaves half deleted, the sweep finishes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Engine, delete, exists, select
from sqlalchemy.orm import Session

from db.decisions import last_hash
from db.disagreement import refresh_disagreement
from db.engine import reading, transaction
from db.owners import is_gone, new_owner
from db.run_cards import IMPORTED
from db.tables import (
    AuditDrawRow,
    Base,
    DatasetRow,
    ExampleRow,
    JudgementRow,
    RunRow,
    StatementSetRow,
    TombstoneRow,
    UnitRow,
    VerdictRow,
)

BATCH = 200
FORGOTTEN = timedelta(days=1)
"""After this an import of another host, whose processes we cannot see, counts as given up."""


def bury_dataset(session: Session, row: DatasetRow, *, author: str, now: datetime) -> None:
    """Take the dataset out of sight and leave a tombstone; its runs must have been buried."""
    row.state, row.owner = "deleting", new_owner()
    session.add(_tombstone("dataset", row.name, row.content_hash, author, now))


def bury_run(session: Session, row: RunRow, *, author: str, now: datetime) -> None:
    """Take the run out of sight (a worker stops judging it) and leave a tombstone.

    The tombstone's hash covers judge, settings, dataset and the end of the chain of decisions.
    """
    dataset = session.get_one(DatasetRow, row.dataset_id)
    facts = {
        "judge": row.judge,
        "version": row.judge_version,
        "settings": row.settings,
        "dataset": dataset.content_hash,
        "decisions": last_hash(session, row.id),
    }
    text = json.dumps(facts, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    row.state, row.owner, row.lease_until = "deleting", new_owner(), None
    session.add(_tombstone("run", row.name, digest, author, now))


def _tombstone(kind: str, name: str, digest: str, author: str, now: datetime) -> TombstoneRow:
    return TombstoneRow(kind=kind, name=name, hash=digest, deleted_at=now, deleted_by=author)


def clear_run(engine: Engine, run_id: int) -> None:
    """Remove the rows of a buried run, and the units that no other run has judged."""
    while True:
        with transaction(engine) as session:
            query = select(JudgementRow.id, JudgementRow.example_id)
            found = session.execute(query.where(JudgementRow.run_id == run_id).limit(BATCH)).all()
            if not found:
                session.execute(delete(AuditDrawRow).where(AuditDrawRow.run_id == run_id))
                session.execute(delete(RunRow).where(RunRow.id == run_id))
                return
            _delete(session, JudgementRow, [row.id for row in found])
            session.execute(
                delete(UnitRow)
                .where(UnitRow.example_id.in_([row.example_id for row in found]))
                .where(~exists().where(VerdictRow.unit_id == UnitRow.id))
            )
            refresh_disagreement(session, {row.example_id for row in found})


def clear_dataset(engine: Engine, dataset_id: int) -> None:
    """Remove the rows of a dataset that nobody sees: buried, or never completely imported."""
    while True:
        with transaction(engine) as session:
            query = select(ExampleRow.id).where(ExampleRow.dataset_id == dataset_id)
            ids = session.scalars(query.limit(BATCH)).all()
            if not ids:
                session.execute(delete(DatasetRow).where(DatasetRow.id == dataset_id))
                return
            _delete(session, ExampleRow, ids)


def clear_statement_set(engine: Engine, set_id: int) -> None:
    """Remove a statement set that no run points at."""
    with transaction(engine) as session:
        session.execute(delete(StatementSetRow).where(StatementSetRow.id == set_id))


def _delete(session: Session, table: type[Any], ids: Sequence[int]) -> None:
    session.execute(delete(table).where(table.id.in_(ids)))


def sweep_unfinished(engine: Engine, *, now: datetime) -> int:
    """Finish what processes that are gone left half imported or half deleted; how many of these.

    Called when the program starts. What a living process is at work on stays.
    """
    with reading(engine) as session:
        runs = _left_behind(session, RunRow, ("deleting",), now)
        runs += _left_behind(session, RunRow, ("running",), now, RunRow.kind == IMPORTED)
        datasets = _left_behind(session, DatasetRow, ("importing", "deleting"), now)
        sets = _left_behind(session, StatementSetRow, ("importing",), now)
    for run_id in runs:
        clear_run(engine, run_id)
    for set_id in sets:
        clear_statement_set(engine, set_id)
    for dataset_id in datasets:
        clear_dataset(engine, dataset_id)
    return len(runs) + len(sets) + len(datasets)


def _left_behind(
    session: Session,
    table: type[Base],
    states: Sequence[str],
    now: datetime,
    *only: ColumnElement[bool],
) -> list[int]:
    columns = table.__table__.c
    query = select(columns.id, columns.owner, columns.created_at).where(
        columns.state.in_(states), *only
    )
    return [
        row_id
        for row_id, owner, created_at in session.execute(query)
        if owner is None or is_gone(owner) or created_at < now - FORGOTTEN
    ]

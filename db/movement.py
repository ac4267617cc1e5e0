"""How a run's mean moved from the judge's to the one that counts now (`recall_core.movement`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import Engine, select

from db.details import BATCH, read_judgements
from db.engine import reading
from db.tables import JudgementRow
from recall_core.details import JudgementDetail
from recall_core.movement import Movement, movement_of
from recall_core.summary import RunSummary


def run_movement(engine: Engine, summary: RunSummary) -> Movement | None:
    """The steps between the two means of the summary; `None` where there is nothing to tell."""
    row = JudgementRow
    query = select(row.id).where(row.run_id == summary.run.id, row.last_decision_at.is_not(None))
    with reading(engine) as session:
        ids = session.scalars(query.order_by(row.id)).all()
    if not ids:
        return None
    return movement_of(_read(engine, ids), summary.judge_mean, summary.mean)


def _read(engine: Engine, ids: Sequence[int]) -> Iterator[JudgementDetail]:
    for start in range(0, len(ids), BATCH):
        yield from read_judgements(engine, ids[start : start + BATCH])

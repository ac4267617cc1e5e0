"""How a run's mean moved from the judge's to the one that counts now (`recall_core.movement`)."""

from __future__ import annotations

from itertools import chain

from sqlalchemy import Engine

from db.ledgers import touched
from recall_core.movement import Grouping, Movement, movement_of
from recall_core.summary import RunSummary


def run_movement(
    engine: Engine, summary: RunSummary, by: Grouping = Grouping.CAUSE
) -> Movement | None:
    """The steps between the two means of the summary; `None` where there is nothing to tell."""
    details = touched(engine, summary.run.id)
    first = next(details, None)
    if first is None:
        return None
    return movement_of(chain([first], details), summary.judge_mean, summary.mean, by)

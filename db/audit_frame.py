"""When people took examples out of the audit's frame: each draw was made from those left in it."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, case, or_, select
from sqlalchemy.orm import Session

from db.tables import AuditDrawRow, DecisionRow, JudgementRow
from recall_core.audit_frame import Act, first_whole
from recall_core.details import RunFacts
from recall_core.queues import FAILED, JUDGED
from recall_core.types import Action

BATCH = 500


@dataclass(frozen=True, slots=True)
class DrawnExample:
    """One draw: its place among the run's draws, and from which examples it was drawn."""

    example_id: int
    position: int
    drawn_at: datetime
    stratum: str


@dataclass(frozen=True, slots=True)
class Drawn:
    """The draws of a run, in their order."""

    draws: tuple[DrawnExample, ...]

    def before(self, moment: datetime) -> int:
        """How many draws had been made at that moment. (One made in it had not.)"""
        return bisect_left(self.draws, moment, key=lambda draw: draw.drawn_at)

    def by_example(self) -> Mapping[int, DrawnExample]:
        """Each example's draw; no example is drawn twice."""
        return {draw.example_id: draw for draw in self.draws}


def drawn_of(session: Session, run_id: int) -> Drawn:
    """The draws of the run."""
    row = AuditDrawRow
    query = select(row.example_id, row.position, row.drawn_at, row.stratum)
    rows = session.execute(query.where(row.run_id == run_id).order_by(row.position))
    return Drawn(tuple(DrawnExample(*found) for found in rows))


def stratum_now() -> ColumnElement[str]:
    """The stratum that an example of the run is in."""
    return case((JudgementRow.judge_final.is_(None), FAILED), else_=JUDGED)


def out_of_frame() -> ColumnElement[bool]:
    """Whether no audit can draw the example any more, for people have reviewed it."""
    row = JudgementRow
    reviewed = and_(row.units > 0, row.reviewed_units >= row.units)
    return or_(reviewed, row.disputed_units > 0)


def left_frame_at(
    session: Session, run: RunFacts, judgements: Mapping[int, int]
) -> Mapping[int, datetime]:
    """When each of these judgements (with the number of its units) first had been decided on whole,
    by as many people as the run needs.
    """
    found = {}
    ids = list(judgements)
    for start in range(0, len(ids), BATCH):
        some = ids[start : start + BATCH]
        for judgement_id, acts in _acts(session, some).items():
            moment = first_whole(acts, judgements[judgement_id], run.needed)
            if moment is not None:
                found[judgement_id] = moment
    return found


def _acts(session: Session, judgement_ids: Collection[int]) -> dict[int, list[Act]]:
    row = DecisionRow
    columns: tuple[Any, ...] = (row.id, row.unit_id, row.reviewer, row.undoes, row.at)
    query = select(row.judgement_id, *columns).where(
        row.judgement_id.in_(judgement_ids), row.action != Action.RESOLVE.value
    )
    acts: dict[int, list[Act]] = defaultdict(list)
    for judgement_id, *rest in session.execute(query.order_by(row.id)):
        acts[judgement_id].append(Act(*rest))
    return acts

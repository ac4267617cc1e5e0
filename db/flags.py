"""Flags: somebody asks for another look at an example."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Engine, Select, select, update
from sqlalchemy.orm import Session

from db.columns import whole_text
from db.details import BATCH
from db.engine import reading, transaction
from db.errors import NotKept
from db.tables import FlagRow, JudgementRow


@dataclass(frozen=True, slots=True)
class Flag:
    """Who asks for another look, since when, and why."""

    by: str
    at: datetime
    note: str


def flag(engine: Engine, judgement_id: int, *, by: str, now: datetime, note: str = "") -> None:
    """Ask for another look; an example that is flagged already stays as it is."""
    with transaction(engine) as session:
        _flag(session, judgement_id, by, now, note)


def flag_all(
    engine: Engine, judgement_ids: Sequence[int], *, by: str, now: datetime, note: str = ""
) -> None:
    """Ask for another look at each of these, a short transaction for some at a time."""
    for start in range(0, len(judgement_ids), BATCH):
        with transaction(engine) as session:
            for judgement_id in judgement_ids[start : start + BATCH]:
                _flag(session, judgement_id, by, now, note)


def _flag(session: Session, judgement_id: int, by: str, now: datetime, note: str) -> None:
    require_judgement(session, judgement_id)
    if session.scalar(_open(judgement_id)) is None:
        row = FlagRow(judgement_id=judgement_id, flagged_by=by, flagged_at=now)
        row.note = whole_text(note.strip())
        session.add(row)


def unflag_all(engine: Engine, judgement_ids: Sequence[int], *, by: str, now: datetime) -> None:
    """None of these needs another look any more."""
    for start in range(0, len(judgement_ids), BATCH):
        ids = judgement_ids[start : start + BATCH]
        with transaction(engine) as session:
            session.execute(
                update(FlagRow)
                .where(FlagRow.judgement_id.in_(ids), FlagRow.cleared_at.is_(None))
                .values(cleared_by=by, cleared_at=now)
            )


def unflag(engine: Engine, judgement_id: int, *, by: str, now: datetime) -> None:
    """Somebody has looked, or nobody needs to; who flagged it and who cleared it stay known."""
    with transaction(engine) as session:
        require_judgement(session, judgement_id)
        session.execute(
            update(FlagRow)
            .where(FlagRow.judgement_id == judgement_id, FlagRow.cleared_at.is_(None))
            .values(cleared_by=by, cleared_at=now)
        )


def flags_of(engine: Engine, judgement_ids: Sequence[int]) -> Mapping[int, Flag]:
    """The flag of each of these that is flagged now."""
    query = select(FlagRow).where(
        FlagRow.judgement_id.in_(judgement_ids), FlagRow.cleared_at.is_(None)
    )
    with reading(engine) as session:
        return {
            row.judgement_id: Flag(row.flagged_by, row.flagged_at, row.note)
            for row in session.scalars(query)
        }


def require_judgement(session: Session, judgement_id: int) -> JudgementRow:
    """The judgement's row; `NotKept` if it is gone."""
    row = session.get(JudgementRow, judgement_id)
    if row is None:
        raise NotKept(f"There is no judgement {judgement_id}. Its run may have been deleted.")
    return row


def _open(judgement_id: int) -> Select[int]:
    return select(FlagRow.id).where(
        FlagRow.judgement_id == judgement_id, FlagRow.cleared_at.is_(None)
    )

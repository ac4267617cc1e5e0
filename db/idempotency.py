"""Writes that a program may send twice: the second is answered like the first, and not done."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Engine, delete
from sqlalchemy.orm import Session

from db.engine import transaction
from db.errors import NotPossibleNow, Unkeepable
from db.tables import IdempotencyRow

KEPT = timedelta(hours=24)
"""How long a key is remembered: longer than any program goes on trying."""


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """What the first request with a key was answered; `answer` is the body as JSON text."""

    status: int
    answer: str


def begin_write(
    engine: Engine, token_id: int, key: str, request_hash: str, *, now: datetime
) -> KeptAnswer | None:
    """Claim the key for a request that is about to be carried out, or give the answer it had.

    `Unkeepable` if the key stands for another request, `NotPossibleNow` while the first one is
    under way (or was when the server died: then nobody knows whether it was done).
    """
    with transaction(engine) as session:
        session.execute(delete(IdempotencyRow).where(IdempotencyRow.at < now - KEPT))
        row = session.get(IdempotencyRow, (token_id, key))
        if row is None:
            session.add(
                IdempotencyRow(token_id=token_id, key=key, request_hash=request_hash, at=now)
            )
            return None
        if row.request_hash != request_hash:
            raise Unkeepable(
                f"The Idempotency-Key {key!r} stands for another request of yours. "
                "Send a new request with a new key."
            )
        if row.status is None:
            raise NotPossibleNow(
                f"The request with the Idempotency-Key {key!r} is still being carried out, or was "
                "when the server stopped. Look whether it was done before you send a new key."
            )
        return KeptAnswer(row.status, row.answer or "")


def end_write(engine: Engine, token_id: int, key: str, answer: KeptAnswer) -> None:
    """Keep the answer for whoever sends the key again."""
    with transaction(engine) as session:
        row = _row(session, token_id, key)
        row.status, row.answer = answer.status, answer.answer


def forget_write(engine: Engine, token_id: int, key: str) -> None:
    """Nothing was done, so the same key may try again."""
    with transaction(engine) as session:
        session.delete(_row(session, token_id, key))


def _row(session: Session, token_id: int, key: str) -> IdempotencyRow:
    return session.get_one(IdempotencyRow, (token_id, key))

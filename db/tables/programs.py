"""What programs bring: their tokens, and the writes they may send twice."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from db.tables.base import Base


class TokenRow(Base):
    """What lets a program in. The token itself is nowhere, only its hash."""

    __tablename__ = "api_token"
    # Idempotency keys and answers belong to a token: a number must never mean another one.
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    """Whose it is: what is written with it has this name for its author."""
    hash: Mapped[str] = mapped_column(String(64), unique=True)
    scopes: Mapped[list[Any]]
    created_at: Mapped[datetime]
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


class IdempotencyRow(Base):
    """A write that a program named by a key, with the answer it had; `status` null: under way."""

    __tablename__ = "idempotency_key"
    __table_args__ = (Index("ix_idempotency_key_at", "at"),)

    token_id: Mapped[int] = mapped_column(
        ForeignKey("api_token.id", ondelete="CASCADE"), primary_key=True
    )
    key: Mapped[str] = mapped_column(String(255), primary_key=True)
    request_hash: Mapped[str] = mapped_column(String(64))
    """Over method, address and body."""
    status: Mapped[int | None]
    answer: Mapped[str | None]
    at: Mapped[datetime]

"""What programs bring: their tokens, and the writes they may send twice."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, String, UniqueConstraint
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


class ClientRunRow(Base):
    """A run as another product's client names it: what it sent, until the desk's run is made."""

    __tablename__ = "client_run"
    __table_args__ = (UniqueConstraint("token_id", "client", "key"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    token_id: Mapped[int] = mapped_column(ForeignKey("api_token.id", ondelete="CASCADE"))
    client: Mapped[str] = mapped_column(String(32))
    """langwatch, judgeval"""
    key: Mapped[str]
    """Its own name for the run."""
    place: Mapped[str]
    """What its address in the browser says: the experiment."""
    name: Mapped[str]
    expected: Mapped[int | None]
    """How many rows it will have; null: the client has not said that it is finished."""
    run_id: Mapped[int | None] = mapped_column(
        ForeignKey("run.id", ondelete="SET NULL"), index=True
    )
    created_at: Mapped[datetime]


class ClientRowRow(Base):
    """One row that a client has sent for its run, and what it logged about it."""

    __tablename__ = "client_row"

    client_run_id: Mapped[int] = mapped_column(
        ForeignKey("client_run.id", ondelete="CASCADE"), primary_key=True
    )
    position: Mapped[str] = mapped_column(String(64), primary_key=True)
    """The client's own index of it, as text."""
    entry: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    """Null: it has only logged about the row so far."""
    logged: Mapped[dict[str, Any]]
    """By the name of what was measured."""


class ClientCallRow(Base):
    """An evaluation that a client asked for: how it was asked, until its row arrives."""

    __tablename__ = "client_call"
    __table_args__ = (Index("ix_client_call_at", "at"),)

    token_id: Mapped[int] = mapped_column(
        ForeignKey("api_token.id", ondelete="CASCADE"), primary_key=True
    )
    trace: Mapped[str] = mapped_column(String(64), primary_key=True)
    judge: Mapped[str] = mapped_column(String(64), primary_key=True)
    settings: Mapped[dict[str, Any]]
    data: Mapped[dict[str, Any]]
    at: Mapped[datetime]

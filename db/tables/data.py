"""Tables of what came in: datasets, examples, statements; and what a deleted one leaves."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from db.tables.base import Base


class DatasetRow(Base):
    """A named set of examples that never changes; only `ready` ones are visible."""

    __tablename__ = "dataset"
    # An id stays in addresses and open desks: a deleted one must never mean another row.
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    state: Mapped[str] = mapped_column(String(16))
    """importing, ready, deleting"""
    owner: Mapped[str | None]
    """host:pid:nonce of the process that imports or deletes it, so that a sweep spares it."""
    content_hash: Mapped[str] = mapped_column(String(64), index=True)
    source: Mapped[str] = mapped_column(default="")
    examples: Mapped[int] = mapped_column(default=0)
    essential: Mapped[int] = mapped_column(default=0)
    bonus: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime]
    created_by: Mapped[str]
    archived_at: Mapped[datetime | None]


class ExampleRow(Base):
    """One example; `has_*` tell a missing field from an empty list (`Example`)."""

    __tablename__ = "example"
    __table_args__ = (
        UniqueConstraint("dataset_id", "position"),
        Index("ix_example_external_id", "external_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    dataset_id: Mapped[int] = mapped_column(ForeignKey("dataset.id", ondelete="CASCADE"))
    position: Mapped[int]
    """From 1, the order of the file."""
    external_id: Mapped[str]
    question: Mapped[str | None]
    actual_output: Mapped[str | None]
    expected_output: Mapped[str | None]
    has_ground_truth: Mapped[bool]
    has_retrieved: Mapped[bool]
    details: Mapped[dict[str, Any]] = mapped_column("metadata", JSON)


class GroundTruthRow(Base):
    __tablename__ = "ground_truth_passage"

    example_id: Mapped[int] = mapped_column(
        ForeignKey("example.id", ondelete="CASCADE"), primary_key=True
    )
    position: Mapped[int] = mapped_column(primary_key=True)
    """From 1 over both kinds, the order of the file."""
    kind: Mapped[str] = mapped_column(String(16))
    text: Mapped[str]
    external_id: Mapped[str | None]


class RetrievedRow(Base):
    __tablename__ = "retrieved_passage"

    example_id: Mapped[int] = mapped_column(
        ForeignKey("example.id", ondelete="CASCADE"), primary_key=True
    )
    rank: Mapped[int] = mapped_column(primary_key=True)
    text: Mapped[str]
    external_id: Mapped[str | None]


class StatementSetRow(Base):
    """One way of splitting a dataset's expected outputs; an edit makes a new set.

    `importing` while it is filled, then `ready`; runs point at ready ones only.
    """

    __tablename__ = "statement_set"

    id: Mapped[int] = mapped_column(primary_key=True)
    dataset_id: Mapped[int] = mapped_column(
        ForeignKey("dataset.id", ondelete="CASCADE"), index=True
    )
    method: Mapped[str] = mapped_column(String(32))
    model: Mapped[str | None]
    prompt_version: Mapped[str | None] = mapped_column(String(32))
    state: Mapped[str] = mapped_column(String(16))
    owner: Mapped[str | None]
    created_at: Mapped[datetime]
    created_by: Mapped[str]


class StatementRow(Base):
    __tablename__ = "statement"

    set_id: Mapped[int] = mapped_column(
        ForeignKey("statement_set.id", ondelete="CASCADE"), primary_key=True
    )
    example_id: Mapped[int] = mapped_column(
        ForeignKey("example.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    position: Mapped[int] = mapped_column(primary_key=True)
    text: Mapped[str]


class TombstoneRow(Base):
    """What was deleted: by whom, when, and the hash it had."""

    __tablename__ = "tombstone"

    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(String(16))
    name: Mapped[str]
    hash: Mapped[str] = mapped_column(String(64))
    deleted_at: Mapped[datetime]
    deleted_by: Mapped[str]

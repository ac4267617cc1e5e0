"""Tables of what people say: reviews, decisions, and what helps them to share the work."""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction
from typing import Any

from sqlalchemy import Boolean, CheckConstraint, ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from db.columns import UnitScore
from db.tables.base import Base


class AuditDrawRow(Base):
    """One draw of the audit's random order, written when the item is first shown."""

    __tablename__ = "audit_draw"
    __table_args__ = (
        UniqueConstraint("run_id", "position"),
        UniqueConstraint("run_id", "example_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"))
    position: Mapped[int]
    """From 1: the run's first draw, its second …"""
    seed: Mapped[int]
    stratum: Mapped[str] = mapped_column(String(16))
    """judged or failed: whether the judge has a final for it; each is drawn from by itself"""
    undrawn: Mapped[int]
    """How many examples of the stratum were neither drawn nor reviewed, this one included."""
    example_id: Mapped[int] = mapped_column(
        ForeignKey("example.id", ondelete="CASCADE"), index=True
    )
    drawn_at: Mapped[datetime]
    drawn_by: Mapped[str]
    state: Mapped[str] = mapped_column(String(16))
    """pending, done"""


class ReviewRow(Base):
    """One person's pass over one judgement, and how it came to be picked."""

    __tablename__ = "review"
    __table_args__ = (UniqueConstraint("judgement_id", "reviewer"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    judgement_id: Mapped[int] = mapped_column(ForeignKey("judgement.id", ondelete="CASCADE"))
    reviewer: Mapped[str]
    selection: Mapped[str] = mapped_column(String(16))
    """The queue that brought it (`recall_core.queues.Queue`)."""
    audit_draw_id: Mapped[int | None] = mapped_column(ForeignKey("audit_draw.id"), index=True)
    judge_visible: Mapped[bool]
    opened_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]
    revealed_at: Mapped[datetime | None]
    """When something was revealed that had been hidden: the judge's word, or others' decisions."""
    revealed_after: Mapped[int | None]
    """The newest decision at that moment; the person's first values are those up to it."""
    committed_at: Mapped[datetime | None]
    """When the person was done with scoring blind and asked for the judge's word."""


def _in_range(kind: str, lowest: int, highest: int) -> str:
    score = "CAST(after_score AS REAL)"
    return f"WHEN '{kind}' THEN {score} >= {lowest} AND {score} <= {highest}"


_AFTER_IN_RANGE = (
    "after_score IS NULL OR CASE after_kind "
    + " ".join(
        _in_range(*row)
        for row in (
            ("essential", 1, 5),
            ("bonus", 0, 5),
            ("statement", 0, 1),
            ("expected_context", 0, 1),
        )
    )
    + " ELSE FALSE END"
)


class DecisionRow(Base):
    """One act of a reviewer on one unit. Append-only: a trigger refuses every update.

    `previous_hash` and `hash` chain the decisions of a run, so a changed or missing row shows.
    `(client_id, client_seq, part)` makes a resent write harmless; `part` counts the rows that one
    act wrote (confirming all that is left writes one a unit).
    """

    __tablename__ = "decision"
    __table_args__ = (
        UniqueConstraint("client_id", "client_seq", "part"),
        CheckConstraint(_AFTER_IN_RANGE, name="after_in_range"),
        Index("ix_decision_judgement_unit", "judgement_id", "unit_id"),
        Index("ix_decision_run", "run_id", "id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"))
    judgement_id: Mapped[int] = mapped_column(ForeignKey("judgement.id", ondelete="CASCADE"))
    review_id: Mapped[int] = mapped_column(ForeignKey("review.id", ondelete="CASCADE"), index=True)
    unit_id: Mapped[int] = mapped_column(ForeignKey("unit.id", ondelete="CASCADE"), index=True)
    action: Mapped[str] = mapped_column(String(16))
    before_kind: Mapped[str] = mapped_column(String(24))
    before_score: Mapped[Fraction | None] = mapped_column(UnitScore)
    before_excluded: Mapped[bool] = mapped_column(Boolean)
    after_kind: Mapped[str] = mapped_column(String(24))
    after_score: Mapped[Fraction | None] = mapped_column(UnitScore)
    after_excluded: Mapped[bool] = mapped_column(Boolean)
    reviewer: Mapped[str]
    cause: Mapped[str | None] = mapped_column(String(32))
    note: Mapped[str] = mapped_column(default="")
    based_on: Mapped[int] = mapped_column(default=0)
    """The newest decision on the unit that the person had seen; 0: none."""
    undoes: Mapped[int | None]
    twin: Mapped[str | None] = mapped_column(String(16))
    """The label of the unit that an excluded duplicate repeats."""
    recalled: Mapped[int | None]
    """The decision of an earlier run whose value was taken over; its run may be gone."""
    batch: Mapped[str | None] = mapped_column(String(36))
    client_id: Mapped[str] = mapped_column(String(64))
    client_seq: Mapped[int]
    part: Mapped[int] = mapped_column(default=0)
    at: Mapped[datetime]
    previous_hash: Mapped[str] = mapped_column(String(64))
    hash: Mapped[str] = mapped_column(String(64))


class FlagRow(Base):
    """Somebody asks for another look at a judgement; cleared, it stays as history."""

    __tablename__ = "flag"

    id: Mapped[int] = mapped_column(primary_key=True)
    judgement_id: Mapped[int] = mapped_column(
        ForeignKey("judgement.id", ondelete="CASCADE"), index=True
    )
    note: Mapped[str] = mapped_column(default="")
    flagged_by: Mapped[str]
    flagged_at: Mapped[datetime]
    cleared_by: Mapped[str | None]
    cleared_at: Mapped[datetime | None]


class CommentRow(Base):
    """What somebody says about a judgement to those who work on it."""

    __tablename__ = "comment"
    __table_args__ = (UniqueConstraint("client_id", "client_seq"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    judgement_id: Mapped[int] = mapped_column(
        ForeignKey("judgement.id", ondelete="CASCADE"), index=True
    )
    author: Mapped[str]
    text: Mapped[str]
    at: Mapped[datetime]
    client_id: Mapped[str] = mapped_column(String(64))
    client_seq: Mapped[int]


class NoticeRow(Base):
    """A comment that somebody ought to read."""

    __tablename__ = "notice"
    __table_args__ = (Index("ix_notice_reviewer", "reviewer", "read_at"),)

    comment_id: Mapped[int] = mapped_column(
        ForeignKey("comment.id", ondelete="CASCADE"), primary_key=True
    )
    reviewer: Mapped[str] = mapped_column(primary_key=True)
    read_at: Mapped[datetime | None]


class AssignmentRow(Base):
    """A judgement that a person has been asked to review."""

    __tablename__ = "assignment"
    __table_args__ = (Index("ix_assignment_reviewer", "reviewer"),)

    judgement_id: Mapped[int] = mapped_column(
        ForeignKey("judgement.id", ondelete="CASCADE"), primary_key=True
    )
    reviewer: Mapped[str] = mapped_column(primary_key=True)
    assigned_by: Mapped[str]
    assigned_at: Mapped[datetime]


class PersonRow(Base):
    """How somebody likes to work."""

    __tablename__ = "person"

    name: Mapped[str] = mapped_column(primary_key=True)
    blind: Mapped[bool] = mapped_column(default=False)


class SecondLookWishRow(Base):
    """Somebody wants a few of their own examples to come back, to see how well they agree with
    themselves."""

    __tablename__ = "second_look_wish"

    name: Mapped[str] = mapped_column(primary_key=True)


class SecondLookRow(Base):
    """A finished review whose example came back to the same person; it changes no score."""

    __tablename__ = "second_look"

    review_id: Mapped[int] = mapped_column(
        ForeignKey("review.id", ondelete="CASCADE"), primary_key=True
    )
    opened_at: Mapped[datetime]
    until: Mapped[int]
    """The newest decision at that moment: compared is what the person had said by then."""
    ended_at: Mapped[datetime | None]


class SecondScoreRow(Base):
    """What the person gave a unit the second time."""

    __tablename__ = "second_score"

    review_id: Mapped[int] = mapped_column(
        ForeignKey("second_look.review_id", ondelete="CASCADE"), primary_key=True
    )
    unit_id: Mapped[int] = mapped_column(
        ForeignKey("unit.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    kind: Mapped[str] = mapped_column(String(24))
    score: Mapped[Fraction | None] = mapped_column(UnitScore)
    excluded: Mapped[bool]
    at: Mapped[datetime]


class PolicyRow(Base):
    """A named way of counting a run's scores, to be looked at again and carried by exports."""

    __tablename__ = "policy"
    __table_args__ = (UniqueConstraint("run_id", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"))
    name: Mapped[str]
    values: Mapped[dict[str, Any]]
    created_by: Mapped[str]
    created_at: Mapped[datetime]

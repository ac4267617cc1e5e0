"""Every table. Facts are rows: passages, verdicts, evidence, decisions; decisions only ever grow.

Copies kept for lists (`judgement.final` and its neighbours) are written by one function in the
transaction that changes what they copy, and `db.results.recount` proves that they agree.
"""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction
from typing import Any, ClassVar, cast

from sqlalchemy import (
    JSON,
    Boolean,
    CheckConstraint,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from db.columns import ExactFinal, UnitScore, UtcTime


class Base(DeclarativeBase):
    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        datetime: UtcTime,
        str: Text,
        dict[str, Any]: JSON,
        list[Any]: JSON,
    }


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


class RunRow(Base):
    """One judge, its settings frozen, over one dataset; the lease says who is judging it now."""

    __tablename__ = "run"
    # An id stays in addresses and open desks: a deleted one must never mean another row.
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(primary_key=True)
    dataset_id: Mapped[int] = mapped_column(
        ForeignKey("dataset.id", ondelete="CASCADE"), index=True
    )
    statement_set_id: Mapped[int | None] = mapped_column(ForeignKey("statement_set.id"), index=True)
    name: Mapped[str]
    judge: Mapped[str] = mapped_column(String(64))
    judge_version: Mapped[int]
    settings: Mapped[dict[str, Any]]
    formula: Mapped[str] = mapped_column(String(16))
    rounding: Mapped[str] = mapped_column(String(16))
    pass_mark: Mapped[Fraction | None] = mapped_column(ExactFinal)
    """As the judge had them, so that a final can be recomputed when the judge's file is gone."""
    prompt_hash: Mapped[str | None] = mapped_column(String(64))
    kind: Mapped[str] = mapped_column(String(16), default="judged")
    """judged: by the judge; imported: its judgements were made elsewhere"""
    endpoint: Mapped[str | None]
    model: Mapped[str | None]
    """Whom the judge asks; both null where it asks no model."""
    budget: Mapped[str | None] = mapped_column(String(32))
    """US dollars as decimal text; it may be raised later, for no score hangs on it."""
    uncertain: Mapped[str] = mapped_column(String(32), default="0")
    """US dollars that calls without a reply may have cost, beside what the kept replies cost."""
    estimate: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    """What was expected of calls, tokens, cost and time when the run was made."""
    state: Mapped[str] = mapped_column(String(16), index=True)
    """queued, running, paused, done, failed, cancelled, deleting"""
    message: Mapped[str] = mapped_column(default="")
    """Why it failed, in a sentence."""
    review_mode: Mapped[str] = mapped_column(String(16), default="shared")
    blind: Mapped[bool] = mapped_column(default=False)
    reviewers_needed: Mapped[int] = mapped_column(default=1)
    halves: Mapped[bool] = mapped_column(default=False)
    notes_required: Mapped[bool] = mapped_column(default=False)
    audit_seed: Mapped[int]
    owner: Mapped[str | None]
    """host:pid:nonce of the worker that judges it."""
    lease_until: Mapped[datetime | None]
    claimed_at: Mapped[datetime | None]
    """Since when that worker has it; the rate is counted from here."""
    created_at: Mapped[datetime]
    created_by: Mapped[str]
    started_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    archived_at: Mapped[datetime | None]


class UnitRow(Base):
    """What a verdict is about. `unit_key` is the hash of kind, unit text and scored text, so runs
    that judged the same text of the same example share the unit, and one human decision can
    serve both.
    """

    __tablename__ = "unit"
    __table_args__ = (
        UniqueConstraint("example_id", "unit_key", "position"),
        Index("ix_unit_unit_key", "unit_key"),
        Index("ix_unit_text_key", "text_key"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    example_id: Mapped[int] = mapped_column(ForeignKey("example.id", ondelete="CASCADE"))
    kind: Mapped[str] = mapped_column(String(24))
    position: Mapped[int]
    """From 1 within its kind."""
    text: Mapped[str]
    unit_key: Mapped[str] = mapped_column(String(32))
    text_key: Mapped[str] = mapped_column(String(32))
    """The hash of kind and unit text alone, which stay when other texts came back."""
    verbatim_rank: Mapped[int | None]
    """The first passage in which it stands word for word; 0: the actual output, null: nowhere."""


class JudgementRow(Base):
    """One judge's whole answer for one example. The columns from `judge_final` on are copies for
    lists; `db.copies` alone makes them.
    """

    __tablename__ = "judgement"
    __table_args__ = (
        UniqueConstraint("run_id", "example_id", "repeat"),
        Index("ix_judgement_run_position", "run_id", "position", "repeat"),
        Index("ix_judgement_run_final", "run_id", "final_number"),
        Index("ix_judgement_run_judge_final", "run_id", "judge_final_number"),
        Index("ix_judgement_run_change", "run_id", "change"),
        Index("ix_judgement_run_essential", "run_id", "essential_number"),
        Index("ix_judgement_run_bonus", "run_id", "bonus_number"),
        Index("ix_judgement_run_status", "run_id", "status", "trace_state"),
        Index("ix_judgement_run_judged_at", "run_id", "judged_at"),
        Index("ix_judgement_run_disagreement", "run_id", "disagreement"),
        Index("ix_judgement_example", "example_id"),
        # As for runs: a desk that is open on a deleted judgement must not write to another.
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"))
    example_id: Mapped[int] = mapped_column(ForeignKey("example.id", ondelete="CASCADE"))
    position: Mapped[int]
    """The example's position, kept here so that a run's list is one index range."""
    repeat: Mapped[int] = mapped_column(default=1)
    status: Mapped[str] = mapped_column(String(16))
    """processed, skipped, error: what the judge said, whatever people did since"""
    error_type: Mapped[str | None] = mapped_column(String(24))
    details: Mapped[str]
    warnings: Mapped[list[Any]]
    warning_count: Mapped[int]
    raw_response: Mapped[str | None]
    cost: Mapped[str | None] = mapped_column(String(32))
    """US dollars as decimal text; null where the price is unknown."""
    judged_at: Mapped[datetime]
    again: Mapped[bool] = mapped_column(default=False)
    """Whether the example waits to be judged again; the new answer then takes this one's place."""
    calls_after: Mapped[int] = mapped_column(default=0)
    """The newest call when it was last asked to be judged again; older replies are history."""

    judge_final: Mapped[Fraction | None] = mapped_column(ExactFinal)
    judge_final_number: Mapped[float | None] = mapped_column(Float)
    final: Mapped[Fraction | None] = mapped_column(ExactFinal)
    final_number: Mapped[float | None] = mapped_column(Float)
    trace_state: Mapped[str] = mapped_column(String(16))
    """scored, incomplete, void, vacuous (with people's decisions); skipped and error: incomplete"""
    essential: Mapped[Fraction | None] = mapped_column(ExactFinal)
    bonus: Mapped[Fraction | None] = mapped_column(ExactFinal)
    essential_number: Mapped[float | None] = mapped_column(Float)
    bonus_number: Mapped[float | None] = mapped_column(Float)
    change: Mapped[float | None] = mapped_column(Float)
    """final minus judge's final, null unless both are there"""
    disagreement: Mapped[float | None] = mapped_column(Float)
    """How far the judge is at most from what else is known of a unit, 0 to 1 of its scale; null:
    nothing else is known"""
    lowest: Mapped[Fraction | None] = mapped_column(ExactFinal)
    highest: Mapped[Fraction | None] = mapped_column(ExactFinal)
    """The final if every unreviewed unit went to the lower or the upper end of its scale; null:
    it is out of the mean whatever people say."""
    units: Mapped[int]
    reviewed_units: Mapped[int] = mapped_column(default=0)
    disputed_units: Mapped[int] = mapped_column(default=0)
    changed_units: Mapped[int] = mapped_column(default=0)
    last_decision_at: Mapped[datetime | None]


class VerdictRow(Base):
    __tablename__ = "verdict"
    __table_args__ = (UniqueConstraint("judgement_id", "unit_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    judgement_id: Mapped[int] = mapped_column(ForeignKey("judgement.id", ondelete="CASCADE"))
    unit_id: Mapped[int] = mapped_column(ForeignKey("unit.id", ondelete="CASCADE"), index=True)
    score: Mapped[Fraction | None] = mapped_column(UnitScore)
    failure: Mapped[str | None] = mapped_column(String(24))
    probability: Mapped[float | None] = mapped_column(Float)
    similarity: Mapped[float | None] = mapped_column(Float)
    spread: Mapped[Fraction | None] = mapped_column(UnitScore)
    marks: Mapped[list[Any]]
    reasoning: Mapped[str]


class EvidenceRow(Base):
    """Where a verdict's support stands; `rank` null means the actual output."""

    __tablename__ = "evidence"

    verdict_id: Mapped[int] = mapped_column(
        ForeignKey("verdict.id", ondelete="CASCADE"), primary_key=True
    )
    position: Mapped[int] = mapped_column(primary_key=True)
    rank: Mapped[int | None]
    start: Mapped[int | None] = mapped_column("start_offset", Integer)
    end: Mapped[int | None] = mapped_column("end_offset", Integer)
    quote: Mapped[str]
    located: Mapped[bool]


class ModelCallRow(Base):
    """One call of a language model, kept on arrival, before its reply is read. Ids only ever grow,
    so that "since that call" means something. Long texts come last: sums need not read past them.
    """

    __tablename__ = "model_call"
    __table_args__ = (
        Index(
            "ix_model_call_run_spending",
            *("run_id", "failure", "ask", "attempts", "tokens_in", "tokens_out", "cost"),
        ),
        Index("ix_model_call_example_run", "example_id", "run_id"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[int | None] = mapped_column(ForeignKey("run.id", ondelete="SET NULL"))
    example_id: Mapped[int | None] = mapped_column(ForeignKey("example.id", ondelete="CASCADE"))
    repeat: Mapped[int] = mapped_column(default=1)
    ask: Mapped[int] = mapped_column(default=1)
    purpose: Mapped[str] = mapped_column(String(24))
    request_hash: Mapped[str] = mapped_column(String(64), index=True)
    endpoint: Mapped[str]
    model: Mapped[str]
    answered_by: Mapped[str | None]
    """The model that the server says has answered."""
    failure: Mapped[str | None] = mapped_column(String(24))
    """Why there is no reply to read; null where there is one."""
    output_level: Mapped[str | None] = mapped_column(String(16))
    attempts: Mapped[int]
    tokens_in: Mapped[int | None]
    tokens_out: Mapped[int | None]
    cost: Mapped[str | None] = mapped_column(String(32))
    """US dollars as decimal text; null where the price or a count is unknown."""
    seconds: Mapped[float] = mapped_column(Float)
    at: Mapped[datetime]
    finish_reason: Mapped[str | None]
    parameters: Mapped[dict[str, Any]]
    prompt: Mapped[list[Any]]
    raw_reply: Mapped[str | None]
    reasoning: Mapped[str | None]
    refusal: Mapped[str | None]
    failure_message: Mapped[str | None]
    failure_raw: Mapped[str | None]


class CallUseRow(Base):
    """A kept reply answered this run's example, so that no new call was made."""

    __tablename__ = "call_use"

    run_id: Mapped[int] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"), primary_key=True)
    example_id: Mapped[int] = mapped_column(
        ForeignKey("example.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    call_id: Mapped[int] = mapped_column(
        ForeignKey("model_call.id", ondelete="CASCADE"), primary_key=True, index=True
    )


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


class TombstoneRow(Base):
    """What was deleted: by whom, when, and the hash it had."""

    __tablename__ = "tombstone"

    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(String(16))
    name: Mapped[str]
    hash: Mapped[str] = mapped_column(String(64))
    deleted_at: Mapped[datetime]
    deleted_by: Mapped[str]


def table_of(row: type[Base]) -> Table:
    """The table behind a row type, for inserting many rows at once: by the names of its columns,
    and in two thirds of the time that the row type itself takes."""
    return cast(Table, row.__table__)

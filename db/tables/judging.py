"""Tables of what judges say: runs, their judgements and verdicts, and a model's calls."""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction
from typing import Any

from sqlalchemy import JSON, Float, ForeignKey, Index, Integer, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from db.columns import ExactFinal, UnitScore
from db.tables.base import Base


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
    """Since when that worker has it; the rate is counted from here. Null: no worker has it."""
    worked_seconds: Mapped[float] = mapped_column(Float, default=0.0)
    """How long workers had it before that, pauses and waiting aside."""
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

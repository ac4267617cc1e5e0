"""The first tables, and the triggers that keep decisions as they were made."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_AFTER_IN_RANGE = (
    "after_score IS NULL OR CASE after_kind "
    "WHEN 'essential' THEN "
    "CAST(after_score AS REAL) >= 1 AND CAST(after_score AS REAL) <= 5 "
    "WHEN 'bonus' THEN "
    "CAST(after_score AS REAL) >= 0 AND CAST(after_score AS REAL) <= 5 "
    "WHEN 'statement' THEN "
    "CAST(after_score AS REAL) >= 0 AND CAST(after_score AS REAL) <= 1 "
    "WHEN 'expected_context' THEN "
    "CAST(after_score AS REAL) >= 0 AND CAST(after_score AS REAL) <= 1 "
    "ELSE FALSE END"
)


def upgrade() -> None:
    _dataset()
    _example()
    _ground_truth_passage()
    _retrieved_passage()
    _statement_set()
    _statement()
    _run()
    _model_call()
    _call_use()
    _unit()
    _judgement()
    _verdict()
    _evidence()
    _audit_draw()
    _review()
    _decision()
    _flag()
    _comment()
    _notice()
    _assignment()
    _person()
    _second_look_wish()
    _second_look()
    _second_score()
    _policy()
    _tombstone()
    _api_token()
    _idempotency_key()
    _client_run()
    _client_row()
    _client_call()
    _append_only()


def _dataset() -> None:
    op.create_table(
        "dataset",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("content_hash", sa.String(length=64), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("examples", sa.Integer(), nullable=False),
        sa.Column("essential", sa.Integer(), nullable=False),
        sa.Column("bonus", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("archived_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_dataset")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_dataset_content_hash"), "dataset", ["content_hash"], unique=False)


def _example() -> None:
    op.create_table(
        "example",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("external_id", sa.Text(), nullable=False),
        sa.Column("question", sa.Text(), nullable=True),
        sa.Column("actual_output", sa.Text(), nullable=True),
        sa.Column("expected_output", sa.Text(), nullable=True),
        sa.Column("has_ground_truth", sa.Boolean(), nullable=False),
        sa.Column("has_retrieved", sa.Boolean(), nullable=False),
        sa.Column("metadata", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["dataset_id"], ["dataset.id"], name=op.f("fk_example_dataset_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_example")),
        sa.UniqueConstraint("dataset_id", "position", name=op.f("uq_example_dataset_id_position")),
    )
    op.create_index("ix_example_external_id", "example", ["external_id"], unique=False)


def _ground_truth_passage() -> None:
    op.create_table(
        "ground_truth_passage",
        sa.Column("example_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("external_id", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["example_id"],
            ["example.id"],
            name=op.f("fk_ground_truth_passage_example_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("example_id", "position", name=op.f("pk_ground_truth_passage")),
    )


def _retrieved_passage() -> None:
    op.create_table(
        "retrieved_passage",
        sa.Column("example_id", sa.Integer(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("external_id", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["example_id"],
            ["example.id"],
            name=op.f("fk_retrieved_passage_example_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("example_id", "rank", name=op.f("pk_retrieved_passage")),
    )


def _statement_set() -> None:
    op.create_table(
        "statement_set",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("method", sa.String(length=32), nullable=False),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("prompt_version", sa.String(length=32), nullable=True),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["dataset_id"],
            ["dataset.id"],
            name=op.f("fk_statement_set_dataset_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_statement_set")),
    )
    op.create_index(
        op.f("ix_statement_set_dataset_id"), "statement_set", ["dataset_id"], unique=False
    )


def _statement() -> None:
    op.create_table(
        "statement",
        sa.Column("set_id", sa.Integer(), nullable=False),
        sa.Column("example_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["example_id"], ["example.id"], name=op.f("fk_statement_example_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["set_id"], ["statement_set.id"], name=op.f("fk_statement_set_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("set_id", "example_id", "position", name=op.f("pk_statement")),
    )
    op.create_index(op.f("ix_statement_example_id"), "statement", ["example_id"], unique=False)


def _run() -> None:
    op.create_table(
        "run",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("statement_set_id", sa.Integer(), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("judge", sa.String(length=64), nullable=False),
        sa.Column("judge_version", sa.Integer(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("formula", sa.String(length=16), nullable=False),
        sa.Column("rounding", sa.String(length=16), nullable=False),
        sa.Column("pass_mark", sa.String(length=64), nullable=True),
        sa.Column("prompt_hash", sa.String(length=64), nullable=True),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("endpoint", sa.Text(), nullable=True),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("budget", sa.String(length=32), nullable=True),
        sa.Column("uncertain", sa.String(length=32), nullable=False),
        sa.Column("estimate", sa.JSON(), nullable=True),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("review_mode", sa.String(length=16), nullable=False),
        sa.Column("blind", sa.Boolean(), nullable=False),
        sa.Column("reviewers_needed", sa.Integer(), nullable=False),
        sa.Column("halves", sa.Boolean(), nullable=False),
        sa.Column("notes_required", sa.Boolean(), nullable=False),
        sa.Column("audit_seed", sa.Integer(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("claimed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("worked_seconds", sa.Float(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("archived_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["dataset_id"], ["dataset.id"], name=op.f("fk_run_dataset_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["statement_set_id"], ["statement_set.id"], name=op.f("fk_run_statement_set_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_run_dataset_id"), "run", ["dataset_id"], unique=False)
    op.create_index(op.f("ix_run_state"), "run", ["state"], unique=False)
    op.create_index(op.f("ix_run_statement_set_id"), "run", ["statement_set_id"], unique=False)


def _model_call() -> None:
    op.create_table(
        "model_call",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=True),
        sa.Column("example_id", sa.Integer(), nullable=True),
        sa.Column("repeat", sa.Integer(), nullable=False),
        sa.Column("ask", sa.Integer(), nullable=False),
        sa.Column("purpose", sa.String(length=24), nullable=False),
        sa.Column("request_hash", sa.String(length=64), nullable=False),
        sa.Column("endpoint", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("answered_by", sa.Text(), nullable=True),
        sa.Column("failure", sa.String(length=24), nullable=True),
        sa.Column("output_level", sa.String(length=16), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("tokens_in", sa.Integer(), nullable=True),
        sa.Column("tokens_out", sa.Integer(), nullable=True),
        sa.Column("cost", sa.String(length=32), nullable=True),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finish_reason", sa.Text(), nullable=True),
        sa.Column("parameters", sa.JSON(), nullable=False),
        sa.Column("prompt", sa.JSON(), nullable=False),
        sa.Column("raw_reply", sa.Text(), nullable=True),
        sa.Column("reasoning", sa.Text(), nullable=True),
        sa.Column("refusal", sa.Text(), nullable=True),
        sa.Column("failure_message", sa.Text(), nullable=True),
        sa.Column("failure_raw", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["example_id"],
            ["example.id"],
            name=op.f("fk_model_call_example_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name=op.f("fk_model_call_run_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_model_call")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_model_call_example_run", "model_call", ["example_id", "run_id"], unique=False
    )
    op.create_index(
        op.f("ix_model_call_request_hash"), "model_call", ["request_hash"], unique=False
    )
    op.create_index(
        "ix_model_call_run_spending",
        "model_call",
        ["run_id", "failure", "ask", "attempts", "tokens_in", "tokens_out", "cost"],
        unique=False,
    )


def _call_use() -> None:
    op.create_table(
        "call_use",
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("example_id", sa.Integer(), nullable=False),
        sa.Column("call_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["call_id"], ["model_call.id"], name=op.f("fk_call_use_call_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["example_id"], ["example.id"], name=op.f("fk_call_use_example_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name=op.f("fk_call_use_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", "example_id", "call_id", name=op.f("pk_call_use")),
    )
    op.create_index(op.f("ix_call_use_call_id"), "call_use", ["call_id"], unique=False)
    op.create_index(op.f("ix_call_use_example_id"), "call_use", ["example_id"], unique=False)


def _unit() -> None:
    op.create_table(
        "unit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("example_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=24), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("unit_key", sa.String(length=32), nullable=False),
        sa.Column("text_key", sa.String(length=32), nullable=False),
        sa.Column("verbatim_rank", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["example_id"], ["example.id"], name=op.f("fk_unit_example_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_unit")),
        sa.UniqueConstraint(
            "example_id", "unit_key", "position", name=op.f("uq_unit_example_id_unit_key_position")
        ),
    )
    op.create_index("ix_unit_unit_key", "unit", ["unit_key"], unique=False)
    op.create_index("ix_unit_text_key", "unit", ["text_key"], unique=False)


def _judgement() -> None:
    op.create_table(
        "judgement",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("example_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("repeat", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("error_type", sa.String(length=24), nullable=True),
        sa.Column("details", sa.Text(), nullable=False),
        sa.Column("warnings", sa.JSON(), nullable=False),
        sa.Column("warning_count", sa.Integer(), nullable=False),
        sa.Column("raw_response", sa.Text(), nullable=True),
        sa.Column("cost", sa.String(length=32), nullable=True),
        sa.Column("judged_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("again", sa.Boolean(), nullable=False),
        sa.Column("calls_after", sa.Integer(), nullable=False),
        sa.Column("judge_final", sa.String(length=64), nullable=True),
        sa.Column("judge_final_number", sa.Float(), nullable=True),
        sa.Column("final", sa.String(length=64), nullable=True),
        sa.Column("final_number", sa.Float(), nullable=True),
        sa.Column("trace_state", sa.String(length=16), nullable=False),
        sa.Column("essential", sa.String(length=64), nullable=True),
        sa.Column("bonus", sa.String(length=64), nullable=True),
        sa.Column("essential_number", sa.Float(), nullable=True),
        sa.Column("bonus_number", sa.Float(), nullable=True),
        sa.Column("change", sa.Float(), nullable=True),
        sa.Column("disagreement", sa.Float(), nullable=True),
        sa.Column("lowest", sa.String(length=64), nullable=True),
        sa.Column("highest", sa.String(length=64), nullable=True),
        sa.Column("units", sa.Integer(), nullable=False),
        sa.Column("reviewed_units", sa.Integer(), nullable=False),
        sa.Column("disputed_units", sa.Integer(), nullable=False),
        sa.Column("changed_units", sa.Integer(), nullable=False),
        sa.Column("last_decision_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["example_id"], ["example.id"], name=op.f("fk_judgement_example_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name=op.f("fk_judgement_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judgement")),
        sa.UniqueConstraint(
            "run_id", "example_id", "repeat", name=op.f("uq_judgement_run_id_example_id_repeat")
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_judgement_example", "judgement", ["example_id"], unique=False)
    op.create_index("ix_judgement_run_bonus", "judgement", ["run_id", "bonus_number"], unique=False)
    op.create_index("ix_judgement_run_change", "judgement", ["run_id", "change"], unique=False)
    op.create_index(
        "ix_judgement_run_disagreement", "judgement", ["run_id", "disagreement"], unique=False
    )
    op.create_index(
        "ix_judgement_run_essential", "judgement", ["run_id", "essential_number"], unique=False
    )
    op.create_index("ix_judgement_run_final", "judgement", ["run_id", "final_number"], unique=False)
    op.create_index(
        "ix_judgement_run_judge_final", "judgement", ["run_id", "judge_final_number"], unique=False
    )
    op.create_index(
        "ix_judgement_run_judged_at", "judgement", ["run_id", "judged_at"], unique=False
    )
    op.create_index(
        "ix_judgement_run_position", "judgement", ["run_id", "position", "repeat"], unique=False
    )
    op.create_index(
        "ix_judgement_run_status", "judgement", ["run_id", "status", "trace_state"], unique=False
    )


def _verdict() -> None:
    op.create_table(
        "verdict",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("judgement_id", sa.Integer(), nullable=False),
        sa.Column("unit_id", sa.Integer(), nullable=False),
        sa.Column("score", sa.String(length=32), nullable=True),
        sa.Column("failure", sa.String(length=24), nullable=True),
        sa.Column("probability", sa.Float(), nullable=True),
        sa.Column("similarity", sa.Float(), nullable=True),
        sa.Column("spread", sa.String(length=32), nullable=True),
        sa.Column("marks", sa.JSON(), nullable=False),
        sa.Column("reasoning", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["judgement_id"],
            ["judgement.id"],
            name=op.f("fk_verdict_judgement_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["unit_id"], ["unit.id"], name=op.f("fk_verdict_unit_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_verdict")),
        sa.UniqueConstraint(
            "judgement_id", "unit_id", name=op.f("uq_verdict_judgement_id_unit_id")
        ),
    )
    op.create_index(op.f("ix_verdict_unit_id"), "verdict", ["unit_id"], unique=False)


def _evidence() -> None:
    op.create_table(
        "evidence",
        sa.Column("verdict_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=True),
        sa.Column("start_offset", sa.Integer(), nullable=True),
        sa.Column("end_offset", sa.Integer(), nullable=True),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.Column("located", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["verdict_id"], ["verdict.id"], name=op.f("fk_evidence_verdict_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("verdict_id", "position", name=op.f("pk_evidence")),
    )


def _audit_draw() -> None:
    op.create_table(
        "audit_draw",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("stratum", sa.String(length=16), nullable=False),
        sa.Column("undrawn", sa.Integer(), nullable=False),
        sa.Column("example_id", sa.Integer(), nullable=False),
        sa.Column("drawn_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("drawn_by", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.ForeignKeyConstraint(
            ["example_id"],
            ["example.id"],
            name=op.f("fk_audit_draw_example_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name=op.f("fk_audit_draw_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_draw")),
        sa.UniqueConstraint("run_id", "position", name=op.f("uq_audit_draw_run_id_position")),
        sa.UniqueConstraint("run_id", "example_id", name=op.f("uq_audit_draw_run_id_example_id")),
    )
    op.create_index(op.f("ix_audit_draw_example_id"), "audit_draw", ["example_id"], unique=False)


def _review() -> None:
    op.create_table(
        "review",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("judgement_id", sa.Integer(), nullable=False),
        sa.Column("reviewer", sa.Text(), nullable=False),
        sa.Column("selection", sa.String(length=16), nullable=False),
        sa.Column("audit_draw_id", sa.Integer(), nullable=True),
        sa.Column("judge_visible", sa.Boolean(), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revealed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revealed_after", sa.Integer(), nullable=True),
        sa.Column("committed_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["audit_draw_id"], ["audit_draw.id"], name=op.f("fk_review_audit_draw_id")
        ),
        sa.ForeignKeyConstraint(
            ["judgement_id"],
            ["judgement.id"],
            name=op.f("fk_review_judgement_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_review")),
        sa.UniqueConstraint(
            "judgement_id", "reviewer", name=op.f("uq_review_judgement_id_reviewer")
        ),
    )
    op.create_index(op.f("ix_review_audit_draw_id"), "review", ["audit_draw_id"], unique=False)


def _decision() -> None:
    op.create_table(
        "decision",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("judgement_id", sa.Integer(), nullable=False),
        sa.Column("review_id", sa.Integer(), nullable=False),
        sa.Column("unit_id", sa.Integer(), nullable=False),
        sa.Column("action", sa.String(length=16), nullable=False),
        sa.Column("before_kind", sa.String(length=24), nullable=False),
        sa.Column("before_score", sa.String(length=32), nullable=True),
        sa.Column("before_excluded", sa.Boolean(), nullable=False),
        sa.Column("after_kind", sa.String(length=24), nullable=False),
        sa.Column("after_score", sa.String(length=32), nullable=True),
        sa.Column("after_excluded", sa.Boolean(), nullable=False),
        sa.Column("reviewer", sa.Text(), nullable=False),
        sa.Column("cause", sa.String(length=32), nullable=True),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("based_on", sa.Integer(), nullable=False),
        sa.Column("undoes", sa.Integer(), nullable=True),
        sa.Column("twin", sa.String(length=16), nullable=True),
        sa.Column("recalled", sa.Integer(), nullable=True),
        sa.Column("batch", sa.String(length=36), nullable=True),
        sa.Column("client_id", sa.String(length=64), nullable=False),
        sa.Column("client_seq", sa.Integer(), nullable=False),
        sa.Column("part", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("previous_hash", sa.String(length=64), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.CheckConstraint(
            _AFTER_IN_RANGE,
            name=op.f("ck_decision_after_in_range"),
        ),
        sa.ForeignKeyConstraint(
            ["judgement_id"],
            ["judgement.id"],
            name=op.f("fk_decision_judgement_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["review_id"], ["review.id"], name=op.f("fk_decision_review_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name=op.f("fk_decision_run_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["unit_id"], ["unit.id"], name=op.f("fk_decision_unit_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_decision")),
        sa.UniqueConstraint(
            "client_id", "client_seq", "part", name=op.f("uq_decision_client_id_client_seq_part")
        ),
    )
    op.create_index(
        "ix_decision_judgement_unit", "decision", ["judgement_id", "unit_id"], unique=False
    )
    op.create_index(op.f("ix_decision_review_id"), "decision", ["review_id"], unique=False)
    op.create_index("ix_decision_run", "decision", ["run_id", "id"], unique=False)
    op.create_index(op.f("ix_decision_unit_id"), "decision", ["unit_id"], unique=False)


def _flag() -> None:
    op.create_table(
        "flag",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("judgement_id", sa.Integer(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("flagged_by", sa.Text(), nullable=False),
        sa.Column("flagged_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("cleared_by", sa.Text(), nullable=True),
        sa.Column("cleared_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["judgement_id"],
            ["judgement.id"],
            name=op.f("fk_flag_judgement_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_flag")),
    )
    op.create_index(op.f("ix_flag_judgement_id"), "flag", ["judgement_id"], unique=False)


def _comment() -> None:
    op.create_table(
        "comment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("judgement_id", sa.Integer(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("client_id", sa.String(length=64), nullable=False),
        sa.Column("client_seq", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["judgement_id"],
            ["judgement.id"],
            name=op.f("fk_comment_judgement_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_comment")),
        sa.UniqueConstraint(
            "client_id", "client_seq", name=op.f("uq_comment_client_id_client_seq")
        ),
    )
    op.create_index(op.f("ix_comment_judgement_id"), "comment", ["judgement_id"], unique=False)


def _notice() -> None:
    op.create_table(
        "notice",
        sa.Column("comment_id", sa.Integer(), nullable=False),
        sa.Column("reviewer", sa.Text(), nullable=False),
        sa.Column("read_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["comment_id"], ["comment.id"], name=op.f("fk_notice_comment_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("comment_id", "reviewer", name=op.f("pk_notice")),
    )
    op.create_index("ix_notice_reviewer", "notice", ["reviewer", "read_at"], unique=False)


def _assignment() -> None:
    op.create_table(
        "assignment",
        sa.Column("judgement_id", sa.Integer(), nullable=False),
        sa.Column("reviewer", sa.Text(), nullable=False),
        sa.Column("assigned_by", sa.Text(), nullable=False),
        sa.Column("assigned_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["judgement_id"],
            ["judgement.id"],
            name=op.f("fk_assignment_judgement_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("judgement_id", "reviewer", name=op.f("pk_assignment")),
    )
    op.create_index("ix_assignment_reviewer", "assignment", ["reviewer"], unique=False)


def _person() -> None:
    op.create_table(
        "person",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("blind", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_person")),
    )


def _second_look_wish() -> None:
    op.create_table(
        "second_look_wish",
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_second_look_wish")),
    )


def _second_look() -> None:
    op.create_table(
        "second_look",
        sa.Column("review_id", sa.Integer(), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("until", sa.Integer(), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["review_id"],
            ["review.id"],
            name=op.f("fk_second_look_review_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("review_id", name=op.f("pk_second_look")),
    )


def _second_score() -> None:
    op.create_table(
        "second_score",
        sa.Column("review_id", sa.Integer(), nullable=False),
        sa.Column("unit_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=24), nullable=False),
        sa.Column("score", sa.String(length=32), nullable=True),
        sa.Column("excluded", sa.Boolean(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["review_id"],
            ["second_look.review_id"],
            name=op.f("fk_second_score_review_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["unit_id"], ["unit.id"], name=op.f("fk_second_score_unit_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("review_id", "unit_id", name=op.f("pk_second_score")),
    )
    op.create_index(op.f("ix_second_score_unit_id"), "second_score", ["unit_id"], unique=False)


def _policy() -> None:
    op.create_table(
        "policy",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("values", sa.JSON(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name=op.f("fk_policy_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_policy")),
        sa.UniqueConstraint("run_id", "name", name=op.f("uq_policy_run_id_name")),
    )


def _tombstone() -> None:
    op.create_table(
        "tombstone",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("deleted_by", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tombstone")),
    )


def _api_token() -> None:
    op.create_table(
        "api_token",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_token")),
        sa.UniqueConstraint("hash", name=op.f("uq_api_token_hash")),
        sqlite_autoincrement=True,
    )


def _idempotency_key() -> None:
    op.create_table(
        "idempotency_key",
        sa.Column("token_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("request_hash", sa.String(length=64), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["token_id"],
            ["api_token.id"],
            name=op.f("fk_idempotency_key_token_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("token_id", "key", name=op.f("pk_idempotency_key")),
    )
    op.create_index("ix_idempotency_key_at", "idempotency_key", ["at"], unique=False)


def _client_run() -> None:
    op.create_table(
        "client_run",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token_id", sa.Integer(), nullable=False),
        sa.Column("client", sa.String(length=32), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("expected", sa.Integer(), nullable=True),
        sa.Column("run_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["token_id"],
            ["api_token.id"],
            name=op.f("fk_client_run_token_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name=op.f("fk_client_run_run_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_client_run")),
        sa.UniqueConstraint(
            "token_id", "client", "key", name=op.f("uq_client_run_token_id_client_key")
        ),
    )
    op.create_index(op.f("ix_client_run_run_id"), "client_run", ["run_id"], unique=False)


def _client_row() -> None:
    op.create_table(
        "client_row",
        sa.Column("client_run_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.String(length=64), nullable=False),
        sa.Column("entry", sa.JSON(), nullable=True),
        sa.Column("logged", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["client_run_id"],
            ["client_run.id"],
            name=op.f("fk_client_row_client_run_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("client_run_id", "position", name=op.f("pk_client_row")),
    )


def _client_call() -> None:
    op.create_table(
        "client_call",
        sa.Column("token_id", sa.Integer(), nullable=False),
        sa.Column("trace", sa.String(length=64), nullable=False),
        sa.Column("judge", sa.String(length=64), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["token_id"],
            ["api_token.id"],
            name=op.f("fk_client_call_token_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("token_id", "trace", "judge", name=op.f("pk_client_call")),
    )
    op.create_index("ix_client_call_at", "client_call", ["at"], unique=False)


def _append_only() -> None:
    """A decision is never changed, and goes only with its whole run (state `deleting`)."""
    if op.get_bind().dialect.name == "postgresql":
        _append_only_postgresql()
    else:
        _append_only_sqlite()


def _append_only_sqlite() -> None:
    op.execute(
        """
        CREATE TRIGGER decision_never_changes BEFORE UPDATE ON decision
        BEGIN SELECT RAISE(ABORT, 'A decision is never changed; add another one.'); END
        """
    )
    op.execute(
        """
        CREATE TRIGGER decision_never_goes_alone BEFORE DELETE ON decision
        WHEN EXISTS (SELECT 1 FROM run WHERE run.id = OLD.run_id AND run.state <> 'deleting')
        BEGIN SELECT RAISE(ABORT, 'A decision is never deleted, only its whole run.'); END
        """
    )


def _append_only_postgresql() -> None:
    op.execute(
        """
        CREATE FUNCTION refuse_decision_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_OP = 'UPDATE' THEN
                RAISE EXCEPTION 'A decision is never changed; add another one.';
            END IF;
            IF EXISTS (SELECT 1 FROM run WHERE run.id = OLD.run_id AND run.state <> 'deleting') THEN
                RAISE EXCEPTION 'A decision is never deleted, only its whole run.';
            END IF;
            RETURN OLD;
        END $$
        """
    )
    op.execute(
        """
        CREATE TRIGGER decision_is_append_only BEFORE UPDATE OR DELETE ON decision
        FOR EACH ROW EXECUTE FUNCTION refuse_decision_change()
        """
    )

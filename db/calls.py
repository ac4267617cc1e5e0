"""Calls of language models, as people see them beside a judgement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from sqlalchemy import Engine, select

from db.call_store import SqlCallStore
from db.engine import reading
from db.errors import NotKept
from db.tables import CallUseRow, JudgementRow, ModelCallRow
from recall_core.llm.types import Message, OutputLevel
from recall_core.types import FailureKind, Json

__all__ = ["Call", "SqlCallStore", "calls_of"]


@dataclass(frozen=True, slots=True)
class Call:
    """One call as people see it.

    `parameters` are what was sent beside `prompt`; `level` is the output level that was answered.
    `from_store`: the reply was made for another example or run, and none was paid for here.
    `earlier`: it belongs to an answer that was judged again since.
    """

    id: int
    purpose: str
    repeat: int
    ask: int
    endpoint: str
    model: str
    answered_by: str | None
    prompt: tuple[Message, ...]
    parameters: Mapping[str, Json]
    raw_reply: str | None
    reasoning: str | None
    refusal: str | None
    finish_reason: str | None
    failure: FailureKind | None
    failure_message: str | None
    failure_raw: str | None
    level: OutputLevel | None
    attempts: int
    tokens_in: int | None
    tokens_out: int | None
    cost: Decimal | None
    seconds: float
    at: datetime
    from_store: bool
    earlier: bool


def calls_of(engine: Engine, judgement_id: int) -> list[Call]:
    """The calls behind a judgement, newest first; those made for it and those it shares."""
    call, use = ModelCallRow, CallUseRow
    with reading(engine) as session:
        judgement = session.get(JudgementRow, judgement_id)
        if judgement is None:
            raise NotKept(f"There is no judgement {judgement_id}. Its run may have been deleted.")
        run_id, example_id = judgement.run_id, judgement.example_id
        shared = select(use.call_id).where(use.run_id == run_id, use.example_id == example_id)
        own = (call.run_id == run_id) & (call.example_id == example_id)
        query = select(call).where(own | call.id.in_(shared)).order_by(call.id.desc())
        return [_call(row, judgement) for row in session.scalars(query)]


def _call(row: ModelCallRow, judgement: JudgementRow) -> Call:
    return Call(
        id=row.id,
        purpose=row.purpose,
        repeat=row.repeat,
        ask=row.ask,
        endpoint=row.endpoint,
        model=row.model,
        answered_by=row.answered_by,
        prompt=tuple(Message(m["role"], m["content"]) for m in row.prompt),
        parameters=row.parameters,
        raw_reply=row.raw_reply,
        reasoning=row.reasoning,
        refusal=row.refusal,
        finish_reason=row.finish_reason,
        failure=None if row.failure is None else FailureKind(row.failure),
        failure_message=row.failure_message,
        failure_raw=row.failure_raw,
        level=None if row.output_level is None else OutputLevel(row.output_level),
        attempts=row.attempts,
        tokens_in=row.tokens_in,
        tokens_out=row.tokens_out,
        cost=None if row.cost is None else Decimal(row.cost),
        seconds=row.seconds,
        at=row.at,
        from_store=(row.run_id, row.example_id) != (judgement.run_id, judgement.example_id),
        earlier=row.id <= judgement.calls_after,
    )

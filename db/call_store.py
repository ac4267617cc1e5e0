"""The store of calls: committed on arrival, found again by what was asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import Engine, Row, Select, bindparam, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from db.claims import Claim, holds
from db.columns import whole_text
from db.engine import reading, transaction
from db.inserting import insert_rows
from db.tables import CallUseRow, ExampleRow, ModelCallRow, RunRow, table_of
from db.together import Together
from recall_core.llm.types import CallFailed, CallRecord, ChatReply, ChatRequest, OutputLevel
from recall_core.types import FailureKind

_C = table_of(ModelCallRow).c
# Made once: making such a query takes longer than running it.
_REPLIES: Select[Any] = (
    select(
        *(_C.id, _C.run_id, _C.example_id, _C.request_hash, _C.raw_reply),
        *(_C.reasoning, _C.refusal, _C.finish_reason, _C.model, _C.answered_by),
        *(_C.tokens_in, _C.tokens_out, _C.output_level, _C.attempts, _C.seconds),
        *(_C.parameters, _C.cost),
    )
    .where(_C.request_hash.in_(bindparam("hashes", expanding=True)), _C.failure.is_(None))
    .order_by(_C.id)
)

FIND_GAP, KEEP_GAP = 0.03, 0.02
"""Seconds between two transactions of a kind in a rush of calls: each takes the processor as long
as half a call does. A call that comes alone never waits. The second is also the longest that an
answer which has arrived may wait to be safe from a crash."""


class SqlCallStore:
    """The `CallStore` of one run, or, without a run, of somebody at the command line.

    In a run, `ChatRequest.example_id` is the example's row id as text, and nothing is found any
    more, nor asked, once the run is no longer the claim's (`CallFailed`, cancelled).
    `fresh`: no reply that was made for anything else answers; what this run has paid for the same
    example still does, so a run that was killed goes on.
    `redact` takes the endpoint's key out of what a server said.

    Belongs to one event loop.
    """

    def __init__(
        self,
        engine: Engine,
        run_id: int | None = None,
        *,
        clock: Callable[[], datetime],
        claim: Claim | None = None,
        fresh: bool = False,
        redact: Callable[[str], str] = str,
    ) -> None:
        self._engine, self._run_id, self._clock = engine, run_id, clock
        self._claim, self._fresh = claim, fresh
        self._redact = redact
        self._calls_after: dict[int, int] = {}
        self._finding = Together(self._find, gap=FIND_GAP)
        self._keeping = Together(self._keep, gap=KEEP_GAP)

    def ask_anew(self, example_id: int, calls_after: int) -> None:
        """Answer this example only from what the run has been told since that call."""
        self._calls_after[example_id] = calls_after

    async def find(self, request_hash: str, request: ChatRequest) -> ChatReply | None:
        """The newest kept reply to an identical call that may answer this one, or `None`."""
        if self._fresh and self._run_id is None:
            return None
        return await self._finding.do((request_hash, request))

    async def keep(self, record: CallRecord) -> None:
        """Returns when the call is committed."""
        await self._keeping.do(record)

    def _find(self, asked: Sequence[tuple[str, ChatRequest]]) -> list[ChatReply | None]:
        hashes = sorted({request_hash for request_hash, _ in asked})
        by_hash: dict[str, list[Row[Any]]] = {}
        with reading(self._engine) as session:
            if self._claim is not None and not holds(session, self._claim):
                raise CallFailed(
                    FailureKind.CANCELLED, "The run was stopped before this call.", attempts=0
                )
            for row in session.execute(_REPLIES, {"hashes": hashes}):
                by_hash.setdefault(row.request_hash, []).append(row)
        found = [self._newest(by_hash.get(key, ()), request) for key, request in asked]
        self._note_uses([(r, row) for (_, r), row in zip(asked, found, strict=True) if row])
        return [None if row is None else _reply(row) for row in found]

    def _newest(self, rows: Sequence[Row[Any]], request: ChatRequest) -> Row[Any] | None:
        example_id = self._example_id(request)
        after = None if example_id is None else self._calls_after.get(example_id)
        for row in reversed(rows):
            mine = (row.run_id, row.example_id) == (self._run_id, example_id)
            if mine or not (self._fresh or after is not None):
                return row if after is None or row.id > after else None
        return None

    def _note_uses(self, hits: Sequence[tuple[ChatRequest, Row[Any]]]) -> None:
        """Write down which replies of others answered, so that people can see them."""
        run_id = self._run_id
        uses = {
            (example_id, row.id)
            for request, row in hits
            if (example_id := self._example_id(request)) is not None
            and (row.run_id, row.example_id) != (run_id, example_id)
        }
        if run_id is None or not uses:
            return
        with transaction(self._engine) as session:
            known = _uses(session, run_id, [call_id for _, call_id in uses])
            rows = [
                {"run_id": run_id, "example_id": example_id, "call_id": call_id}
                for example_id, call_id in sorted(uses - known)
            ]
            insert_rows(session, table_of(CallUseRow), rows)

    def _keep(self, records: Sequence[CallRecord]) -> list[None]:
        rows = [self._values(record) for record in records]
        try:
            with transaction(self._engine) as session:
                insert_rows(session, table_of(ModelCallRow), rows)
        except IntegrityError:
            with transaction(self._engine) as session:
                insert_rows(session, table_of(ModelCallRow), _still_wanted(session, rows))
        return [None] * len(records)

    def _values(self, record: CallRecord) -> dict[str, Any]:
        request, reply = record.request, record.reply
        return {
            "run_id": self._run_id,
            "example_id": self._example_id(request),
            "repeat": request.repeat,
            "ask": request.ask,
            "purpose": request.purpose,
            "request_hash": record.request_hash,
            "endpoint": record.endpoint,
            "model": request.model,
            "prompt": [{"role": m.role, "content": m.content} for m in request.messages],
            "failure": None if record.failure is None else record.failure.value,
            "failure_message": self._clean(record.failure_message),
            "failure_raw": self._clean(record.failure_raw),
            "attempts": record.attempts,
            "seconds": record.seconds,
            "at": self._clock(),
            **(_NO_REPLY if reply is None else self._reply_values(reply)),
        }

    def _reply_values(self, reply: ChatReply) -> dict[str, Any]:
        return {
            "answered_by": self._clean(reply.model),
            "parameters": dict(reply.parameters),
            "raw_reply": self._clean(reply.text),
            "reasoning": self._clean(reply.reasoning_text),
            "refusal": self._clean(reply.refusal),
            "finish_reason": self._clean(reply.finish_reason),
            "output_level": reply.level.value,
            "tokens_in": reply.tokens_in,
            "tokens_out": reply.tokens_out,
            "cost": None if reply.cost is None else str(reply.cost),
        }

    def _example_id(self, request: ChatRequest) -> int | None:
        """The example's row; requests of the command line are about no row."""
        if self._run_id is None or request.example_id is None:
            return None
        return int(request.example_id)

    def _clean(self, text: str | None) -> str | None:
        return None if text is None else whole_text(self._redact(text))


_NO_REPLY: dict[str, Any] = {
    "answered_by": None,
    "parameters": {},
    "raw_reply": None,
    "reasoning": None,
    "refusal": None,
    "finish_reason": None,
    "output_level": None,
    "tokens_in": None,
    "tokens_out": None,
    "cost": None,
}


def _still_wanted(session: Session, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What may be kept when the run or even the dataset was deleted in the meantime: a paid reply
    outlives its run, and nothing outlives its dataset."""
    run_ids = {row["run_id"] for row in rows}
    example_ids = {row["example_id"] for row in rows}
    runs = set(session.scalars(select(RunRow.id).where(RunRow.id.in_(run_ids))))
    examples = {None, *session.scalars(select(ExampleRow.id).where(ExampleRow.id.in_(example_ids)))}
    return [
        {**row, "run_id": row["run_id"] if row["run_id"] in runs else None}
        for row in rows
        if row["example_id"] in examples
    ]


def _uses(session: Session, run_id: int, call_ids: Sequence[int]) -> set[tuple[int, int]]:
    use = CallUseRow
    query = select(use.example_id, use.call_id).where(use.run_id == run_id)
    found = session.execute(query.where(use.call_id.in_(call_ids)))
    return {(example_id, call_id) for example_id, call_id in found}


def _reply(row: Row[Any]) -> ChatReply:
    return ChatReply(
        text=row.raw_reply or "",
        model=row.answered_by or row.model,
        finish_reason=row.finish_reason,
        reasoning_text=row.reasoning,
        refusal=row.refusal,
        tokens_in=row.tokens_in,
        tokens_out=row.tokens_out,
        level=OutputLevel(row.output_level),
        attempts=row.attempts,
        seconds=row.seconds,
        parameters=row.parameters,
        cost=None if row.cost is None else Decimal(row.cost),
        from_store=True,
    )

"""Judging with a model, with the store of answers where there is one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from datetime import UTC, datetime

from db.calls import SqlCallStore
from db.endpoints import known_endpoints
from db.engine import Engine
from recall_core.asking.judge import ModelJudge
from recall_core.judging import judge_stream
from recall_core.llm.budgeted import Budget
from recall_core.llm.client import chosen, open_chat
from recall_core.llm.endpoints import Endpoint
from recall_core.llm.paced import workers_for
from recall_core.llm.types import CallStore
from recall_core.types import Example, Outcome


def judged_by_model(
    judge: ModelJudge, examples: Sequence[Example], engine: Engine | None
) -> list[Outcome]:
    """One outcome an example, in their order; they are judged side by side, in a loop of its own.

    An answer that `engine` keeps costs no call, and new ones are kept there.
    """
    return asyncio.run(_gathered(judge, examples, engine))


async def _gathered(
    judge: ModelJudge, examples: Sequence[Example], engine: Engine | None
) -> list[Outcome]:
    found: dict[int, Outcome] = {}
    outcomes = model_outcomes(judge, examples, engine, concurrency=judge.concurrency)
    async with aclosing(outcomes):
        async for place, outcome in outcomes:
            found[place] = outcome
    return [found[place] for place in range(len(examples))]


async def model_outcomes(
    judge: ModelJudge, examples: Iterable[Example], engine: Engine | None, *, concurrency: int
) -> AsyncGenerator[tuple[int, Outcome], None]:
    """Outcomes as they come, each with its example's place in the stream (from 0)."""
    endpoint = chosen(known_endpoints(), judge.endpoint)
    async with open_chat(
        endpoint,
        store=_store(judge, endpoint, engine),
        budget=Budget(judge.budget),
        concurrency=concurrency,
        requests_per_minute=judge.requests_per_minute,
        tokens_per_minute=judge.tokens_per_minute,
    ) as chat:
        window = endpoint.model(judge.model).window
        workers = workers_for(concurrency)
        stream = judge_stream(judge, examples, chat, concurrency=workers, window=window)
        async with aclosing(stream):
            async for item in stream:
                yield item


def _store(judge: ModelJudge, endpoint: Endpoint, engine: Engine | None) -> CallStore | None:
    if engine is None:
        return None
    return SqlCallStore(
        engine,
        None,
        clock=lambda: datetime.now(UTC),
        fresh=judge.fresh,
        redact=endpoint.redact.keys_only,
    )

"""Judging with a model from the command line, with the store of answers where there is one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import AsyncExitStack, aclosing
from datetime import UTC, datetime

from db.calls import SqlCallStore
from db.endpoints import known_endpoints
from db.engine import existing_engine
from recall_core.asking.judge import ModelJudge
from recall_core.judging import judge_stream
from recall_core.llm.budgeted import Budget
from recall_core.llm.client import chosen, open_chat
from recall_core.llm.endpoints import Endpoint
from recall_core.llm.paced import workers_for
from recall_core.llm.types import CallStore
from recall_core.types import Example, Outcome


def judged_by_model(
    judge: ModelJudge, examples: Iterable[Example], *, concurrency: int | None = None
) -> Iterator[Outcome]:
    """One outcome an example, in the examples' order; they are judged side by side."""
    outcomes = _outcomes(judge, examples, concurrency or judge.concurrency)
    finished: dict[int, Outcome] = {}
    following = 0
    with asyncio.Runner() as runner:
        try:
            while (item := runner.run(_next(outcomes))) is not None:
                place, outcome = item
                finished[place] = outcome
                while following in finished:
                    yield finished.pop(following)
                    following += 1
        finally:
            runner.run(outcomes.aclose())


async def _next(
    outcomes: AsyncGenerator[tuple[int, Outcome], None],
) -> tuple[int, Outcome] | None:
    return await anext(outcomes, None)


async def _outcomes(
    judge: ModelJudge, examples: Iterable[Example], concurrency: int
) -> AsyncGenerator[tuple[int, Outcome], None]:
    endpoint = chosen(known_endpoints(), judge.endpoint)
    async with AsyncExitStack() as opened:
        chat = await opened.enter_async_context(
            open_chat(
                endpoint,
                store=_store(judge, endpoint, opened),
                budget=Budget(judge.budget),
                concurrency=concurrency,
                requests_per_minute=judge.requests_per_minute,
                tokens_per_minute=judge.tokens_per_minute,
            )
        )
        window = endpoint.model(judge.model).window
        workers = workers_for(concurrency)
        stream = judge_stream(judge, examples, chat, concurrency=workers, window=window)
        async with aclosing(stream):
            async for item in stream:
                yield item


def _store(judge: ModelJudge, endpoint: Endpoint, opened: AsyncExitStack) -> CallStore | None:
    """The store of answers, if there is a database; none is made for it."""
    engine = existing_engine()
    if engine is None:
        return None
    opened.callback(engine.dispose)
    return SqlCallStore(
        engine,
        None,
        clock=lambda: datetime.now(UTC),
        fresh=judge.fresh,
        redact=endpoint.redact.keys_only,
    )

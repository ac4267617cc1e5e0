"""Judging with a model from the command line, with the store of answers where there is one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import aclosing

from api.asking import model_outcomes
from db.engine import existing_engine
from recall_core.asking.judge import ModelJudge
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
    """With the store of answers, if there is a database; none is made for it."""
    engine = existing_engine()
    try:
        async with aclosing(
            model_outcomes(judge, examples, engine, concurrency=concurrency)
        ) as outcomes:
            async for item in outcomes:
                yield item
    finally:
        if engine is not None:
            engine.dispose()

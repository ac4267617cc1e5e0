"""The engine: a stream of examples in, a stream of outcomes out.

It knows no database and keeps nothing; where the examples are judged is decided here alone: in
threads, in the examples' order (`judge_all`), or by asking a model, as they finish
(`judge_stream`).
"""

from __future__ import annotations

import asyncio
import os
import traceback
from collections import deque
from collections.abc import AsyncGenerator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol

from recall_core.errors import InvalidSetting
from recall_core.judges.base import Judge, LocalJudge
from recall_core.llm.types import Chat
from recall_core.types import Example, FailureKind, JudgeFailure, Outcome, Skipped


class AsksAModel(Protocol):
    """A `ModelJudge`, or what stands around one."""

    @property
    def name(self) -> str: ...

    def lacks(self, example: Example) -> str | None:
        """As `Judge.lacks`."""
        ...

    async def judge(self, example: Example, chat: Chat, *, window: int | None = None) -> Outcome:
        """As `ModelJudge.judge`."""
        ...


LOOK_AHEAD = 4
"""How many examples a worker may be ahead of the outcome that is yielded next."""


def judge_all(
    judge: Judge, examples: Iterable[Example], *, workers: int | None = None
) -> Iterator[Outcome]:
    """One outcome an example, lazily and in the examples' order.

    At most `workers * LOOK_AHEAD` examples are read ahead (`workers`: threads, one a processor by
    default), so `examples` may be a file larger than memory. What a judge raises becomes the
    failure of that example and the others go on. When `examples` itself raises, the outcomes of
    everything read so far come first. Closing the iterator, or Ctrl-C, waits only for the examples
    that are being judged at that moment.
    """
    if not isinstance(judge, LocalJudge):
        raise InvalidSetting(
            f"The judge {judge.name} asks a model and cannot judge on this machine by itself."
        )
    count = workers or os.cpu_count() or 1
    if count == 1:
        return (judge_one(judge, example) for example in examples)
    return _judge_in_threads(judge, examples, count)


def judge_one(judge: LocalJudge, example: Example) -> Outcome:
    """The outcome of one example; never raises what the judge raises."""
    try:
        reason = judge.lacks(example)
        return judge.judge(example) if reason is None else Skipped(example.id, reason)
    except Exception as error:  # noqa: BLE001  # a judge is somebody's plug-in: anything may come
        return _broke(judge.name, example, error)


async def judge_stream(
    judge: AsksAModel,
    examples: Iterable[Example],
    chat: Chat,
    *,
    concurrency: int,
    window: int | None = None,
) -> AsyncGenerator[tuple[int, Outcome], None]:
    """Outcomes as they come, each with its example's place in the stream (from 0).

    `concurrency` workers share the stream, and an example is read when a worker is free for it, so
    `examples` may be endless. It is read in the event loop and should not block for long. An
    example has one outcome whatever the judge or the chat does. When `examples` raises, or the
    iterator is closed, no example is begun any more; closing it abandons those under way, so to
    keep their answers end `examples` instead. `window`: the tokens that the model takes.
    """
    done: asyncio.Queue[tuple[int, Outcome] | None] = asyncio.Queue(concurrency * LOOK_AHEAD)
    stream = enumerate(examples)

    async def work() -> None:
        for place, example in stream:
            await done.put((place, await judge_one_by_model(judge, example, chat, window)))

    async def work_until_the_end() -> None:
        await asyncio.wait(workers)
        await done.put(None)

    workers = [asyncio.create_task(work()) for _ in range(concurrency)]
    last = asyncio.create_task(work_until_the_end())
    try:
        while (outcome := await done.get()) is not None:
            yield outcome
        await asyncio.gather(*workers)
    finally:
        for task in (last, *workers):
            task.cancel()
        await asyncio.gather(last, *workers, return_exceptions=True)


async def judge_one_by_model(
    judge: AsksAModel, example: Example, chat: Chat, window: int | None = None
) -> Outcome:
    """The outcome of one example; never raises what the judge or the chat raises."""
    try:
        reason = judge.lacks(example)
        if reason is not None:
            return Skipped(example.id, reason)
        return await judge.judge(example, chat, window=window)
    except Exception as error:  # noqa: BLE001  # as in `judge_one`
        return _broke(judge.name, example, error)


def _broke(judge: str, example: Example, error: Exception) -> JudgeFailure:
    return JudgeFailure(
        example.id,
        FailureKind.INTERNAL,
        f"The judge {judge} broke on this example: {type(error).__name__}: {error}",
        traceback=tuple(traceback.format_exception(error)),
    )


def _judge_in_threads(
    judge: LocalJudge, examples: Iterable[Example], workers: int
) -> Iterator[Outcome]:
    waiting: deque[Future[Outcome]] = deque()
    broken: Exception | None = None
    pool = ThreadPoolExecutor(workers, thread_name_prefix="judge")
    try:
        for item in _error_last(examples):
            if isinstance(item, Exception):
                broken = item
                break
            waiting.append(pool.submit(judge_one, judge, item))
            if len(waiting) >= workers * LOOK_AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    if broken is not None:
        raise broken


def _error_last(examples: Iterable[Example]) -> Iterator[Example | Exception]:
    """The examples, and what their source raised as the last item instead of raising it."""
    try:
        yield from examples
    except Exception as error:  # noqa: BLE001  # raised again by the caller, in its turn
        yield error

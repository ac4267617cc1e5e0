"""Many small things at about the same time, done as one: one transaction for all of them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

Item = TypeVar("Item")
Answer = TypeVar("Answer")

MOST = 200
"""At most so many at once, so that nobody else waits long for the database."""


class Together(Generic[Item, Answer]):
    """Hands items to `work` in batches, in a thread: what comes while a batch is worked on is the
    next batch. Batches begin at least `gap` seconds apart: what comes alone never waits, and a rush
    needs few transactions.

    `work` gives one answer an item, in their order; what it raises reaches everybody in the batch.
    Belongs to one event loop.
    """

    def __init__(
        self, work: Callable[[Sequence[Item]], Sequence[Answer]], *, gap: float = 0.0
    ) -> None:
        self._work, self._gap = work, gap
        self._next_at = 0.0
        self._waiting: list[tuple[Item, asyncio.Future[Answer]]] = []
        self._busy: asyncio.Task[None] | None = None

    async def do(self, item: Item) -> Answer:
        """The answer to `item`, once its batch is done."""
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future))
        if self._busy is None:
            self._busy = asyncio.create_task(self._work_off())
        return await future

    async def _work_off(self) -> None:
        try:
            while self._waiting:
                await self._wait_for_company()
                batch, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
                await self._do_batch(batch)
        finally:
            self._busy = None

    async def _wait_for_company(self) -> None:
        now = time.monotonic()
        if now < self._next_at:
            await asyncio.sleep(self._next_at - now)
        self._next_at = max(now, self._next_at) + self._gap

    async def _do_batch(self, batch: Sequence[tuple[Item, asyncio.Future[Answer]]]) -> None:
        try:
            answers = await asyncio.to_thread(self._work, [item for item, _ in batch])
        except Exception as error:  # noqa: BLE001  # raised again where each item came from
            for _, future in batch:
                if not future.done():
                    future.set_exception(error)
            return
        for (_, future), answer in zip(batch, answers, strict=True):
            if not future.done():
                future.set_result(answer)

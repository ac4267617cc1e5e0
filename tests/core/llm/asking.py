"""What the tests of asking a model have in common: a request, an endpoint, a clock of their own."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import random
from collections.abc import Awaitable, Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

from pydantic import SecretStr

from recall_core.llm.endpoints import Endpoint
from recall_core.llm.prices import ModelFacts, Price
from recall_core.llm.types import ChatReply, ChatRequest, Message
from recall_core.llm.wire import WireFailed
from recall_core.types import FailureKind

KEY = "sk-very-secret-0123456789"
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"score": {"type": "integer"}}}


def request(text: str = "How much of it is there?", **changes: Any) -> ChatRequest:
    """A small question."""
    asked = ChatRequest((Message("user", text),), "m", "verdicts", SCHEMA, timeout_seconds=5)
    return replace(asked, **changes)


def endpoint(url: str = "http://127.0.0.1:1/v1", **changes: Any) -> Endpoint:
    """An endpoint with a key, named lab."""
    made = Endpoint("lab", url, key=SecretStr(KEY), key_variable="LAB_KEY")
    return replace(made, **changes)


def priced(input_price: str, output_price: str, *, window: int | None = None) -> Endpoint:
    """An endpoint whose model m has that price per million tokens."""
    price = Price(Decimal(input_price), Decimal(output_price))
    return endpoint(models={"m": ModelFacts("m", window, price)})


def weather(**facts: Any) -> WireFailed:
    """A failure that may pass."""
    return WireFailed(FailureKind.CONNECTION, "The server is out of order.", again=True, **facts)


def busy(seconds: float | None = None) -> WireFailed:
    """A server that says that we are too fast."""
    return WireFailed(
        FailureKind.RATE_LIMIT, "Too fast.", again=True, throttled=True, retry_after=seconds
    )


class FakeTime:
    """A clock that moves on as soon as everybody sleeps; `run` drives it."""

    def __init__(self) -> None:
        self._now = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._count = itertools.count()

    def now(self) -> float:
        return self._now

    async def sleep(self, seconds: float) -> None:
        wakes = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._now + seconds, next(self._count), wakes))
        await wakes

    def run(self, *scenes: Callable[[], Awaitable[Any]]) -> list[Any]:
        """What the scenes return or raise, played together."""
        return asyncio.run(self._run(scenes))

    async def _run(self, scenes: tuple[Callable[[], Awaitable[Any]], ...]) -> list[Any]:
        everything = asyncio.gather(*(scene() for scene in scenes), return_exceptions=True)
        while True:
            for _ in range(60):
                await asyncio.sleep(0)
            if everything.done():
                return everything.result()
            self._wake_the_next()

    def _wake_the_next(self) -> None:
        while self._sleepers:
            moment, _, wakes = heapq.heappop(self._sleepers)
            if not wakes.done():
                self._now = moment
                wakes.set_result(None)
                return
        raise AssertionError("Everybody waits and nobody sleeps.")


class Model:
    """A chat on a fake clock that answers by a script of failures and keeps when it was asked."""

    def __init__(self, clock: FakeTime, *ends: Exception | ChatReply, takes: float = 0.0) -> None:
        self._clock, self._ends, self._takes = clock, list(ends), takes
        self.asked: list[ChatRequest] = []
        self.at: list[float] = []
        self.under_way = 0
        self.most_under_way = 0

    async def ask(self, asked: ChatRequest) -> ChatReply:
        self.asked.append(asked)
        self.at.append(self._clock.now())
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        end = self._ends.pop(0) if self._ends else ChatReply("{}", model="m")
        try:
            if self._takes:
                await self._clock.sleep(self._takes)
        finally:
            self.under_way -= 1
        if isinstance(end, Exception):
            raise end
        return end


def no_jitter() -> random.Random:
    """Chance that always gives the longest."""

    class Longest(random.Random):
        def uniform(self, a: float, b: float) -> float:
            return b

    return Longest()

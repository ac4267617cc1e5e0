"""Time, and the one way to stop: whoever waits can be told to give up."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import Any, Protocol

from recall_core.llm.types import CallFailed
from recall_core.types import FailureKind


class Time(Protocol):
    """A clock that can be slept by; tests pass one that does not take the time it measures."""

    def now(self) -> float:
        """Seconds from a fixed but unknown moment; never goes back."""
        ...

    async def sleep(self, seconds: float) -> None: ...


class RealTime:
    """The computer's own clock."""

    def now(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class Stop:
    """Set once, when a run is cancelled: no call begins any more, calls under way are awaited.

    Everything that waits (for a try again, for its turn, for money) waits by `pause` or checks
    `check`, so it ends at once. `set` must be called in the event loop's own thread.
    """

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def set(self) -> None:
        self._event.set()

    @property
    def is_set(self) -> bool:
        return self._event.is_set()

    def check(self) -> None:
        """Raise `CallFailed` (cancelled, no attempt) once stopped."""
        if self.is_set:
            raise CallFailed(
                FailureKind.CANCELLED, "The run was cancelled before this call.", attempts=0
            )

    async def pause(
        self, seconds: float, clock: Time, *, news: asyncio.Event | None = None
    ) -> None:
        """Sleep, but not after a stop nor when there is news; raises `CallFailed` when stopped."""
        self.check()
        ends: list[Coroutine[Any, Any, object]] = [clock.sleep(seconds), self._event.wait()]
        if news is not None:
            ends.append(news.wait())
        waiting = [asyncio.ensure_future(end) for end in ends]
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in waiting:
                one.cancel()
        self.check()

"""Trying again, with growing pauses, and only where that can help."""

from __future__ import annotations

import random
from dataclasses import replace

from recall_core.llm.types import CallFailed, Chat, ChatReply, ChatRequest
from recall_core.llm.waiting import Stop, Time
from recall_core.llm.wire import WireFailed

TRIES = 6
FIRST_DELAY, LONGEST_DELAY = 1.0, 30.0
STRANGE = 3
"""After so many 5xx of a model that never answered, one output level lower is tried."""


class PatientChat:
    """Tries a call up to six times.

    Only what may pass is tried again (too fast, 5xx, no connection, timeout); everything else
    fails at once. Between tries it waits for as long as the server asked, else for 1, 2, 4 …
    seconds less up to a half by chance. A stop ends the waiting; the call then fails as cancelled
    and keeps what the server said last.
    """

    def __init__(self, inner: Chat, *, stop: Stop, clock: Time, rng: random.Random) -> None:
        self._inner, self._stop, self._clock, self._rng = inner, stop, clock, rng

    async def ask(self, request: ChatRequest) -> ChatReply:
        """The reply with its number of attempts; raises `CallFailed` with them."""
        strange = 0
        attempt = 1
        while True:
            try:
                reply = await self._inner.ask(request)
                return reply if attempt == 1 else replace(reply, attempts=attempt)
            except WireFailed as failed:
                failed.attempts = attempt
                if attempt == TRIES or not failed.again:
                    raise self._last(failed) from None
                strange += failed.strange
                if strange == STRANGE and failed.strange and request.level.next_down:
                    request = replace(request, level=request.level.next_down)
                await self._wait(failed, attempt)
            except CallFailed as ended:
                ended.attempts = attempt - 1
                raise
            attempt += 1

    async def _wait(self, failed: WireFailed, attempt: int) -> None:
        if failed.retry_after is not None:
            delay = failed.retry_after * self._rng.uniform(1, 1.25)
        else:
            longest = min(LONGEST_DELAY, FIRST_DELAY * 2 ** (attempt - 1))
            delay = longest * self._rng.uniform(0.5, 1)
        try:
            await self._stop.pause(delay, self._clock)
        except CallFailed as stopped:
            stopped.attempts, stopped.raw = attempt, failed.raw
            raise stopped from None

    def _last(self, failed: WireFailed) -> CallFailed:
        """The failure that the caller sees."""
        tries = f" Tried {failed.attempts} times." if failed.attempts > 1 else ""
        return CallFailed(
            failed.kind,
            f"{failed.message}{tries}",
            raw=failed.raw,
            attempts=failed.attempts,
            hopeless=failed.hopeless,
        )

"""When a call may begin: one gate for all workers of a run."""

from __future__ import annotations

import asyncio
import random
from contextlib import nullcontext

from recall_core.llm.limits import Ceiling, Entry
from recall_core.llm.tokens import prompt_tokens
from recall_core.llm.types import CallFailed, Chat, ChatReply, ChatRequest
from recall_core.llm.waiting import Stop, Time
from recall_core.llm.wire import WireFailed

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
SPREAD = 0.25
"""After a pause the calls begin over this share of it, not all at once."""
MANY = 16
"""From so many calls at a time there are more workers than calls."""
USUAL_ANSWER = 1000
"""Tokens that an answer is taken for where no limit is set, until it is there."""


def workers_for(concurrency: int) -> int:
    """How many workers keep so many calls under way: while some look up, write down and read, the
    others wait at the server. With few calls at a time that time is not worth having more."""
    return concurrency if concurrency < MANY else 3 * concurrency


class PacedChat:
    """Lets calls begin while the server is well and the ceilings have room.

    - A server that says "too fast" or "too busy" pauses every call for as long as it asks, or for
      a time that doubles from wave to wave. One wave is all that fails out of the calls that were
      under way when a pause began; they lengthen nothing.
    - Other weather (5xx, no connection, timeouts) does the same from the second wave on without a
      success: one example that breaks the server must not stop the others.
    - Any success of a call that began after the last pause ends the waves.
    - No more than `concurrency` calls are under way at a time (`None`: as many as are asked for).
    - After a hopeless failure no call begins any more: each ends with that failure.
    """

    def __init__(
        self,
        inner: Chat,
        *,
        stop: Stop,
        clock: Time,
        rng: random.Random,
        concurrency: int | None = None,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
    ) -> None:
        self._inner, self._stop, self._clock, self._rng = inner, stop, clock, rng
        self._slots = nullcontext() if concurrency is None else asyncio.Semaphore(concurrency)
        self._requests = Ceiling(requests_per_minute)
        self._tokens = Ceiling(tokens_per_minute)
        self._counts_tokens = tokens_per_minute is not None
        self._opens_at = 0.0
        self._pause = 0.0
        self._waves = 0
        """Failing waves since the last success."""
        self._wave = 0
        """The number of the present wave; a call that began in an older one is late news."""
        self._hopeless: WireFailed | None = None
        self._news = asyncio.Event()
        """Set when the real count of a call's tokens has made room."""

    async def ask(self, request: ChatRequest) -> ChatReply:
        """The reply, once the call's turn has come; raises `CallFailed`."""
        async with self._slots:
            return await self._ask(request)

    async def _ask(self, request: ChatRequest) -> ChatReply:
        entry = await self._turn(self._size(request))
        wave = self._wave
        try:
            reply = await self._inner.ask(request)
        except WireFailed as failed:
            self._slow_down(failed, wave)
            raise
        if wave == self._wave:
            self._waves = 0
        if reply.tokens_in is not None and reply.tokens_out is not None:
            self._tokens.correct(entry, reply.tokens_in + reply.tokens_out)
            self._news.set()
        return reply

    def _size(self, request: ChatRequest) -> int:
        if not self._counts_tokens:
            return 0
        return prompt_tokens(request).expected + (request.max_output_tokens or USUAL_ANSWER)

    async def _turn(self, tokens: int) -> Entry:
        """Wait for the gate and the ceilings; the entry is what this call takes of the tokens."""
        while True:
            self._stop.check()
            if self._hopeless is not None:
                raise CallFailed(
                    self._hopeless.kind, self._hopeless.message, attempts=0, hopeless=True
                )
            now = self._clock.now()
            pause = self._opens_at - now
            if pause > 0:
                pause += self._rng.uniform(0, SPREAD * self._pause)
            wait = max(pause, self._requests.wait(now, 1), self._tokens.wait(now, tokens))
            if wait <= 0:
                self._requests.take(now, 1)
                return self._tokens.take(now, tokens)
            self._news.clear()
            await self._stop.pause(wait, self._clock, news=self._news)

    def _slow_down(self, failed: WireFailed, wave: int) -> None:
        if failed.hopeless:
            self._hopeless = failed
        if not failed.again:
            return
        pause = failed.retry_after or 0.0
        if wave == self._wave:
            self._waves += 1
            if failed.throttled or self._waves > 1:
                self._wave += 1
                pause = pause or min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (self._waves - 1))
        opens_at = self._clock.now() + pause
        if opens_at > self._opens_at:
            self._opens_at, self._pause = opens_at, pause

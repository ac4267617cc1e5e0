"""Keeps a run within its budget: what a call may cost at worst is set aside before it begins."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from decimal import Decimal

from recall_core.llm.endpoints import Endpoint
from recall_core.llm.prices import Price
from recall_core.llm.tokens import most_prompt_tokens
from recall_core.llm.types import CallFailed, Chat, ChatReply, ChatRequest
from recall_core.llm.waiting import Stop
from recall_core.llm.wire import WireFailed
from recall_core.types import FailureKind


class Budget:
    """What a run may spend, has spent and has set aside, in US dollars.

    Invariant: `spent + reserved <= limit` at every moment, as long as servers bill no more than
    they report and stop at the output limit. `limit` `None`: the spending is only counted.
    `spent` holds what replies cost, and the worst case of calls that ended without a reply after
    the server may have done the work (`uncertain` is that part).
    """

    def __init__(self, limit: Decimal | None = None, *, spent: Decimal = Decimal(0)) -> None:
        self.limit = limit
        self.spent = spent
        self.reserved = Decimal(0)
        self.uncertain = Decimal(0)
        self.exhausted = False
        """Set by the first call that did not fit; no call begins after that."""
        self._waiting: set[asyncio.Future[None]] = set()

    async def reserve(self, worst: Decimal, stop: Stop) -> None:
        """Set the worst case aside, waiting for calls under way while that may make room.

        Raises `CallFailed` (budget) when even their being free would not.
        """
        self._refuse_if_hopeless(worst)
        while not self._fits(worst):
            stop.check()
            await self._news()
            self._refuse_if_hopeless(worst)
        self.reserved += worst

    def settle(self, worst: Decimal, actual: Decimal, *, uncertain: bool = False) -> None:
        """Put what the call cost in the place of what was set aside."""
        self.reserved -= worst
        self.spent += actual
        if uncertain:
            self.uncertain += actual
        self._wake()

    async def _news(self) -> None:
        """Until a call has settled or the budget is exhausted."""
        waiting = asyncio.get_running_loop().create_future()
        self._waiting.add(waiting)
        try:
            await waiting
        finally:
            self._waiting.discard(waiting)

    def _wake(self) -> None:
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_result(None)

    def _fits(self, worst: Decimal) -> bool:
        return self.limit is None or self.spent + self.reserved + worst <= self.limit

    def _refuse_if_hopeless(self, worst: Decimal) -> None:
        if self.limit is None or (not self.exhausted and self.spent + worst <= self.limit):
            return
        self.exhausted = True
        self._wake()
        raise CallFailed(
            FailureKind.BUDGET,
            f"The budget of {dollars(self.limit)} ends here: {dollars(self.spent)} are spent, and "
            f"the next call could cost up to {dollars(worst)}.",
            attempts=0,
            hopeless=True,
        )


def dollars(amount: Decimal) -> str:
    """An amount for people: cents, or as many places as a small amount needs."""
    places = 2 if amount >= 1 or amount == 0 else 4
    return f"${amount:.{places}f}"


class BudgetedChat:
    """Reserves before every try on the wire, settles after it, and writes each reply's cost."""

    def __init__(self, inner: Chat, *, endpoint: Endpoint, budget: Budget, stop: Stop) -> None:
        self._inner, self._endpoint, self._budget, self._stop = inner, endpoint, budget, stop

    async def ask(self, request: ChatRequest) -> ChatReply:
        """The reply with its cost; raises `CallFailed` (budget) before a call that may not fit."""
        facts = self._endpoint.model(request.model)
        if facts.price is None:
            return await self._unpriced(request)
        worst = self._worst(request, facts.price, facts.window)
        await self._budget.reserve(worst, self._stop)
        paid, uncertain = worst, True
        try:
            reply = await self._inner.ask(request)
            cost = _cost(reply, facts.price)
            paid, uncertain = (worst, True) if cost is None else (cost, False)
            return replace(reply, cost=cost)
        except WireFailed as failed:
            paid, uncertain = (worst, True) if failed.charged else (Decimal(0), False)
            raise
        except CallFailed:
            paid, uncertain = Decimal(0), False
            raise
        finally:
            self._budget.settle(worst, paid, uncertain=uncertain)

    async def _unpriced(self, request: ChatRequest) -> ChatReply:
        if self._budget.limit is not None:
            raise CallFailed(
                FailureKind.BUDGET,
                f"The price of {request.model} at {self._endpoint.name} is not known, so a budget "
                "cannot be kept. Give its price in endpoints.toml, or leave the budget empty.",
                attempts=0,
                hopeless=True,
            )
        return await self._inner.ask(request)

    def _worst(self, request: ChatRequest, price: Price, window: int | None) -> Decimal:
        """What the call may cost at most; 0 where nothing is limited and so nothing set aside."""
        tokens_in = most_prompt_tokens(request)
        if request.max_output_tokens is not None:
            return price.cost(tokens_in, request.max_output_tokens)
        if window is not None:
            return price.cost(tokens_in, window)
        if self._budget.limit is None or not price.output:
            return price.cost(tokens_in, 0)
        raise CallFailed(
            FailureKind.BUDGET,
            f"A budget needs to know how long an answer of {request.model} may get. "
            "Set the most output tokens.",
            attempts=0,
            hopeless=True,
        )


def _cost(reply: ChatReply, price: Price) -> Decimal | None:
    if reply.tokens_in is None or reply.tokens_out is None:
        return None
    return price.cost(reply.tokens_in, reply.tokens_out)

"""What a run will take, before it begins: calls, tokens, dollars, minutes."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Protocol

from recall_core.llm.endpoints import Endpoint
from recall_core.llm.prices import Price
from recall_core.llm.tokens import NO_TOKENS, Tokens, most_prompt_tokens, prompt_tokens
from recall_core.llm.types import ChatRequest, request_hash
from recall_core.types import Example

TOKENS_A_SECOND = 50
"""How fast a model writes, where no earlier call tells."""
BEFORE_THE_FIRST = 1.0
"""Seconds until it begins to."""
BATCH = 500
"""How many calls are looked up in the store at once."""


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """A call that a judge will surely make, and how long its answer may get."""

    request: ChatRequest
    answer: Tokens


class Planner(Protocol):
    """A judge that can say its calls beforehand; what a reply may lead to (a re-ask) is not in."""

    @property
    def model(self) -> str: ...

    def lacks(self, example: Example) -> str | None: ...

    def planned_calls(
        self, example: Example, *, window: int | None = None
    ) -> Sequence[PlannedCall]: ...


@dataclass(frozen=True, slots=True)
class TooLong:
    """An example whose question will not fit the model's window, both in tokens (estimated)."""

    example_id: str
    needed: int
    window: int


@dataclass(frozen=True, slots=True)
class Range:
    """Dollars or seconds from the least to the most that is likely."""

    low: Decimal
    expected: Decimal
    high: Decimal

    def scaled(self, by: Fraction) -> Range:
        factor = Decimal(by.numerator) / by.denominator
        return Range(self.low * factor, self.expected * factor, self.high * factor)


@dataclass(frozen=True, slots=True)
class RunPlan:
    """An estimate, and said to be one. Tokens, cost and seconds are those of the calls to be made;
    `from_store` of the `calls` are answered without one, and `unasked` examples need none at all.
    `cost` is `None` where the price is unknown; it is never 0 for that. `high` allows for every
    call being asked twice.
    """

    examples: int
    skipped: int
    calls: int
    from_store: int
    tokens_in: Tokens
    tokens_out: Tokens
    cost: Range | None
    seconds: Range
    too_long: tuple[TooLong, ...]
    unasked: int = 0

    @property
    def to_make(self) -> int:
        """How many calls go to the server."""
        return self.calls - self.from_store

    def scaled(self, examples: int) -> RunPlan:
        """The same for so many examples, of which this plan saw a fair share; the list of those
        that are too long stays that of the examples seen."""
        by = Fraction(examples, self.examples) if self.examples else Fraction(0)
        return replace(
            self,
            examples=examples,
            skipped=round(self.skipped * by),
            unasked=round(self.unasked * by),
            calls=round(self.calls * by),
            from_store=round(self.from_store * by),
            tokens_in=self.tokens_in.scaled(by),
            tokens_out=self.tokens_out.scaled(by),
            cost=None if self.cost is None else self.cost.scaled(by),
            seconds=self.seconds.scaled(by),
        )


def answer_tokens(units: int, longest: int | None, *, thinks: bool = False) -> Tokens:
    """How long an answer about so many units may get: a few sentences of reasoning and a quote
    each. `longest` is the request's limit; a model that thinks first may use all of it."""
    low, expected, high = (20 + units * each for each in (35, 90, 250))
    if thinks:
        expected, high = expected * 4, max(high * 8, longest or 0)
    if longest is None:
        return Tokens(low, expected, high)
    return Tokens(min(low, longest), min(expected, longest), min(high, longest))


def window_excess(request: ChatRequest, window: int | None) -> tuple[int, int] | None:
    """Tokens needed (question and room for the answer) and the window, if they do not fit."""
    room = request.max_output_tokens or 0
    if window is None or most_prompt_tokens(request) + room <= window:
        return None
    needed = prompt_tokens(request).expected + room
    return (needed, window) if needed > window else None


def plan_run(
    judge: Planner,
    examples: Iterable[Example],
    endpoint: Endpoint,
    *,
    known: Callable[[Sequence[str]], Collection[str]] = lambda hashes: (),
    concurrency: int = 8,
    requests_per_minute: int | None = None,
    tokens_per_minute: int | None = None,
    seconds_per_call: float | None = None,
) -> RunPlan:
    """The plan of a run over these examples, read once and not kept.

    `known` says which of some request hashes the store answers (for a run that wants fresh
    answers: none). `seconds_per_call` is the mean of earlier calls, where there are any.
    """
    facts = endpoint.model(judge.model)
    count = _Count(endpoint.base_url, facts.window, known)
    for example in examples:
        count.add(judge, example)
    count.look_up()
    made = count.calls - count.from_store
    tokens_out = count.tokens_out
    each = seconds_per_call or _usual_seconds(tokens_out, made)
    by_rate = _minutes_by_rate(
        made, count.tokens_in + tokens_out, requests_per_minute, tokens_per_minute
    )
    return RunPlan(
        examples=count.examples,
        skipped=count.skipped,
        calls=count.calls,
        from_store=count.from_store,
        tokens_in=count.tokens_in,
        tokens_out=tokens_out,
        cost=_cost(facts.price, count.tokens_in, tokens_out, made),
        seconds=_seconds(made, each, concurrency, by_rate),
        too_long=tuple(count.too_long),
        unasked=count.unasked,
    )


class _Count:
    """Adds up calls, a batch of store look-ups at a time."""

    def __init__(
        self,
        address: str,
        window: int | None,
        known: Callable[[Sequence[str]], Collection[str]],
    ) -> None:
        self._address, self._window, self._known = address, window, known
        self._waiting: dict[str, PlannedCall] = {}
        self.examples = self.skipped = self.unasked = self.calls = self.from_store = 0
        self.tokens_in = self.tokens_out = NO_TOKENS
        self.too_long: list[TooLong] = []

    def add(self, judge: Planner, example: Example) -> None:
        self.examples += 1
        if judge.lacks(example) is not None:
            self.skipped += 1
            return
        excess: list[tuple[int, int]] = []
        calls = judge.planned_calls(example, window=self._window)
        self.unasked += not calls
        for call in calls:
            over = window_excess(call.request, self._window)
            if over is None:
                self._count(call)
            else:
                excess.append(over)
        if excess:
            self.too_long.append(TooLong(example.id, *max(excess)))

    def _count(self, call: PlannedCall) -> None:
        self.calls += 1
        key = request_hash(self._address, call.request)
        if key in self._waiting:
            self.from_store += 1
            return
        self._waiting[key] = call
        if len(self._waiting) >= BATCH:
            self.look_up()

    def look_up(self) -> None:
        found = set(self._known(list(self._waiting)))
        for key, call in self._waiting.items():
            if key in found:
                self.from_store += 1
            else:
                self.tokens_in = self.tokens_in + prompt_tokens(call.request)
                self.tokens_out = self.tokens_out + call.answer
        self._waiting = {}


def _cost(price: Price | None, read: Tokens, written: Tokens, calls: int) -> Range | None:
    if price is None:
        return Range(Decimal(0), Decimal(0), Decimal(0)) if not calls else None
    return Range(
        price.cost(read.low, written.low),
        price.cost(read.expected, written.expected),
        price.cost(2 * read.high, 2 * written.high),
    )


def _usual_seconds(written: Tokens, calls: int) -> float:
    return BEFORE_THE_FIRST + written.expected / max(1, calls) / TOKENS_A_SECOND


def _minutes_by_rate(
    calls: int, tokens: Tokens, requests_per_minute: int | None, tokens_per_minute: int | None
) -> float:
    """The minutes that the ceilings alone make a run last."""
    by_requests = calls / requests_per_minute - 1 if requests_per_minute else 0.0
    by_tokens = tokens.expected / tokens_per_minute - 1 if tokens_per_minute else 0.0
    return max(0.0, by_requests, by_tokens)


def _seconds(calls: int, each: float, concurrency: int, minutes_by_rate: float) -> Range:
    rounds = math.ceil(calls / concurrency)
    expected = max(rounds * each, minutes_by_rate * 60 + (each if calls else 0))
    low, middle, high = (Decimal(str(round(expected * f, 1))) for f in (0.7, 1, 2))
    return Range(low, middle, high)

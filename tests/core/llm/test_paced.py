"""One gate for all: pauses are shared, ceilings kept, one bad example stops nobody."""

from __future__ import annotations

import random
from contextlib import suppress
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from recall_core.llm.limits import MINUTE, Ceiling
from recall_core.llm.paced import FIRST_PAUSE, PacedChat, workers_for
from recall_core.llm.patient import PatientChat
from recall_core.llm.types import CallFailed, Chat, ChatReply, ChatRequest
from recall_core.llm.waiting import Stop
from recall_core.llm.wire import WireFailed
from recall_core.types import FailureKind
from tests.core.llm.asking import FakeTime, Model, busy, no_jitter, request, weather


def paced(model: Any, clock: FakeTime, *, stop: Stop | None = None, **limits: int) -> PacedChat:
    return PacedChat(model, stop=stop or Stop(), clock=clock, rng=no_jitter(), **limits)


def later(clock: FakeTime, chat: Chat, seconds: float, asked: ChatRequest | None = None) -> Any:
    """A worker that asks after some seconds."""

    async def scene() -> ChatReply:
        await clock.sleep(seconds)
        return await chat.ask(asked or request())

    return scene


def test_a_server_that_is_too_busy_pauses_every_worker_for_as_long_as_it_asks() -> None:
    clock = FakeTime()
    model = Model(clock, busy(30))
    chat = paced(model, clock)

    clock.run(lambda: chat.ask(request()), later(clock, chat, 1), later(clock, chat, 2))

    assert model.at[0] == 0
    assert all(30 <= at <= 30 * 1.25 for at in model.at[1:])


def test_calls_begin_spread_out_after_a_pause() -> None:
    clock = FakeTime()
    model = Model(clock, busy(20))
    chat = PacedChat(model, stop=Stop(), clock=clock, rng=random.Random(5))

    clock.run(lambda: chat.ask(request()), *(later(clock, chat, 1) for _ in range(10)))

    assert len(set(model.at[1:])) == 10


def test_a_whole_wave_of_failures_is_one_pause() -> None:
    clock = FakeTime()
    model = Model(clock, *[busy() for _ in range(8)], takes=0.5)
    chat = paced(model, clock)

    clock.run(*(lambda: chat.ask(request()) for _ in range(8)), later(clock, chat, 0.6))

    assert model.at[8] <= 0.5 + FIRST_PAUSE * 1.25 + 0.01


def test_pauses_double_from_wave_to_wave_until_a_success() -> None:
    clock = FakeTime()
    model = Model(clock, busy(), busy(), busy(), ChatReply("{}", model="m"), busy())
    chat = paced(model, clock)

    async def one_after_the_other() -> None:
        for _ in range(6):
            with suppress(CallFailed):
                await chat.ask(request())

    clock.run(one_after_the_other)

    gaps = [second - first for first, second in pairwise(model.at)]
    assert gaps == [1.25, 2.5, 5.0, 0.0, 1.25]


def test_one_example_that_breaks_the_server_does_not_stop_the_others() -> None:
    clock = FakeTime()

    class Breaks:
        def __init__(self) -> None:
            self.good: list[float] = []

        async def ask(self, asked: ChatRequest) -> ChatReply:
            await clock.sleep(0.05)
            if asked.example_id == "bad":
                raise weather()
            self.good.append(clock.now())
            return ChatReply("{}", model="m")

    model = Breaks()
    stop = Stop()
    chat = PatientChat(
        PacedChat(model, stop=stop, clock=clock, rng=no_jitter()),
        stop=stop,
        clock=clock,
        rng=no_jitter(),
    )

    async def worker() -> None:
        for _ in range(100):
            await chat.ask(request())

    clock.run(worker, lambda: chat.ask(request(example_id="bad")))

    assert len(model.good) == 100
    assert max(model.good) < 100 * 0.05 + 0.01


def test_an_outage_pauses_everybody_from_its_second_wave_on() -> None:
    clock = FakeTime()
    model = Model(clock, weather(), weather())
    chat = paced(model, clock)

    async def unlucky() -> None:
        for _ in range(2):
            with suppress(CallFailed):
                await chat.ask(request())

    clock.run(unlucky, later(clock, chat, 0.01))

    assert model.at[2] >= 2 * FIRST_PAUSE


def test_news_of_calls_from_before_a_pause_does_not_end_the_waves() -> None:
    clock = FakeTime()
    chat_of: dict[str, PacedChat] = {}

    class Server:
        at: list[float] = []  # noqa: RUF012

        async def ask(self, asked: ChatRequest) -> ChatReply:
            self.at.append(clock.now())
            if asked.example_id == "slow":
                await clock.sleep(1.1)
                return ChatReply("{}", model="m")
            raise busy()

    chat_of["it"] = paced(Server(), clock)
    chat = chat_of["it"]

    async def refused_twice() -> None:
        for _ in range(3):
            with suppress(CallFailed):
                await chat.ask(request())

    clock.run(lambda: chat.ask(request(example_id="slow")), refused_twice)

    begun = Server.at[1:]
    assert [round(b - a, 2) for a, b in pairwise(begun)] == [1.25, 2.5]


def test_after_a_hopeless_failure_no_call_begins_any_more() -> None:
    clock = FakeTime()
    model = Model(clock, WireFailed(FailureKind.CONNECTION, "Check LAB_KEY.", hopeless=True))
    chat = paced(model, clock)

    first, second = clock.run(lambda: chat.ask(request()), later(clock, chat, 1))

    assert len(model.asked) == 1
    assert second.hopeless
    assert (second.kind, second.message, second.attempts) == (first.kind, first.message, 0)


def test_a_stop_lets_calls_under_way_finish_and_begins_no_other() -> None:
    clock, stop = FakeTime(), Stop()
    model = Model(clock, takes=2.0)
    chat = paced(model, clock, stop=stop, requests_per_minute=1)

    async def stop_soon() -> None:
        await clock.sleep(1)
        stop.set()

    arrived, waited, late, _ = clock.run(
        lambda: chat.ask(request()), lambda: chat.ask(request()), later(clock, chat, 3), stop_soon
    )

    assert isinstance(arrived, ChatReply)
    assert waited.kind is late.kind is FailureKind.CANCELLED
    assert waited.attempts == late.attempts == 0
    assert len(model.asked) == 1


def test_no_more_calls_are_under_way_than_allowed_and_no_fewer_where_there_are_workers() -> None:
    clock = FakeTime()
    model = Model(clock, takes=1)
    chat = paced(model, clock, concurrency=16)

    async def worker() -> None:
        for _ in range(5):
            await chat.ask(request())
            await clock.sleep(0.4)

    clock.run(*(worker for _ in range(workers_for(16))))

    assert model.most_under_way == 16
    assert clock.now() < workers_for(16) * 5 / 16 + 3


def test_a_call_that_waits_to_be_tried_again_takes_no_place() -> None:
    clock = FakeTime()
    model = Model(clock, weather())
    stop = Stop()
    chat = PatientChat(paced(model, clock, concurrency=1), stop=stop, clock=clock, rng=no_jitter())

    clock.run(lambda: chat.ask(request()), later(clock, chat, 0.5))

    assert model.at == [0, 0.5, 1]


def test_no_minute_holds_more_requests_than_the_ceiling() -> None:
    clock = FakeTime()
    model = Model(clock, takes=0.3)
    chat = paced(model, clock, requests_per_minute=10)

    clock.run(*(lambda: chat.ask(request()) for _ in range(35)))

    assert most_in_a_minute([(at, 1) for at in model.at]) == 10
    assert model.at[-1] < 3 * MINUTE + 1


def test_no_minute_holds_more_tokens_than_the_ceiling_and_real_counts_replace_estimates() -> None:
    clock = FakeTime()
    replies = [ChatReply("{}", model="m", tokens_in=100, tokens_out=100) for _ in range(40)]
    model = Model(clock, *replies, takes=1)
    chat = paced(model, clock, tokens_per_minute=2000)
    asked = request(max_output_tokens=900)

    clock.run(*(lambda: chat.ask(asked) for _ in range(20)))

    assert most_in_a_minute([(at, 200) for at in model.at]) <= 2000
    assert model.at[-1] < 4 * MINUTE


def most_in_a_minute(taken: list[tuple[float, int]]) -> int:
    """The most that any window of sixty seconds holds."""
    return max(
        sum(amount for at, amount in taken if start <= at < start + MINUTE) for start, _ in taken
    )


@given(
    limit=st.integers(1, 40),
    calls=st.lists(st.tuples(st.floats(0, 30), st.integers(1, 30)), max_size=40),
)
def test_a_ceiling_holds_in_every_window_or_lets_one_large_call_alone(
    limit: int, calls: list[tuple[float, int]]
) -> None:
    ceiling, now = Ceiling(limit), 0.0
    taken: list[tuple[float, int]] = []
    for gap, amount in calls:
        now += gap
        while (wait := ceiling.wait(now, amount)) > 0:
            now += wait
        ceiling.take(now, amount)
        taken.append((now, amount))

    for start, _ in taken:
        inside = [amount for at, amount in taken if start <= at < start + MINUTE - 1e-6]
        assert sum(inside) <= limit or len(inside) == 1


def test_a_call_that_has_left_the_window_is_corrected_without_effect() -> None:
    ceiling = Ceiling(10)
    old = ceiling.take(0, 10)
    assert ceiling.wait(60, 10) == 0
    ceiling.take(60, 5)

    ceiling.correct(old, 1)

    assert ceiling.wait(60, 5) == 0
    assert ceiling.wait(60, 6) == MINUTE


def test_a_ceiling_tells_at_once_how_long_a_large_amount_must_wait() -> None:
    ceiling = Ceiling(10)
    for moment in (0, 20, 40):
        ceiling.take(moment, 3)

    assert [ceiling.wait(50, amount) for amount in (1, 4, 7, 10)] == [0, 10, 30, 50]

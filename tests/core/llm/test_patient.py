"""Trying again: how often, when, and when not."""

from __future__ import annotations

import random

import pytest

from recall_core.llm.patient import PatientChat
from recall_core.llm.types import CallFailed, OutputLevel
from recall_core.llm.waiting import Stop
from recall_core.llm.wire import WireFailed
from recall_core.types import FailureKind
from tests.core.llm.asking import FakeTime, Model, busy, no_jitter, request, weather


def patient(
    model: Model, clock: FakeTime, *, stop: Stop | None = None, rng: random.Random | None = None
) -> PatientChat:
    return PatientChat(model, stop=stop or Stop(), clock=clock, rng=rng or no_jitter())


def test_weather_is_waited_out_with_pauses_that_double() -> None:
    clock = FakeTime()
    model = Model(clock, *[weather() for _ in range(5)])

    (reply,) = clock.run(lambda: patient(model, clock).ask(request()))

    assert model.at == [0, 1, 3, 7, 15, 31]
    assert reply.attempts == 6


def test_the_sixth_failure_is_the_last() -> None:
    clock = FakeTime()
    model = Model(clock, *[weather(raw="it hurts") for _ in range(9)])

    (failed,) = clock.run(lambda: patient(model, clock).ask(request()))

    assert isinstance(failed, CallFailed)
    assert len(model.at) == failed.attempts == 6
    assert failed.raw == "it hurts"
    assert "Tried 6 times." in failed.message


def test_the_wait_that_the_server_asks_for_is_kept() -> None:
    clock = FakeTime()
    model = Model(clock, busy(20))

    clock.run(
        lambda: PatientChat(model, stop=Stop(), clock=clock, rng=random.Random(7)).ask(request())
    )

    assert 20 <= model.at[1] <= 25


@pytest.mark.parametrize("seed", range(20))
def test_chance_shortens_a_pause_by_half_at_most(seed: int) -> None:
    clock = FakeTime()
    model = Model(clock, weather(), weather())

    clock.run(lambda: patient(model, clock, rng=random.Random(seed)).ask(request()))

    assert 0.5 <= model.at[1] <= 1
    assert 1 <= model.at[2] - model.at[1] <= 2


@pytest.mark.parametrize("kind", [FailureKind.CONTENT_FILTER, FailureKind.CONTEXT_TOO_LONG])
def test_what_cannot_pass_is_not_tried_again(kind: FailureKind) -> None:
    clock = FakeTime()
    model = Model(clock, WireFailed(kind, "No."))

    (failed,) = clock.run(lambda: patient(model, clock).ask(request()))

    assert (failed.kind, failed.attempts, failed.message) == (kind, 1, "No.")
    assert len(model.asked) == 1


def test_a_model_that_never_answered_is_tried_one_level_lower_after_three_5xx() -> None:
    clock = FakeTime()
    model = Model(clock, *[weather(strange=True) for _ in range(5)])

    clock.run(lambda: patient(model, clock).ask(request()))

    levels = [asked.level for asked in model.asked]
    assert levels == [OutputLevel.JSON_SCHEMA] * 3 + [OutputLevel.JSON_OBJECT] * 3


def test_a_model_that_has_answered_before_is_never_tried_lower() -> None:
    clock = FakeTime()
    model = Model(clock, *[weather() for _ in range(5)])

    clock.run(lambda: patient(model, clock).ask(request()))

    assert {asked.level for asked in model.asked} == {OutputLevel.JSON_SCHEMA}


def test_a_stop_ends_the_pause_at_once_and_keeps_what_was_said() -> None:
    clock, stop = FakeTime(), Stop()
    model = Model(clock, weather(raw="503"))

    async def stop_soon() -> None:
        await clock.sleep(0.25)
        stop.set()

    failed, _ = clock.run(lambda: patient(model, clock, stop=stop).ask(request()), stop_soon)

    assert (failed.kind, failed.attempts, failed.raw) == (FailureKind.CANCELLED, 1, "503")
    assert clock.now() == 0.25
    assert len(model.asked) == 1


def test_a_refusal_inside_counts_only_the_tries_that_were_made() -> None:
    clock = FakeTime()
    refused = CallFailed(FailureKind.BUDGET, "No money.", attempts=0)
    model = Model(clock, weather(), refused)

    (failed,) = clock.run(lambda: patient(model, clock).ask(request()))

    assert (failed.kind, failed.attempts) == (FailureKind.BUDGET, 1)

"""A judge, every layer under it and a real server: what the whole of it makes of bad manners."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from recall_core.judging import judge_stream
from recall_core.llm.client import open_chat
from recall_core.llm.endpoints import Endpoint
from recall_core.types import Example, FailureKind, JudgeFailure, Judgement, Outcome
from tests.core.asking.making import by_label, passage_judge, passages, scored
from tests.llm_server import (
    BROKEN,
    DROP,
    HANG,
    Answer,
    LlmServer,
    Received,
    error,
    only_levels,
    reply,
    too_fast,
    without_parameter,
)

GOOD = reply(scored(E1=4))


class Quick:
    """A clock that sleeps for no time."""

    def __init__(self) -> None:
        self._now = 0.0

    def now(self) -> float:
        return self._now

    async def sleep(self, seconds: float) -> None:
        self._now += seconds
        await asyncio.sleep(0)


def judged(
    server: LlmServer, examples: Sequence[Example], concurrency: int = 4, **settings: Any
) -> list[Outcome]:
    async def judge_all() -> list[Outcome]:
        judge = passage_judge(**{"timeout_seconds": 5, **settings})
        async with open_chat(Endpoint("lab", server.url), clock=Quick()) as chat:
            stream = judge_stream(judge, examples, chat, concurrency=concurrency)
            found = {place: outcome async for place, outcome in stream}
        return [found[place] for place in sorted(found)]

    return asyncio.run(judge_all())


def the_one(server: LlmServer, **settings: Any) -> Outcome:
    (outcome,) = judged(server, [passages()], **settings)
    return outcome


def ignoring_the_schema(received: Received) -> Answer:
    return reply("Sure! [ESSENTIAL PASSAGE] 1: mostly there. Score: 4")


@pytest.mark.parametrize(
    "respond",
    [
        GOOD,
        only_levels("json_object", "plain", then=GOOD),
        only_levels("plain", then=GOOD),
        only_levels("plain", status=500, then=GOOD),
        ignoring_the_schema,
        reply(f"```json\n{scored(E1=4)}\n```"),
        reply(f"<think>Hm. {{}}</think>\n{scored(E1=4)}"),
        reply(scored(E1=4), reasoning_content="I thought about it."),
        reply([{"type": "text", "text": scored(E1=4)}]),
        reply(scored(E1=4), finish_reason=None, tokens=None),
        without_parameter("temperature", then=GOOD),
        without_parameter("max_tokens", then=GOOD),
    ],
)
def test_a_server_that_answers_in_its_own_way_is_understood(respond: Any) -> None:
    with LlmServer(respond) as server:
        outcome = the_one(server)

    assert isinstance(outcome, Judgement), outcome
    assert by_label(outcome) == {"E1": 4}


@pytest.mark.parametrize("trouble", [too_fast(0.01), BROKEN, DROP, reply("Well…"), reply("{")])
def test_trouble_that_passes_costs_nothing_but_a_call(trouble: Answer) -> None:
    with LlmServer(GOOD) as server:
        server.enqueue(trouble)
        outcome = the_one(server)

    assert isinstance(outcome, Judgement), outcome
    assert len(server.received) == 2


@pytest.mark.parametrize(
    ("respond", "kind"),
    [
        (too_fast(0.01), FailureKind.RATE_LIMIT),
        (BROKEN, FailureKind.CONNECTION),
        (error(400, "content management policy", code="content_filter"),
         FailureKind.CONTENT_FILTER),
        (error(400, "This model's maximum context length is 8192 tokens. However, you requested "
               "9000 tokens.", code="context_length_exceeded"), FailureKind.CONTEXT_TOO_LONG),
        (error(401, "Incorrect API key"), FailureKind.CONNECTION),
        (reply(None, refusal="I can't assist with that."), FailureKind.REFUSAL),
        (reply(None, reasoning_content=scored(E1=4)), FailureKind.EMPTY),
        (reply(scored(E1=4), finish_reason="length"), FailureKind.TRUNCATED),
        (reply('{"passages": [', finish_reason="content_filter"), FailureKind.CONTENT_FILTER),
        (reply("I like it."), FailureKind.UNPARSEABLE),
        (reply(scored(E1=90)), FailureKind.OUT_OF_RANGE),
    ],
)  # fmt: skip
def test_trouble_that_stays_has_a_kind_and_no_score(respond: Answer, kind: FailureKind) -> None:
    with LlmServer(respond) as server:
        outcome = the_one(server)

    assert isinstance(outcome, JudgeFailure), outcome
    assert outcome.kind is kind
    assert by_label(outcome) in ({}, {"E1": None})


def test_a_server_that_hangs_is_given_up_after_six_tries() -> None:
    with LlmServer(HANG) as server:
        outcome = the_one(server, timeout_seconds=0.1)

    assert isinstance(outcome, JudgeFailure)
    assert outcome.kind is FailureKind.TIMEOUT
    assert outcome.message.endswith("Tried 6 times.")


def test_with_many_faults_at_once_no_example_is_lost_and_none_is_judged_twice() -> None:
    count = 0
    # By chance: faults at every so manieth call would meet the same example again and again.
    chance = random.Random(20261130)

    def moody(received: Received) -> Answer:
        nonlocal count
        count += 1
        dice = chance.random()
        if dice < 0.2:
            return too_fast(0.01)
        if dice < 0.3:
            return BROKEN
        return reply('{"passages": [') if dice < 0.35 else GOOD

    examples = [
        replace(passages(question=f"Question {number}?"), id=str(number)) for number in range(120)
    ]
    with LlmServer(moody) as server:
        outcomes = judged(server, examples, concurrency=16)

    assert [o.example_id for o in outcomes] == [e.id for e in examples]
    assert sum(isinstance(o, Judgement) for o in outcomes) >= 115
    assert count < 1.6 * len(examples)

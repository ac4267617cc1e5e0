"""All layers together against a real server, and the test of an endpoint."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from recall_core.llm.budgeted import Budget
from recall_core.llm.client import chosen, open_chat
from recall_core.llm.endpoints import load_endpoints
from recall_core.llm.probe import ProbeResult, probe
from recall_core.llm.types import CallFailed, ChatReply, NotConfigured, OutputLevel
from recall_core.llm.waiting import Stop
from recall_core.types import FailureKind
from tests.core.llm.asking import KEY, endpoint, priced, request
from tests.core.llm.test_stored import Shelf
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
)


class Quick:
    """A clock on which a second of waiting takes a millisecond."""

    def now(self) -> float:
        return asyncio.get_running_loop().time() * 1000

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds / 1000)


def test_weather_of_every_sort_is_waited_out_and_the_reply_kept_with_its_attempts() -> None:
    shelf = Shelf()
    with LlmServer(reply("it")) as server:
        server.enqueue(too_fast(2), BROKEN, DROP, HANG, Answer("half a comple"))

        async def scene() -> ChatReply:
            async with open_chat(endpoint(server.url), store=shelf, clock=Quick()) as chat:
                return await chat.ask(request(timeout_seconds=0.3))

        answer = asyncio.run(scene())

    assert (answer.text, answer.attempts, len(server.received)) == ("it", 6, 6)
    assert [record.reply for record in shelf.records] == [answer]


def moody(answered: list[str]) -> Callable[[Received], Answer]:
    """A fifth too fast, a tenth broken, one in fifty hangs; else the prompt in capitals."""
    chance = random.Random(20261130)

    def respond(received: Received) -> Answer:
        dice = chance.random()
        if dice < 0.2:
            return too_fast(0.5)
        if dice < 0.32:
            return BROKEN if dice < 0.3 else HANG
        answered.append(received.prompt)
        return reply(received.prompt.upper(), after=0.002)

    return respond


def test_among_many_faults_no_example_is_lost_and_none_judged_twice() -> None:
    answered: list[str] = []
    shelf = Shelf()
    questions = [f"example {n}" for n in range(150)]
    with LlmServer(moody(answered)) as server:

        async def scene() -> list[Any]:
            lab = endpoint(server.url)
            rng = random.Random(1)
            turns = asyncio.Semaphore(32)
            async with open_chat(lab, store=shelf, clock=Quick(), rng=rng) as chat:

                async def ask(text: str) -> ChatReply:
                    async with turns:
                        return await chat.ask(request(text, timeout_seconds=1.5))

                return await asyncio.gather(*map(ask, questions), return_exceptions=True)

        ends = asyncio.run(scene())

    for question, end in zip(questions, ends, strict=True):
        if isinstance(end, ChatReply):
            assert end.text == question.upper()
        else:
            assert isinstance(end, CallFailed)
            assert end.attempts == 6
    assert sum(isinstance(end, ChatReply) for end in ends) >= 145
    assert len(shelf.records) == 150
    assert len(answered) == len(set(answered))


def test_a_stop_keeps_the_answers_that_still_arrive() -> None:
    shelf, stop = Shelf(), Stop()
    with LlmServer(reply("late", after=0.2)) as server:

        async def scene() -> list[Any]:
            async with open_chat(endpoint(server.url), store=shelf, stop=stop) as chat:
                early = [asyncio.ensure_future(chat.ask(request(str(n)))) for n in range(4)]
                while len(server.received) < 4:
                    await asyncio.sleep(0.005)
                stop.set()
                late = await asyncio.gather(chat.ask(request("after")), return_exceptions=True)
                return [*await asyncio.gather(*early), *late]

        *arrived, refused = asyncio.run(scene())

    assert [answer.text for answer in arrived] == ["late"] * 4
    assert refused.kind is FailureKind.CANCELLED
    assert len(server.received) == len(shelf.records) == 4


def test_a_budget_holds_over_many_workers_and_tries() -> None:
    budget = Budget(Decimal("0.0005"))
    with LlmServer(reply("it", tokens=(60, 20))) as server:
        server.enqueue(BROKEN, too_fast(1))

        async def scene() -> list[Any]:
            lab = endpoint(server.url, models=priced("1", "1").models)
            async with open_chat(lab, budget=budget, clock=Quick()) as chat:
                asked = (chat.ask(request(str(n), max_output_tokens=20)) for n in range(20))
                return await asyncio.gather(*asked, return_exceptions=True)

        ends = asyncio.run(scene())

    paid = [end for end in ends if isinstance(end, ChatReply)]
    assert budget.spent == sum((end.cost or Decimal(0) for end in paid), Decimal(0))
    assert budget.spent <= Decimal("0.0005")
    assert paid
    assert {end.kind for end in ends if isinstance(end, CallFailed)} == {FailureKind.BUDGET}


def test_an_endpoint_that_is_not_set_up_is_asked_nothing() -> None:
    async def scene(name: str) -> None:
        async with open_chat(chosen(load_endpoints({}), name)) as chat:
            await chat.ask(request())

    with pytest.raises(NotConfigured, match="OPENAI_API_KEY is not set"):
        asyncio.run(scene("default"))
    with pytest.raises(NotConfigured, match="no endpoint named lab"):
        asyncio.run(scene("lab"))


def test_a_wrong_key_is_tried_once_and_not_for_every_example() -> None:
    with LlmServer(error(401, f"Incorrect API key: {KEY}")) as server:

        async def scene() -> list[Any]:
            async with open_chat(endpoint(server.url)) as chat:
                first = await asyncio.gather(chat.ask(request()), return_exceptions=True)
                asked = (chat.ask(request(str(n))) for n in range(50))
                return [*first, *await asyncio.gather(*asked, return_exceptions=True)]

        ends = asyncio.run(scene())

    assert len(server.received) == 1
    assert all(end.hopeless and "LAB_KEY" in end.message for end in ends)


def test_a_server_that_breaks_on_a_schema_without_saying_so_is_found_out() -> None:
    def respond(received: Received) -> Answer:
        return BROKEN if received.level == "json_schema" else reply("{}")

    with LlmServer(respond) as server:

        async def scene() -> list[ChatReply]:
            async with open_chat(endpoint(server.url), clock=Quick()) as chat:
                return [await chat.ask(request(str(n))) for n in range(3)]

        replies = asyncio.run(scene())

    assert {answer.level for answer in replies} == {OutputLevel.JSON_OBJECT}
    assert [received.level for received in server.received].count("json_schema") == 3


def probed(respond: Answer | Callable[[Received], Answer]) -> ProbeResult:
    with LlmServer(respond) as server:
        return asyncio.run(probe(endpoint(server.url), "m", timeout_seconds=0.5))


def test_a_test_of_an_endpoint_tells_who_answers_how_fast_and_in_which_shape() -> None:
    found = probed(reply('{"works": true}'))

    assert (found.model, found.level, found.problem) == (
        "model-of-the-server",
        OutputLevel.JSON_SCHEMA,
        None,
    )
    assert found.seconds is not None
    assert 0 < found.seconds < 0.5


def test_a_test_finds_the_level_that_works() -> None:
    assert probed(only_levels("plain", then=reply('```json\n{"works": true}\n```'))).level is (
        OutputLevel.PLAIN
    )


def test_a_test_steps_down_when_the_schema_is_ignored_and_the_answer_is_none() -> None:
    def respond(received: Received) -> Answer:
        return reply('{"works": true}' if received.level == "json_object" else "Yes, it works!")

    assert probed(respond).level is OutputLevel.JSON_OBJECT


@pytest.mark.parametrize(
    ("respond", "said"),
    [
        (reply("Yes."), "not with JSON: “Yes.”"),
        (reply(None, reasoning_content="hm"), "only its reasoning"),
        (error(401, "no"), "LAB_KEY"),
        (error(404, "model not found"), "no such model"),
        (HANG, "within 0.5 seconds"),
    ],
    ids=["prose", "reasoning", "key", "model", "hangs"],
)
def test_a_test_tells_what_is_wrong(respond: Answer, said: str) -> None:
    found = probed(respond)

    assert found.level is None
    assert said in (found.problem or "")


def test_a_test_of_an_endpoint_without_its_key_asks_nobody() -> None:
    found = asyncio.run(probe(load_endpoints({})["default"], "gpt-4.1"))

    assert found.problem == "Endpoint default: OPENAI_API_KEY is not set."

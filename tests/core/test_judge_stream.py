"""Judging by a model: side by side, as examples finish, one outcome each."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import aclosing
from dataclasses import replace

import pytest

from recall_core.judging import LOOK_AHEAD, judge_stream
from recall_core.llm.scripted import ScriptedChat
from recall_core.llm.types import ChatReply, ChatRequest
from recall_core.types import Example, FailureKind, JudgeFailure, Judgement, Outcome, Skipped
from tests.core.asking.making import passage_judge, passages, scored

JUDGE = passage_judge()


def named(name: str) -> Example:
    return replace(passages(), id=name)


class Chat:
    """Answers 4 after a pause that the example's name tells (`b0.02`), and counts who waits."""

    def __init__(self) -> None:
        self.under_way = self.most = 0

    async def ask(self, request: ChatRequest) -> ChatReply:
        name = request.example_id or ""
        if name == "broken":
            raise LookupError("no such page")
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            await asyncio.sleep(float(name[1:] or 0))
        finally:
            self.under_way -= 1
        return ChatReply(scored(E1=4), model="m")


async def collected(
    examples: Iterable[Example], chat: Chat | ScriptedChat, concurrency: int = 2
) -> list[tuple[int, Outcome]]:
    return [item async for item in judge_stream(JUDGE, examples, chat, concurrency=concurrency)]


def outcomes(
    examples: Iterable[Example], chat: Chat | ScriptedChat | None = None, concurrency: int = 2
) -> list[tuple[int, Outcome]]:
    return asyncio.run(collected(examples, chat or Chat(), concurrency))


def test_outcomes_come_as_they_finish_with_their_place() -> None:
    found = outcomes([named("a0.2"), named("b"), named("c")])

    assert [(place, o.example_id) for place, o in found] == [(1, "b"), (2, "c"), (0, "a0.2")]
    assert all(isinstance(o, Judgement) for _, o in found)


@pytest.mark.parametrize("concurrency", [1, 3, 32])
def test_never_more_are_under_way_than_asked_for(concurrency: int) -> None:
    chat = Chat()

    found = outcomes([named("x0.005") for _ in range(20)], chat, concurrency)

    assert len(found) == 20
    assert chat.most == min(concurrency, 20)


def test_no_examples_have_no_outcomes() -> None:
    assert outcomes([]) == []


def test_what_lacks_something_is_skipped_without_a_call() -> None:
    chat = ScriptedChat()

    found = outcomes([passages(essential=[])], chat)

    assert isinstance(found[0][1], Skipped)
    assert chat.history == []


def test_what_a_chat_raises_fails_that_example_alone() -> None:
    found = dict(outcomes([named("a"), named("broken"), named("c")]))

    broken = found[1]
    assert isinstance(broken, JudgeFailure)
    assert broken.kind is FailureKind.INTERNAL
    assert "LookupError: no such page" in broken.message
    assert broken.traceback
    assert isinstance(found[0], Judgement)
    assert isinstance(found[2], Judgement)


def test_what_was_read_is_judged_before_a_broken_stream_breaks() -> None:
    def broken_stream() -> Iterator[Example]:
        yield named("a0.02")
        yield named("b")
        raise OSError("the disk is gone")

    places: list[int] = []

    async def take() -> None:
        async for place, _ in judge_stream(JUDGE, broken_stream(), Chat(), concurrency=2):
            places.append(place)

    with pytest.raises(OSError, match="the disk is gone"):
        asyncio.run(take())

    assert sorted(places) == [0, 1]


def test_an_example_is_read_only_when_a_worker_is_free_for_it() -> None:
    read = 0

    def endless() -> Iterator[Example]:
        nonlocal read
        while True:
            read += 1
            yield named("x")

    async def take_three() -> None:
        stream = judge_stream(JUDGE, endless(), Chat(), concurrency=2)
        async with aclosing(stream):
            for _ in range(3):
                await anext(stream)
                await asyncio.sleep(0.01)

    asyncio.run(take_three())

    assert 3 <= read <= 3 + 2 + 2 * LOOK_AHEAD, "a slow reader slows the workers down"


def test_a_closed_stream_leaves_no_task_behind() -> None:
    chat = Chat()

    async def take_one() -> int:
        stream = judge_stream(JUDGE, [named("x") for _ in range(9)], chat, concurrency=3)
        async with aclosing(stream):
            await anext(stream)
        return len(asyncio.all_tasks()) - 1

    assert asyncio.run(take_one()) == 0
    assert chat.under_way == 0


def test_a_thousand_calls_within_a_running_loop_leave_nothing_behind() -> None:
    async def judge_many() -> tuple[int, int]:
        found = await collected([named("x") for _ in range(1000)], Chat(), 16)
        return len(found), len(asyncio.all_tasks()) - 1

    assert asyncio.run(judge_many()) == (1000, 0)

"""Kept replies: on arrival, before they are read; identical calls are made once."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from recall_core.llm.scripted import ScriptedChat
from recall_core.llm.stored import StoredChat
from recall_core.llm.types import (
    CallFailed,
    CallRecord,
    Chat,
    ChatReply,
    ChatRequest,
    Message,
    request_hash,
)
from recall_core.types import FailureKind
from tests.core.llm.asking import request

ADDRESS = "http://lab/v1"


class Shelf:
    """A store in a list."""

    def __init__(self) -> None:
        self.records: list[CallRecord] = []

    async def find(self, request_hash: str, request: ChatRequest) -> ChatReply | None:
        await asyncio.sleep(0)
        kept = [r.reply for r in self.records if r.request_hash == request_hash and r.reply]
        return replace(kept[-1], from_store=True) if kept else None

    async def keep(self, record: CallRecord) -> None:
        await asyncio.sleep(0)
        self.records.append(record)


def stored(inner: Chat, shelf: Shelf) -> StoredChat:
    return StoredChat(inner, endpoint="lab", address=ADDRESS, store=shelf)


def test_a_reply_is_kept_before_anybody_reads_it() -> None:
    shelf, script = Shelf(), ScriptedChat('{"score": 4}')

    reply = asyncio.run(stored(script, shelf).ask(request()))

    (record,) = shelf.records
    assert record.reply == reply
    assert (record.endpoint, record.request, record.failure) == ("lab", request(), None)
    assert record.request_hash == request_hash(ADDRESS, request())


def test_an_identical_call_is_answered_from_the_store() -> None:
    shelf, script = Shelf(), ScriptedChat("first")
    chat = stored(script, shelf)

    async def twice() -> ChatReply:
        await chat.ask(request(example_id="one"))
        return await chat.ask(request(example_id="other"))

    again = asyncio.run(twice())

    assert (again.text, again.from_store) == ("first", True)
    assert len(script.history) == len(shelf.records) == 1


def test_identical_calls_at_the_same_moment_are_made_once() -> None:
    shelf = Shelf()

    class Slow:
        asked = 0

        async def ask(self, request: ChatRequest) -> ChatReply:
            self.asked += 1
            await asyncio.sleep(0.01)
            return ChatReply("it", model="m")

    slow = Slow()
    chat = stored(slow, shelf)

    async def together() -> list[ChatReply]:
        return await asyncio.gather(*(chat.ask(request()) for _ in range(5)))

    replies = asyncio.run(together())

    assert slow.asked == 1
    assert sorted(reply.from_store for reply in replies) == [False, True, True, True, True]


def test_after_a_failed_call_the_next_identical_one_is_made() -> None:
    shelf = Shelf()
    script = ScriptedChat(CallFailed(FailureKind.TIMEOUT, "Slow.", raw="x", attempts=6), "it")
    chat = stored(script, shelf)

    async def together() -> list[ChatReply | BaseException]:
        return await asyncio.gather(
            *(chat.ask(request()) for _ in range(2)), return_exceptions=True
        )

    failed, reply = asyncio.run(together())

    assert isinstance(failed, CallFailed)
    assert isinstance(reply, ChatReply)
    first, second = shelf.records
    assert (first.failure, first.failure_message, first.failure_raw, first.attempts) == (
        FailureKind.TIMEOUT,
        "Slow.",
        "x",
        6,
    )
    assert second.reply == reply


def test_a_call_that_was_never_made_is_not_kept() -> None:
    shelf = Shelf()
    script = ScriptedChat(CallFailed(FailureKind.BUDGET, "No money.", attempts=0))

    with pytest.raises(CallFailed):
        asyncio.run(stored(script, shelf).ask(request()))

    assert shelf.records == []


@pytest.mark.parametrize(
    "changes",
    [
        {"repeat": 2},
        {"ask": 2},
        {"model": "n"},
        {"temperature": 0.0},
        {"seed": 1},
        {"reasoning_effort": "low"},
        {"max_output_tokens": 9},
        {"schema": {"type": "array"}},
        {"messages": (Message("user", "another"),)},
        {"messages": (Message("system", "How much of it is there?"),)},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_whatever_shapes_the_answer_makes_another_call(changes: dict[str, object]) -> None:
    assert request_hash(ADDRESS, request(**changes)) != request_hash(ADDRESS, request())


@pytest.mark.parametrize(
    "changes", [{"example_id": "7"}, {"timeout_seconds": 9.0}, {"purpose": "statements"}]
)
def test_what_does_not_shape_the_answer_makes_no_other_call(changes: dict[str, object]) -> None:
    assert request_hash(ADDRESS, request(**changes)) == request_hash(ADDRESS, request())


def test_the_same_question_at_another_address_is_another_call() -> None:
    assert request_hash("http://other/v1", request()) != request_hash(ADDRESS, request())


def test_a_hash_stays_the_same_from_release_to_release() -> None:
    assert request_hash(ADDRESS, request("é\ud800")) == (
        "0a5a8300f5de96128cf0ccce50688e11c555b622e632988978860e773a80f4e1"
    )

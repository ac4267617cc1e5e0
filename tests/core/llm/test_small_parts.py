"""Keys out of texts, scripted answers, prices."""

from __future__ import annotations

import asyncio
from decimal import Decimal

import pytest

from recall_core.llm.budgeted import dollars
from recall_core.llm.prices import Price, openai_model
from recall_core.llm.redaction import Redactor
from recall_core.llm.scripted import ScriptedChat
from recall_core.llm.types import CallFailed, ChatReply, OutputLevel
from recall_core.types import FailureKind
from tests.core.llm.asking import KEY, request


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"key {KEY}, again {KEY}", "key [key], again [key]"),
        ("Incorrect API key provided: sk-abcd****wxyz.", "Incorrect API key provided: [key]"),
        ('{"Authorization": "Bearer abc.def-123"}', '{"Authorization": "Bearer [key]"}'),
        ("the risk-averse sk-8 stays", "the risk-averse sk-8 stays"),
        ("Ask for none of it.", "Ask for none of it."),
    ],
)
def test_keys_and_what_looks_like_one_are_hidden(text: str, shown: str) -> None:
    assert Redactor([KEY, "none"])(text) == shown


def test_a_redactor_does_not_tell_what_it_hides() -> None:
    assert KEY not in repr(Redactor([KEY]))


def test_a_script_gives_its_answers_in_turn_and_keeps_what_was_asked() -> None:
    whole = ChatReply("whole", model="x")
    script = ScriptedChat("text", whole, CallFailed(FailureKind.REFUSAL, "No."))

    async def scene() -> tuple[ChatReply, ChatReply]:
        return await script.ask(request("a")), await script.ask(request("b"))

    first, second = asyncio.run(scene())

    assert (first.text, first.finish_reason, first.model) == ("text", "stop", "m")
    assert first.level is OutputLevel.JSON_SCHEMA
    assert second is whole
    with pytest.raises(CallFailed):
        asyncio.run(script.ask(request("c")))
    assert [asked.messages[0].content for asked in script.history] == ["a", "b", "c"]
    assert script.left == 0


def test_a_script_that_has_ended_says_which_request_had_no_answer() -> None:
    script = ScriptedChat()
    script.enqueue("one")
    asyncio.run(script.ask(request()))

    with pytest.raises(LookupError, match=r"request 2 \(verdicts, example 'e7', ask 1\)"):
        asyncio.run(script.ask(request(example_id="e7")))


def test_a_script_may_answer_by_what_it_is_asked() -> None:
    script = ScriptedChat(otherwise=lambda asked: asked.messages[-1].content.upper())

    assert asyncio.run(script.ask(request("echo"))).text == "ECHO"


def test_prices_are_exact_and_unknown_ones_are_none() -> None:
    price = Price(Decimal("0.15"), Decimal("0.60"))

    assert price.cost(1, 0) == Decimal("1.5e-7")
    assert openai_model("gpt-4.1-2025-04-14") == openai_model("gpt-4.1")
    assert openai_model("somebody-elses") is None


@pytest.mark.parametrize(
    ("amount", "shown"),
    [("0", "$0.00"), ("0.00031", "$0.0003"), ("1.005", "$1.00"), ("12", "$12.00")],
)
def test_small_amounts_keep_the_places_they_need(amount: str, shown: str) -> None:
    assert dollars(Decimal(amount)) == shown

"""Statements made by a model: what is read as a list of statements, and what is not."""

from __future__ import annotations

import asyncio
import json

import pytest

from recall_core.asking.splitting import read_statements, split_statements_by_model
from recall_core.llm.scripted import ScriptedChat
from recall_core.llm.types import CallFailed, ChatReply
from recall_core.types import FailureKind
from tests.core.asking.making import cut_off, statement_judge

TWO = ("The dam was built in 1931.", "It holds 3 million cubic metres.")


@pytest.mark.parametrize(
    "reply",
    [
        json.dumps({"statements": TWO}),
        json.dumps({"Statements": [f" {text} " for text in TWO]}),
        json.dumps(TWO),
        f"```json\n{json.dumps({'claims': TWO})}\n```",
        json.dumps({"statements": [{"statement": text} for text in TWO]}),
        f'<think>["draft"]</think>{json.dumps({"statements": TWO})}',
        f"Let me go through it.\n\n1. {TWO[0]}\n2. {TWO[1]}\n\nThat is all.",
        f"candidate sentences:\n- {TWO[0]}\n- {TWO[1]}",
        f"• {TWO[0]}\n• {TWO[1]}",
        json.dumps({"statements": [*TWO, "", " ", "---"]}),
    ],
)
def test_a_list_of_statements_is_read_in_every_usual_shape(reply: str) -> None:
    assert read_statements(reply) == TWO


@pytest.mark.parametrize(
    "reply",
    [
        "The text says that a dam was built.",
        '{"statements": ["The dam was built in 1931.", "It hol',
        '["The dam was built in 1931."] and ["It hol',
        '{"statements": ["a", 3]}',
        '{"statements": "The dam was built."}',
        f"{json.dumps(TWO)} or {json.dumps(TWO[:1])}",
        "",
    ],
)
def test_what_is_no_whole_list_is_none(reply: str) -> None:
    assert read_statements(reply) is None


def test_an_empty_list_says_that_there_are_none() -> None:
    assert read_statements('{"statements": []}') == ()


def split(chat: ScriptedChat, text: str = "A text. Another.") -> tuple[str, ...]:
    return asyncio.run(split_statements_by_model(text, chat, statement_judge(), example_id="a"))


def test_a_reply_that_cannot_be_read_is_asked_for_once_more() -> None:
    chat = ScriptedChat("Sure!", json.dumps(TWO))

    assert split(chat) == TWO
    assert [(r.ask, r.purpose, r.example_id) for r in chat.history] == [
        (1, "statements", "a"),
        (2, "statements", "a"),
    ]
    assert chat.history[0].messages != chat.history[1].messages


def test_a_reply_that_was_cut_off_gets_more_room_and_no_half_list_is_used() -> None:
    chat = ScriptedChat(cut_off(json.dumps(TWO)), json.dumps(TWO[:1]))

    assert split(chat) == TWO[:1]
    assert [r.max_output_tokens for r in chat.history] == [4000, 16000]


@pytest.mark.parametrize(
    ("replies", "kind"),
    [
        (["Sure!", "Sure!"], FailureKind.UNPARSEABLE),
        ([cut_off("["), cut_off("[")], FailureKind.TRUNCATED),
        ([ChatReply("", model="m", refusal="No.")], FailureKind.REFUSAL),
    ],
)
def test_statements_that_cannot_be_made_raise_with_their_kind_and_what_was_said(
    replies: list[str | ChatReply], kind: FailureKind
) -> None:
    with pytest.raises(CallFailed) as caught:
        split(ScriptedChat(*replies))

    assert caught.value.kind is kind
    assert caught.value.message.startswith("The statements could not be made.")
    assert caught.value.raw


@pytest.mark.parametrize("text", ["", "  \n", "---", "…"])
def test_a_text_that_says_nothing_costs_no_call(text: str) -> None:
    assert split(ScriptedChat(), text) == ()

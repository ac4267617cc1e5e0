"""Whether a model finished: what may be scored, and what a person sees instead."""

from __future__ import annotations

import pytest

from recall_core.llm.finish import cut_question, finish_failure
from recall_core.llm.tokens import prompt_tokens
from recall_core.llm.types import ChatReply
from recall_core.llm.wire import read_completion
from recall_core.types import FailureKind
from tests.core.llm.asking import request


def reply(text: str = '{"score": 4}', **fields: object) -> ChatReply:
    return ChatReply(text, model="m", **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("reason", ["stop", "STOP", "eos", "end_turn", "", None, "tool_calls"])
def test_whatever_a_server_calls_the_end_is_the_end(reason: str | None) -> None:
    assert finish_failure(reply(finish_reason=reason)) is None


@pytest.mark.parametrize("reason", ["length", "max_tokens", "MAX_TOKENS", "model_length"])
def test_an_answer_that_was_cut_off_is_never_scored(reason: str) -> None:
    cut = reply(finish_reason=reason, tokens_out=512, parameters={"max_tokens": 512})

    assert finish_failure(cut) == (
        FailureKind.TRUNCATED,
        "The answer was cut off after 512 tokens; 512 were allowed. Allow more output tokens.",
    )


def test_a_cut_is_told_without_the_numbers_that_nobody_gave() -> None:
    failure = finish_failure(reply(finish_reason="length"))

    assert failure == (
        FailureKind.TRUNCATED, "The answer was cut off. Allow more output tokens."
    )  # fmt: skip


def test_a_content_filter_is_not_a_cut_though_the_text_breaks_off() -> None:
    filtered = reply('{"verdicts":[{"verdict":"yes"', finish_reason="content_filter")

    kind, message = finish_failure(filtered) or (None, "")

    assert kind is FailureKind.CONTENT_FILTER
    assert "A person" in message


def test_a_refusal_is_its_own_kind_with_the_models_words() -> None:
    kind, message = finish_failure(reply("", refusal=" I can't assist. ")) or (None, "")

    assert kind is FailureKind.REFUSAL
    assert "“I can't assist.”" in message
    assert finish_failure(reply("no", finish_reason="refusal")) == (
        FailureKind.REFUSAL,
        "The model refused to answer.",
    )


def test_an_answer_in_the_reasoning_alone_is_empty_and_told_so() -> None:
    kind, message = finish_failure(reply(" \n", reasoning_text='{"score": 4}')) or (None, "")

    assert kind is FailureKind.EMPTY
    assert "reasoning" in message


def test_nothing_at_all_is_empty() -> None:
    assert finish_failure(reply("")) == (FailureKind.EMPTY, "The model gave an empty answer.")


def test_a_question_that_was_cut_silently_is_noticed() -> None:
    long = request("The boiler is serviced once a year. " * 800)

    warning = cut_question(long, reply(tokens_in=2048))

    assert warning is not None
    assert "2048" in warning


@pytest.mark.parametrize("read", [None, 3, 480])
def test_a_count_that_leaves_cached_tokens_out_is_no_sign_of_a_cut(read: int | None) -> None:
    long = request("The boiler is serviced once a year. " * 800)

    assert cut_question(long, reply(tokens_in=read)) is None


@pytest.mark.parametrize("text", ["word " * 3000, "锅炉每年保养一次。" * 300, "x" * 9000])
def test_a_question_read_whole_raises_no_warning(text: str) -> None:
    asked = request(text)

    assert cut_question(asked, reply(tokens_in=prompt_tokens(asked).low)) is None


@pytest.mark.parametrize(
    ("choice", "reason"),
    [
        ({"finish_reason": "stop", "stop_reason": "###"}, "stop"),
        ({"stop_reason": "max_tokens", "text": '{"value":'}, "max_tokens"),
        ({"finish_reason": None, "stop_reason": None}, None),
        ({}, None),
    ],
)
def test_a_server_may_call_the_reason_by_its_other_name(
    choice: dict[str, object], reason: str | None
) -> None:
    answer = read_completion({"choices": [choice]}, request())

    assert answer is not None
    assert answer.finish_reason == reason

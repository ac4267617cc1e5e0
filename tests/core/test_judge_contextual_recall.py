"""Statements judged by a model: a verdict each, a reason made by us, statements made by a model."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from recall_core.llm.scripted import ScriptedChat
from recall_core.llm.types import CallFailed
from recall_core.results import Status, result_of
from recall_core.types import Example, FailureKind, Skipped
from tests.core.asking.making import (
    TEXTS,
    by_label,
    failure,
    judged,
    judgement,
    returned,
    statement_judge,
    statements,
    verdicts,
)

JUDGE = statement_judge()
THREE = statements("The mill burned.", "The town rebuilt it.", "A hotel stands there.")


def expected(text: str, **fields: Any) -> Example:
    return Example("a", expected_output=text, **{"retrieved": returned(TEXTS), **fields})


def test_the_score_is_the_exact_share_of_supported_statements() -> None:
    outcome = judgement(JUDGE, THREE, ScriptedChat(verdicts(S1=True, S2=True, S3=False)))

    assert by_label(outcome) == {"S1": 1, "S2": 1, "S3": 0}
    assert result_of(THREE, JUDGE, outcome).score == Fraction(2, 3)


def test_the_reason_is_made_from_the_verdicts_and_names_what_is_missing() -> None:
    entries = [
        {"statement": "S1", "quotes": [{"rank": 1, "quote": "the old mill burned"}],
         "supported": True},
        {"statement": "S2", "quotes": [{"rank": 2, "quote": "The town rebuilt it"}],
         "supported": True},
        {"statement": "S3", "quotes": [], "supported": False},
    ]  # fmt: skip

    outcome = judgement(JUDGE, THREE, ScriptedChat(json.dumps({"verdicts": entries})))

    assert outcome.details == (
        "2 of 3 statements supported by retrieved passages 1 and 2; missing: S3 (m)."
    )


def test_every_statement_is_asked_about_by_number_and_keeps_its_text() -> None:
    chat = ScriptedChat(verdicts(S3=False, S1=True, S2=True))

    outcome = judgement(JUDGE, THREE, chat)

    prompt = chat.history[0].messages[0].content
    assert "=== S3: statement === " in prompt
    assert [(v.unit.text, v.score) for v in outcome.verdicts] == [
        ("The mill burned.", 1),
        ("The town rebuilt it.", 1),
        ("A hotel stands there.", 0),
    ]


def test_sentences_of_the_expected_output_are_the_statements_by_default() -> None:
    example = expected("The pass is closed in winter. The toll is 9 euro.")

    outcome = failure(JUDGE, example, ScriptedChat(*[verdicts(S1=True)] * 2))

    assert by_label(outcome) == {"S1": 1, "S2": None}
    assert outcome.kind is FailureKind.INCOMPLETE


@pytest.mark.parametrize("statement_setting", ["sentence", "model"])
@pytest.mark.parametrize("retrieved", [(), (" ",)])
def test_nothing_retrieved_is_zero_without_a_call(
    retrieved: tuple[str, ...], statement_setting: str
) -> None:
    chat = ScriptedChat()
    example = expected("One fact. Two facts.", retrieved=returned(retrieved))
    judge = statement_judge(statements=statement_setting)

    outcome = judgement(judge, example, chat)

    assert by_label(outcome) == {"S1": 0, "S2": 0}
    assert result_of(example, judge, outcome).score == 0
    assert chat.history == []


@pytest.mark.parametrize(
    ("example", "reason"),
    [
        (expected("One.", retrieved=None), "retrieved"),
        (Example("a", retrieved=()), "expected_output"),
        (expected("   "), "states nothing"),
        (expected("..."), "states nothing"),
        (statements(), "statements is empty"),
    ],
)
@pytest.mark.parametrize("statement_setting", ["sentence", "model"])
def test_what_an_example_lacks_is_a_sentence(
    example: Example, reason: str, statement_setting: str
) -> None:
    assert reason in (statement_judge(statements=statement_setting).lacks(example) or "")


def test_one_statement_only_is_hinted_at() -> None:
    outcome = judgement(JUDGE, statements("One."), ScriptedChat(verdicts(S1=True)))

    assert any("can only be 0 or 1" in warning for warning in outcome.warnings)


def test_the_question_may_be_missing() -> None:
    chat = ScriptedChat(verdicts(S1=True))

    judgement(JUDGE, statements("One."), chat)

    assert "=== question" not in chat.history[0].messages[0].content


def test_passages_that_overlap_or_repeat_keep_their_order_and_rank() -> None:
    chat = ScriptedChat(verdicts(S1=True))

    judgement(JUDGE, statements("One.", retrieved=["A B C D.", "C D E F.", "A B C D."]), chat)

    prompt = chat.history[0].messages[0].content
    assert [prompt.index(f"=== passage {rank} ===") for rank in (1, 2, 3)] == sorted(
        prompt.index(f"=== passage {rank} ===") for rank in (1, 2, 3)
    )


# passing


@pytest.mark.parametrize(
    ("settings", "passed"),
    [
        ({"threshold": 0.66}, True),
        ({"threshold": 0.67}, False),
        ({"strict": True}, False),
        ({"threshold": 0.5, "pass_at": 0.9}, False),
    ],
)
def test_passing_is_judged_on_the_exact_value_and_never_changes_it(
    settings: dict[str, Any], passed: bool
) -> None:
    judge = statement_judge(**settings)
    outcome = judgement(judge, THREE, ScriptedChat(verdicts(S1=True, S2=True, S3=False)))

    result = result_of(THREE, judge, outcome)

    assert (result.passed, result.score) == (passed, Fraction(2, 3))
    assert result.label == "2 of 3 found"


# statements made by the model

BY_MODEL = statement_judge(statements="model")
MADE = json.dumps({"statements": ["The mill burned in 1904.", "The town rebuilt the mill."]})


def test_the_model_may_make_the_statements_in_a_call_of_their_own() -> None:
    chat = ScriptedChat(MADE, verdicts(S1=True, S2=False))

    outcome = judgement(BY_MODEL, expected("It burned in 1904 and the town rebuilt it."), chat)

    assert [r.purpose for r in chat.history] == ["statements", "verdicts"]
    assert [v.unit.text for v in outcome.verdicts] == json.loads(MADE)["statements"]
    assert "--- reply 2 of 2 ---" in (outcome.raw_response or "")


def test_frozen_statements_are_never_made_anew() -> None:
    chat = ScriptedChat(verdicts(S1=True))

    judgement(BY_MODEL, statements("One.", expected_output="Something else."), chat)

    assert [r.purpose for r in chat.history] == ["verdicts"]


def test_an_output_in_which_the_model_finds_no_statement_is_skipped_and_not_zero() -> None:
    outcome = judged(BY_MODEL, expected("Hello there!"), ScriptedChat('{"statements": []}'))

    assert outcome == Skipped("a", "The model found no statement in the expected output.")
    result = result_of(expected("Hello there!"), BY_MODEL, outcome)
    assert (result.status, result.score) == (Status.SKIPPED, None)


def test_statements_that_cannot_be_made_fail_the_example_with_their_kind() -> None:
    chat = ScriptedChat(CallFailed(FailureKind.TIMEOUT, "Too slow."))

    outcome = failure(BY_MODEL, expected("One. Two."), chat)

    assert outcome.kind is FailureKind.TIMEOUT

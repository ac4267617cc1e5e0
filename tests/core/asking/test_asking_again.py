"""What is asked about once more, what is not, and what is kept whatever comes of it."""

from __future__ import annotations

import pytest

from recall_core.llm.scripted import ScriptedChat
from recall_core.llm.types import CallFailed, ChatReply
from recall_core.types import FailureKind, Mark
from tests.core.asking.making import (
    asked_for,
    by_label,
    cut_off,
    failure,
    judgement,
    passage_judge,
    passages,
    scored,
    statement_judge,
    statements,
    verdicts,
)

TWO = passages(["One.", "Two."])
JUDGE = passage_judge()


def test_only_the_units_that_are_missing_are_asked_about_again() -> None:
    chat = ScriptedChat(scored(E1=4), scored(E2=2))

    outcome = judgement(JUDGE, TWO, chat)

    assert by_label(outcome) == {"E1": 4, "E2": 2}
    assert [asked_for(r) for r in chat.history] == ["E1, E2", "E2"]
    assert [r.ask for r in chat.history] == [1, 2]
    assert "left something out" in chat.history[1].messages[0].content


def test_a_unit_that_is_missing_twice_leaves_the_example_incomplete() -> None:
    chat = ScriptedChat(scored(E1=4), scored(E1=5))

    outcome = failure(JUDGE, TWO, chat)

    assert outcome.kind is FailureKind.INCOMPLETE
    assert by_label(outcome) == {"E1": 4, "E2": None}
    assert outcome.verdicts[1].failure is FailureKind.INCOMPLETE
    assert "No score for E2. E2 is missing from the answer." in outcome.message
    assert "E1 was not asked about" in " ".join(outcome.warnings)
    assert chat.left == 0


def test_a_fraction_is_asked_about_once_more_and_then_accepted_with_a_warning() -> None:
    chat = ScriptedChat(scored(E1=4.5, E2=3), scored(E1=4.5))

    outcome = judgement(JUDGE, TWO, chat)

    assert by_label(outcome) == {"E1": 4.5, "E2": 3}
    assert asked_for(chat.history[1]) == "E1"
    assert outcome.verdicts[0].marks == (Mark.FRACTION,)
    assert "E1 has 4.5, which is no whole number." in outcome.warnings


def test_a_whole_number_in_the_second_answer_takes_the_fractions_place() -> None:
    outcome = judgement(JUDGE, TWO, ScriptedChat(scored(E1=4.5, E2=3), scored(E1=4)))

    assert by_label(outcome) == {"E1": 4, "E2": 3}
    assert outcome.verdicts[0].marks == ()


@pytest.mark.parametrize(
    "second", [scored(), scored(E1=10), "nonsense", CallFailed(FailureKind.TIMEOUT, "Too slow.")]
)
def test_a_fraction_stays_if_the_second_answer_is_none(second: str | CallFailed) -> None:
    outcome = judgement(JUDGE, TWO, ScriptedChat(scored(E1=4.5, E2=3), second))

    assert by_label(outcome) == {"E1": 4.5, "E2": 3}


def test_a_reply_that_cannot_be_read_is_asked_for_once_more() -> None:
    chat = ScriptedChat("Well.", scored(E1=4, E2=3))

    assert by_label(judgement(JUDGE, TWO, chat)) == {"E1": 4, "E2": 3}
    assert "could not be read" in chat.history[1].messages[0].content


def test_two_replies_that_cannot_be_read_are_a_failure_with_both_kept() -> None:
    outcome = failure(JUDGE, TWO, ScriptedChat("Well.", "Hm."))

    assert outcome.kind is FailureKind.UNPARSEABLE
    assert outcome.raw_response == "--- reply 1 of 2 ---\nWell.\n\n--- reply 2 of 2 ---\nHm."
    assert by_label(outcome) == {"E1": None, "E2": None}


def test_two_answers_in_one_reply_are_asked_about_again_and_then_go_to_a_person() -> None:
    both = f"{scored(E1=4, E2=3)} or {scored(E1=1, E2=3)}"

    settled = judgement(JUDGE, TWO, ScriptedChat(both, scored(E1=4, E2=3)))
    open_one = failure(JUDGE, TWO, ScriptedChat(both, both))

    assert by_label(settled) == {"E1": 4, "E2": 3}
    assert open_one.kind is FailureKind.AMBIGUOUS


def test_a_unit_named_twice_is_asked_about_again_and_never_counted_twice() -> None:
    twice = '{"passages": [{"passage": "E1", "score": 2}, {"passage": "E1", "score": 4}]}'
    example = passages(["One."])

    settled = judgement(JUDGE, example, ScriptedChat(twice, scored(E1=4)))
    open_one = failure(JUDGE, example, ScriptedChat(twice, twice))

    assert by_label(settled) == {"E1": 4}
    assert open_one.kind is FailureKind.AMBIGUOUS
    assert by_label(open_one) == {"E1": None}


def test_an_answer_that_was_cut_off_is_never_scored_and_gets_more_room_once() -> None:
    chat = ScriptedChat(cut_off(scored(E1=4, E2=3)), scored(E1=2, E2=2))

    outcome = judgement(JUDGE, TWO, chat)

    assert by_label(outcome) == {"E1": 2, "E2": 2}
    assert [r.max_output_tokens for r in chat.history] == [4000, 16000]


def test_an_answer_that_is_cut_off_twice_is_truncated() -> None:
    whole = scored(E1=4, E2=3)

    outcome = failure(JUDGE, TWO, ScriptedChat(cut_off(whole), cut_off(whole, 16000)))

    assert outcome.kind is FailureKind.TRUNCATED
    assert by_label(outcome) == {"E1": None, "E2": None}
    assert whole in (outcome.raw_response or "")


def test_without_a_limit_of_ours_the_length_of_the_cut_answer_is_multiplied() -> None:
    chat = ScriptedChat(cut_off("{", tokens_out=700), scored(E1=4, E2=3))

    judgement(passage_judge(max_output_tokens=None), TWO, chat)

    assert [r.max_output_tokens for r in chat.history] == [None, 2800]


def test_each_reason_to_ask_again_counts_once() -> None:
    chat = ScriptedChat(cut_off("{"), "nonsense", scored(E1=4), scored(E2=3.5), scored(E2=3))

    assert by_label(judgement(JUDGE, TWO, chat)) == {"E1": 4, "E2": 3}
    assert chat.history[-1].ask == 5
    assert chat.history[-1].max_output_tokens == 16000, "what helped once is kept"


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (ChatReply("", model="m", refusal="I can't assist."), FailureKind.REFUSAL),
        (ChatReply(scored(E1=4), model="m", finish_reason="content_filter"),
         FailureKind.CONTENT_FILTER),
        (ChatReply("", model="m", finish_reason="stop"), FailureKind.EMPTY),
        (ChatReply("", model="m", reasoning_text=scored(E1=4)), FailureKind.EMPTY),
    ],
    ids=["refusal", "filter", "empty", "reasoning only"],
)  # fmt: skip
def test_what_asking_again_does_not_help_is_asked_once(reply: ChatReply, kind: FailureKind) -> None:
    chat = ScriptedChat(reply)

    outcome = failure(JUDGE, TWO, chat)

    assert outcome.kind is kind
    assert by_label(outcome) == {"E1": None, "E2": None}
    assert len(chat.history) == 1


def test_what_a_model_said_beside_its_answer_is_kept_to_be_read() -> None:
    refusal = ChatReply("", model="m", refusal="I can't assist.")
    thoughts = ChatReply("", model="m", reasoning_text="E1 is a 4.")

    assert failure(JUDGE, TWO, ScriptedChat(refusal)).raw_response == "I can't assist."
    assert "E1 is a 4." in (failure(JUDGE, TWO, ScriptedChat(thoughts)).raw_response or "")


@pytest.mark.parametrize("kind", [FailureKind.TIMEOUT, FailureKind.BUDGET, FailureKind.CANCELLED])
def test_a_call_that_fails_fails_the_example_with_its_kind(kind: FailureKind) -> None:
    outcome = failure(JUDGE, TWO, ScriptedChat(CallFailed(kind, "It did not go.", raw="<html>")))

    assert (outcome.kind, outcome.message) == (kind, "It did not go.")
    assert outcome.raw_response == "<html>"
    assert by_label(outcome) == {"E1": None, "E2": None}


def test_what_was_scored_before_a_call_failed_is_kept() -> None:
    chat = ScriptedChat(scored(E1=4), CallFailed(FailureKind.TIMEOUT, "Too slow."))

    outcome = failure(JUDGE, TWO, chat)

    assert outcome.kind is FailureKind.TIMEOUT
    assert outcome.message.startswith("No score for E2. Too slow.")
    assert by_label(outcome) == {"E1": 4, "E2": None}


@pytest.mark.parametrize("kind", [FailureKind.BUDGET, FailureKind.CANCELLED])
def test_a_run_that_stops_during_a_second_question_settles_nothing(kind: FailureKind) -> None:
    chat = ScriptedChat(scored(E1=4.5, E2=3), CallFailed(kind, "Stopped."))

    assert failure(JUDGE, TWO, chat).kind is kind


@pytest.mark.parametrize("score", [0, 6, -1, 90, 9555555])
def test_a_score_off_the_scale_is_neither_clamped_nor_asked_about_again(score: int) -> None:
    chat = ScriptedChat(scored(E1=score, E2=5))

    outcome = failure(JUDGE, TWO, chat)

    assert outcome.kind is FailureKind.OUT_OF_RANGE
    assert by_label(outcome) == {"E1": None, "E2": 5}
    assert len(chat.history) == 1


def test_a_verdict_that_is_neither_yes_nor_no_goes_to_a_person_at_once() -> None:
    chat = ScriptedChat(verdicts(S1="partially", S2=True))

    outcome = failure(statement_judge(), statements("One.", "Two."), chat)

    assert outcome.kind is FailureKind.AMBIGUOUS
    assert by_label(outcome) == {"S1": None, "S2": 1}
    assert "S1 has “partially”, which is neither yes nor no." in outcome.message
    assert len(chat.history) == 1


def test_too_few_verdicts_are_asked_about_again_and_never_shrink_the_denominator() -> None:
    four = statements("One.", "Two.", "Three.", "Four.")
    nameless = '{"verdicts": [{"verdict": "yes"}, {"verdict": "yes"}]}'

    outcome = failure(statement_judge(), four, ScriptedChat(nameless, nameless))

    assert outcome.kind is FailureKind.INCOMPLETE
    assert by_label(outcome) == dict.fromkeys(["S1", "S2", "S3", "S4"])

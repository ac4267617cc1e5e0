"""Several answers to one question, and passages that do not fit one question."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import pytest

from recall_core.asking.judge import ModelJudge
from recall_core.llm.plan import window_excess
from recall_core.llm.scripted import ScriptedChat
from recall_core.llm.types import CallFailed, ChatRequest, request_hash
from recall_core.types import FailureKind, JudgeFailure, Judgement, Mark
from tests.core.asking.making import (
    asked_for,
    by_label,
    cut_off,
    failure,
    judged,
    judgement,
    passage_judge,
    passages,
    scored,
    statement_judge,
    statements,
    verdicts,
)

ONE = passages(["One."])
TIMEOUT = CallFailed(FailureKind.TIMEOUT, "Too slow.")


# samples


def test_the_median_of_the_samples_counts_and_the_spread_is_kept() -> None:
    chat = ScriptedChat(scored(E1=4), scored(E1=1), scored(E1=5))

    outcome = judgement(passage_judge(samples=3), ONE, chat)

    (verdict,) = outcome.verdicts
    assert (verdict.score, verdict.spread) == (4, 4)
    assert verdict.marks == (Mark.SPREAD,)
    assert "E1: the samples go from 1 to 5." in outcome.warnings


def test_samples_that_agree_have_no_spread_and_no_mark() -> None:
    outcome = judgement(passage_judge(samples=3), ONE, ScriptedChat(*[scored(E1=4)] * 3))

    assert outcome.verdicts[0].spread == 0
    assert outcome.verdicts[0].marks == ()


def test_one_sample_has_no_spread_at_all() -> None:
    assert judgement(passage_judge(), ONE, ScriptedChat(scored(E1=4))).verdicts[0].spread is None


def test_an_even_number_of_samples_may_lie_between_two_scores() -> None:
    chat = ScriptedChat(scored(E1=4), scored(E1=3))

    assert by_label(judgement(passage_judge(samples=2), ONE, chat)) == {"E1": Fraction(7, 2)}


def test_reasoning_is_that_of_the_sample_nearest_to_the_median() -> None:
    chat = ScriptedChat(
        *(f'{{"score": {score}, "reasoning": "saw {score}"}}' for score in (1, 4, 5))
    )

    assert judgement(passage_judge(samples=3), ONE, chat).verdicts[0].reasoning == "saw 4"


def test_samples_are_told_apart_so_that_no_stored_answer_serves_two() -> None:
    chat = ScriptedChat(*[scored(E1=4)] * 3)

    judgement(passage_judge(samples=3, seed=7), ONE, chat)

    assert [r.repeat for r in chat.history] == [1, 2, 3]
    assert [r.seed for r in chat.history] == [7, 8, 9]
    assert len({r.messages for r in chat.history}) == 1
    assert len({request_hash("x", r) for r in chat.history}) == 3


def test_a_tie_of_yes_and_no_goes_to_a_person() -> None:
    chat = ScriptedChat(verdicts(S1=True, S2=True), verdicts(S1=False, S2=True))

    outcome = failure(statement_judge(samples=2), statements("One.", "Two."), chat)

    assert outcome.kind is FailureKind.AMBIGUOUS
    assert by_label(outcome) == {"S1": None, "S2": 1}
    assert "Of S1, as many samples say yes as no." in outcome.message


def test_most_samples_are_enough_and_the_missing_one_is_said() -> None:
    chat = ScriptedChat(scored(E1=4), scored(E1=10), scored(E1=4))

    outcome = judgement(passage_judge(samples=3), ONE, chat)

    assert by_label(outcome) == {"E1": 4}
    assert "E1 has a score in 2 of 3 samples." in outcome.warnings


@pytest.mark.parametrize(
    ("answers", "kind"),
    [
        ([scored(E1=4), scored(E1=10), scored(E1=10)], FailureKind.OUT_OF_RANGE),
        ([scored(E1=4), TIMEOUT, TIMEOUT], FailureKind.TIMEOUT),
    ],
)
def test_half_of_the_samples_or_less_make_no_score(
    answers: list[str | CallFailed], kind: FailureKind
) -> None:
    outcome = failure(passage_judge(samples=3), ONE, ScriptedChat(*answers))

    assert outcome.kind is kind
    assert by_label(outcome) == {"E1": None}
    assert "E1 has a score in 1 of 3 samples, too few for a median." in outcome.message


def test_one_sample_that_fails_does_not_fail_the_others() -> None:
    chat = ScriptedChat(scored(E1=4), TIMEOUT, scored(E1=5))

    assert by_label(judgement(passage_judge(samples=3), ONE, chat)) == {"E1": Fraction(9, 2)}


def test_a_run_that_stops_begins_no_further_sample_and_settles_nothing() -> None:
    chat = ScriptedChat(scored(E1=4), scored(E1=4), CallFailed(FailureKind.BUDGET, "Spent."))

    outcome = failure(passage_judge(samples=5), ONE, chat)

    assert (outcome.kind, len(chat.history)) == (FailureKind.BUDGET, 3)
    assert outcome.message.startswith("Spent.")


# long examples

LONG = passages(["One."], retrieved=[f"Passage {n} says: " + "word " * 300 for n in range(1, 7)])
BATCHES = passage_judge(long_examples="batches", max_output_tokens=200)


def ranks(request: ChatRequest) -> list[int]:
    return [int(n) for n in re.findall(r"=== passage (\d+) ===", request.messages[0].content)]


def judged_by(judge: ModelJudge, chat: ScriptedChat, window: int) -> Judgement | JudgeFailure:
    outcome = judged(judge, LONG, chat, window=window)
    assert isinstance(outcome, Judgement | JudgeFailure)
    return outcome


def test_an_example_that_does_not_fit_is_refused_with_both_numbers_and_no_call() -> None:
    chat = ScriptedChat()

    outcome = judged_by(passage_judge(max_output_tokens=200), chat, 1500)

    assert isinstance(outcome, JudgeFailure)
    assert outcome.kind is FailureKind.CONTEXT_TOO_LONG
    needed, window = re.findall(r"\d+", outcome.message)
    assert int(needed) > int(window) == 1500
    assert "Set long examples to batches" in outcome.message
    assert chat.history == []


def test_an_example_that_fits_is_asked_about_whole_whatever_the_setting() -> None:
    chat = ScriptedChat(scored(E1=4))

    judged_by(BATCHES, chat, 100_000)

    assert [ranks(r) for r in chat.history] == [[1, 2, 3, 4, 5, 6]]


def test_batches_hold_every_passage_once_and_each_fits_the_window() -> None:
    chat = ScriptedChat(otherwise=lambda request: scored(E1=1))

    judged_by(BATCHES, chat, 1500)

    asked = [ranks(r) for r in chat.history]
    assert [rank for batch in asked for rank in batch] == [1, 2, 3, 4, 5, 6]
    assert 1 < len(asked) < 6
    assert all(window_excess(r, 1500) is None for r in chat.history)
    assert {asked_for(r) for r in chat.history} == {"E1"}


def test_each_unit_keeps_its_best_verdict_over_the_batches() -> None:
    answers = iter([2, 5, 1, 3, 1, 1])
    chat = ScriptedChat(otherwise=lambda request: scored(E1=next(answers)))

    outcome = judged_by(BATCHES, chat, 1500)

    assert isinstance(outcome, Judgement)
    assert by_label(outcome) == {"E1": 5}


def test_a_batch_that_failed_leaves_the_unit_open_as_it_might_have_been_better() -> None:
    answers = iter([scored(E1=2), scored(E1=10), *[scored(E1=1)] * 4])

    outcome = judged_by(BATCHES, ScriptedChat(otherwise=lambda r: next(answers)), 1500)

    assert isinstance(outcome, JudgeFailure)
    assert (outcome.kind, by_label(outcome)) == (FailureKind.OUT_OF_RANGE, {"E1": None})


def test_a_run_that_stops_begins_no_further_batch() -> None:
    chat = ScriptedChat(scored(E1=2), CallFailed(FailureKind.BUDGET, "Spent."))

    outcome = judged_by(BATCHES, chat, 1500)

    assert isinstance(outcome, JudgeFailure)
    assert (outcome.kind, len(chat.history)) == (FailureKind.BUDGET, 2)


def test_nothing_can_be_better_than_the_highest_score() -> None:
    answers = iter([scored(E1=5), TIMEOUT, *[scored(E1=1)] * 4])

    outcome = judged_by(BATCHES, ScriptedChat(otherwise=lambda r: next(answers)), 1500)

    assert isinstance(outcome, Judgement)
    assert by_label(outcome) == {"E1": 5}


def test_a_passage_that_does_not_even_fit_alone_is_too_long() -> None:
    outcome = judged_by(BATCHES, ScriptedChat(), 500)

    assert isinstance(outcome, JudgeFailure)
    assert outcome.kind is FailureKind.CONTEXT_TOO_LONG


def test_a_server_that_finds_a_batch_too_long_gets_halves() -> None:
    def answer(request: ChatRequest) -> str | CallFailed:
        if len(ranks(request)) > 2:
            return CallFailed(FailureKind.CONTEXT_TOO_LONG, "It needs 9 tokens, the window is 8.")
        return scored(E1=3)

    chat = ScriptedChat(otherwise=answer)
    outcome = judged(BATCHES, LONG, chat)

    assert isinstance(outcome, Judgement)
    read = [ranks(r) for r in chat.history if len(ranks(r)) <= 2]
    assert sorted(rank for batch in read for rank in batch) == [1, 2, 3, 4, 5, 6]


def test_more_room_after_a_cut_answer_stays_within_the_window() -> None:
    chat = ScriptedChat(cut_off("{", 200), scored(E1=3))
    window = 3300

    judged_by(passage_judge(max_output_tokens=200), chat, window)

    first, second = chat.history
    assert first.max_output_tokens == 200
    assert second.max_output_tokens is not None
    assert 200 < second.max_output_tokens < 800
    assert window_excess(second, window) is None


def test_a_cut_answer_is_truncated_where_the_window_has_no_more_room() -> None:
    chat = ScriptedChat(cut_off("{", 200))

    outcome = judged_by(passage_judge(max_output_tokens=200), chat, 2900)

    assert isinstance(outcome, JudgeFailure)
    assert outcome.kind is FailureKind.TRUNCATED
    assert "the window of m (2900 tokens) leaves no room for a longer one" in outcome.message


def test_a_long_limit_for_the_answer_does_not_make_a_question_too_long() -> None:
    chat = ScriptedChat(otherwise=lambda request: scored(E1=4))
    window = 4096

    outcome = judged_by(passage_judge(max_output_tokens=4000), chat, window)

    assert isinstance(outcome, Judgement)
    (request,) = chat.history
    assert 270 <= (request.max_output_tokens or 0) < 4000
    assert window_excess(request, window) is None


# what is planned


@pytest.mark.parametrize("window", [None, 1500])
@pytest.mark.parametrize("samples", [1, 3])
def test_the_planned_calls_are_the_calls_that_are_made(window: int | None, samples: int) -> None:
    judge = BATCHES.model_copy(update={"samples": samples})
    chat = ScriptedChat(otherwise=lambda request: scored(E1=3))

    planned = judge.planned_calls(LONG, window=window)
    judged(judge, LONG, chat, window=window)

    assert {request_hash("x", c.request) for c in planned} == {
        request_hash("x", r) for r in chat.history
    }
    assert len(planned) == len(chat.history)


@pytest.mark.parametrize("retrieved", [[], ["", "  "]])
def test_no_call_is_planned_where_none_is_made(retrieved: list[str]) -> None:
    assert passage_judge().planned_calls(passages(retrieved=retrieved)) == ()


def test_statements_that_the_model_has_yet_to_make_are_a_call_of_their_own() -> None:
    judge = statement_judge(statements="model")
    open_one = statements(expected_output="One. Two.")
    open_one = replace(open_one, statements=None)

    planned = [c.request.purpose for c in judge.planned_calls(open_one)]
    frozen = [c.request.purpose for c in judge.planned_calls(replace(open_one, statements=("A.",)))]

    assert planned == ["statements", "verdicts"]
    assert frozen == ["verdicts"]

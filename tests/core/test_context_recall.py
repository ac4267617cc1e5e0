"""The string distance judge: golden scores, empty rules, reasoning, evidence, warnings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from recall_core.errors import InvalidSetting
from recall_core.judges import make_judge
from recall_core.judges.context_recall import ContextRecall
from recall_core.scoring import trace_of_verdicts
from recall_core.types import (
    Example,
    Formula,
    GroundTruthPassage,
    Judgement,
    PassageKind,
    RetrievedPassage,
    ScoreTrace,
    TraceState,
)

GOLDEN = Path(__file__).parents[1] / "golden" / "context_recall_golden.jsonl"


def golden_rows() -> list[Any]:
    lines = GOLDEN.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [pytest.param(row, id=row["id"]) for row in rows if row["langwatch_score"] is not None]


def an_example(
    contexts: Sequence[str] | None,
    expected: Sequence[str] | None,
    bonus: Sequence[str] = (),
) -> Example:
    ground_truth = None
    if expected is not None:
        ground_truth = (
            *(GroundTruthPassage(PassageKind.ESSENTIAL, text) for text in expected),
            *(GroundTruthPassage(PassageKind.BONUS, text) for text in bonus),
        )
    retrieved = None
    if contexts is not None:
        retrieved = tuple(RetrievedPassage(rank, text) for rank, text in enumerate(contexts, 1))
    return Example("x", ground_truth=ground_truth, retrieved=retrieved)


def trace_of(judgement: Judgement) -> ScoreTrace:
    return trace_of_verdicts(Formula.SHARE, judgement.verdicts)


def warnings_of(judgement: Judgement) -> str:
    return "\n".join(judgement.warnings)


@pytest.mark.parametrize("row", golden_rows())
def test_scores_and_best_similarities_are_those_of_ragas(row: dict[str, Any]) -> None:
    judge = ContextRecall(distance_measure=row["distance"], threshold=row["threshold"])

    judgement = judge.judge(an_example(row["contexts"], row["expected_contexts"]))

    final = trace_of(judgement).final
    assert final is not None
    assert abs(float(final) - row["langwatch_score"]) < 1e-12
    if row["max_similarities"] is not None:
        similarities = [v.similarity for v in judgement.verdicts]
        assert similarities == pytest.approx(row["max_similarities"], abs=1e-12)


def test_an_example_without_retrieved_contexts_at_all_is_skipped_with_a_sentence() -> None:
    assert "no retrieved contexts" in (ContextRecall().lacks(an_example(None, ["a"])) or "")


def test_an_example_without_expected_contexts_at_all_is_skipped_with_a_sentence() -> None:
    assert "no expected contexts" in (ContextRecall().lacks(an_example(["a"], None)) or "")


def test_empty_lists_are_judged_and_not_skipped() -> None:
    assert ContextRecall().lacks(an_example([], [])) is None


def test_nothing_retrieved_is_zero_and_says_so() -> None:
    judgement = ContextRecall().judge(an_example([], ["a", "b"]))

    assert trace_of(judgement).final == 0
    assert [v.score for v in judgement.verdicts] == [0, 0]
    assert judgement.details == "No contexts were retrieved, so 0 of 2 expected are found."
    assert judgement.cost is None


def test_nothing_expected_is_vacuous_and_says_so() -> None:
    judgement = ContextRecall().judge(an_example(["a"], []))

    assert trace_of(judgement).state is TraceState.VACUOUS
    assert trace_of(judgement).final == 1
    assert judgement.verdicts == ()
    assert "No contexts were expected" in judgement.details


def test_nothing_expected_and_nothing_retrieved_is_vacuous_too() -> None:
    judgement = ContextRecall().judge(an_example([], []))

    assert trace_of(judgement).state is TraceState.VACUOUS
    assert "none were retrieved" in judgement.details


def test_bonus_passages_count_only_when_the_setting_says_so() -> None:
    example = an_example(["alpha"], ["alpha"], bonus=["omega"])

    assert len(ContextRecall().judge(example).verdicts) == 1
    assert trace_of(ContextRecall(include_bonus=True).judge(example)).final == Fraction(1, 2)


def test_an_example_with_bonus_passages_only_says_that_they_were_left_out() -> None:
    judgement = ContextRecall().judge(an_example(["alpha"], [], bonus=["omega", "psi"]))

    assert trace_of(judgement).state is TraceState.VACUOUS
    assert "include_bonus is off: 2" in warnings_of(judgement)


def test_reasoning_and_evidence_name_the_best_context_of_a_hit() -> None:
    contexts = ["zzzz", "The gate is locked at dusk."]

    (verdict,) = ContextRecall().judge(an_example(contexts, ["The gate is shut at dusk."])).verdicts

    assert verdict.reasoning == "Best match: context 2, similarity 0.78, above 0.5."
    (evidence,) = verdict.evidence
    assert (evidence.rank, evidence.start, evidence.end) == (2, 0, len(contexts[1]))
    assert evidence.quote == contexts[1]
    assert evidence.located


def test_a_miss_keeps_its_best_match_and_exact_similarity() -> None:
    (verdict,) = ContextRecall(threshold=0.9).judge(an_example(["abcd"], ["abcx"])).verdicts

    assert verdict.score == 0
    assert verdict.similarity == 0.75
    assert verdict.reasoning == "Best match: context 1, similarity 0.75, below 0.9."
    assert verdict.evidence[0].rank == 1


@pytest.mark.parametrize(
    ("context", "expected", "said"),
    [
        ("ab", "ax", "similarity exactly 0.5, not above 0.5."),
        ("a" * 52 + "b" * 51, "a" * 52 + "c" * 51, "similarity 0.505, above 0.5."),
        ("a" * 499 + "b" * 501, "a" * 499 + "c" * 501, "similarity 0.499, below 0.5."),
    ],
)
def test_a_similarity_is_never_printed_on_the_wrong_side_of_the_threshold(
    context: str, expected: str, said: str
) -> None:
    (verdict,) = ContextRecall().judge(an_example([context], [expected])).verdicts

    assert verdict.reasoning.endswith(said)


def test_of_equally_similar_contexts_the_first_is_named() -> None:
    (verdict,) = ContextRecall().judge(an_example(["abcx", "abcy", "abcz"], ["abcd"])).verdicts

    assert verdict.evidence[0].rank == 1


def test_a_gold_sentence_inside_a_long_chunk_is_a_miss_with_a_hint_where_it_stands() -> None:
    gold = "The ferry leaves at nine."
    chunk = "Something else entirely. " * 30 + gold + " And more besides." * 30

    judgement = ContextRecall().judge(an_example(["unrelated", chunk], [gold]))

    (verdict,) = judgement.verdicts
    assert verdict.score == 0
    assert "contained in context 2" in verdict.reasoning
    assert "C1 counts as missed, but it is contained in context 2" in warnings_of(judgement)
    inside = verdict.evidence[-1]
    assert chunk[inside.start : inside.end] == gold


def test_a_hit_and_a_blank_text_get_no_containment_hint() -> None:
    judgement = ContextRecall().judge(an_example(["The ferry leaves.", "x y"], ["The ferry", " "]))

    assert "contained" not in warnings_of(judgement)


@pytest.mark.parametrize("measure", ["jaro", "jaro_winkler"])
def test_jaro_warns_that_it_passes_unrelated_text(measure: str) -> None:
    judge = make_judge("context_recall", {"distance_measure": measure})
    example = an_example(
        ["Refunds are paid within fourteen days of the return."],
        ["Tomatoes should be planted after the last frost."],
    )

    judgement = judge.judge(example)  # type: ignore[attr-defined]

    assert trace_of(judgement).final == 1
    assert f"{measure} passes unrelated text at 0.5" in warnings_of(judgement)


def test_jaro_does_not_warn_about_a_verbatim_match() -> None:
    judgement = ContextRecall(distance_measure="jaro").judge(an_example(["same"], ["same"]))

    assert judgement.warnings == ()


def test_jaro_winkler_says_where_it_is_nothing_but_jaro() -> None:
    example = an_example(["martha"], ["marhta"])

    low = ContextRecall(distance_measure="jaro_winkler", threshold=0.7).judge(example)
    high = ContextRecall(distance_measure="jaro_winkler", threshold=0.71).judge(example)

    assert "finds exactly what jaro finds" in warnings_of(low)
    assert "finds exactly what jaro finds" not in warnings_of(high)


def test_up_to_a_threshold_of_0_7_jaro_winkler_gives_the_verdicts_of_jaro() -> None:
    texts = ["martha", "marhta", "prefix_aaaa", "prefix_bbbb", "dixon", "dicksonx", "zzzz"]
    example = an_example(texts[::2], texts[1::2])

    for threshold in (0.5, 0.6, 0.7):
        jaro = ContextRecall(distance_measure="jaro", threshold=threshold)
        winkler = ContextRecall(distance_measure="jaro_winkler", threshold=threshold)
        assert [v.score for v in jaro.judge(example).verdicts] == [
            v.score for v in winkler.judge(example).verdicts
        ]


def test_blank_items_are_counted_and_said_and_still_judged() -> None:
    judgement = ContextRecall().judge(an_example(["", "a"], ["", "a", " "]))

    assert "Blank expected contexts: 2 of 3" in warnings_of(judgement)
    assert "Blank retrieved contexts: 1 of 2" in warnings_of(judgement)
    assert len(judgement.verdicts) == 3


def test_a_threshold_of_one_warns_that_nothing_can_be_found() -> None:
    judgement = ContextRecall(threshold=1).judge(an_example(["same"], ["same"]))

    assert trace_of(judgement).final == 0
    assert "nothing can be found" in warnings_of(judgement)


@pytest.mark.parametrize("measure", ["cosine", "Levenshtein", ""])
def test_an_unknown_measure_is_refused_with_the_four_names(measure: str) -> None:
    with pytest.raises(InvalidSetting) as refusal:
        make_judge("context_recall", {"distance_measure": measure})

    for known in ("levenshtein", "hamming", "jaro", "jaro_winkler"):
        assert f"'{known}'" in str(refusal.value)


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan")])
def test_a_threshold_outside_zero_to_one_is_refused(threshold: float) -> None:
    with pytest.raises(InvalidSetting, match="threshold"):
        make_judge("context_recall", {"threshold": threshold})

"""The one result: status, score, pass mark, label, units, and JSON that never holds NaN."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_core.judges.base import LocalJudge
from recall_core.results import Result, Status, result_of
from recall_core.types import (
    Cost,
    Evidence,
    Example,
    FailureKind,
    Formula,
    JudgeFailure,
    Judgement,
    Mark,
    Skipped,
    Unit,
    UnitKind,
    UnitRef,
    Verdict,
)


class ShareJudge(LocalJudge):
    """A judge of statements; its outcomes are handed in by the tests."""

    name: ClassVar[str] = "share"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Share"
    formula: ClassVar[Formula] = Formula.SHARE

    def lacks(self, example: Example) -> str | None:
        return None

    def judge(self, example: Example) -> Judgement:
        raise NotImplementedError


class PassageJudge(ShareJudge):
    """The same on the passage scale."""

    name: ClassVar[str] = "passage"
    formula: ClassVar[Formula] = Formula.PASSAGE


EXAMPLE = Example("a")


def verdicts(kind: UnitKind, *scores: int | None) -> tuple[Verdict, ...]:
    return tuple(
        Verdict(Unit(UnitRef(kind, i), f"text {i}"), None if s is None else Fraction(s))
        for i, s in enumerate(scores, 1)
    )


def statements(*scores: int | None) -> Judgement:
    return Judgement("a", verdicts(UnitKind.STATEMENT, *scores), "A sentence.")


def test_a_judged_example_is_processed_with_its_exact_share() -> None:
    result = result_of(EXAMPLE, ShareJudge(), statements(1, 1, 0))

    assert result.status is Status.PROCESSED
    assert result.score == Fraction(2, 3)
    assert result.as_json()["score"] == pytest.approx(2 / 3, abs=1e-15)
    assert result.details == "A sentence."
    assert result.error_type is None


def test_a_passage_score_is_the_printed_final() -> None:
    judgement = Judgement("a", verdicts(UnitKind.ESSENTIAL, 4, 4, 3), "A sentence.")

    assert result_of(EXAMPLE, PassageJudge(), judgement).as_json()["score"] == 3.67


def test_without_a_pass_mark_there_is_neither_passed_nor_label() -> None:
    result = result_of(EXAMPLE, ShareJudge(), statements(1, 0))

    assert result.passed is None
    assert result.label is None


@pytest.mark.parametrize(("mark", "passed"), [(0.66, True), (2 / 3, True), (0.67, False)])
def test_an_example_passes_at_its_mark_on_the_exact_score(mark: float, passed: bool) -> None:
    result = result_of(EXAMPLE, ShareJudge(pass_at=mark), statements(1, 1, 0))

    assert result.passed is passed
    assert result.label == "2 of 3 found"


def test_the_label_on_the_passage_scale_is_the_final_of_five() -> None:
    judgement = Judgement("a", verdicts(UnitKind.ESSENTIAL, 4, 4, 3), "A sentence.")

    result = result_of(EXAMPLE, PassageJudge(pass_at=3.67), judgement)

    assert result.passed is True
    assert result.label == "3.67 of 5"


def test_nothing_expected_passes_and_is_labelled_so() -> None:
    result = result_of(EXAMPLE, ShareJudge(pass_at=1), statements())

    assert (result.score, result.passed, result.label) == (1, True, "nothing expected")


def test_a_skipped_example_has_its_reason_and_no_number() -> None:
    result = result_of(EXAMPLE, ShareJudge(pass_at=0), Skipped("a", "There is no key."))

    assert result == Result("a", Status.SKIPPED, None, "There is no key.")
    assert result.as_json()["cost"] is None


def test_a_failure_is_an_error_that_keeps_the_units_it_has() -> None:
    kept = verdicts(UnitKind.STATEMENT, 1, None)
    failure = JudgeFailure("a", FailureKind.INCOMPLETE, "One is missing.", kept, raw_response="{")

    result = result_of(EXAMPLE, ShareJudge(pass_at=0), failure).as_json()

    assert result["status"] == "error"
    assert result["error_type"] == "incomplete"
    assert result["score"] is None
    assert result["passed"] is None
    assert result["raw_response"] == "{"
    assert isinstance(result["units"], list)
    assert len(result["units"]) == 2


def test_a_traceback_is_shown_only_when_debugging() -> None:
    failure = JudgeFailure("a", FailureKind.INTERNAL, "Broke.", traceback=("line 1", "line 2"))

    assert result_of(EXAMPLE, ShareJudge(), failure).as_json()["traceback"] == []
    debugged = result_of(EXAMPLE, ShareJudge(), failure, debug=True).as_json()
    assert debugged["traceback"] == ["line 1", "line 2"]


def test_a_judgement_with_an_open_unit_is_incomplete_and_never_a_lower_score() -> None:
    result = result_of(EXAMPLE, ShareJudge(pass_at=0.5), statements(1, None))

    assert result.status is Status.ERROR
    assert result.error_type is FailureKind.INCOMPLETE
    assert result.score is None
    assert result.passed is None


def test_a_judgement_with_an_out_of_range_unit_says_that_kind() -> None:
    unit = Unit(UnitRef(UnitKind.ESSENTIAL, 1), "text")
    judgement = Judgement("a", (Verdict(unit, None, failure=FailureKind.OUT_OF_RANGE),), "Why.")

    result = result_of(EXAMPLE, PassageJudge(), judgement)

    assert result.error_type is FailureKind.OUT_OF_RANGE
    assert result.as_json()["units"][0]["error_type"] == "out_of_range"  # type: ignore[index]


def test_units_carry_kind_index_text_score_reasoning_and_evidence() -> None:
    unit = Unit(UnitRef(UnitKind.EXPECTED_CONTEXT, 2), "Rain fell.")
    evidence = (Evidence(3, 0, 4, "Rain", True), Evidence(None, None, None, "gone", False))
    verdict = Verdict(unit, Fraction(1), "Because.", evidence, similarity=0.75)

    result = result_of(EXAMPLE, ShareJudge(), Judgement("a", (verdict,), "A sentence."))

    assert result.as_json()["units"] == [
        {
            "kind": "expected_context",
            "index": 2,
            "text": "Rain fell.",
            "score": 1,
            "reasoning": "Because.",
            "evidence": [
                {"rank": 3, "start": 0, "end": 4, "quote": "Rain", "located": True},
                {"rank": None, "start": None, "end": None, "quote": "gone", "located": False},
            ],
            "similarity": 0.75,
        }
    ]


def test_the_spread_of_samples_and_marks_stand_with_the_unit() -> None:
    unit = Unit(UnitRef(UnitKind.STATEMENT, 1), "text")
    verdict = Verdict(
        unit, Fraction(1), spread=Fraction(1, 2), marks=(Mark.SPREAD, Mark.CONTRADICTION)
    )

    judgement = Judgement("a", (verdict,), "A sentence.")
    units: Any = result_of(EXAMPLE, ShareJudge(), judgement).as_json()["units"]

    (shown,) = units
    assert (shown["spread"], shown["marks"]) == (0.5, ["spread", "contradiction"])


def test_a_failure_says_what_it_cost() -> None:
    failure = JudgeFailure(
        "a", FailureKind.TRUNCATED, "It was cut off.", cost=Cost(Decimal("0.01"))
    )

    result = result_of(EXAMPLE, ShareJudge(), failure).as_json()

    assert result["cost"] == {"currency": "USD", "amount": 0.01}


def test_a_known_cost_is_an_amount_with_its_currency() -> None:
    judgement = Judgement("a", (), "A sentence.", cost=Cost(Decimal("0.0125")))

    result = result_of(EXAMPLE, ShareJudge(), judgement).as_json()

    assert result["cost"] == {"currency": "USD", "amount": 0.0125}


@given(
    st.floats(allow_nan=True, allow_infinity=True),
    st.lists(st.none() | st.integers(0, 1), max_size=4),
)
def test_json_never_holds_nan_whatever_a_judge_says(
    similarity: float, scores: list[int | None]
) -> None:
    odd = Verdict(Unit(UnitRef(UnitKind.STATEMENT, 9), "text"), Fraction(1), similarity=similarity)
    judgement = Judgement("a", (*verdicts(UnitKind.STATEMENT, *scores), odd), "A sentence.")

    result = result_of(EXAMPLE, ShareJudge(pass_at=0.5), judgement).as_json()

    assert json.loads(json.dumps(result, allow_nan=False)) == result

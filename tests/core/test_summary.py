"""A mean says what it covers; what has no score is counted and never becomes a number."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_core.results import Status
from recall_core.scoring import FINAL_RANGE
from recall_core.summary import (
    Counts,
    Gate,
    JudgementState,
    Mean,
    RunSummary,
    binned,
    gate,
    mean_of,
)
from recall_core.types import FailureKind, Formula, TraceState
from tests.core.details import SHARE_RUN, line, summary


def test_a_mean_without_any_score_is_none_and_says_so() -> None:
    mean = mean_of([], 4)

    assert (mean, str(mean)) == (Mean(None, 0, 4), "no score (0 of 4)")


@given(st.lists(st.fractions(0, 1, max_denominator=30), min_size=1))
def test_a_mean_is_exact(scores: list[Fraction]) -> None:
    mean = mean_of([(score, 1) for score in scores], len(scores))

    assert mean.value is not None
    assert mean.value * len(scores) == sum(scores)


def test_counts_name_what_is_left_out_and_why() -> None:
    counts = Counts(scored=12, vacuous=2, failed=1, left=3)

    assert (counts.coverage, counts.left_out) == (
        "12 of 18",
        "1 failed, 2 vacuous, 3 not judged yet",
    )
    assert Counts(scored=2).left_out == ""


@pytest.mark.parametrize("formula", list(Formula))
def test_every_final_falls_into_one_bin_and_the_ends_are_inside(formula: Formula) -> None:
    lowest, highest = FINAL_RANGE[formula]
    middle = (lowest + highest) / 2
    finals = {lowest: 1, middle: 2, highest: 4}

    bins = binned(formula, finals, {})

    assert sum(b.judge for b in bins) == 7
    assert (bins[0].judge, bins[-1].judge) == (1, 4)
    assert (bins[0].low, bins[-1].high) == (lowest, highest)
    assert next(b.judge for b in bins if b.low == middle) == 2


@pytest.mark.parametrize(
    ("fields", "state"),
    [
        ({}, JudgementState.JUDGE_ONLY),
        ({"reviewed_units": 1}, JudgementState.STARTED),
        ({"reviewed_units": 2}, JudgementState.REVIEWED),
        ({"reviewed_units": 2, "changed_units": 1}, JudgementState.CHANGED),
        ({"status": Status.SKIPPED, "trace_state": TraceState.INCOMPLETE}, JudgementState.SKIPPED),
        (
            {"error_type": FailureKind.TIMEOUT, "trace_state": TraceState.INCOMPLETE},
            JudgementState.FAILED,
        ),
        (
            {"error_type": FailureKind.OUT_OF_RANGE, "trace_state": TraceState.INCOMPLETE},
            JudgementState.INCOMPLETE,
        ),
        ({"status": Status.ERROR, "reviewed_units": 2, "changed_units": 2}, JudgementState.CHANGED),
        ({"trace_state": TraceState.VOID, "reviewed_units": 1}, JudgementState.VOID),
    ],
)
def test_the_state_of_a_line_is_the_word_that_says_most(
    fields: dict[str, object], state: JudgementState
) -> None:
    assert line(**fields).state is state


def test_a_line_without_both_finals_has_no_change() -> None:
    assert line(final=Fraction(3)).change == -1
    assert line(final=None).change is None
    assert line(judge_final=None).change is None


def with_counts(counts: Counts, mean: Fraction | None) -> RunSummary:
    made = summary(run=SHARE_RUN)
    return replace(made, counts=counts, mean=Mean(mean, counts.scored, counts.total))


@pytest.mark.parametrize(
    ("counts", "mean", "expected"),
    [
        (Counts(scored=1, failed=9), 1, Gate.INCONCLUSIVE),
        (Counts(scored=9, failed=1), 1, Gate.PASSED),
        (Counts(scored=9, failed=1), Fraction(1, 2), Gate.FAILED),
        (Counts(scored=10), Fraction(4, 5), Gate.PASSED),
        (Counts(scored=1, skipped=9), 1, Gate.INCONCLUSIVE),
        (Counts(scored=1, void=9), 1, Gate.PASSED),
        (Counts(failed=3), None, Gate.INCONCLUSIVE),
        (Counts(vacuous=3), None, Gate.INCONCLUSIVE),
    ],
)
def test_a_mark_is_not_passed_on_the_survivors(
    counts: Counts, mean: Fraction | None, expected: Gate
) -> None:
    assert gate(with_counts(counts, mean), Fraction(4, 5)) is expected

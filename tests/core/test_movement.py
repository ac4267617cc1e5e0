"""The steps between two means, as they are printed."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from recall_core.movement import Movement, Step
from recall_core.scoring import rounded


def way(judge: Fraction, deltas: list[Fraction]) -> Movement:
    steps = []
    at = judge
    for delta in deltas:
        steps.append(Step("judge wrong", 1, at, delta))
        at += delta
    return Movement(judge, tuple(steps), at)


def test_a_single_step_is_printed_as_the_difference_of_the_printed_means() -> None:
    told = way(Fraction("3.2251"), [Fraction("0.1249")])

    assert (rounded(told.judge), rounded(told.now)) == (Fraction("3.23"), Fraction("3.35"))
    assert told.printed_deltas() == (Fraction("0.12"),)


def test_the_step_that_lost_most_by_rounding_gets_the_missing_hundredth() -> None:
    told = way(Fraction(3), [Fraction("0.102"), Fraction("-0.043"), Fraction("0.201")])

    assert told.printed_deltas() == (Fraction("0.10"), Fraction("-0.04"), Fraction("0.20"))


@given(
    st.fractions(0, 5, max_denominator=999),
    st.lists(st.fractions(-2, 2, max_denominator=999), min_size=1, max_size=12),
)
def test_printed_steps_add_up_to_the_printed_means_and_stay_near_the_exact_ones(
    judge: Fraction, deltas: list[Fraction]
) -> None:
    told = way(judge, deltas)

    steps = told.printed_deltas()

    assert rounded(told.judge) + sum(steps, Fraction(0)) == rounded(told.now)
    pairs = list(zip(steps, deltas, strict=True))
    assert all(step == rounded(step) and abs(step - exact) < 2 * CENT for step, exact in pairs)


CENT = Fraction(1, 100)

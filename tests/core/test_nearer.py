"""Which judge is nearer to people, on the same units, and on units that nobody learned from."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_core.calibration import Side
from recall_core.held_out import held_out
from recall_core.nearer import nearer
from tests.core.test_calibration import calibration, unit


def test_the_judge_with_the_smaller_error_is_nearer_with_an_interval() -> None:
    good = [unit(i, 3 + (i % 6 == 0), 3) for i in range(40)]
    poor = [unit(i, 4 + (i % 5 == 0), 3) for i in range(40)]

    found = nearer(good, poor)

    assert found.by == pytest.approx((found.other_error or 0) - (found.error or 0))
    assert found.interval is not None
    assert 0 < found.interval[0] < (found.by or 0) < found.interval[1]
    assert found.sentence.startswith("Nearer to people by 1.0")
    assert nearer(poor, good).sentence.startswith("Further from people by 1.0")


def test_a_small_difference_is_not_shown() -> None:
    one = [unit(i, 3 + (i == 0), 3) for i in range(30)]
    other = [unit(i, 3 + (i == 1), 3) for i in range(30)]

    found = nearer(one, other)

    assert not found.decided
    assert found.sentence.startswith("Not shown to be nearer to people: +0.00")


def test_only_units_that_both_have_judged_count() -> None:
    one = [unit(i, 4, 3) for i in range(20)]
    other = [unit(i, 4, 3) for i in range(5, 40)]

    assert (nearer(one, other).units, nearer(one, other).examples) == (15, 15)


def test_below_ten_examples_nothing_is_said() -> None:
    few = [unit(i, 4, 3) for i in range(9)]

    found = nearer(few, few)

    assert (found.by, found.interval, found.decided) == (None, None, False)
    assert "9 shared examples, 10 are needed" in found.sentence


def test_units_that_people_saw_scored_are_counted_for_they_favour_that_judge() -> None:
    units = [unit(i, 4, 3, blind=i < 4) for i in range(12)]

    assert nearer(units, units).seen == 8


@given(st.text())
def test_the_same_text_is_always_on_the_same_side(text: str) -> None:
    assert held_out(text) == held_out(f"  {text.strip()} ")


def test_about_half_of_all_texts_are_held_out_and_a_side_takes_one_part() -> None:
    units = [unit(i, 4, 3, text=f"fact {i}") for i in range(400)]
    found = calibration(*units)

    out, learn = (found.on(Side(held_out=part)) for part in (True, False))

    assert 150 < len(out) < 250
    assert len(out) + len(learn) == 400
    assert all(held_out(u.text) for u in out)
    assert Fraction(1) == out[0].off

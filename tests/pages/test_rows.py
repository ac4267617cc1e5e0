"""Cells of the short list are made from numbers, and say in words what they draw."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pages.components.rows import Change, Chip, Text, change, chip, interval
from recall_core.types import Formula, UnitKind


def test_a_chip_carries_its_words_and_its_colour() -> None:
    assert chip(Fraction(7, 2), Formula.PASSAGE) == Chip("3.50", 4)
    assert chip(0, UnitKind.STATEMENT) == Chip("No ✕", 1)
    assert chip(None) == Chip("–", None)


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (Fraction(1, 2), Change("+0.50", 1)),
        (Fraction(-5, 4), Change("−1.25", -1)),
        (0, Change("0.00", 0)),
        (Fraction(-1, 1000), Change("0.00", 0)),
        (None, Change("–", 0)),
    ],
)
def test_a_change_points_where_its_sign_says(value, cell) -> None:
    assert change(value) == cell


def test_an_interval_lies_on_the_scale_that_all_rows_share() -> None:
    drawn = interval(4, (1, 5), (Fraction(7, 2), Fraction(9, 2)))

    assert (drawn.at, drawn.low, drawn.high) == (0.75, 0.625, 0.875)
    assert drawn.label == "4.00, 3.50 to 4.50"


def test_a_value_without_bounds_is_a_ring_and_one_outside_the_scale_stays_at_its_end() -> None:
    ring = interval(7, (1, 5))

    assert (ring.at, ring.low, ring.high, ring.label) == (1.0, None, None, "7.00")


def test_no_value_is_a_dash() -> None:
    assert interval(None, (1, 5)) == Text("–", muted=True)

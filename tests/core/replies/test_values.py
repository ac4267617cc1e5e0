"""Scores and verdict words: what they say, and nothing that they do not say."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_core.replies.values import NO, YES, read_value
from recall_core.scoring import in_range
from recall_core.types import FailureKind, UnitKind

ESSENTIAL, BONUS, STATEMENT = UnitKind.ESSENTIAL, UnitKind.BONUS, UnitKind.STATEMENT


@pytest.mark.parametrize(
    "written",
    [4, Decimal(4), Decimal("4.0"), "4", " 4 ", "4/5", "4 / 5", "4 out of 5", "**4**", "４", "4."],
)
def test_four_is_four_however_it_is_written(written: object) -> None:
    assert read_value(written, ESSENTIAL).score == 4


@pytest.mark.parametrize("kind", [ESSENTIAL, BONUS])
@pytest.mark.parametrize(
    "written",
    [6, 10, 90, -1, -2, 9555555, Decimal("5.01"), Decimal("1e999"), Decimal("9e124"), "10", "-2",
     "４２", "4/10", "80/100"],
)  # fmt: skip
def test_a_score_off_the_scale_is_out_of_range_and_never_clamped(
    written: object, kind: UnitKind
) -> None:
    value = read_value(written, kind)

    assert value.score is None
    assert value.failure is FailureKind.OUT_OF_RANGE
    assert "not on its scale" in value.trouble


def test_zero_is_on_the_scale_of_bonus_passages_only() -> None:
    assert read_value(0, BONUS).score == 0
    assert read_value(0, ESSENTIAL).failure is FailureKind.OUT_OF_RANGE


def test_a_part_of_one_is_off_the_scale_of_essential_passages() -> None:
    assert read_value(Decimal("0.8"), ESSENTIAL).failure is FailureKind.OUT_OF_RANGE
    assert read_value(Decimal("0.8"), BONUS).score == Fraction(4, 5)


@pytest.mark.parametrize(
    "written",
    ["excellent", "four", "½", "4-5", "3 to 4", "NaN", "4 because 3 facts are there", "A", "1,000",
     "x4", True, False, [4], {"score": 4}, "4 4"],
)  # fmt: skip
def test_what_is_no_score_is_unparseable_and_no_number_is_taken_from_it(written: object) -> None:
    value = read_value(written, ESSENTIAL)

    assert value.score is None
    assert value.failure is FailureKind.UNPARSEABLE


@pytest.mark.parametrize("written", [None, "", "  "])
@pytest.mark.parametrize("kind", [ESSENTIAL, BONUS, STATEMENT])
def test_nothing_is_missing_and_not_zero(written: object, kind: UnitKind) -> None:
    assert read_value(written, kind).failure is FailureKind.INCOMPLETE


def test_a_decimal_comma_is_understood_and_noted() -> None:
    value = read_value("3,5", ESSENTIAL)

    assert value.score == Fraction(7, 2)
    assert "decimal comma" in value.note


@given(st.one_of(st.integers(), st.decimals(), st.text(max_size=12)), st.sampled_from(UnitKind))
def test_whatever_is_written_a_score_lies_on_its_scale(written: object, kind: UnitKind) -> None:
    value = read_value(written, kind)

    assert (value.score is None) == (value.failure is not None)
    assert value.score is None or in_range(kind, value.score)


@pytest.mark.parametrize(
    "word",
    ["yes", "Yes", "YES", "yes ", " yes", "yes\n", "Yes.", "**yes**", '"yes"', "yes, see doc 2",
     "Yes - passage 2 says so", "yes: doc 1", "true", True, 1, "1", Decimal("1.0"), "supported",
     "Supported.", "[Attributed]", "fully supported", "attributed", "是", "是。", "はい", "ja",
     "oui", "sí", "да"],
)  # fmt: skip
def test_every_way_to_say_yes_is_yes(word: object) -> None:
    assert read_value(word, STATEMENT).score == 1


@pytest.mark.parametrize(
    "word",
    ["no", "No.", "NO ", "No - absent", "no: it is not mentioned", "false", False, 0, "0",
     "unsupported", "not supported", "not_supported", "[Not Attributed]", "Not found", "否",
     "いいえ", "nein", "non", "нет"],
)  # fmt: skip
def test_every_way_to_say_no_is_no(word: object) -> None:
    assert read_value(word, STATEMENT).score == 0


@pytest.mark.parametrize(
    "word",
    ["partially", "partially supported", "yes and no", "yes, but not the date", "yes, partially",
     "mostly", "n/a", "unclear", "unknown", "maybe", "no, except the date", "no doubt", "idk", "-",
     "yes/no", "yesterday", "none", "0.5", Decimal("0.5"), "not sure"],
)  # fmt: skip
def test_what_is_neither_yes_nor_no_is_ambiguous(word: object) -> None:
    value = read_value(word, STATEMENT)

    assert value.score is None
    assert value.failure is FailureKind.AMBIGUOUS
    assert "neither yes nor no" in value.trouble


@pytest.mark.parametrize("number", [2, -1, 100, "2", Decimal("1.5")])
def test_a_number_other_than_one_and_zero_is_no_verdict(number: object) -> None:
    assert read_value(number, STATEMENT).failure is FailureKind.OUT_OF_RANGE


def test_no_word_means_both() -> None:
    assert YES.isdisjoint(NO)

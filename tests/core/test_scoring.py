"""The formulas: the source document's examples, the golden file, and what always holds."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_core.errors import InvalidScore
from recall_core.scoring import (
    exact,
    in_range,
    passage_trace,
    printed,
    require_allowed,
    rounded,
    trace,
)
from recall_core.types import Formula, Rounding, ScoreTrace, TraceState, UnitKind

GOLDEN = Path(__file__).parents[1] / "golden" / "passage_recall_golden.jsonl"
COLUMNS = {Rounding.HALF_UP: "a_halfup_step", Rounding.UP: "c_ceil_step"}
ROWS = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]

ESSENTIAL_SCORES = st.lists(st.integers(1, 5), min_size=1, max_size=12)
BONUS_SCORES = st.lists(st.integers(0, 5), max_size=12)
ROUNDINGS = st.sampled_from(Rounding)


def passage(essential: list[int], bonus: list[int], rounding: Rounding) -> ScoreTrace:
    return passage_trace(
        [Fraction(s) for s in essential], [Fraction(s) for s in bonus], rounding=rounding
    )


def lines_of(essential: list[int], bonus: list[int]) -> list[str]:
    return [str(line) for line in passage(essential, bonus, Rounding.HALF_UP).lines]


@pytest.mark.parametrize(
    ("essential", "bonus", "lines"),
    [
        (
            [4, 3],
            [4, 0],
            [
                "RECALL_Essential_Formula: (4 + 3) / 2 = 3.5",
                "RECALL_Bonus_Formula: (4 + 0) / (2 * 2 * 2) = 0.5",
                "RECALL_Combined_Formula: 3.5 + 0.5 = 4",
                "RECALL_Final_Score_Calculation: min(5, 4) = 4",
                "RECALL_Final_Score: 4",
            ],
        ),
        (
            [4, 4, 3],
            [0],
            [
                "RECALL_Essential_Formula: (4 + 4 + 3) / 3 = 3.67",
                "RECALL_Bonus_Formula: (0) / (3 * 1 * 2) = 0",
                "RECALL_Combined_Formula: 3.67 + 0 = 3.67",
                "RECALL_Final_Score_Calculation: min(5, 3.67) = 3.67",
                "RECALL_Final_Score: 3.67",
            ],
        ),
        (
            [5, 5],
            [5],
            [
                "RECALL_Essential_Formula: (5 + 5) / 2 = 5",
                "RECALL_Bonus_Formula: (5) / (2 * 1 * 2) = 1.25",
                "RECALL_Combined_Formula: 5 + 1.25 = 6.25",
                "RECALL_Final_Score_Calculation: min(5, 6.25) = 5",
                "RECALL_Final_Score: 5",
            ],
        ),
        (
            [1, 2],
            [],
            [
                "RECALL_Essential_Formula: (1 + 2) / 2 = 1.5",
                "RECALL_Bonus_Formula: (0) / (2 * 0 * 2) = 0",
                "RECALL_Combined_Formula: 1.5 + 0 = 1.5",
                "RECALL_Final_Score_Calculation: min(5, 1.5) = 1.5",
                "RECALL_Final_Score: 1.5",
            ],
        ),
    ],
)
def test_the_four_examples_of_the_source_document_print_line_by_line(
    essential: list[int], bonus: list[int], lines: list[str]
) -> None:
    assert lines_of(essential, bonus) == lines


def test_one_essential_and_no_bonus_print_in_the_same_form() -> None:
    assert lines_of([4], [])[:2] == [
        "RECALL_Essential_Formula: (4) / 1 = 4",
        "RECALL_Bonus_Formula: (0) / (1 * 0 * 2) = 0",
    ]


@pytest.mark.parametrize("rounding", list(Rounding))
@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['essential']}+{row['bonus']}")
def test_finals_are_those_of_the_golden_file_under_both_roundings(
    row: dict[str, Any], rounding: Rounding
) -> None:
    found = passage(row["essential"], row["bonus"], rounding)

    assert found.final == exact(row["final"][COLUMNS[rounding]])
    assert found.exact == Fraction(row["exact_essential"]) + Fraction(row["exact_bonus"])
    if rounding is Rounding.HALF_UP:
        assert found.combined == exact(row["combined_halfup_step"])


def test_each_line_is_rounded_before_the_next_uses_it() -> None:
    found = passage([1, 1, 2], [2], Rounding.HALF_UP)

    assert str(found.lines[2]) == "RECALL_Combined_Formula: 1.33 + 0.33 = 1.66"
    assert found.final == Fraction(166, 100)
    assert found.exact == Fraction(5, 3)


def test_a_capped_final_keeps_both_parts() -> None:
    found = passage([5], [5], Rounding.HALF_UP)

    assert (found.final, found.combined, found.capped) == (5, Fraction(15, 2), True)
    assert (found.essential, found.bonus) == (5, Fraction(5, 2))


def test_exactly_five_is_not_capped() -> None:
    assert not passage([5], [], Rounding.HALF_UP).capped


@given(ESSENTIAL_SCORES, BONUS_SCORES, ROUNDINGS)
def test_every_printed_line_can_be_checked_by_hand(
    essential: list[int], bonus: list[int], rounding: Rounding
) -> None:
    lines = {line.label: line for line in passage(essential, bonus, rounding).lines}

    essential_line = lines["RECALL_Essential_Formula"]
    bonus_line = lines["RECALL_Bonus_Formula"]
    combined_line = lines["RECALL_Combined_Formula"]
    final_line = lines["RECALL_Final_Score_Calculation"]
    count = len(essential)
    terms = " + ".join(map(str, bonus)) or "0"
    assert essential_line.expression == f"({' + '.join(map(str, essential))}) / {count}"
    assert bonus_line.expression == f"({terms}) / ({count} * {len(bonus)} * 2)"
    assert combined_line.expression == f"{essential_line.value} + {bonus_line.value}"
    assert Decimal(combined_line.value) == Decimal(essential_line.value) + Decimal(bonus_line.value)
    assert final_line.expression == f"min(5, {combined_line.value})"
    assert Decimal(final_line.value) == min(Decimal(5), Decimal(combined_line.value))
    assert lines["RECALL_Final_Score"].value == final_line.value


@given(ESSENTIAL_SCORES, BONUS_SCORES, ROUNDINGS)
def test_a_final_is_between_one_and_five_and_near_the_exact_fraction(
    essential: list[int], bonus: list[int], rounding: Rounding
) -> None:
    found = passage(essential, bonus, rounding)

    assert found.state is TraceState.SCORED
    assert found.final is not None
    assert found.exact is not None
    assert 1 <= found.final <= 5
    assert abs(found.final - min(Fraction(5), found.exact)) < Fraction(2, 100)


@given(st.fractions(0, 10), ROUNDINGS)
def test_rounding_moves_a_value_by_less_than_a_hundredth(
    value: Fraction, rounding: Rounding
) -> None:
    moved = rounded(value, rounding) - value

    if rounding is Rounding.UP:
        assert 0 <= moved < Fraction(1, 100)
    else:
        assert Fraction(-1, 200) < moved <= Fraction(1, 200)


@given(st.fractions(0, 10))
def test_a_printed_number_has_at_most_two_decimals_and_no_trailing_zeros(value: Fraction) -> None:
    text = printed(value)

    assert re.fullmatch(r"\d+(\.\d?[1-9])?", text)
    assert Fraction(text) == rounded(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("0", "0"),
        ("10", "10"),
        ("0.5", "0.5"),
        ("1.005", "1.01"),
        ("2.675", "2.68"),
        ("0.1", "0.1"),
    ],
)
def test_half_hundredths_are_printed_upwards_as_decimals_and_not_as_floats(
    value: str, text: str
) -> None:
    assert printed(exact(value)) == text


@pytest.mark.parametrize(
    ("essential", "bonus"),
    [(["0"], []), (["6"], []), (["-1"], []), (["9e124"], []), (["4"], ["5.01"]), (["4"], ["-1"])],
)
def test_a_score_outside_its_scale_is_refused_and_never_clamped(
    essential: list[str], bonus: list[str]
) -> None:
    with pytest.raises(InvalidScore, match=r"is not a score of kind (essential|bonus)"):
        passage_trace([exact(s) for s in essential], [exact(s) for s in bonus])


def test_without_an_essential_score_there_is_nothing_to_divide_by() -> None:
    with pytest.raises(InvalidScore, match="no essential score"):
        passage_trace([], [Fraction(5)])


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", float("nan"), float("inf"), "four", ""])
def test_what_is_not_a_finite_number_is_not_a_score(value: float | str) -> None:
    with pytest.raises(InvalidScore, match="is not a number"):
        exact(value)


@pytest.mark.parametrize("value", ["1e400", "1e999999999", "1e-999999999"])
def test_a_number_of_absurd_size_is_refused_before_it_is_expanded(value: str) -> None:
    with pytest.raises(InvalidScore, match="is not a number that can be a score"):
        exact(value)


def test_a_float_is_taken_as_it_is_written() -> None:
    assert exact(3.67) == Fraction(367, 100)


@pytest.mark.parametrize(
    ("kind", "allowed", "refused"),
    [
        (UnitKind.ESSENTIAL, ["1", "5"], ["0", "6", "4.5"]),
        (UnitKind.BONUS, ["0", "5"], ["-1", "6", "0.5"]),
        (UnitKind.STATEMENT, ["0", "1"], ["0.5", "2"]),
        (UnitKind.EXPECTED_CONTEXT, ["0", "1"], ["0.5", "-1"]),
    ],
)
def test_a_person_gives_whole_numbers_on_the_scale_of_the_kind(
    kind: UnitKind, allowed: list[str], refused: list[str]
) -> None:
    for score in allowed:
        require_allowed(kind, exact(score))
    for score in refused:
        with pytest.raises(InvalidScore, match="takes whole numbers from"):
            require_allowed(kind, exact(score))


def test_halves_are_allowed_where_the_run_allows_them_but_not_for_yes_and_no() -> None:
    require_allowed(UnitKind.ESSENTIAL, exact("4.5"), halves=True)
    with pytest.raises(InvalidScore, match="whole or half numbers"):
        require_allowed(UnitKind.ESSENTIAL, exact("4.25"), halves=True)
    with pytest.raises(InvalidScore, match="takes whole numbers"):
        require_allowed(UnitKind.STATEMENT, exact("0.5"), halves=True)


def test_a_judge_may_give_any_fraction_on_the_scale() -> None:
    assert in_range(UnitKind.ESSENTIAL, exact("4.25"))
    assert not in_range(UnitKind.ESSENTIAL, exact("0.99"))


def test_a_missing_score_leaves_the_final_empty_and_names_the_unit() -> None:
    found = trace(
        Formula.PASSAGE,
        [
            (UnitKind.ESSENTIAL, "E1", Fraction(4)),
            (UnitKind.ESSENTIAL, "E2", None),
            (UnitKind.BONUS, "B1", None),
        ],
    )

    assert found.state is TraceState.INCOMPLETE
    assert found.final is None
    assert found.missing == ("E2", "B1")


def test_a_share_is_exact_and_prints_two_decimals() -> None:
    kind = UnitKind.STATEMENT
    scores = [(kind, f"S{i}", Fraction(score)) for i, score in enumerate([1, 1, 0], 1)]

    found = trace(Formula.SHARE, scores)

    assert found.final == Fraction(2, 3)
    assert [str(line) for line in found.lines] == ["Recall: 2 / 3 = 0.67"]


def test_a_share_of_nothing_is_vacuous_unless_a_person_took_everything_out() -> None:
    assert trace(Formula.SHARE, []).state is TraceState.VACUOUS
    assert trace(Formula.SHARE, []).final == 1
    assert trace(Formula.SHARE, [], excluded=2).state is TraceState.VOID
    assert trace(Formula.SHARE, [], excluded=2).final is None


def test_a_share_with_an_unresolved_unit_has_no_final() -> None:
    found = trace(Formula.SHARE, [(UnitKind.STATEMENT, "S1", None)])

    assert (found.state, found.final, found.missing) == (TraceState.INCOMPLETE, None, ("S1",))

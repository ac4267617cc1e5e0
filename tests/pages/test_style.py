"""Chips, numbers and states look the same everywhere, and text from data stays text."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.components import style
from pages.components.style import (
    Mark,
    ago,
    count,
    dollars,
    facts,
    number_table,
    percent,
    plain,
    score_chip,
    score_step,
    score_words,
    short_number,
    signed,
    state_words,
    text_block,
    trouble,
    two_decimals,
)
from recall_core.types import Formula, UnitKind

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
HOSTILE = '<img src=x onerror="alert(1)">&'


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "–"), (Fraction(11, 3), "3.67"), (4, "4.00"), (Fraction(201, 200), "1.01")],
)
def test_numbers_in_lists_have_two_decimals_and_a_dash_where_there_is_none(value, shown) -> None:
    assert two_decimals(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "–"),
        (Fraction(1, 2), "+0.50"),
        (Fraction(-5, 4), "−1.25"),
        (0, "0.00"),
        (Fraction(-1, 1000), "0.00"),
    ],
)
def test_a_difference_has_a_sign_unless_it_is_nothing(value, shown) -> None:
    assert signed(value) == shown


def test_shares_and_counts_read_as_words() -> None:
    assert percent(Fraction(31, 50)) == "62 %"
    assert percent(None) == "–"
    assert count(1, "example") == "1 example"
    assert count(1204, "example") == "1,204 examples"
    assert count(2, "query", "queries") == "2 queries"


@pytest.mark.parametrize(
    ("before", "shown"),
    [
        (timedelta(seconds=5), "now"),
        (timedelta(minutes=1), "1 minute ago"),
        (timedelta(hours=3), "3 hours ago"),
        (timedelta(hours=13), "yesterday"),
        (timedelta(days=3), "3 days ago"),
        (timedelta(days=40), "2026-10-21"),
    ],
)
def test_times_are_told_as_people_tell_them(before, shown) -> None:
    assert ago(NOON - before, NOON) == shown


@pytest.mark.parametrize(
    ("score", "kind", "step", "words"),
    [
        (0, UnitKind.BONUS, 0, "0"),
        (Fraction(9, 2), UnitKind.ESSENTIAL, 5, "4.5"),
        (1, UnitKind.STATEMENT, 5, "Yes ✓"),
        (0, UnitKind.STATEMENT, 1, "No ✕"),
        (1, UnitKind.EXPECTED_CONTEXT, 5, "Found ✓"),
        (0, UnitKind.EXPECTED_CONTEXT, 1, "Not found ✕"),
        (Fraction(7, 2), Formula.PASSAGE, 4, "3.50"),
        (Fraction(2, 3), Formula.SHARE, 4, "0.67"),
        (0, Formula.SHARE, 1, "0.00"),
        (1, Formula.SHARE, 5, "1.00"),
    ],
)
def test_one_scale_of_colours_serves_every_kind_of_score(score, kind, step, words) -> None:
    assert score_step(score, kind) == step
    assert score_words(score, kind) == words
    assert f'"rd-chip s{step}">{words}<' in score_chip(score, kind)


def test_a_missing_score_has_a_chip_without_colour() -> None:
    assert score_chip(None) == '<span class="rd-chip none">–</span>'


@given(st.fractions(0, 5), st.fractions(0, 5))
def test_a_higher_score_never_has_a_lower_colour(one: Fraction, other: Fraction) -> None:
    low, high = sorted((one, other))

    assert score_step(low) <= score_step(high)


def test_text_from_data_never_becomes_html() -> None:
    pieces = [
        text_block(HOSTILE),
        trouble(HOSTILE),
        state_words(Mark.OPEN, HOSTILE),
        facts([(HOSTILE, HOSTILE)], headline=(HOSTILE, HOSTILE, HOSTILE)),
    ]

    for piece in pieces:
        assert "<img" not in piece
        assert "&lt;img" in piece


def test_titles_from_data_are_not_markdown() -> None:
    assert plain("a *b* [c](d) :red[e]") == r"a \*b\* \[c\]\(d\) \:red\[e\]"


@pytest.mark.parametrize(
    ("text", "inert"),
    [
        (":material/delete:", "\\:~material/delete\\:"),
        (":streamlit:", "\\:~streamlit\\:"),
        ("http://a.b", "http\\:~//a.b"),
        ("www.a.b", "www~.a.b"),
        ("me@a.b", "me@~a.b"),
        ("a -> b", "a \\-~\\> b"),
        ("a >= b", "a \\>~\\= b"),
        ("a -- b", "a \\-~\\- b"),
        ("&lt;b&gt;", "\\&lt;b\\&gt;"),
        ("1. first", "1\\. first"),
        ("    code", "code"),
        ("title\n===", "title\n\\=\\=\\="),
    ],
)
def test_what_streamlit_makes_of_text_behind_markdown_is_held_back_too(
    text: str, inert: str
) -> None:
    assert plain(text) == inert.replace("~", "\u2060")


def test_a_headline_that_no_person_has_checked_is_grey() -> None:
    judged = facts([], headline=("Recall", "4.38", ""), judge_only=True)
    reviewed = facts([], headline=("Recall", "4.12", "3.93 to 4.31"))

    assert 'class="head judge"' in judged
    assert 'class="head"' in reviewed


def test_the_style_sheet_can_stand_inside_a_style_element() -> None:
    sheet = style.STYLE_SHEET.read_text("utf-8")

    assert "<" not in sheet
    assert sheet.count("{") == sheet.count("}")


@pytest.mark.parametrize(
    ("amount", "words"),
    [
        (None, "unknown"),
        ("0", "$0"),
        ("1234.5", "$1,234.50"),
        ("0.61", "$0.61"),
        ("0.0304", "$0.03"),
        ("0.00423", "$0.0042"),
        ("0.0000001", "under $0.00001"),
    ],
)
def test_small_amounts_keep_two_digits_and_an_unknown_one_is_never_zero(
    amount: str | None, words: str
) -> None:
    assert dollars(None if amount is None else Decimal(amount)) == words


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, "0"), (9_999, "9,999"), (11_400, "11 k"), (819_202, "819 k"), (1_240_000, "1.2 m")],
)
def test_large_counts_are_short(number: int, words: str) -> None:
    assert short_number(number) == words


def test_a_table_of_numbers_holds_text_as_text() -> None:
    table = number_table(("Model", "in"), [("<b>x</b>", "$1")])

    assert "<b>" not in table
    assert '<th scope="row">&lt;b&gt;x&lt;/b&gt;</th><td>$1</td>' in table

"""Text in spreadsheets is harmless, and the same when it is read back."""

from __future__ import annotations

import io
from fractions import Fraction

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_core.export.safe_cells import (
    CELL_LIMIT,
    CUT_MARK,
    cell_number,
    cell_text,
    protected,
    restored,
    without_controls,
)

FORMULAS = [
    '=HYPERLINK("http://x","ok")',
    "+1",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    " =1",
    "\u200b=1",
    "\ufeff=1",
    "\u00a0 \u200f=1",
    "＝1+1",
    "- a list item",
    "\tindented",
]


@pytest.mark.parametrize("text", FORMULAS)
def test_text_that_a_spreadsheet_would_run_gets_an_apostrophe(text: str) -> None:
    assert protected(text) == f"'{text}"
    assert restored(protected(text)) == text


@pytest.mark.parametrize(
    "text", ["-0.5", "-3", "1e-9", "-1.5E+10", "plain", "it's", "'tis", "a=b", ""]
)
def test_pure_numbers_and_plain_text_stay_as_they_are(text: str) -> None:
    assert protected(text) == text
    assert restored(text) == text


@pytest.mark.parametrize("text", ["'=1", "''-a", "nan", "NULL", "'nan", "  "])
def test_what_looks_protected_or_missing_already_survives(text: str) -> None:
    assert protected(text) != text
    assert restored(protected(text)) == text


NASTY = st.text(
    st.one_of(st.sampled_from("=+-@'\t\r\n \u200b\ufeff＝0nal."), st.characters(codec="utf-8")),
    max_size=12,
)


@given(NASTY)
def test_every_text_survives_and_none_begins_like_a_formula(text: str) -> None:
    cell = protected(text)

    assert restored(cell) == text
    bare = cell.lstrip("".join(map(chr, range(33))) + "\u00a0\u200b\ufeff")
    if bare[:1] in ("=", "+", "@", "＝"):
        pytest.fail(f"{cell!r} would be run")


def test_a_cell_that_is_too_long_is_cut_with_a_visible_mark() -> None:
    text = "=" + "line\r\n" * 8000 + "\x0b"

    cell = cell_text(text)

    assert len(cell) == CELL_LIMIT
    assert cell.endswith(CUT_MARK)
    assert cell.startswith("'=line\nline")
    assert cell_text("short\x0b \x00text") == "short text"


@given(st.text(max_size=60))
def test_a_workbook_takes_every_text_and_gives_it_back(text: str) -> None:
    # Halves of surrogate pairs never get this far: the importer replaces them.
    cell = cell_text(text.encode("utf-8", "replace").decode())
    book = openpyxl.Workbook()
    book.active.cell(1, 1).value = cell
    stream = io.BytesIO()
    book.save(stream)

    read = openpyxl.load_workbook(stream).active.cell(1, 1)

    assert read.data_type != "f"
    assert (read.value or "") == cell


def test_controls_go_and_line_ends_become_one_kind() -> None:
    assert without_controls("a\r\nb\rc\nd\x0b\x1f\x7f\te") == "a\nb\nc\nd\te"


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (Fraction(7, 2), 3.5),
        (Fraction(4), 4),
        (-0.5, -0.5),
        (None, None),
        (float("nan"), None),
        (float("inf"), None),
    ],
)
def test_numbers_stay_numbers_and_not_a_number_is_nothing(value, number) -> None:
    assert cell_number(value) == number
    assert type(cell_number(value)) is type(number)

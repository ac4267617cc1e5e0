"""Text in spreadsheets and CSV files: harmless to open, and exactly the same when read back.

A spreadsheet runs a cell that begins with `=`, `+`, `-` or `@` as a formula, and retrieved
passages are written by anybody. An apostrophe in front makes the cell text; `restored` takes it
off again.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction

CELL_LIMIT = 32_767
"""The most characters that a workbook's cell can hold."""

CUT_MARK = " […cut: the cell was full]"

# Blanks, controls, and what is not seen: soft hyphen, zero-width signs, direction marks.
_NOT_YET_CONTENT = re.compile(
    r"[\s\x00-\x1f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]*"
)
_STARTS_FORMULA = frozenset("=+-@＝＋－＠")
_STARTS_CELL = frozenset("\t\r\n")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_READ_AS_NOTHING = frozenset({"", "nan", "null", "<na>", "#n/a"})
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")


def protected(text: str) -> str:
    """The text with an apostrophe in front where a spreadsheet, or our importer, would take it
    for something else than text."""
    return f"'{text}" if _needs_apostrophe(text) else text


def restored(cell: str) -> str:
    """The text that `protected` made into this cell."""
    return cell[1:] if cell.startswith("'") and _needs_apostrophe(cell[1:]) else cell


def _needs_apostrophe(text: str) -> bool:
    if not text:
        return False
    bare = text.lstrip("'")
    if bare.strip().lower() in _READ_AS_NOTHING:
        return True
    lead = _NOT_YET_CONTENT.match(bare)
    content = bare[lead.end() :] if lead else bare
    if lead and _STARTS_CELL & set(lead[0]):
        return True
    return content[:1] in _STARTS_FORMULA and not _NUMBER.fullmatch(bare)


def without_controls(text: str) -> str:
    """The text without characters that make a workbook count as damaged; line ends as `\\n`."""
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def cell_text(text: str, *, limit: int = CELL_LIMIT) -> str:
    """A text for a workbook's cell: no controls, no formula, and cut visibly if it is too long."""
    safe = protected(without_controls(text))
    return safe if len(safe) <= limit else safe[: limit - len(CUT_MARK)] + CUT_MARK


def cell_number(value: Fraction | float | None) -> float | int | None:
    """A number for a cell: whole numbers whole; `None` where there is no number, never NaN."""
    if value is None or not math.isfinite(value):
        return None
    number = float(value)
    return int(number) if number.is_integer() else number

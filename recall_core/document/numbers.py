"""Numbers as people and models write them: `4/5`, `**4**`, `４`, `3,67`, `-2`."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

_OPEN = r"[\s*_`~\"'(\[{<=]*"
_NUMBER = re.compile(
    rf"{_OPEN}(?P<number>[-+]?\d+(?:[.,]\d+)?(?:[eE][-+]?\d+)?)"
    r"(?P<range>\s*(?:-|to|or|\u2044)\s*\d)?"
    r"(?P<letters>[A-Za-z])?"
    r"[\s*_`]*(?:(?:/|out of)\s*\**(?P<out_of>\d+(?:[.,]\d+)?))?",
    re.IGNORECASE,
)
_DASHES = str.maketrans("−–—", "---")
_LARGEST_EXPONENT = 400
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Number:
    """A number at the start of a text; `comma` says that it was written with a decimal comma, and
    `out_of` what scale was named beside it."""

    value: Fraction
    comma: bool = False
    out_of: Fraction | None = None


def read_number(text: str) -> Number | None:
    """The number with which a text begins, or `None`: words, ranges ("3-4"), fractions ("½") and
    things that could be read in two ways ("1,000") are no numbers."""
    start = unicodedata.normalize("NFKC", text[:_LONGEST]).translate(_DASHES)
    match = _NUMBER.match(start)
    if match is None or match["range"] or match["letters"]:
        return None
    written = match["number"]
    comma = "," in written
    if comma and re.search(r",\d{3}\b", written):
        return None
    out_of = match["out_of"]
    value = _fraction(written)
    if value is None:
        return None
    return Number(value, comma, None if out_of is None else _fraction(out_of))


def _fraction(written: str) -> Fraction | None:
    number = Decimal(written.replace(",", "."))
    # A corrupted reply may hold 9e999999, which would fill the memory as a fraction.
    if abs(number.adjusted()) > _LARGEST_EXPONENT:
        return None
    return Fraction(number)

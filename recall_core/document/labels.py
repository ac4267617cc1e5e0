"""The labels and formula lines by which a text in the document's form is taken apart."""

from __future__ import annotations

import re

from recall_core.types import UnitKind

KINDS = {
    "essential passage": UnitKind.ESSENTIAL,
    "bonus passage": UnitKind.BONUS,
    "statement": UnitKind.STATEMENT,
    "expected context": UnitKind.EXPECTED_CONTEXT,
}
NAMES = {kind: name.upper() for name, kind in KINDS.items()}

# Blanks are counted, since a reply may hold thousands of them and a pattern would try them all.
GAP = r"\s{0,4}"
BOLD = rf"{GAP}(?:\*\*|__|\*|_)?{GAP}"


def _number(name: str) -> str:
    return rf"{BOLD}(?:\#|no\.?)?{GAP}(?P<{name}>\d{{1,6}})"


def _kind(name: str) -> str:
    gap = r"[\s_]{1,4}"
    return rf"(?P<{name}>essential{gap}passage|bonus{gap}passage|statement|expected{gap}context)"


LABEL = re.compile(
    rf"""
    # "[ESSENTIAL PASSAGE] 1:" anywhere. Without the colon only at the end of a line, so that a
    # mention in the middle of a sentence does not start a passage.
    {BOLD} [\[【［] {BOLD} {_kind("kind")} (?:{_number("inside")})? {BOLD} [\]】］]
    (?:{_number("outside")})? {BOLD}
    (?: [:：] {BOLD} | (?<=[\d*_\s]) [-–—]\s | (?=\n|\Z) )
    |
    # "ESSENTIAL PASSAGE 1:" without brackets, at the start of a line.
    ^ [\x20\t•*\#>\-]{{0,12}} {_kind("bare")} {_number("bare_number")} {BOLD} [:：] {BOLD}
    """,
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
LINE = re.compile(
    rf"""
    RECALL \\? [_\x20]
    (?P<name> (?:Essential|Bonus|Combined) \\? [_\x20] Formula
            | Final \\? [_\x20] Score (?: \\? [_\x20] Calculation)? )
    {BOLD} [:：] {BOLD}
    """,
    re.IGNORECASE | re.VERBOSE,
)
SCORE = re.compile(
    rf"(?<!\w)(?P<whole>(?:final|overall|total|combined|recall)[\s_]{{1,4}})?score{BOLD}[:：=]",
    re.IGNORECASE,
)
"""What stands before a passage's score; `whole` is set where it is the whole example's."""

_HARMLESS = str.maketrans("[]【】［］:：", "()()();;")


def inert(text: str) -> str:
    """Text of others that can no longer be taken for a label or a formula line."""
    text = LABEL.sub(lambda match: match[0].translate(_HARMLESS), text)
    return LINE.sub(lambda match: match[0].translate(_HARMLESS), text)

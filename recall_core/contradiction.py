"""Reasoning that says something else than its score.

A few plain phrases in English, and a score that the reasoning itself names. It marks what is
plainly at odds; a person decides which of the two is right.
"""

from __future__ import annotations

import re
from fractions import Fraction

from recall_core.document.labels import SCORE
from recall_core.document.numbers import read_number
from recall_core.scoring import SCALES
from recall_core.types import UnitKind

_ALL = re.compile(
    r"""
    \b(?:fully|completely|entirely|perfectly|thoroughly)\s+
        (?:covers?|covered|captures?|captured|contains?|contained|includes?|included|matche?s?
          |matched|present|supports?|supported|stated|reproduced|conveys?|conveyed)\b
    | \b(?:all|every)\s+(?:of\s+)?(?:the\s+|its\s+)?(?:key\s+|essential\s+|main\s+|relevant\s+)?
        (?:facts?|details?|information|points?|elements?|content|parts?)\s+
        (?:\w+\s+){0,4}?(?:is|are)\s+(?:all\s+|fully\s+)?
        (?:present|covered|included|captured|contained|there|found|mentioned)\b
    | \b(?:word\s+for\s+word|verbatim)\b
    | \bnothing\s+(?:is\s+)?(?:missing|lacking|left\s+out)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NOTHING = re.compile(
    r"""
    \b(?:completely|entirely|totally|wholly)\s+(?:absent|missing|unrelated|omitted)\b
    | \bnone\s+of\s+(?:the|its|this|these|those)\b[^.]{0,60}?
        \b(?:is|are|was|were)\s+(?:present|covered|included|captured|contained|found|mentioned)\b
    | \b(?:is|are)\s+not\s+(?:mentioned|present|found|covered|contained|included)\s+
        (?:at\s+all|anywhere)\b
    | \b(?:does|do)\s+not\s+(?:mention|contain|cover|include|address)\s+
        (?:any\s+of|any\s+part|anything|it\s+at\s+all|this\s+at\s+all)\b
    | \bnothing\s+(?:in|of|about)\b[^.]{0,60}?\b(?:covers?|mentions?|supports?|is\s+there)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SOMETHING_MISSING = re.compile(r"\bno\s+(?:mention|trace)\s+of\b", re.IGNORECASE)
_SUPPORTED = re.compile(
    r"\b(?:is|are|directly|clearly|fully|explicitly)\s+(?:supported|stated|confirmed|backed)\b",
    re.IGNORECASE,
)
_UNSUPPORTED = re.compile(
    r"\b(?:not|never|nowhere|isn't|aren't)\s+(?:directly\s+|explicitly\s+|clearly\s+)?"
    r"(?:supported|stated|confirmed|backed|mentioned|found)\b|\bunsupported\b|\bno\s+passage\b",
    re.IGNORECASE,
)
_PARTS_OF_NO = ("no", "never", "n't", "unsupported", "completely", "entirely", "totally", "wholly")
"""A match of `_UNSUPPORTED` or `_NOTHING` has one of these; most reasoning has none."""
_BUT = re.compile(r"\b(?:but|except|however|although|though|only)\b", re.IGNORECASE)
_NEGATION = re.compile(
    r"\b(?:not|never|no|isn't|aren't|doesn't|without|if|neither)\W+(?:\w+\W+)?$", re.I
)
_HIGH = {UnitKind.ESSENTIAL: (2, 4), UnitKind.BONUS: (1, 4)}
"""Per kind: up to the first score "all of it" is at odds, from the second "none of it" is."""


def contradiction(reasoning: str, score: Fraction, kind: UnitKind) -> str | None:
    """What is at odds, as in "its reasoning says that all of it is there"; `None` if nothing is."""
    if kind is UnitKind.STATEMENT or kind is UnitKind.EXPECTED_CONTEXT:
        return _of_verdict(reasoning, score)
    named = _named_score(reasoning)
    if named is not None and named != score:
        return "its reasoning names another score"
    low, high = _HIGH[kind]
    missing = _SOMETHING_MISSING.search(reasoning) and score == SCALES[kind].highest
    everything, nothing = _says(_ALL, reasoning), _says(_NOTHING, reasoning) or missing
    if score <= low and everything and not nothing:
        return "its reasoning says that all of it is there"
    if score >= high and nothing and not everything:
        return "its reasoning says that none of it is there"
    return None


def _of_verdict(reasoning: str, score: Fraction) -> str | None:
    if score == 0 and _says_yes(reasoning) and not _says_no(reasoning):
        said = "its reasoning says that it is supported"
    elif score == 1 and _says_no(reasoning) and not _says_yes(reasoning):
        said = "its reasoning says that it is not supported"
    else:
        return None
    return None if _BUT.search(reasoning) else said


def _says_yes(reasoning: str) -> bool:
    return _says(_SUPPORTED, reasoning) or _says(_ALL, reasoning)


def _says_no(reasoning: str) -> bool:
    small = reasoning.casefold()
    if not any(part in small for part in _PARTS_OF_NO):
        return False
    return _says(_UNSUPPORTED, reasoning) or _says(_NOTHING, reasoning)


def _says(pattern: re.Pattern[str], text: str) -> bool:
    """Whether a phrase stands there without a "not" before it."""
    return any(not _NEGATION.search(text[: m.start()][-40:]) for m in pattern.finditer(text))


def _named_score(reasoning: str) -> Fraction | None:
    """The score that the reasoning ends with, as in "Score: 4"."""
    anchors = [m for m in SCORE.finditer(reasoning) if not m["whole"]]
    if not anchors:
        return None
    number = read_number(reasoning[anchors[-1].end() :])
    return None if number is None else number.value

"""Scores and verdict words as models write them, taken for what they say and no more."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from recall_core.document.numbers import read_number
from recall_core.errors import InvalidScore
from recall_core.scoring import SCALES, exact, in_range, printed
from recall_core.types import FailureKind, UnitKind


@dataclass(frozen=True, slots=True)
class Value:
    """A score, or why there is none. `trouble` goes on "E1 …"; `note` is worth a warning."""

    score: Fraction | None
    failure: FailureKind | None = None
    trouble: str = ""
    note: str = ""


NOTHING = Value(None, FailureKind.INCOMPLETE, "is missing from the answer")
_YES, _NO = Value(Fraction(1)), Value(Fraction(0))


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


YES = _words(
    "yes y true supported attributed attributable found present entailed covered "
    "ja oui sí si sì sim да так tak ano evet igen kyllä vâng có ya ναι "
    "是 是的 对 對 有 支持 はい 예 네 हाँ हां نعم כן ใช่"
)
NO = _words(
    "no n false unsupported unattributed unattributable absent missing "
    "nein nej nei nee non não нет ні nie ne hayır nem ei không tidak όχι "
    "否 不 不是 没有 沒有 不支持 いいえ 아니요 아니오 नहीं لا לא ไม่ใช่"
)
"""Words for yes and no. A word that is the one in one language and the other in another (Greek
"nai" written in Latin letters, say) is in neither."""
_NEGATED = re.compile(r"^(?:not|is not|isn't|un)[\s_-]?(?=(?:supported|attributed|found|present)$)")
_POSITIVE = re.compile(r"^(?:is|fully|clearly|directly)\s+(?=(?:supported|attributed|found)$)")
_FIRST_WORD = re.compile(
    r"^(?P<word>[^,.;:!?()\[\]–—。，、！\n]+?)\s*(?:[,.;:!()\[\]–—。，、！\n]|\s-\s|$)"
)
_EITHER = r"partial(?:ly)?|part(?:ly)?|but|except|however|mostly|somewhat|maybe|unsure|unclear"
_YES_BUT = re.compile(rf"\b(?:{_EITHER}|though|although|not|no|only)\b", re.IGNORECASE)
_NO_BUT = re.compile(rf"\b(?:{_EITHER}|though|although|yes)\b", re.IGNORECASE)
_WHOLE_NUMBER_TEXT = re.compile(
    r"[\s*_`\"'(\[]*[-+]?\d+(?:[.,]\d+)?(?:e[-+]?\d+)?[\s*_`\"')\]]*"
    r"(?:(?:/|out\s+of)[\s*_`]*\d+(?:[.,]\d+)?)?[\s*_`\"')\].]*",
    re.IGNORECASE,
)
_SHOWN = 40
_LONGEST_WORD = 100


def read_value(value: object, kind: UnitKind) -> Value:
    """What `value` says about a unit of that kind: a score, or yes (1) and no (0)."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return NOTHING
    return _verdict(value, kind) if kind is UnitKind.STATEMENT else _score(value, kind)


def shown(value: object) -> str:
    """A short form of what a model wrote, for a sentence."""
    line = " ".join(str(value).split())
    return f"“{line[: _SHOWN - 1]}…”" if len(line) > _SHOWN else f"“{line}”"


def _score(value: object, kind: UnitKind) -> Value:
    if isinstance(value, str):
        return _score_text(value, kind)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return Value(None, FailureKind.UNPARSEABLE, f"has {shown(value)} where a score should be")
    return _on_scale(value, kind, shown(value))


def _score_text(text: str, kind: UnitKind) -> Value:
    plain = unicodedata.normalize("NFKC", text)
    number = read_number(text) if _WHOLE_NUMBER_TEXT.fullmatch(plain) else None
    if number is None:
        return Value(None, FailureKind.UNPARSEABLE, f"has {shown(text)}, which is no score")
    if number.out_of is not None and number.out_of != SCALES[kind].highest:
        return _off_scale(kind, shown(text))
    value = _on_scale(number.value, kind, shown(text))
    if number.comma and value.score is not None:
        return Value(value.score, note="is written with a decimal comma")
    return value


def _on_scale(value: int | float | Decimal | Fraction, kind: UnitKind, said: str) -> Value:
    try:
        score = exact(value)
    except InvalidScore:
        return _off_scale(kind, said)
    return Value(score) if in_range(kind, score) else _off_scale(kind, said)


def _off_scale(kind: UnitKind, said: str) -> Value:
    scale = SCALES[kind]
    reach = f"which goes from {scale.lowest} to {scale.highest}"
    return Value(None, FailureKind.OUT_OF_RANGE, f"has {said}, which is not on its scale, {reach}")


def _verdict(value: object, kind: UnitKind) -> Value:
    if isinstance(value, bool):
        return _YES if value else _NO
    if isinstance(value, int | float | Decimal):
        number = _on_scale(value, kind, shown(value))
        whole = number.score is None or number.score.denominator == 1
        return number if whole else _unresolved(printed(number.score or Fraction(0)))
    if not isinstance(value, str):
        return Value(None, FailureKind.UNPARSEABLE, f"has {shown(value)} where yes or no should be")
    plain = unicodedata.normalize("NFKC", value).strip().strip("*_`\"'“”()[] ").casefold()
    if _WHOLE_NUMBER_TEXT.fullmatch(plain):
        number = _score_text(plain, kind)
        whole = number.score is None or number.score.denominator == 1
        return number if whole else _unresolved(value)
    return _word(plain, value)


def _word(plain: str, written: str) -> Value:
    """The word at the beginning, unless what follows takes it back."""
    first = _FIRST_WORD.match(plain[:_LONGEST_WORD])
    if first is None:
        return _unresolved(written)
    word = first["word"].strip(" *_`\"'“”-")
    rest = plain[first.end("word") :]
    if (_NEGATED.match(word) or word in NO) and not _NO_BUT.search(rest):
        return _NO
    if _POSITIVE.sub("", word) in YES and not _YES_BUT.search(rest):
        return _YES
    return _unresolved(written)


def _unresolved(written: str) -> Value:
    return Value(None, FailureKind.AMBIGUOUS, f"has {shown(written)}, which is neither yes nor no")

"""Finding the JSON in what a model wrote: between prose, in fences, with wrong punctuation.

Python's parser reads what is valid. What is not goes through the library `json-repair`, and its
repair counts only if every word stayed as it was, so that it put right punctuation and nothing
else. An object that never ends is never completed: what it would have said is not known.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

import json_repair

MOST_OPENINGS = 200
"""So many brackets are tried as the beginning of an object; a reply with more is no answer."""
_OPENING = re.compile(r"[{\[]")
_LIKE_JSON = re.compile(r"\{\s*(?:[\"'}]|\w+\s*:)|\[\s*[{\[\"']")
_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|(?<=[\[{,:\s])\'(?:[^\'\\]|\\.)*\'|[\[\]{}]', re.DOTALL)
_FENCE = re.compile(r"[`~]{3,9}\w{0,12}|json", re.IGNORECASE)
_PAIRS = {"}": "{", "]": "["}
_LONGEST_INTEGER = 18


@dataclass(frozen=True, slots=True)
class Twice:
    """The different values of a key that an object holds more than once."""

    values: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """One JSON object or list; `repaired` says that its punctuation had to be put right, `alone`
    that the text holds nothing else (a fence aside)."""

    value: object
    repaired: bool = False
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Objects:
    """The objects and lists of a text in their order; `cut_off`: the last one does not end, or
    is beyond repair."""

    found: tuple[Found, ...]
    cut_off: bool = False


def objects_in(text: str) -> Objects:
    """The outermost objects and lists of a text."""
    found: list[Found] = []
    cut_off = False
    at = 0
    for _ in range(MOST_OPENINGS):
        opening = _OPENING.search(text, at)
        if opening is None:
            return Objects(tuple(found), cut_off)
        like_json = bool(_LIKE_JSON.match(text, opening.start()))
        value, at = _object_at(text, opening.start(), repair=like_json)
        if value is not None:
            around = f"{text[: opening.start()]}\n{text[at:]}"
            found.append(replace(value, alone=all(map(_FENCE.fullmatch, around.split()))))
        elif like_json and at < 0:
            return Objects(tuple(found), cut_off=True)
        elif like_json:
            cut_off = True
        else:
            at = opening.end()
    return Objects(tuple(found), cut_off=True)


def _object_at(text: str, start: int, *, repair: bool) -> tuple[Found | None, int]:
    """The object that begins there, if it can be read, and where it ends (-1: nowhere)."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        end = _closing(text, start) if repair else -1
        return (_repaired(text[start:end]), end) if end > 0 else (None, -1)
    return Found(value), end


def _closing(text: str, start: int) -> int:
    """The end of the bracket that opens at `start`, brackets in strings aside; -1 if none."""
    open_ones: list[str] = []
    for piece in _PIECE.finditer(text, start):
        bracket = piece[0]
        if bracket in ("{", "["):
            open_ones.append(bracket)
        elif bracket in _PAIRS:
            if open_ones.pop() != _PAIRS[bracket]:
                return -1
            if not open_ones:
                return piece.end()
    return -1


def _repaired(text: str) -> Found | None:
    """The object with its punctuation put right; `None` if that would change any word."""
    try:
        value = json_repair.loads(text, skip_json_loads=True)
        said = json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return None
    same = isinstance(value, dict | list) and _words(said) == _words(text)
    return Found(value, repaired=True) if same else None


_ESCAPED_LETTER = re.compile(r"\\u([0-9a-fA-F]{4})")
_ESCAPE = re.compile(r"\\[nrtbf\\\"'/]")
_WORD = re.compile(r"[-+]?\d+(?:\.\d+)?|\w+")
_SAME = {"none": "null"}


def _words(text: str) -> list[str]:
    """The words and numbers of a JSON text, however its strings are escaped."""
    plain = _ESCAPE.sub(" ", _ESCAPED_LETTER.sub(lambda m: chr(int(m[1], 16)), text))
    return [_SAME.get(word, word) for word in map(str.casefold, _WORD.findall(plain))]


def _integer(digits: str) -> int | Decimal:
    """A number as it stands; Python refuses to read very long ones as `int`."""
    return int(digits) if len(digits) <= _LONGEST_INTEGER else Decimal(digits)


def _mapping(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found and found[key] != value:
            value = Twice((*_values(found[key]), value))
        found[key] = value
    return found


def _values(value: object) -> Iterator[object]:
    if isinstance(value, Twice):
        yield from value.values
    else:
        yield value


_DECODER = json.JSONDecoder(
    object_pairs_hook=_mapping,
    parse_float=Decimal,
    parse_int=_integer,
    parse_constant=str,  # NaN and Infinity: kept as words, which are no score
    strict=False,
)

"""From a JSON value to what it says about each unit, whatever the keys are called.

A value *fits* if it is about our units: a list of entries, an object that holds one, entries under
the units' names, or, where one unit was asked about, a single entry.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache

from recall_core.replies.names import Names
from recall_core.replies.objects import Found, Twice
from recall_core.types import Unit, UnitKind, UnitRef

_DEEPEST = 4
_LONGEST_VALUE = 60


@dataclass(frozen=True, slots=True)
class Quote:
    """Words that the model says it copied, and from which passage (`None`: it does not say)."""

    text: str
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """What one part of a reply says; `ref` is `None` where it names no unit. `values` are all
    the scores or verdicts in it, which may contradict each other; none: it gives none."""

    ref: UnitRef | None
    values: tuple[object, ...]
    reasoning: str = ""
    quotes: tuple[Quote, ...] = ()


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Keys in small letters and without signs. Where there are several, the first that is there counts.
_CONTAINERS = _words(
    "passages verdicts statements classifications results scores units evaluations judgements "
    "judgments answers items sentences claims entries ratings output response result answer"
)
_SCORES = _words("score rating grade points")
_VERDICTS = _words("supported issupported attributed isattributed verdict")
_OTHER_VALUES = _words("score answer judgement judgment decision value result classification label")
_NAMES = _words("passage unit statement sentence claim id label name index number no text")
_KIND = _words("kind type")
_REASONING = _words(
    "reasoning reason explanation analysis rationale justification thoughts thinking why"
)
_QUOTES = _words("quotes quote evidence citations citation excerpts excerpt")
_QUOTED = _words("quote text excerpt content")
_RANKS = _words(
    "rank passagerank passagenumber retrievedpassage returnedpassage retrieved passage context "
    "source document doc chunk passageid"
)
_QUOTE_RANKS = (*_RANKS, "index", "number", "id")


class Fitting:
    """Reads values as answers about these units."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self._names = Names(units)
        self._statements = any(u.ref.kind is UnitKind.STATEMENT for u in units)
        self._single = len(units) == 1
        self._value_keys = _VERDICTS if self._statements else _SCORES
        self._other_keys = _OTHER_VALUES if self._statements else ("value",)

    def entries(self, found: Found) -> list[Entry] | None:
        """The entries of a value that fits, else `None`.

        A list of bare values fits only where the reply is nothing else: `[3]` may be a footnote.
        """
        if isinstance(found.value, list) and not found.alone and _is_bare(found.value):
            return None
        return self._entries(found.value, depth=0)

    def _entries(self, value: object, *, depth: int) -> list[Entry] | None:
        if depth > _DEEPEST:
            return None
        if isinstance(value, list):
            return self._list(value)
        if isinstance(value, dict):
            return self._object(_by_plain_key(value), depth)
        return None

    def _list(self, items: list[object], kind: UnitKind | None = None) -> list[Entry] | None:
        """Entries in a list; a list of bare values has no names, so its order has to tell."""
        if _is_bare(items):
            return [Entry(None, (item,)) for item in items]
        entries = [
            entry
            for item in items
            if isinstance(item, dict) and (entry := self._entry(_by_plain_key(item), kind))
        ]
        return entries or None

    def _object(self, content: Mapping[str, object], depth: int) -> list[Entry] | None:
        by_kind = self._by_kind(content)
        if by_kind is not None:
            return by_kind
        by_name = self._by_name(content)
        if by_name is not None:
            return by_name
        entry = self._entry(content, None)
        if entry is not None and entry.values and (self._single or entry.ref is not None):
            return [entry]
        inner = [v for k, v in content.items() if k in _CONTAINERS and isinstance(v, list | dict)]
        if not inner and len(content) == 1:
            inner = [v for v in content.values() if isinstance(v, list | dict)]
        for value in inner:
            found = self._entries(value, depth=depth + 1)
            if found is not None:
                return found
        return None

    def _by_kind(self, content: Mapping[str, object]) -> list[Entry] | None:
        """`{"essential": [...], "bonus": [...]}`, numbered within their kind where they are not
        numbered themselves."""
        found: list[Entry] = []
        for key, value in content.items():
            kind = self._names.kind(key)
            if kind is None or kind is UnitKind.STATEMENT or not isinstance(value, list):
                continue
            entries = self._list(value, kind) or []
            if all(e.ref is None for e in entries):
                entries = [replace(e, ref=UnitRef(kind, i)) for i, e in enumerate(entries, 1)]
            found.extend(entries)
        return found or None

    def _by_name(self, content: Mapping[str, object]) -> list[Entry] | None:
        """`{"E1": {...}, "E2": 4}`: the keys are the units' names."""
        found: list[Entry] = []
        for key, value in content.items():
            ref = self._names.ref(key)
            if ref is None:
                continue
            for one in _each(value):
                if isinstance(one, dict):
                    entry = self._entry(_by_plain_key(one), ref.kind)
                    found.append(replace(entry or Entry(None, ()), ref=ref))
                elif not isinstance(one, list):
                    found.append(Entry(ref, (one,)))
        return found or None

    def _entry(self, content: Mapping[str, object], kind: UnitKind | None) -> Entry | None:
        """One entry, if the object has a value or names a unit."""
        kind = self._names.kind(_first(content, _KIND)) or kind
        ref = self._ref(content, kind)
        values = self._values(content)
        if not values and ref is None:
            return None
        return Entry(ref, values, _text(_first(content, _REASONING)), self._quotes(content))

    def _values(self, content: Mapping[str, object]) -> tuple[object, ...]:
        """What stands under the usual keys, all of them; else under the first of the others that
        is not the unit's name."""
        keys = [key for key in self._value_keys if key in content]
        if not keys:
            others = (key for key in self._other_keys if key in content)
            keys = [key for key in others if self._names.ref(content[key]) is None][:1]
        return tuple(value for key in keys for value in _each(content[key]))

    def _ref(self, content: Mapping[str, object], kind: UnitKind | None) -> UnitRef | None:
        """The unit that it names. In a statement's entry `passage` is a rank, not a name."""
        keys = [k for k in _NAMES if k in content and not (self._statements and k == "passage")]
        refs = (self._names.ref(content[key], kind) for key in keys)
        return next((ref for ref in refs if ref is not None), None)

    def _quotes(self, content: Mapping[str, object]) -> tuple[Quote, ...]:
        rank_keys = [k for k in _RANKS if k in content]
        if not self._statements:
            rank_keys = [k for k in rank_keys if k != "passage"]
        rank = _rank(content[rank_keys[0]]) if rank_keys else None
        found = list(_quotes_in(_first(content, _QUOTES), rank))
        if not found and rank is not None:
            found = [Quote("", rank)]
        return tuple(found)


def _is_bare(items: Sequence[object]) -> bool:
    """Whether a list holds bare values that can be scores or verdicts, and no long texts."""
    return all(
        len(item) <= _LONGEST_VALUE
        if isinstance(item, str)
        else isinstance(item, int | Decimal | None)
        for item in items
    )


def _quotes_in(value: object, rank: int | None) -> Iterator[Quote]:
    if isinstance(value, str) and value.strip():
        yield Quote(value.strip(), rank)
    elif isinstance(value, list):
        for item in value:
            yield from _quotes_in(item, rank)
    elif isinstance(value, dict):
        content = _by_plain_key(value)
        text = _text(_first(content, _QUOTED))
        named = next((r for k in _QUOTE_RANKS if (r := _rank(content.get(k))) is not None), rank)
        if text.strip():
            yield Quote(text.strip(), named)


def _rank(value: object) -> int | None:
    """A rank, as 2 or "passage 2"; `None` for anything else, several of them included."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    digits = re.findall(r"\d+", value) if isinstance(value, str) else []
    return int(digits[0]) if len(digits) == 1 and len(digits[0]) < 7 else None


def _each(value: object) -> tuple[object, ...]:
    return value.values if isinstance(value, Twice) else (value,)


def _by_plain_key(content: Mapping[str, object]) -> dict[str, object]:
    """The content by its keys in small letters and without signs."""
    plain: dict[str, object] = {}
    for key, value in content.items():
        name = _plain(str(key))
        if name in plain and plain[name] != value:
            value = Twice((plain[name], value))
        plain[name] = value
    return plain


@lru_cache(maxsize=1000)
def _plain(key: str) -> str:
    """A key in small letters and without signs; replies of one model have the same few keys."""
    return re.sub(r"[\W_]+", "", key).casefold()


def _first(content: Mapping[str, object], keys: Sequence[str]) -> object:
    for key in keys:
        value = content.get(key)
        if value is not None:
            return value
    return None


def _text(value: object) -> str:
    if isinstance(value, list):
        return "\n".join(t for t in map(_text, value) if t)
    return value.strip() if isinstance(value, str) else ""

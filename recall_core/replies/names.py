"""How replies name the unit they speak of: `E1`, "Essential passage 2", 3, or its own text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache

from recall_core.types import Unit, UnitKind, UnitRef

_NAME = re.compile(
    r"[\W_]*(?P<kind>essential|bonus|statement|sentence|claim|passage|[ebs])?"
    r"[\W_]*(?:passage)?[\W_]*(?:no\.?|number|nr\.?)?[\W_]*(?P<number>\d{1,6})[\W_]*",
    re.IGNORECASE,
)
_KINDS = {
    "essential": UnitKind.ESSENTIAL,
    "e": UnitKind.ESSENTIAL,
    "bonus": UnitKind.BONUS,
    "b": UnitKind.BONUS,
    "statement": UnitKind.STATEMENT,
    "sentence": UnitKind.STATEMENT,
    "claim": UnitKind.STATEMENT,
    "s": UnitKind.STATEMENT,
}


class Names:
    """Finds the unit a reply means. Units of one kind may be named by their number alone."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self._units = units
        self._kinds = {u.ref.kind for u in units}
        self._only = next(iter(self._kinds)) if len(self._kinds) == 1 else None

    def ref(self, name: object, kind: UnitKind | None = None) -> UnitRef | None:
        """The unit of that name, which need not be one that was asked about; `None`: no name of
        any. `kind` is what stands elsewhere about its kind."""
        if isinstance(name, bool) or name is None:
            return None
        if isinstance(name, int | Decimal):
            return self._numbered(int(name), kind) if name == int(name) else None
        if not isinstance(name, str):
            return None
        named = _named(name)
        if named is None:
            return self._with_text(_folded(name))
        number, its_kind = named
        return self._numbered(number, its_kind or kind)

    def _with_text(self, folded: str) -> UnitRef | None:
        """The unit whose text that is, where it is one unit's alone."""
        begins = folded[:1]
        found = [
            unit.ref
            for unit in self._units
            if _may_begin(unit.text, begins) and _folded(unit.text) == folded
        ]
        return found[0] if len(found) == 1 else None

    def kind(self, word: object) -> UnitKind | None:
        """The kind that a word names: `essential`, "BONUS PASSAGE", "statement"."""
        kind = _kind_named(word) if isinstance(word, str) else None
        return kind if kind in self._kinds else None

    def _numbered(self, number: int, kind: UnitKind | None) -> UnitRef | None:
        kind = kind or self._only
        return None if kind is None or number < 0 else UnitRef(kind, number)


# Replies of one model have the same few names and keys.
@lru_cache(maxsize=1000)
def _named(name: str) -> tuple[int, UnitKind | None] | None:
    """The number in a name, and the kind where it says one."""
    match = _NAME.fullmatch(unicodedata.normalize("NFKC", name.strip()))
    return None if match is None else (int(match["number"]), _kind(match["kind"]))


@lru_cache(maxsize=1000)
def _kind_named(word: str) -> UnitKind | None:
    return _kind(re.sub(r"[\W_]*(?:passages?|scores?)?[\W_]*$", "", word, flags=re.IGNORECASE))


def _kind(word: str | None) -> UnitKind | None:
    return _KINDS.get((word or "").strip().casefold())


def _may_begin(text: str, letter: str) -> bool:
    """Whether the text by its letters alone may begin so; most do not, and need not be folded."""
    first = text[:1]
    return not first.isalnum() or first.casefold()[:1] == letter


def _folded(text: str) -> str:
    """A text by its letters and digits alone."""
    return re.sub(r"[\W_]+", "", text).casefold()

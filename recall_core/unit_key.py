"""When two runs have judged the same thing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import lru_cache

from recall_core.types import UnitKind


class UnitKeys:
    """The keys of units that are looked for in the same texts.

    A key has 128 bits (32 hex digits) over the texts, the unit's kind and its text. Each part is
    hashed with its length, so that moving a character from one text to the next gives another key.
    The texts come first, so that they are hashed once for all units of an example.
    """

    def __init__(self, scored_texts: Iterable[str]) -> None:
        self._digest = hashlib.sha256(b"".join(map(_part, scored_texts)))

    def key(self, kind: UnitKind, unit_text: str) -> str:
        """The key of one unit."""
        digest = self._digest.copy()
        digest.update(_part(kind.value) + _part(unit_text))
        return digest.hexdigest()[:32]


@lru_cache(maxsize=1024)
def text_key(kind: UnitKind, unit_text: str) -> str:
    """The key of a unit whatever it is looked for in; the same few come with every sample."""
    return UnitKeys(()).key(kind, unit_text)


def _part(text: str) -> bytes:
    data = text.encode("utf-8", "surrogatepass")
    return b"%d:%b" % (len(data), data)

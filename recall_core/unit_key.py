"""When two runs have judged the same thing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from recall_core.types import UnitKind


def unit_key(kind: UnitKind, unit_text: str, scored_texts: Iterable[str]) -> str:
    """128 bits (32 hex digits) over kind, unit text and the texts it was looked for in.

    Each part is hashed with its length, so that moving a character from one text to the next
    gives another key.
    """
    digest = hashlib.sha256()
    for part in (kind.value, unit_text, *scored_texts):
        data = part.encode("utf-8", "surrogatepass")
        digest.update(f"{len(data)}:".encode())
        digest.update(data)
    return digest.hexdigest()[:32]

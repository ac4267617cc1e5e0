"""Which units are kept to test a new prompt."""

from __future__ import annotations

import hashlib


def held_out(text: str) -> bool:
    """Whether a unit of this text is among those that are kept to test a new prompt: half of all
    texts, the same half at all times and everywhere.

    Units of the same text are on the same side, so nothing leaks from one example to another.
    """
    words = " ".join(text.split()).casefold()
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).digest()[0] % 2 == 1

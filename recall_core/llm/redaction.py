"""Keeps keys out of everything that is shown, logged or stored."""

from __future__ import annotations

import re
from collections.abc import Iterable

HIDDEN = "[key]"
_KEY_LIKE = re.compile(r"\bsk-[\w*.-]{6,}|(?<=Bearer )[^\s\"',}]+", re.IGNORECASE)
_SHORTEST = 6
"""Shorter "keys" (`none`, `x`) are placeholders of local servers, and ordinary words besides."""


class Redactor:
    """Replaces the given keys, and whatever looks like a key, by `[key]`."""

    def __init__(self, keys: Iterable[str] = ()) -> None:
        self._keys = sorted((k for k in keys if len(k) >= _SHORTEST), key=len, reverse=True)

    def __call__(self, text: str) -> str:
        return _KEY_LIKE.sub(HIDDEN, self.keys_only(text))

    def keys_only(self, text: str) -> str:
        """The text without the given keys; for what a model says, which may well look like one."""
        for key in self._keys:
            text = text.replace(key, HIDDEN)
        return text

    def __repr__(self) -> str:
        return f"Redactor({len(self._keys)} keys)"

"""How values of metadata are written where people choose among them."""

from __future__ import annotations

import json

from recall_core.types import Json


def value_text(value: Json) -> str | None:
    """The value as a word to show and to filter by; `None` where it is missing or null."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, sort_keys=True)

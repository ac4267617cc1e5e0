"""Values that are kept as metadata, as plain JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal

from recall_core.ingest.cells import unwrapped
from recall_core.ingest.trouble import CellError
from recall_core.types import Json


def plain_json(value: object) -> Json:
    """The same value in JSON's types: dates as ISO text, arrays as lists, not-a-number as null.

    `CellError` for what JSON cannot say, such as infinity or binary data.
    """
    plain = unwrapped(value)
    if isinstance(plain, str):
        return storable(plain)
    if plain is None or isinstance(plain, bool | int):
        return plain
    if isinstance(plain, Mapping):
        return {storable(str(key)): plain_json(item) for key, item in plain.items()}
    if isinstance(plain, list | tuple):
        return [plain_json(item) for item in plain]
    return _number_or_date(plain)


def _number_or_date(value: object) -> Json:
    if isinstance(value, float | Decimal):
        if not math.isfinite(value):
            raise CellError("Infinity cannot be kept. Write a number or leave it empty.")
        whole = isinstance(value, Decimal) and value == value.to_integral_value()
        return int(value) if whole else float(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return str(value)
    raise CellError(f"A value of type {type(value).__name__} cannot be kept as metadata.")


def plain_text(value: object) -> str:
    """A value as the text of one cell: texts as they are, lists and objects as JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    try:
        return json.dumps(plain_json(value), ensure_ascii=False)
    except CellError:
        return str(value)


def storable(text: str) -> str:
    """The text without what no database keeps: NUL is removed, half a surrogate pair replaced."""
    if "\0" in text:
        text = text.replace("\0", "")
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text

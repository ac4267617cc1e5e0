"""Values that are kept as metadata, as plain JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal

from recall_core.ingest.cells import unwrapped
from recall_core.ingest.limits import MAX_NESTING
from recall_core.ingest.storing import storable
from recall_core.ingest.trouble import CellError
from recall_core.types import Json


def plain_json(value: object, *, levels: int = MAX_NESTING) -> Json:
    """The same value in JSON's types: dates as ISO text, arrays as lists, not-a-number as null.

    `CellError` for what JSON cannot say, such as infinity or binary data, and for lists and objects
    that are more than `levels` deep.
    """
    if levels < 0:
        raise CellError(f"It is nested more than {MAX_NESTING} levels deep.")
    plain = unwrapped(value)
    if isinstance(plain, str):
        return storable(plain)
    if plain is None or isinstance(plain, bool | int):
        return plain
    if isinstance(plain, Mapping):
        return {
            storable(str(key)): plain_json(item, levels=levels - 1) for key, item in plain.items()
        }
    if isinstance(plain, list | tuple):
        return [plain_json(item, levels=levels - 1) for item in plain]
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
    """A value as the text of one cell: texts as they can be stored, lists and objects as JSON."""
    if value is None or isinstance(value, str):
        return storable(value or "")
    try:
        return json.dumps(plain_json(value), ensure_ascii=False)
    except CellError:
        return _python_text(value)


def _python_text(value: object) -> str:
    try:
        return storable(str(value))
    except RecursionError:
        return f"({type(value).__name__})"

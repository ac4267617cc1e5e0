"""Values that are kept as metadata, as plain JSON."""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal

from recall_core.ingest.cells import unwrapped
from recall_core.ingest.limits import MAX_BINARY_BYTES, MAX_NESTING, megabytes
from recall_core.ingest.storing import REMOVED, storable
from recall_core.ingest.trouble import CellError
from recall_core.types import Json

_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
"""What no text has, but numbers and pictures do."""

Notice = Callable[[str], None]
"""Is told what was done to a value that its owner may not expect."""


def _unheard(_: str) -> None:
    """For callers whose reader sees the value itself."""


def plain_json(value: object, notice: Notice = _unheard, *, levels: int = MAX_NESTING) -> Json:
    """The same value in JSON's types: dates as ISO text, arrays as lists, not-a-number as null,
    binary data as the UTF-8 text that it spells or else in base64.

    `CellError` for what JSON cannot say, such as infinity, for binary data beyond
    `MAX_BINARY_BYTES`, and for lists and objects that are more than `levels` deep.
    """
    if levels < 0:
        raise CellError(f"It is nested more than {MAX_NESTING} levels deep.")
    plain = unwrapped(value)
    if isinstance(plain, str):
        return _text(plain, notice)
    if plain is None or isinstance(plain, bool | int):
        return plain
    if isinstance(plain, Mapping):
        return {
            _text(str(key), notice): plain_json(item, notice, levels=levels - 1)
            for key, item in plain.items()
        }
    if isinstance(plain, list | tuple):
        return [plain_json(item, notice, levels=levels - 1) for item in plain]
    if isinstance(plain, bytes | bytearray):
        return _binary(bytes(plain), notice)
    return _number_or_date(plain)


def _text(text: str, notice: Notice) -> str:
    kept = storable(text)
    if kept != text:
        notice(REMOVED)
    return kept


def _binary(data: bytes, notice: Notice) -> str:
    """Some writers of Parquet mark texts as binary, so what spells a text is one."""
    if len(data) > MAX_BINARY_BYTES:
        raise CellError(
            f"It is {megabytes(len(data))} of binary data; "
            f"at most {megabytes(MAX_BINARY_BYTES)} are kept."
        )
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = ""
    if not text or _CONTROLS.search(text):
        notice("binary data, kept in base64")
        return base64.b64encode(data).decode("ascii")
    notice("binary data, read as UTF-8 text")
    return text


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

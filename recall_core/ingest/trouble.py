"""What can be wrong with a row, said so that somebody can put it right."""

from __future__ import annotations

import json
from dataclasses import dataclass

from recall_core.ingest.storing import storable

_SAID = 120


class CellError(Exception):
    """A value that cannot be read; the message is the reason, without row and field."""


@dataclass(frozen=True, slots=True)
class _Remark:
    """`field` is what people call it, or the column, or empty for the row as a whole; `said` is
    the beginning of what the file says there."""

    row: int
    field: str
    reason: str
    said: str = ""

    def __str__(self) -> str:
        where = f"Row {self.row}, {self.field}" if self.field else f"Row {self.row}"
        return f"{where}: {self.reason}"


class RowProblem(_Remark):
    """Why a row is left out."""

    __slots__ = ()


class RowNotice(_Remark):
    """What was done with a row that its owner may not expect; the row itself is good."""

    __slots__ = ()


def shown(value: object) -> str:
    """The beginning of a value on one line, of characters that can be shown and stored."""
    if value is None:
        return ""
    if isinstance(value, bytes | bytearray):
        return f"({len(value):,} bytes)"
    if isinstance(value, str):
        text = value
    else:
        try:
            text = json.dumps(value, ensure_ascii=False, default=str)
        except (TypeError, ValueError, RecursionError):
            text = f"({type(value).__name__})"
    text = storable(" ".join(text[: _SAID * 4].split()))
    return text if len(text) <= _SAID else f"{text[: _SAID - 1]}…"

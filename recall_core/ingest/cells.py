"""One cell: a text, or a list in any of the forms in which tools write lists."""

from __future__ import annotations

import ast
import io
import json
import math
import re
import tokenize
from dataclasses import dataclass
from decimal import Decimal

from recall_core.export.safe_cells import restored
from recall_core.ingest.trouble import CellError

MISSING_WORDS = frozenset({"nan", "null", "<na>", "#n/a"})
"""What spreadsheets and pandas write where there is nothing, in any case."""

NUMPY_HINT = (
    "This is numpy's own text of an array, without commas, so it cannot be told where one passage "
    "ends. Export lists instead: df[column] = df[column].map(list), then "
    'df.to_json("file.jsonl", orient="records", lines=True).'
)
# Not the comma, which stands in every prose.
_MAY_SEPARATE = ("\n", "\r", ";", "|", "\t")
_LONGEST_LITERAL = 5_000_000
_LIST_START = re.compile(
    r"""\[\s*(?:["'{\]]|\[\s*["'{\[\]]|[uUrRbB]["']|(?:None|null|nan|NaN)\s*[,\]])"""
)
_PYTHON_START = re.compile(r"""[({]\s*["'\])}]""")
# Escapes that Python's own text of a string never has; its parser would only warn about them.
_NO_ESCAPE = re.compile(
    r"""(?<!\\)(?:\\\\)*\\(?:[^\\'"abfnrtvxuUN0-7\r\n]|[4-7][0-7]{2})""",
)
_ARRAY = re.compile(r"(?:np\.|numpy\.)?array\((\[.*\])(?:,\s*dtype=[\w.<>'\"]+)?\)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Text:
    """A text cell; `None` is missing."""

    value: str | None
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Items:
    """A list cell; `None` is missing, an empty tuple is a list without items."""

    value: tuple[object, ...] | None
    notice: str = ""


def read_text(cell: object, *, typed: bool) -> Text:
    """A cell that should hold one text. Numbers become text; lists and objects are a `CellError`.

    In files without types (`typed` false) the words for "nothing" are missing values, and the
    apostrophe that protects a text from spreadsheets (`export.safe_cells`) is taken off.
    """
    value = unwrapped(cell)
    if value is None:
        return Text(None)
    if isinstance(value, str):
        if not value.strip():
            return Text(None, "is blank and counts as missing" if typed and value else "")
        if not typed and is_missing_word(value):
            return Text(None, f"{value.strip()} counts as missing")
        return Text(value if typed else restored(value))
    return Text(_scalar_text(value))


def _scalar_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    if isinstance(value, int | float | Decimal):
        return str(value)
    if isinstance(value, list | tuple):
        raise CellError("This is a list where one text is expected.")
    if isinstance(value, dict):
        raise CellError("This is an object where one text is expected.")
    raise CellError(f"This is {_kind(value)}, not text.")


def read_items(cell: object, *, typed: bool, split_at: str | None = None) -> Items:
    """A cell that should hold a list: a list, an array, JSON text, Python text, or one plain text.

    A plain text is one item unless the person chose where to split (`split_at`); a notice says so
    if it has a line break, or another mark at which it could be split.
    """
    value = unwrapped(cell)
    if value is None:
        return Items(None)
    if isinstance(value, list | tuple):
        return Items(tuple(value))
    if isinstance(value, dict):
        return Items((value,), "one object, taken as a list of one")
    if not isinstance(value, str):
        return Items((_scalar_text(value),), "one value, taken as a list of one")
    if not value.strip():
        return Items(None)
    if is_missing_word(value) or value.strip().lower() == "none":
        return Items(None, f"{value.strip()} counts as missing")
    return _items_of_text(value, typed, split_at)


def _items_of_text(value: str, typed: bool, split_at: str | None) -> Items:
    parsed = parse_list_text(value)
    if parsed is not None:
        return Items(parsed, "a list written as text, read as a list" if typed else "")
    if split_at:
        parts = _split(value, split_at)
        return Items(tuple(part.strip() for part in parts if part.strip()))
    splittable = any(mark in value.strip() for mark in _MAY_SEPARATE)
    notice = "one passage, not split" if splittable else ""
    return Items((value if typed else restored(value),), notice)


def _split(text: str, split_at: str) -> list[str]:
    if split_at == "\n":
        return text.splitlines()
    if split_at == "\n\n":
        return re.split(r"(?:\r?\n[^\S\n]*){2,}", text)
    return text.split(split_at)


def parse_list_text(text: str) -> tuple[object, ...] | None:
    """The list that a text spells in JSON or Python, or `None` if it is not meant as a list.

    `CellError` if it is meant as one and cannot be read: numpy's form without commas, which Python
    itself would silently join into one text, or a list that is cut off.
    """
    stripped = text.strip()
    array = _ARRAY.fullmatch(stripped)
    if array:
        stripped = array[1]
    opening = stripped[:1]
    if opening not in ("[", "(", "{"):
        return None
    meant = bool(_LIST_START.match(stripped))
    value = _literal(stripped, meant)
    if isinstance(value, list):
        return tuple(value)
    if isinstance(value, tuple):
        return value
    if isinstance(value, dict):
        return (value,)
    if meant:
        raise CellError(
            "This looks like a list but cannot be read as JSON or Python. Is it cut off?"
        )
    return None


def _literal(text: str, meant: bool) -> object:
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        pass  # Not JSON; it may still be Python's text of a list.
    if len(text) > _LONGEST_LITERAL or not (meant or _PYTHON_START.match(text)):
        return None
    if meant and _lacks_commas(text):
        raise CellError(NUMPY_HINT)
    if _NO_ESCAPE.search(text):
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None


def _no_constant(literal: str) -> object:
    raise ValueError(f"{literal} is not JSON")


def _lacks_commas(text: str) -> bool:
    """Whether two values stand side by side with nothing between them."""
    previous: str | None = None
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NL:
                continue
            starts = token.type == tokenize.STRING or token.string in ("{", "[")
            if starts and previous in ("string", "]", "}"):
                return True
            previous = "string" if token.type == tokenize.STRING else token.string
    except (tokenize.TokenError, SyntaxError):
        return False
    return False


def is_missing_word(text: str) -> bool:
    """Whether the text is only a word for "nothing"."""
    return len(text) < 20 and text.strip().lower() in MISSING_WORDS


def unwrapped(value: object) -> object:
    """Arrays and array scalars as plain values; every not-a-number as `None`."""
    if isinstance(value, str | list | tuple | dict | int) or value is None:
        return value
    if hasattr(value, "tolist"):
        return unwrapped(value.tolist())
    if isinstance(value, float) and math.isnan(value):
        return None
    return None if type(value).__name__ in ("NAType", "NaTType") else value


def _kind(value: object) -> str:
    return {"bytes": "binary data"}.get(type(value).__name__, f"a {type(value).__name__}")

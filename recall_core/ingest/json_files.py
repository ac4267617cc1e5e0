"""JSON documents and JSON lines as rows."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import TextIO

from recall_core.ingest.limits import (
    COLUMN_ROWS,
    MAX_COLUMNS,
    MAX_JSON_BYTES,
    MAX_LINE_CHARACTERS,
    MAX_NESTING,
    megabytes,
)
from recall_core.ingest.source import Source
from recall_core.ingest.storing import storable
from recall_core.ingest.table import FileFormat, RawRow, Table
from recall_core.ingest.values import plain_text

_WRAPPERS = ("results", "data", "examples")


class _Literal:
    """Stands where a file has NaN or Infinity, which are not JSON."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text


class _Decoder:
    """Decodes JSON and notes whether it met a literal that is not JSON."""

    def __init__(self) -> None:
        self.met_literal = False
        self._decoder = json.JSONDecoder(parse_constant=self._constant)

    def _constant(self, text: str) -> _Literal:
        self.met_literal = True
        return _Literal(text)

    def decode(self, text: str) -> object:
        self.met_literal = False
        return self._decoder.decode(text)

    def decode_all(self, text: str) -> list[object]:
        """Every document of a text that holds several, one after the other."""
        self.met_literal = False
        values, position = [], 0
        while position < len(text):
            value, position = self._decoder.raw_decode(text, position)
            values.append(value)
            while position < len(text) and text[position] in " \t\r\n,":
                position += 1
        return values


def read_json_lines(source: Source, encoding: str) -> Table:
    """One object a line; a line that cannot be read is a row with a problem."""

    def rows() -> Iterator[RawRow]:
        decoder = _Decoder()
        with source.open_text(encoding, newline="\n") as stream:
            for number, line in _lines(stream):
                yield _line_row(number, line, decoder)

    columns = _columns(source, islice(rows(), COLUMN_ROWS))
    return Table(source.filename, FileFormat.JSONL, columns, rows, source.size, encoding)


def _lines(stream: TextIO) -> Iterator[tuple[int, str | None]]:
    """Lines with their number, without blank ones; `None` for one that is too long."""
    number = 0
    while line := stream.readline(MAX_LINE_CHARACTERS):
        number += 1
        if len(line) == MAX_LINE_CHARACTERS and not line.endswith("\n"):
            while line and not line.endswith("\n"):
                line = stream.readline(MAX_LINE_CHARACTERS)
            yield number, None
        elif line.strip():
            yield number, line


def _line_row(number: int, line: str | None, decoder: _Decoder) -> RawRow:
    if line is None:
        limit = megabytes(MAX_LINE_CHARACTERS)
        return RawRow(number, {}, f"Line {number} is longer than {limit}.")
    try:
        value = decoder.decode(line.lstrip("\ufeff").strip())
    except json.JSONDecodeError as error:
        reason = f"Line {number} is not valid JSON: {_wrong(error)} at character {error.colno}."
        return RawRow(number, {}, reason, line.rstrip("\n"))
    except (ValueError, RecursionError) as error:
        return RawRow(
            number, {}, f"Line {number} cannot be read: {_too_much(error)}.", line.rstrip("\n")
        )
    return _object_row(number, value, decoder.met_literal)


def _wrong(error: json.JSONDecodeError) -> str:
    """What Python says is wrong; some of its messages end in "at", before the place."""
    return error.msg.removesuffix(" at")


def _too_much(error: ValueError | RecursionError) -> str:
    """Why Python does not read what is JSON."""
    if isinstance(error, RecursionError):
        return "its lists or objects are nested too deeply"
    return "a number has more digits than any number needs"


def _object_row(number: int, value: object, look_for_literals: bool) -> RawRow:
    if not isinstance(value, dict):
        return RawRow(number, {}, "This is not an object with named fields.", plain_text(value))
    value = {storable(key): item for key, item in value.items()}
    for key, item in value.items():
        if _is_too_deep(item):
            reason = f"{key} is nested more than {MAX_NESTING} levels deep."
            return RawRow(number, {}, reason, plain_text(value))
        literal = _find_literal(item) if look_for_literals else None
        if literal is not None:
            reason = (
                f"{key} holds {literal}, which is not JSON. Write null where there is no value."
            )
            said = storable(json.dumps(value, default=str, ensure_ascii=False))
            return RawRow(number, {}, reason, said)
    return RawRow(number, value)


def _is_too_deep(value: object) -> bool:
    """Whether lists and objects lie in each other more than `MAX_NESTING` levels deep."""
    level = [value]
    for _ in range(MAX_NESTING + 1):
        level = [item for outer in level for item in _inside(outer)]
        if not level:
            return False
    return True


def _inside(value: object) -> Collection[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _find_literal(value: object) -> _Literal | None:
    if isinstance(value, _Literal):
        return value
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return next((found for item in value if (found := _find_literal(item))), None)
    return None


def read_json(source: Source, encoding: str) -> Table:
    """A JSON document: a list of objects, one object, or an object that wraps the list."""
    if source.size > MAX_JSON_BYTES:
        raise source.unreadable(
            f"a JSON document of more than {megabytes(MAX_JSON_BYTES)} would have to be held in "
            "memory whole. Save it as JSON lines (.jsonl), which have no such limit."
        )
    decoder = _Decoder()
    records = _records(_load(source, encoding, decoder))
    met_literal = decoder.met_literal

    def rows() -> Iterator[RawRow]:
        for number, record in enumerate(records, 1):
            yield _object_row(number, record, met_literal)

    columns = _columns(source, rows())
    return Table(source.filename, FileFormat.JSON, columns, rows, source.size, encoding)


def _load(source: Source, encoding: str, decoder: _Decoder) -> object:
    with source.open_text(encoding) as stream:
        text = stream.read().lstrip("\ufeff").strip()
    try:
        return decoder.decode(text)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            return _several(source, text, decoder)
        raise source.unreadable(
            f"it is not valid JSON: {_wrong(error)} in line {error.lineno}, "
            f"character {error.colno}."
        ) from None
    except (ValueError, RecursionError) as error:
        raise source.unreadable(f"it cannot be read as JSON: {_too_much(error)}.") from None


def _several(source: Source, text: str, decoder: _Decoder) -> list[object]:
    try:
        return decoder.decode_all(text)
    except json.JSONDecodeError as error:
        raise source.unreadable(
            f"it is not valid JSON: {_wrong(error)} in line {error.lineno}, "
            f"character {error.colno}."
        ) from None
    except (ValueError, RecursionError) as error:
        raise source.unreadable(f"it cannot be read as JSON: {_too_much(error)}.") from None


def _records(document: object) -> list[object]:
    if isinstance(document, list):
        return document
    if isinstance(document, dict):
        for key in _WRAPPERS:
            wrapped = document.get(key)
            if isinstance(wrapped, list):
                return wrapped
            if isinstance(wrapped, dict):
                return _records(wrapped)
        return _by_column(document) or [document]
    return [document]


def _by_column(document: Mapping[str, object]) -> list[object]:
    """The rows of pandas' `to_json()`: `{"question": {"0": …, "1": …}, …}`; empty if it is not."""
    cells = list(document.values())
    if not cells or not all(isinstance(cell, dict) and cell for cell in cells):
        return []
    tables = [cell for cell in cells if isinstance(cell, dict)]
    keys = list(tables[0])
    if any(list(cell) != keys or not all(map(str.isdigit, cell)) for cell in tables):
        return []
    return [{c: cell[key] for c, cell in zip(document, tables, strict=True)} for key in keys]


def _columns(source: Source, rows: Iterator[RawRow]) -> tuple[str, ...]:
    columns: dict[str, None] = {}
    for row in rows:
        if len(row.values) <= MAX_COLUMNS:
            columns.update(dict.fromkeys(row.values))
        if len(columns) > MAX_COLUMNS:
            raise source.unreadable(
                f"its rows have more than {MAX_COLUMNS:,} different fields in all."
            )
    return tuple(columns)


def is_json_lines(source: Source, encoding: str) -> bool:
    """Whether the first line is a document of its own and more follow, or the whole is none."""
    with source.open_text(encoding, newline="\n") as stream:
        lines = _lines(stream)
        first = next(lines, None)
        second = next(lines, None)
    if first is None or second is None or first[1] is None:
        return first is not None and first[1] is None
    decoder = _Decoder()
    return any(
        isinstance(_line_row(number, line, decoder).values, dict)
        and _line_row(number, line, decoder).problem is None
        for number, line in (first, second)
    )

"""Delimited text (CSV, TSV) and tagged ground-truth text as rows."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence

from recall_core.ingest.limits import MAX_CELL_CHARACTERS, MAX_COLUMNS
from recall_core.ingest.source import Source
from recall_core.ingest.table import FileFormat, RawRow, Table

# The csv module has one limit for the whole process, and its default refuses long passages.
csv.field_size_limit(MAX_CELL_CHARACTERS)


def read_delimited(source: Source, encoding: str, delimiter: str, format_: FileFormat) -> Table:
    """Rows below the first one, which names the columns."""
    header = _header(source, encoding, delimiter)
    if header is None:
        raise source.unreadable("it has no header row with the names of the columns.")
    columns, notices = column_names(source, header)

    def rows() -> Iterator[RawRow]:
        with source.open_text(encoding) as stream:
            reader = csv.reader(stream, delimiter=delimiter, strict=True)
            yield from _rows(reader, columns, delimiter)

    return Table(
        source.filename,
        format_,
        columns,
        rows,
        source.size,
        encoding,
        delimiter,
        notices=notices,
    )


def _header(source: Source, encoding: str, delimiter: str) -> list[str] | None:
    with source.open_text(encoding) as stream:
        try:
            return next((r for r in csv.reader(stream, delimiter=delimiter) if _is_row(r)), None)
        except csv.Error as error:
            raise source.unreadable(f"its header row cannot be read: {error}.") from None


def _is_row(cells: Sequence[str]) -> bool:
    """Whether it has content; `sep=;` on the first line is Excel's note to itself."""
    return any(cells) and not (cells[0].lower().startswith("sep=") and not any(cells[1:]))


def column_names(
    source: Source, header: Sequence[object]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Unique names for the columns, and notices about those that had to be changed."""
    if len(header) > MAX_COLUMNS:
        raise source.unreadable(
            f"it has {len(header):,} columns; at most {MAX_COLUMNS:,} are read. "
            "Do rows and columns stand the wrong way round?"
        )
    names: dict[str, None] = {}
    notices = []
    for position, cell in enumerate(header, 1):
        wanted = "" if cell is None else str(cell).replace("\ufeff", "").strip()
        name = wanted or f"column {position}"
        copy = 1
        while name in names:
            copy += 1
            name = f"{wanted or f'column {position}'} ({copy})"
        if wanted and name != wanted:
            notices.append(f"There are two columns named {wanted}; the later one is called {name}.")
        names[name] = None
    return tuple(names), tuple(notices)


def _rows(
    reader: Iterator[list[str]], columns: tuple[str, ...], delimiter: str
) -> Iterator[RawRow]:
    number = -1
    header_seen = False
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            number += 1
            yield RawRow(number, {}, _reason(error))
            continue
        if not header_seen:
            header_seen = _is_row(cells)
            number = 0
            continue
        number += 1
        if any(cells):
            yield _row(number, cells, columns, delimiter)


def _row(number: int, cells: list[str], columns: tuple[str, ...], delimiter: str) -> RawRow:
    extra = [cell for cell in cells[len(columns) :] if cell.strip()]
    if extra:
        return RawRow(
            number,
            {},
            f"This row has {len(cells)} cells, the header only {len(columns)}. "
            "Is a delimiter inside a text that has no quotes around it?",
            delimiter.join(cells),
        )
    return RawRow(number, dict(zip(columns, cells, strict=False)))


def _reason(error: csv.Error) -> str:
    message = str(error)
    if "field limit" in message:
        return (
            f"A cell has more than {MAX_CELL_CHARACTERS:,} characters, or its quote never closes."
        )
    if "unexpected end" in message:
        return "A quote opens in this row and never closes."
    return f"This row cannot be read: {message}."


def read_tagged_file(source: Source, encoding: str) -> Table:
    """A text of `[ESSENTIAL PASSAGE]` and `[BONUS PASSAGE]` sections: one row, one column."""
    if source.size > MAX_CELL_CHARACTERS:
        raise source.unreadable(
            f"tagged text of more than {MAX_CELL_CHARACTERS:,} bytes is not read as one example."
        )
    with source.open_text(encoding) as stream:
        text = stream.read()

    def rows() -> Iterator[RawRow]:
        yield RawRow(1, {"ground_truth": text})

    return Table(
        source.filename, FileFormat.TAGGED_TEXT, ("ground_truth",), rows, source.size, encoding
    )

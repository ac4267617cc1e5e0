"""Workbooks (.xlsx) as rows.

The first sheet with names that are known, else the first that has data, unless one is chosen.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from xml.etree.ElementTree import ParseError

import openpyxl
from openpyxl.utils.exceptions import InvalidFileException

from recall_core.ingest.delimited import column_names
from recall_core.ingest.limits import MAX_CELL_CHARACTERS, MAX_WORKBOOK_BYTES, megabytes
from recall_core.ingest.names import is_known
from recall_core.ingest.source import Source
from recall_core.ingest.table import FileFormat, RawRow, Table

_ERRORS = frozenset({"#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#NULL!", "#NUM!"})


def read_workbook(source: Source, sheet: str | None = None) -> Table:
    """Rows below the first one that is not empty; a formula counts as its last stored value."""
    _refuse_what_unpacks_too_large(source)
    with _opened(source) as book:
        sheets = tuple(book.sheetnames)
        if sheet is not None and sheet not in sheets:
            raise source.unreadable(f"it has no sheet {sheet!r}. It has: {', '.join(sheets)}.")
        wanted = [sheet] if sheet is not None else list(sheets)
        found = [(name, header) for name in wanted if (header := _header(book, name))]
    if not found:
        raise source.unreadable("no sheet has a header row with the names of the columns.")
    name, header = next((one for one in found if _names_fields(one[1])), found[0])
    columns, notices = column_names(source, header)

    def rows() -> Iterator[RawRow]:
        with _opened(source) as book:
            yield from _rows(_cells(book, name), columns)

    return Table(
        source.filename,
        FileFormat.XLSX,
        columns,
        rows,
        source.size,
        sheet=name,
        sheets=sheets,
        notices=notices,
    )


def _refuse_what_unpacks_too_large(source: Source) -> None:
    try:
        with source.open() as stream, zipfile.ZipFile(stream) as archive:
            names = archive.namelist()
            unpacked = sum(entry.file_size for entry in archive.infolist())
    except zipfile.BadZipFile:
        raise source.unreadable("it is damaged: not a complete .xlsx file.") from None
    if not any(name.startswith("xl/") for name in names):
        raise source.unreadable(
            "it is a zip archive or a document of another kind. Unpack it, or save it as .xlsx."
        )
    if unpacked > MAX_WORKBOOK_BYTES:
        raise source.unreadable(
            f"unpacked it has {megabytes(unpacked)}; at most {megabytes(MAX_WORKBOOK_BYTES)} are "
            "read. Save it as CSV."
        )


@contextmanager
def _opened(source: Source) -> Iterator[openpyxl.Workbook]:
    with source.open() as stream:
        try:
            book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
        except (InvalidFileException, KeyError, ValueError, ParseError, OSError) as error:
            raise source.unreadable(f"it is damaged or no workbook: {error}.") from None
        try:
            yield book
        except (ParseError, zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise source.unreadable(f"it is damaged: {error}.") from None
        finally:
            book.close()


def _cells(book: openpyxl.Workbook, name: str) -> Iterator[Sequence[object]]:
    sheet = book[name]
    if hasattr(sheet, "reset_dimensions"):
        # The size that a file states is often the whole grid, which would pad every row.
        sheet.reset_dimensions()
        yield from sheet.iter_rows(values_only=True)


def _header(book: openpyxl.Workbook, name: str) -> tuple[object, ...]:
    """The first row with a value, without its empty end; empty if there is none."""
    for row in _cells(book, name):
        while row and _blank(row[-1]):
            row = row[:-1]
        if row:
            return tuple(row)
    return ()


def _names_fields(header: Sequence[object]) -> bool:
    """Whether a column has a name that is known, which a sheet of notes in front has not."""
    return any(isinstance(cell, str) and is_known(cell) for cell in header)


def _rows(cells: Iterator[Sequence[object]], columns: tuple[str, ...]) -> Iterator[RawRow]:
    number = -1
    for row in cells:
        blank = all(map(_blank, row))
        if number < 0:
            number = -1 if blank else 0
            continue
        number += 1
        if not blank:
            yield _row(number, row, columns)


def _row(number: int, row: Sequence[object], columns: tuple[str, ...]) -> RawRow:
    values = {name: _value(cell) for name, cell in zip(columns, row, strict=False)}
    for name, value in values.items():
        if isinstance(value, str) and len(value) > MAX_CELL_CHARACTERS:
            reason = f"{name} has more than {MAX_CELL_CHARACTERS:,} characters."
            return RawRow(number, {}, reason, value[:80])
    return RawRow(number, values)


def _blank(cell: object) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _value(cell: object) -> object:
    if isinstance(cell, str):
        return None if cell in _ERRORS else cell
    if isinstance(cell, datetime) and cell.time() == time():
        return cell.date().isoformat()
    if isinstance(cell, datetime | date | time):
        return cell.isoformat()
    return str(cell) if isinstance(cell, timedelta) else cell

"""Opening a file: what it is, and its rows."""

from __future__ import annotations

from pathlib import Path

from recall_core.errors import UnreadableFile
from recall_core.ingest.delimited import read_delimited, read_tagged_file
from recall_core.ingest.detecting import (
    detect_delimiter,
    detect_encoding,
    detect_format,
    is_binary,
)
from recall_core.ingest.json_files import is_json_lines, read_json, read_json_lines
from recall_core.ingest.parquet import read_parquet
from recall_core.ingest.source import Source, source_of
from recall_core.ingest.table import FileFormat, Table
from recall_core.ingest.workbook import read_workbook


def read_file(
    place: Path | str | bytes,
    filename: str | None = None,
    *,
    encoding: str | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
) -> Table:
    """A file on disk, or its bytes, as a table.

    Format, encoding and delimiter are detected unless they are given; the table says which they
    are. `UnreadableFile` if the file as a whole cannot be read; single bad rows are rows with a
    problem.
    """
    source = source_of(place, filename)
    if is_binary(source):
        if detect_format(source, None) is FileFormat.PARQUET:
            return read_parquet(source)
        return read_workbook(source, sheet)
    try:
        return _read_text_file(source, encoding or detect_encoding(source), delimiter)
    except UnicodeDecodeError as error:
        raise source.unreadable(
            f"it is not {error.encoding} throughout (byte {error.start}). Choose its encoding."
        ) from None
    except LookupError:
        raise source.unreadable(f"there is no encoding named {encoding}.") from None


def _read_text_file(source: Source, encoding: str, delimiter: str | None) -> Table:
    format_ = detect_format(source, encoding)
    if format_ in (FileFormat.JSON, FileFormat.JSONL):
        return _read_json(source, encoding, format_)
    if format_ is FileFormat.TAGGED_TEXT:
        return read_tagged_file(source, encoding)
    delimiter = delimiter or detect_delimiter(source, encoding, format_)
    return read_delimited(source, encoding, delimiter, format_)


def _read_json(source: Source, encoding: str, format_: FileFormat) -> Table:
    """JSON lines, or one document; a file that is named as JSON lines may begin with bad ones."""
    if is_json_lines(source, encoding):
        return read_json_lines(source, encoding)
    try:
        return read_json(source, encoding)
    except UnreadableFile:
        if format_ is FileFormat.JSONL:
            lines = read_json_lines(source, encoding)
            if lines.columns:
                return lines
        raise

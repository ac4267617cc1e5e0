"""A file as rows of named values, before anybody has said what its columns mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice

from recall_core.ingest.limits import SAMPLE_ROWS, megabytes


class FileFormat(StrEnum):
    """What a file is, whatever its name says."""

    CSV = "csv"
    TSV = "tsv"
    JSON = "json"
    JSONL = "jsonl"
    XLSX = "xlsx"
    PARQUET = "parquet"
    TAGGED_TEXT = "tagged text"

    @property
    def typed(self) -> bool:
        """Whether a value in the file has a type, so that a list is a list and not its text."""
        return self in (FileFormat.JSON, FileFormat.JSONL, FileFormat.PARQUET)


@dataclass(frozen=True, slots=True)
class RawRow:
    """One record. `number` counts from 1 below the header; in JSON lines it is the line.

    `problem` says why the record could not be read at all; `values` is then empty and `said`
    holds what stands there, as far as it is known.
    """

    number: int
    values: Mapping[str, object]
    problem: str | None = None
    said: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A file that can be read; `rows()` starts from the top every time it is called."""

    filename: str
    format: FileFormat
    columns: tuple[str, ...]
    open_rows: Callable[[], Iterator[RawRow]] = field(repr=False)
    size: int | None = None
    encoding: str | None = None
    delimiter: str | None = None
    sheet: str | None = None
    sheets: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()

    def rows(self) -> Iterator[RawRow]:
        """Every record in the file's order, one at a time."""
        return self.open_rows()

    def sample(self, count: int = SAMPLE_ROWS) -> tuple[RawRow, ...]:
        """The first `count` records."""
        return tuple(islice(self.rows(), count))

    @property
    def description(self) -> str:
        """What was detected, for people: `4.2 MB, UTF-8 with BOM, semicolons`."""
        size = None if self.size is None else megabytes(self.size)
        sheet = None if self.sheet is None else f"sheet {self.sheet}"
        delimiter = None if self.delimiter is None else _DELIMITERS.get(self.delimiter)
        encoding = None if self.encoding is None else _ENCODINGS.get(self.encoding, self.encoding)
        parts = [size, encoding, delimiter, sheet]
        if encoding is None:
            parts.insert(1, _FORMATS.get(self.format))
        return ", ".join(part for part in parts if part)


_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
_ENCODINGS = {
    "utf-8": "UTF-8",
    "utf-8-sig": "UTF-8 with BOM",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "cp1252": "cp1252 (Windows)",
}
_FORMATS = {FileFormat.XLSX: "Excel", FileFormat.PARQUET: "Parquet"}

"""Finding out what a file is: its format, its encoding, its delimiter."""

from __future__ import annotations

import codecs
import csv
import io
import re
import unicodedata
from collections.abc import Iterator
from pathlib import PurePath

from charset_normalizer import CharsetMatch, from_bytes

from recall_core.ingest.names import is_known
from recall_core.ingest.source import Source
from recall_core.ingest.table import FileFormat
from recall_core.ingest.tagged import has_marker

_HEAD = 64 * 1024
_CHUNK = 1024 * 1024
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_FOREIGN = {
    b"\xd0\xcf\x11\xe0": "this is an old Excel file (.xls) or one with a password. "
    "Save it as .xlsx without a password, or as CSV.",
    b"\x1f\x8b": "this file is compressed (gzip). Unpack it first.",
    b"%PDF": "this is a PDF, which holds no table that can be read. Save the data as CSV or JSON.",
    b"7z\xbc\xaf": "this file is compressed (7z). Unpack it first.",
}
_DELIMITERS = (",", ";", "\t", "|")
_TABLES = (".csv", ".tsv", ".tab")
_OBJECTS = re.compile(r"""(?:\[\s*)?\{\s*"(?:[^"\\]|\\.)*"\s*:""")
"""One object or a list of them, which no header row of a table begins with."""
_OTHER_LATIN = {
    "cp1250": {"Polish", "Czech", "Slovak", "Hungarian", "Slovene", "Croatian", "Romanian"},
    "cp1254": {"Turkish"},
    "cp1257": {"Lithuanian", "Latvian", "Estonian"},
}
"""Code pages that differ from cp1252 in a few letters only, and for which languages they are."""


def detect_format(source: Source, encoding: str | None) -> FileFormat:
    """The format by the first bytes, then by content, and by the name where both fit."""
    suffix = PurePath(source.filename).suffix.lower()
    if encoding is None:
        return _binary_format(source)
    start = source.head(_HEAD).decode(encoding, errors="replace").lstrip("\ufeff \t\r\n")
    if suffix in (".jsonl", ".ndjson"):
        return FileFormat.JSONL
    if suffix == ".json" or _looks_like_json(start, named_otherwise=suffix in _TABLES):
        return FileFormat.JSON
    if suffix in (".tsv", ".tab"):
        return FileFormat.TSV
    if suffix != ".csv" and has_marker(start):
        return FileFormat.TAGGED_TEXT
    return FileFormat.CSV


def _looks_like_json(start: str, *, named_otherwise: bool) -> bool:
    if named_otherwise:
        return _OBJECTS.match(start) is not None
    if start.startswith("{"):
        return True
    return start.startswith("[") and start[1:].lstrip()[:1] in ("{", "]", '"', "[")


def _binary_format(source: Source) -> FileFormat:
    if source.head(4) == b"PAR1":
        return FileFormat.PARQUET
    return FileFormat.XLSX


def is_binary(source: Source) -> bool:
    """Whether it is a workbook or Parquet; `UnreadableFile` for formats that are not read."""
    head = source.head(8)
    if not head:
        raise source.unreadable("the file is empty.")
    for magic, reason in _FOREIGN.items():
        if head.startswith(magic):
            raise source.unreadable(reason)
    return head.startswith((b"PK\x03\x04", b"PAR1"))


def detect_encoding(source: Source) -> str:
    """The encoding of a text file, as Python names it.

    A byte-order mark decides; then UTF-8 if the whole file is valid UTF-8, since other encodings
    hardly ever are by chance (`UnreadableFile` if only most of it is); then UTF-16 by its zero
    bytes; then what charset-normalizer says of scripts that are not Latin; then cp1252, which is
    what spreadsheets in Western Europe write.
    """
    head = source.head(_HEAD)
    for bom, name in _BOMS:
        if head.startswith(bom):
            return name
    zeros = _utf16_by_zeros(head)
    if zeros is not None:
        return zeros
    bad = _first_byte_that_is_not_utf8(source)
    return "utf-8" if bad is None else _legacy_encoding(source, bad)


def _utf16_by_zeros(head: bytes) -> str | None:
    even, odd = head[0::2].count(0), head[1::2].count(0)
    half = max(1, len(head) // 2)
    if odd > half * 0.3 and even < half * 0.05:
        return "utf-16-le"
    if even > half * 0.3 and odd < half * 0.05:
        return "utf-16-be"
    return None


def _first_byte_that_is_not_utf8(source: Source) -> int | None:
    """Its place in the file, `None` if the whole file is UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    with source.open() as stream:
        while True:
            chunk = stream.read(_CHUNK)
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                return stream.tell() - len(error.object) + error.start
            if not chunk:
                return None


def _legacy_encoding(source: Source, bad: int) -> str:
    with source.open() as stream:
        stream.seek(max(0, bad - _HEAD // 2))
        sample = stream.read(_HEAD)
    if _is_damaged_utf8(sample):
        raise source.unreadable(
            f"it is UTF-8, but not in line {_line_of(source, bad)}, where bytes are damaged or of "
            "another encoding. Put that line right, or choose an encoding for the whole file."
        )
    best = from_bytes(sample).best()
    if best is not None and _is_convincing(best, sample):
        return best.encoding
    try:
        sample.decode("cp1252")
    except UnicodeDecodeError:
        if best is None:
            raise source.unreadable(
                "its encoding was not recognised. Save the file as UTF-8."
            ) from None
        return best.encoding
    return "cp1252"


def _is_damaged_utf8(sample: bytes) -> bool:
    """Whether more characters beyond ASCII are UTF-8 than are not.

    In other encodings hardly any are by chance, and reading the file as one of them would turn
    every umlaut into two wrong letters.
    """
    text = sample.decode("utf-8", errors="replace")
    beyond = [c for c in text if not c.isascii()]
    return 2 * beyond.count("\ufffd") < len(beyond)


def _line_of(source: Source, place: int) -> int:
    """The number of the line, from 1, in which the byte at `place` stands."""
    line, left = 1, place
    with source.open() as stream:
        while left > 0:
            chunk = stream.read(min(left, _CHUNK))
            line += chunk.count(b"\n")
            left -= len(chunk)
    return line


def _is_convincing(guess: CharsetMatch, sample: bytes) -> bool:
    """Whether a guess is more likely than cp1252: text in another script, or in a language that
    cp1252 cannot write. Latin text is too much alike in all of its code pages to go by less."""
    if guess.encoding.startswith(("utf_16", "utf_32")):
        return False
    if guess.language in _OTHER_LATIN.get(guess.encoding, ()):
        return True
    letters = [c for c in sample.decode(guess.encoding, errors="replace") if c.isalpha()]
    foreign = sum("LATIN" not in unicodedata.name(c, "LATIN") for c in letters)
    # Two accented letters in a row also look like one Chinese character; six of them do not.
    return foreign >= 6 and foreign > 0.3 * len(letters)


def detect_delimiter(source: Source, encoding: str, format_: FileFormat) -> str:
    """The delimiter whose header has the most known names, then the most even rows."""
    if format_ is FileFormat.TSV:
        return "\t"
    with source.open_text(encoding) as stream:
        start = stream.read(_HEAD)
    if start[:4].lower() == "sep=" and start[4:5] in _DELIMITERS:
        return start[4]
    scores = {d: _evenness(start, d) for d in _DELIMITERS}
    return max(_DELIMITERS, key=lambda d: scores[d])


def _evenness(start: str, delimiter: str) -> tuple[int, float, int]:
    rows = list(_readable_rows(start, delimiter))
    if not rows or len(rows[0]) < 2:
        return 0, 0.0, 0
    header = rows[0]
    # The sample may end in the middle of a record, which says nothing about the delimiter.
    body = rows[1:-1] or rows[1:]
    even = sum(len(row) == len(header) for row in body) / len(body) if body else 1.0
    return sum(map(is_known, header)), even, len(header)


def _readable_rows(start: str, delimiter: str) -> Iterator[list[str]]:
    """Rows up to the first that cannot be read, as happens with the wrong delimiter."""
    reader = csv.reader(io.StringIO(start), delimiter=delimiter)
    try:
        yield from (row for row in reader if row)
    except csv.Error:
        return

"""How much of a file is read; every refusal names the limit it hit."""

MAX_COLUMNS = 2_000
"""More columns than this is a table lying on its side, or an attack."""

MAX_CELL_CHARACTERS = 10_000_000
"""One cell of a delimited file or a workbook."""

MAX_BINARY_BYTES = 64 * 1024
"""One binary value that is kept as metadata: an id or a fingerprint, and no pictures."""

MAX_LINE_CHARACTERS = 64 * 1024 * 1024
"""One line of JSON lines."""

MAX_JSON_BYTES = 256 * 1024 * 1024
"""A JSON document is held in memory whole; JSON lines are not, and have no such limit."""

MAX_WORKBOOK_BYTES = 512 * 1024 * 1024
"""A workbook after unpacking, so that a small file cannot fill the memory."""

MAX_NESTING = 100
"""Lists and objects inside each other; deeper is an attack, and Python itself gives up at 1,000."""

SAMPLE_ROWS = 200
"""Rows whose values are looked at to tell what a column holds."""

COLUMN_ROWS = 1_000
"""Rows of JSON lines whose keys make the list of columns."""


def megabytes(size: int) -> str:
    """`4.2 MB`, for people."""
    if size < 1024 * 1024:
        return f"{max(1, round(size / 1024))} kB"
    return f"{size / (1024 * 1024):.1f} MB"

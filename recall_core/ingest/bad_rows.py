"""The rows that were left out, as a file to be put right and loaded again."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping

from recall_core.export.safe_cells import protected, restored
from recall_core.ingest.names import REASON_COLUMN, ROW_COLUMN
from recall_core.ingest.parsing import ParsedRow
from recall_core.ingest.storing import storable
from recall_core.ingest.table import Table
from recall_core.ingest.trouble import RowProblem
from recall_core.ingest.values import plain_text

_UNREAD = "text_of_the_row"


def bad_rows_csv(rows: Iterable[ParsedRow], table: Table) -> Iterator[str]:
    """The bad ones of `rows` as lines of CSV: their row, the reason, then the table's columns.

    Both added columns are ignored when the file is loaded again.
    """
    names = [ROW_COLUMN, REASON_COLUMN, *table.columns, _UNREAD]
    yield "\ufeff" + _line(names)
    for row in rows:
        if row.problems:
            cells = [plain_text(row.values.get(column)) for column in table.columns]
            if not table.format.typed:
                # Cells that came protected must not be protected twice.
                cells = [restored(cell) for cell in cells]
            reasons = _reasons(row.problems)
            yield _line(map(protected, [str(row.number), reasons, *cells, row.unread]))


def bad_rows_jsonl(rows: Iterable[ParsedRow]) -> Iterator[str]:
    """The bad ones of `rows` as JSON lines, with the same two fields added."""
    for row in rows:
        if row.problems:
            record: dict[str, object] = {
                ROW_COLUMN: row.number,
                REASON_COLUMN: _reasons(row.problems),
                **_values(row.values),
            }
            if row.unread:
                record[_UNREAD] = row.unread
            yield storable(json.dumps(record, ensure_ascii=False)) + "\n"


def _values(values: Mapping[str, object]) -> dict[str, object]:
    """Values as they are, and those that JSON has no form for as their text."""
    return {
        key: value if isinstance(value, str | int | bool) else json.loads(_json(value))
        for key, value in values.items()
    }


def _json(value: object) -> str:
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return json.dumps(plain_text(value))


def _reasons(problems: Iterable[RowProblem]) -> str:
    return "; ".join(f"{p.field}: {p.reason}" if p.field else p.reason for p in problems)


def _line(cells: Iterable[str]) -> str:
    text = io.StringIO()
    csv.writer(text).writerow(cells)
    return text.getvalue()

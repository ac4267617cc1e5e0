"""Loading a file's content in one call, as the dashboard does it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from recall_core.ingest import (
    ColumnMapping,
    ParsedRow,
    RowNotice,
    RowProblem,
    Table,
    parse_examples,
    read_file,
    suggest_mapping,
)
from recall_core.types import Example


@dataclass(frozen=True)
class Loaded:
    """A file that was read with the mapping its names suggest, perhaps changed."""

    table: Table
    mapping: ColumnMapping
    rows: list[ParsedRow]

    @property
    def examples(self) -> list[Example]:
        return [row.example for row in self.rows if row.example]

    @property
    def problems(self) -> list[RowProblem]:
        return [problem for row in self.rows for problem in row.problems]

    @property
    def notices(self) -> list[RowNotice]:
        return [notice for row in self.rows for notice in row.notices]


Change = Callable[[ColumnMapping], ColumnMapping]


@pytest.fixture
def load() -> Callable[..., Loaded]:
    """`load(content, filename, change)`: records become JSON lines, text is UTF-8."""

    def load_(
        content: bytes | str | list[object],
        filename: str = "rows.jsonl",
        change: Change = lambda mapping: mapping,
        **options: str,
    ) -> Loaded:
        if isinstance(content, list):
            content = "".join(json.dumps(record) + "\n" for record in content)
        data = content.encode() if isinstance(content, str) else content
        table = read_file(data, filename, **options)
        mapping = change(suggest_mapping(table.columns, table.sample()))
        return Loaded(table, mapping, list(parse_examples(table, mapping)))

    return load_

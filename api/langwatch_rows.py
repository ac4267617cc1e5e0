"""Rows of the `langwatch` package as examples, and examples as its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from db.client_runs import ClientCall, ClientRow
from recall_core.ingest import FileFormat, RawRow, Table, parse_examples, suggest_mapping
from recall_core.types import Example, Json

EVALUATORS = {"ragas/context_recall": "context_recall"}
"""The names that the package has for judges of ours; others go by our names."""


def entry_of(example: Example) -> dict[str, Json]:
    """The example in the package's words; what is missing is not there."""
    entry: dict[str, Json] = {**example.metadata, "id": example.id}
    named: dict[str, Json] = {
        "input": example.question,
        "output": example.actual_output,
        "expected_output": example.expected_output,
    }
    entry |= {name: value for name, value in named.items() if value is not None}
    if example.retrieved is not None:
        entry["contexts"] = [passage.text for passage in example.retrieved]
    if example.ground_truth is not None:
        entry["expected_contexts"] = [passage.text for passage in example.essential]
        if example.bonus:
            entry["bonus"] = [passage.text for passage in example.bonus]
    return entry


def examples_of(
    rows: Sequence[ClientRow], calls: Mapping[str, Sequence[ClientCall]]
) -> list[Example]:
    """The rows as examples: what was scored, and the rest of the row beside it.

    They are read as a file is. What else was logged about a row becomes metadata, so that people
    can filter by it; a row of which nothing can be read is left out.
    """
    raw = [_raw(number, row, calls) for number, row in enumerate(rows, 1)]
    columns = tuple(dict.fromkeys(name for one in raw for name in one.values))
    table = Table("langwatch", FileFormat.JSON, columns, lambda: iter(raw))
    mapping = suggest_mapping(columns, raw)
    parsed = parse_examples(table, mapping)
    return [row.example for row in parsed if row.example is not None]


def _raw(number: int, row: ClientRow, calls: Mapping[str, Sequence[ClientCall]]) -> RawRow:
    sent: Any = row.entry
    values: dict[str, object] = {k: v for k, v in sent["entry"].items() if v is not None}
    judged = calls.get(sent["trace_id"], ())
    for one in judged:
        values |= one.data
    values.setdefault("id", row.position)
    if "error" in sent:
        values["error"] = sent["error"]
    ours = {one.judge for one in judged}
    for name, said in row.logged.items():
        if EVALUATORS.get(name, name) not in ours:
            values[f"logged: {name}"] = _measured(said)
    return RawRow(number, values)


def _measured(said: Json) -> Json:
    """What a metric of the client's own came to, as one value by which people can filter."""
    assert isinstance(said, dict)
    fields = ("score", "label", "passed", "details", "status")
    return next((said[field] for field in fields if said.get(field) is not None), None)

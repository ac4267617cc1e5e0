"""A dataset as a file that our own importer reads back exactly: JSON lines, CSV or Parquet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from recall_core.export.safe_cells import protected
from recall_core.types import Example, GroundTruthPassage, Json, RetrievedPassage

COLUMNS = (
    "id",
    "question",
    "ground_truth_passages",
    "retrieved_contexts",
    "actual_output",
    "expected_output",
    "metadata",
)
"""Names that the importer maps by itself."""

_BATCH = 500
_SCHEMA = pa.schema(
    {
        "id": pa.string(),
        "question": pa.string(),
        "ground_truth_passages": pa.list_(
            pa.struct(
                {"kind": pa.string(), "text": pa.string(), "id": pa.string(), "blank": pa.bool_()}
            )
        ),
        "retrieved_contexts": pa.list_(pa.struct({"text": pa.string(), "id": pa.string()})),
        "actual_output": pa.string(),
        "expected_output": pa.string(),
        "metadata": pa.string(),
    }
)


def dataset_jsonl(examples: Iterable[Example]) -> Iterator[str]:
    """One line of JSON an example; fields that are missing are left out."""
    for example in examples:
        record = {name: value for name, value in _record(example).items() if value is not None}
        yield json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n"


def dataset_csv(examples: Iterable[Example]) -> Iterator[str]:
    """CSV with lists and metadata as JSON in their cells, and nothing that a spreadsheet runs.

    Begins with a byte-order mark, without which Excel takes it for another encoding.
    """
    yield "\ufeff" + _line(COLUMNS)
    for example in examples:
        yield _line(map(_cell, _record(example).values()))


def write_dataset_parquet(examples: Iterable[Example], place: Path | BinaryIO) -> None:
    """Parquet into a path or an open file; metadata is one JSON text a row, since its shape
    differs from row to row."""
    records = iter(examples)
    with pq.ParquetWriter(place, _SCHEMA) as writer:
        while batch := [_parquet_record(example) for example in islice(records, _BATCH)]:
            writer.write_table(pa.Table.from_pylist(batch, schema=_SCHEMA))


def _record(example: Example) -> dict[str, Json]:
    return {
        "id": example.id,
        "question": example.question,
        "ground_truth_passages": None
        if example.ground_truth is None
        else [_ground_truth(passage) for passage in example.ground_truth],
        "retrieved_contexts": None
        if example.retrieved is None
        else [_retrieved(passage) for passage in example.retrieved],
        "actual_output": example.actual_output,
        "expected_output": example.expected_output,
        "metadata": dict(example.metadata) or None,
    }


def _ground_truth(passage: GroundTruthPassage) -> Json:
    record: dict[str, Json] = {"kind": passage.kind.value, "text": passage.text}
    if passage.id is not None:
        record["id"] = passage.id
    if not passage.text.strip():
        # The importer refuses a passage without text unless it says that this is meant.
        record["blank"] = True
    return record


def _retrieved(passage: RetrievedPassage) -> Json:
    if passage.id is None:
        return passage.text
    return {"text": passage.text, "id": passage.id}


def _cell(value: Json) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return protected(value)
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _line(cells: Iterable[str]) -> str:
    text = io.StringIO()
    csv.writer(text).writerow(cells)
    return text.getvalue()


def _parquet_record(example: Example) -> dict[str, object]:
    record: dict[str, object] = dict(_record(example))
    record["metadata"] = _cell(dict(example.metadata)) if example.metadata else None
    if example.retrieved is not None:
        record["retrieved_contexts"] = [{"text": p.text, "id": p.id} for p in example.retrieved]
    return record

"""Parquet as rows, a small batch at a time."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from recall_core.ingest.limits import MAX_COLUMNS
from recall_core.ingest.source import Source
from recall_core.ingest.table import FileFormat, RawRow, Table

_BATCH = 256


def read_parquet(source: Source) -> Table:
    """Every row of a Parquet file; lists and structs arrive as lists and objects."""
    with source.open() as stream:
        try:
            names = pq.ParquetFile(stream).schema_arrow.names
        except (pa.ArrowException, OSError) as error:
            raise source.unreadable(f"it is damaged or no Parquet file: {_said(error)}.") from None
    if len(names) > MAX_COLUMNS:
        raise source.unreadable(f"it has {len(names):,} columns; at most {MAX_COLUMNS:,} are read.")

    def rows() -> Iterator[RawRow]:
        with source.open() as stream:
            try:
                batches = pq.ParquetFile(stream).iter_batches(batch_size=_BATCH)
                records = (record for batch in batches for record in batch.to_pylist())
                for number, record in enumerate(records, 1):
                    yield RawRow(number, record)
            except (pa.ArrowException, OSError) as error:
                raise source.unreadable(f"it is damaged: {_said(error)}.") from None

    return Table(source.filename, FileFormat.PARQUET, tuple(names), rows, source.size)


def _said(error: Exception) -> str:
    return str(error).rstrip(".")

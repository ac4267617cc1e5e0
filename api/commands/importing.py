"""`import`: store a file as a dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from api.commands.database import database, login_name
from api.commands.reading import OpensIt, reads_a_file
from api.commands.storing import count, require_good, save
from api.console import give, give_json, say
from db.datasets import find_by_hash
from recall_core.export.report_parts import counted as counted_in_words
from recall_core.ingest import ColumnMapping, Table, bad_rows_csv, parse_examples


@reads_a_file
def import_file(
    opens: OpensIt,
    name: Annotated[
        str | None, typer.Option(help="Name of the dataset; the file's name unless given.")
    ] = None,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Save the good rows although others are bad.")
    ] = False,
    bad_rows: Annotated[
        Path | None, typer.Option(help="Write the bad rows to this CSV, each with its reason.")
    ] = None,
    author: Annotated[str | None, typer.Option(help="Who imports; your login name.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Store a file as a dataset, all or nothing; bad rows refuse it unless --skip-bad.

    The file is read twice, once to count and once to save, so its size does not matter.
    """
    opened = opens()
    table, mapping = opened.table, opened.mapping
    found = count(table, mapping)
    if bad_rows is not None:
        _write_bad_rows(bad_rows, table, mapping)
    require_good(found, skip_bad=skip_bad)
    counted = found.preview
    title = name if name is not None else opened.path.stem
    with database() as engine:
        before = find_by_hash(engine, counted.content_hash)
        if before is not None:
            say(f"Note: dataset {before.id}, {before.name}, has the same examples.")
        dataset_id = save(engine, found, title, author or login_name())
    if as_json:
        give_json(
            {
                "id": dataset_id,
                "name": title,
                "examples": counted.saved,
                "left_out": counted.errors,
                "content_hash": counted.content_hash,
            }
        )
        return
    give(f"Dataset {dataset_id}: {title}, {counted_in_words(counted.saved, 'example')}.")


def _write_bad_rows(place: Path, table: Table, mapping: ColumnMapping) -> None:
    with place.open("w", encoding="utf-8", newline="") as file:
        file.writelines(bad_rows_csv(parse_examples(table, mapping), table))

"""`import`: store a file as a dataset."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from api.commands.database import database, login_name
from api.commands.reading import (
    Choices,
    DelimiterOption,
    EncodingOption,
    FileArgument,
    MapOption,
    ReferencesOption,
    SheetOption,
    SplitOption,
    WholeTextOption,
    open_file,
)
from api.console import give, give_json, progress, say
from db.datasets import find_by_hash, save_dataset
from db.engine import Engine
from recall_core.errors import RecallError
from recall_core.export.report_parts import counted as counted_in_words
from recall_core.ingest import (
    ColumnMapping,
    Preview,
    Table,
    bad_rows_csv,
    parse_examples,
    preview,
)
from recall_core.types import Example

SHOWN_PROBLEMS = 20


def import_file(
    file: FileArgument,
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
    mapped: MapOption = None,
    split_at: SplitOption = None,
    references: ReferencesOption = None,
    whole_text: WholeTextOption = False,
    encoding: EncodingOption = None,
    delimiter: DelimiterOption = None,
    sheet: SheetOption = None,
) -> None:
    """Store a file as a dataset, all or nothing; bad rows refuse it unless --skip-bad.

    The file is read twice, once to count and once to save, so its size does not matter.
    """
    table, mapping = open_file(
        file,
        Choices(mapped or (), split_at, references, whole_text),
        encoding=encoding,
        delimiter=delimiter,
        sheet=sheet,
    )
    counted = preview(table, mapping, shown_rows=0)
    _tell_mapping(table, mapping)
    _tell(counted)
    if bad_rows is not None:
        _write_bad_rows(bad_rows, table, mapping)
    if counted.errors and not skip_bad:
        raise RecallError(
            "Nothing was saved. Put the rows above right, or save the others with --skip-bad."
        )
    title = name if name is not None else file.stem
    with database() as engine:
        dataset_id = _save(engine, table, mapping, counted, title, author or login_name())
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


def _tell_mapping(table: Table, mapping: ColumnMapping) -> None:
    roles = ", ".join(f"{role.value}={column}" for role, column in mapping.columns.items())
    say(f"Columns read: {roles or 'none'}. Others with --map ROLE=COLUMN.")
    if kept := mapping.metadata_columns(table.columns):
        say(f"Kept as metadata: {', '.join(kept)}.")


def _tell(counted: Preview) -> None:
    say(
        f"{counted_in_words(counted.all, 'row')}: {counted.good} good, "
        f"{counted.warnings} with warnings, {counted.errors} in error."
    )
    for remarks in (counted.problems, counted.notices):
        for remark in remarks[:SHOWN_PROBLEMS]:
            say(f"  {remark}")
        if len(remarks) > SHOWN_PROBLEMS:
            say(f"  … and more like these, {SHOWN_PROBLEMS} are shown.")
    for judge in counted.judges:
        lacks = f" Most others: {judge.lacks}" if judge.lacks else ""
        say(f"  {judge.name} can take {judge.takes} of {counted.saved}.{lacks}")


def _write_bad_rows(place: Path, table: Table, mapping: ColumnMapping) -> None:
    with place.open("w", encoding="utf-8", newline="") as file:
        file.writelines(bad_rows_csv(parse_examples(table, mapping), table))


def _save(
    engine: Engine,
    table: Table,
    mapping: ColumnMapping,
    counted: Preview,
    title: str,
    author: str,
) -> int:
    before = find_by_hash(engine, counted.content_hash)
    if before is not None:
        say(f"Note: dataset {before.id}, {before.name}, has the same examples.")
    with progress() as bar:
        task = bar.add_task("Saving", total=counted.saved)

        def examples() -> Iterator[Example]:
            for row in parse_examples(table, mapping):
                if row.example is not None:
                    yield row.example
                    bar.advance(task)

        return save_dataset(
            engine,
            title,
            examples(),
            content_hash=counted.content_hash,
            source=table.filename,
            author=author,
            now=datetime.now(UTC),
        )

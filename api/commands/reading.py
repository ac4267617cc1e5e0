"""Reading a file on the command line: the same importer as the dashboard's, with its choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from api.console import say
from recall_core.errors import RecallError
from recall_core.ingest import (
    SPLITS,
    ColumnMapping,
    References,
    Role,
    Table,
    read_file,
    suggest_mapping,
)

T = TypeVar("T")

REFERENCES = {"join": References.JOIN, "each": References.EACH_ESSENTIAL}

FileArgument = Annotated[
    Path, typer.Argument(help="CSV, TSV, JSON, JSON lines, XLSX, Parquet or tagged text.")
]
MapOption = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="ROLE=COLUMN",
        help=f"Which column plays a role. Roles: {', '.join(Role)}. Repeat for several.",
    ),
]
SplitOption = Annotated[
    str | None,
    typer.Option(metavar="MARK", help=f"Split cells with several passages at: {', '.join(SPLITS)}"),
]
ReferencesOption = Annotated[
    str | None,
    typer.Option(metavar="join|each", help="Several references: join them, or each is essential."),
]
WholeTextOption = Annotated[
    bool,
    typer.Option("--whole-text", help="Ground-truth text without a marker is one essential."),
]
EncodingOption = Annotated[str | None, typer.Option(help="Instead of the detected encoding.")]
DelimiterOption = Annotated[str | None, typer.Option(help="Instead of the detected delimiter.")]
SheetOption = Annotated[str | None, typer.Option(help="Sheet of a workbook; else the first one.")]


@dataclass(frozen=True, slots=True)
class Choices:
    """What the person said about the columns, beyond their names."""

    mapped: Sequence[str] = ()
    split_at: str | None = None
    references: str | None = None
    whole_text: bool = False


def open_file(
    file: Path,
    choices: Choices,
    *,
    encoding: str | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
) -> tuple[Table, ColumnMapping]:
    """The file's rows and the meaning of its columns; what was detected goes to standard error."""
    table = read_file(file, encoding=encoding, delimiter=delimiter, sheet=sheet)
    mapping = _chosen(suggest_mapping(table.columns, table.sample()), table, choices)
    say(f"{table.filename}: {table.description}")
    for notice in (*table.notices, *(notice.text for notice in mapping.notices)):
        say(f"Note: {notice}")
    return table, mapping


def _chosen(mapping: ColumnMapping, table: Table, choices: Choices) -> ColumnMapping:
    for assignment in choices.mapped:
        mapping = _assigned(mapping, table, assignment)
    return replace(
        mapping,
        split_at=_one_of(SPLITS, choices.split_at, "--split-at"),
        references=_one_of(REFERENCES, choices.references, "--references"),
        whole_text_essential=choices.whole_text,
    )


def _assigned(mapping: ColumnMapping, table: Table, assignment: str) -> ColumnMapping:
    name, _, column = assignment.partition("=")
    if name not in set(Role) or not column:
        raise RecallError(
            f"--map takes ROLE=COLUMN, and {assignment!r} is not that. Roles: {', '.join(Role)}."
        )
    if column not in table.columns:
        known = ", ".join(table.columns)
        raise RecallError(f"{table.filename} has no column {column!r}. It has: {known}.")
    if Role(name) is Role.METADATA:
        return mapping.as_metadata(column)
    return mapping.with_column(Role(name), column)


def _one_of(values: Mapping[str, T], name: str | None, option: str) -> T | None:
    if name is None:
        return None
    try:
        return values[name]
    except KeyError:
        raise RecallError(f"{option} takes one of: {', '.join(values)}.") from None

"""Reading a file on the command line: the same importer as the dashboard's, with its choices."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypeVar

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


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """A file's rows and the meaning of its columns."""

    path: Path
    table: Table
    mapping: ColumnMapping


def open_file(
    file: Annotated[
        Path, typer.Argument(help="CSV, TSV, JSON, JSON lines, XLSX, Parquet or tagged text.")
    ],
    mapped: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="ROLE=COLUMN",
            help=f"Which column plays a role. Roles: {', '.join(Role)}. Repeat for several.",
        ),
    ] = None,
    split_at: Annotated[
        str | None,
        typer.Option(
            metavar="MARK", help=f"Split cells with several passages at: {', '.join(SPLITS)}"
        ),
    ] = None,
    references: Annotated[
        str | None,
        typer.Option(
            metavar="join|each", help="Several references: join them, or each is essential."
        ),
    ] = None,
    whole_text: Annotated[
        bool,
        typer.Option("--whole-text", help="Ground-truth text without a marker is one essential."),
    ] = False,
    encoding: Annotated[str | None, typer.Option(help="Instead of the detected encoding.")] = None,
    delimiter: Annotated[
        str | None, typer.Option(help="Instead of the detected delimiter.")
    ] = None,
    sheet: Annotated[
        str | None, typer.Option(help="Sheet of a workbook; else the first one.")
    ] = None,
) -> OpenedFile:
    """The file that a command line names; what was detected goes to standard error."""
    table = read_file(file, encoding=encoding, delimiter=delimiter, sheet=sheet)
    mapping = suggest_mapping(table.columns, table.sample())
    for assignment in mapped or ():
        mapping = _assigned(mapping, table, assignment)
    mapping = replace(
        mapping,
        split_at=_one_of(SPLITS, split_at, "--split-at"),
        references=_one_of(REFERENCES, references, "--references"),
        whole_text_essential=whole_text,
    )
    say(f"{table.filename}: {table.description}")
    for notice in (*table.notices, *(notice.text for notice in mapping.notices)):
        say(f"Note: {notice}")
    return OpenedFile(file, table, mapping)


OpensIt: TypeAlias = Callable[[], OpenedFile]


def reads_a_file(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take a file and every option of `open_file`; its first parameter, an `OpensIt`,
    is what opens that file with these."""
    _opens, *own = inspect.signature(command, eval_str=True).parameters.values()
    file, options = _parameters()

    def with_a_file(**given: Any) -> None:
        said = {option.name: given.pop(option.name) for option in (file, *options)}
        command(partial(open_file, **said), **given)

    return _declared(with_a_file, command, [file, *own, *options])


Opens: TypeAlias = Callable[[Path], OpenedFile]


def may_read_a_file(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take every option of `open_file`; its first parameter, an `Opens`, is what
    opens a file with these."""
    _opens, *own = inspect.signature(command, eval_str=True).parameters.values()
    _file, options = _parameters()

    def with_options(**given: Any) -> None:
        said = {option.name: given.pop(option.name) for option in options}
        command(partial(open_file, **said), **given)

    return _declared(with_options, command, [*own, *options])


def _parameters() -> tuple[inspect.Parameter, list[inspect.Parameter]]:
    """The file and the options of `open_file`."""
    file, *options = inspect.signature(open_file, eval_str=True).parameters.values()
    return file, options


def _declared(
    called: Callable[..., None],
    command: Callable[..., None],
    parameters: Sequence[inspect.Parameter],
) -> Callable[..., None]:
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__doc__ = command.__doc__
    return called


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

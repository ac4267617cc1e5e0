"""How commands talk: results to standard output, everything else to standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from recall_core.types import Json

GOOD = 0
BELOW = 1
"""Below the bar that was set, or not what it should be."""
WRONG_USE = 2
INCOMPLETE = 3
"""Something has no answer, so nobody can tell."""

_WIDE = 10_000

# They end a line for some readers, and are the only such characters that JSON leaves as they are.
_LINE_ENDS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}


def say(sentence: str) -> None:
    """A sentence for the person, on standard error."""
    typer.echo(sentence, err=True)


def give(line: str) -> None:
    """A line of the result, on standard output at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def give_json(value: Json) -> None:
    """A value as JSON on one line."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    give(text.translate(_LINE_ENDS))


def give_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table on standard output; what stands in it is text, never markup."""
    table = Table(*columns, header_style="bold", box=None, pad_edge=False)
    for row in rows:
        table.add_row(*(escape(cell) for cell in row))
    # In a pipe nothing is cut off or wrapped: other programs read it there.
    width = None if sys.stdout.isatty() else _WIDE
    Console(file=sys.stdout, width=width).print(table)


def progress(*, beside_results: bool = False) -> Progress:
    """A progress bar on standard error; nothing at all where that is not a terminal.

    `beside_results`: results are printed meanwhile, so that on a terminal they are the progress.
    """
    seen = sys.stderr.isatty() and not (beside_results and sys.stdout.isatty())
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        disable=not seen,
        transient=True,
        # rich would send what is printed meanwhile to the bar's stream: past a pipe or a file.
        redirect_stdout=False,
        redirect_stderr=False,
    )

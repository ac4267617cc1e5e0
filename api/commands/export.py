"""`export` and `report`: a run as a file."""

from __future__ import annotations

import shutil
import sys
import tempfile
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from api.commands.database import database
from api.commands.finding import LAST, RunArgument, found_run, run_before
from api.console import give_json, say
from db.comparing import compare
from db.engine import Engine
from db.errors import NotPossibleNow
from db.exporting import ExportFormat, write_export
from db.results import run_summary
from db.runs import RunCard
from db.sights import NOBODY
from recall_core.comparison import Comparison
from recall_core.errors import RecallError
from recall_core.export.markdown import markdown_report

OutputOption = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="The file to write; standard output unless given."),
]


def export(
    run: RunArgument,
    format: Annotated[ExportFormat, typer.Option(help="What to write.")] = ExportFormat.CSV,
    output: OutputOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format jsonl.")] = False,
) -> None:
    """Write a run with everything that people decided: csv, jsonl, xlsx, txt or html.

    txt is the text form of the evaluator's document, html the report. What somebody still has to
    score blind is left out.
    """
    chosen = ExportFormat.JSONL if as_json else format
    with database() as engine:
        _write(engine, found_run(engine, run), chosen, output)


class ReportFormat(StrEnum):
    """What a report is written as."""

    HTML = "html"
    MARKDOWN = "md"


def report(
    run: RunArgument,
    format: Annotated[
        ReportFormat, typer.Option(help="html: a page of its own. md: a table for a comment.")
    ] = ReportFormat.HTML,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="RUN", help="With md: the run it is held against; last is the one before it."
        ),
    ] = None,
    output: OutputOption = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Say where it was written, as one JSON object.")
    ] = False,
) -> None:
    """Write a report of a run for people who did not take part."""
    if against is not None and format is not ReportFormat.MARKDOWN:
        raise RecallError("--against goes with --format md.")
    if as_json and output is None:
        raise RecallError("--json needs --output, since the report goes to standard output.")
    with database() as engine:
        card = found_run(engine, run)
        if format is ReportFormat.HTML:
            _write(engine, card, ExportFormat.REPORT, output)
        else:
            other = None if against is None else compared_with(engine, card, against)
            _give(markdown_report(run_summary(engine, card.id, NOBODY), other), output)
    if as_json:
        give_json({"run": card.id, "format": format.value, "file": str(output)})


def compared_with(engine: Engine, run: RunCard, against: str) -> Comparison | None:
    """The run against another one; `None` where `last` is asked for and there is none before."""
    if against != LAST:
        return compare(engine, found_run(engine, against).id, run.id, NOBODY)
    before = run_before(engine, run)
    if before is None:
        say(f"There is no finished run of {run.judge} before this one to hold it against.")
        return None
    return compare(engine, before.id, run.id, NOBODY)


def _write(engine: Engine, run: RunCard, format: ExportFormat, output: Path | None) -> None:
    now = datetime.now(UTC)
    if output is not None:
        write_export(engine, run.id, format, output, now=now)
        say(f"Wrote {output}.")
        return
    if format is ExportFormat.XLSX and sys.stdout.isatty():
        raise NotPossibleNow("A workbook is no text. Name a file with --output.")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "export"
        write_export(engine, run.id, format, path, now=now)
        with path.open("rb") as file:
            sys.stdout.flush()
            shutil.copyfileobj(file, sys.stdout.buffer)
            sys.stdout.buffer.flush()


def _give(text: str, output: Path | None) -> None:
    if output is None:
        sys.stdout.write(text)
        return
    output.write_text(text, encoding="utf-8")
    say(f"Wrote {output}.")

"""`export` and `report`: a run or a dataset as a file."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from api.commands.database import database
from api.commands.finding import LAST, RunArgument, found_dataset, found_run, run_before
from api.console import give_json, say
from db.comparing import compare
from db.datasets import stream_examples
from db.details import stream_details
from db.engine import Engine
from db.errors import NotPossibleNow
from db.estimating import headline
from db.exporting import ExportFormat, write_export
from db.results import run_summary
from db.review_rows import withheld_from_files
from db.runs import RunCard
from db.sights import NOBODY
from recall_core.comparison import Comparison
from recall_core.details import JudgementDetail
from recall_core.errors import RecallError
from recall_core.export.dataset_files import dataset_csv, dataset_jsonl
from recall_core.export.markdown import markdown_report
from recall_core.formats.examples import deepeval_json, ragas_jsonl
from recall_core.formats.langfuse import langfuse_jsonl
from recall_core.formats.langwatch import langwatch_json
from recall_core.formats.mlflow import mlflow_jsonl
from recall_core.formats.nuggets import assessed_jsonl, nuggets_jsonl
from recall_core.types import Example

OutputOption = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="The file to write; standard output unless given."),
]


class Format(StrEnum):
    """What a run or a dataset is written as."""

    CSV = "csv"
    JSONL = "jsonl"
    XLSX = "xlsx"
    TEXT = "txt"
    HTML = "html"
    SEALED = "sealed"
    LANGWATCH = "langwatch"
    LANGFUSE = "langfuse"
    MLFLOW = "mlflow"
    NUGGETS = "nuggets"
    RAGAS = "ragas"
    DEEPEVAL = "deepeval"


OWN: Mapping[Format, ExportFormat] = {Format(format.value): format for format in ExportFormat}
RUNS: Mapping[Format, Callable[[Iterable[JudgementDetail]], Iterable[str]]] = {
    Format.LANGWATCH: lambda details: [langwatch_json(details)],
    Format.LANGFUSE: langfuse_jsonl,
    Format.MLFLOW: mlflow_jsonl,
    Format.NUGGETS: assessed_jsonl,
}
DATASETS: Mapping[Format, Callable[[Iterable[Example]], Iterable[str]]] = {
    Format.CSV: dataset_csv,
    Format.JSONL: dataset_jsonl,
    Format.RAGAS: ragas_jsonl,
    Format.DEEPEVAL: lambda examples: [deepeval_json(examples)],
    Format.NUGGETS: nuggets_jsonl,
}


def export(
    run: Annotated[
        str | None, typer.Argument(metavar="RUN", help="Number or name of the run, or: last.")
    ] = None,
    dataset: Annotated[
        str | None, typer.Option(help="Instead of a run: a dataset, by number or name.")
    ] = None,
    format: Annotated[Format, typer.Option(help="What to write.")] = Format.CSV,
    output: OutputOption = None,
    hashes_only: Annotated[
        bool, typer.Option(help="Of a sealed package: hashes in the place of the texts.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format jsonl.")] = False,
) -> None:
    """Write a run with everything that people decided, or a dataset.

    Of a run: csv, jsonl, xlsx, txt (the text form of the evaluator's document), html (the report),
    sealed (a zip with all that its numbers follow from, for `verify` on another machine), or what
    langwatch, langfuse, mlflow and TREC's nuggets are read from. What somebody still has to score
    blind is left out. Of a dataset: csv, jsonl, ragas, deepeval, nuggets.
    """
    chosen = Format.JSONL if as_json else format
    if hashes_only and chosen is not Format.SEALED:
        raise RecallError("--hashes-only goes with --format sealed.")
    if (run is None) == (dataset is None):
        raise RecallError("Name a run, or a dataset by --dataset.")
    with database() as engine:
        if dataset is not None:
            _export_dataset(engine, dataset, chosen, output)
        else:
            assert run is not None
            _export_run(engine, run, chosen, output, texts=not hashes_only)


def _export_run(
    engine: Engine, wanted: str, format: Format, output: Path | None, *, texts: bool
) -> None:
    card = found_run(engine, wanted)
    if format in OWN:
        _write(engine, card, OWN[format], output, texts=texts)
    elif format in RUNS:
        withheld = withheld_from_files(engine, card.id, NOBODY)
        _give(RUNS[format](stream_details(engine, card.id, withheld=withheld)), output)
    else:
        raise RecallError(f"{format} holds examples, so it goes with --dataset.")


def _export_dataset(engine: Engine, wanted: str, format: Format, output: Path | None) -> None:
    if format not in DATASETS:
        raise RecallError(f"A dataset is written as {', '.join(DATASETS)}, not as {format}.")
    _give(DATASETS[format](stream_examples(engine, found_dataset(engine, wanted).id)), output)


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
            summary, recall = run_summary(engine, card.id, NOBODY), headline(engine, card.id)
            _give([markdown_report(summary, recall, other)], output)
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


def _write(
    engine: Engine,
    run: RunCard,
    format: ExportFormat,
    output: Path | None,
    *,
    texts: bool = True,
) -> None:
    now = datetime.now(UTC)
    if output is not None:
        with _when_whole(output) as path:
            write_export(engine, run.id, format, path, now=now, texts=texts)
        say(f"Wrote {output}.")
        return
    if format.suffix in ("xlsx", "zip") and sys.stdout.isatty():
        raise NotPossibleNow(f"A file of format {format} is no text. Name one with --output.")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "export"
        write_export(engine, run.id, format, path, now=now, texts=texts)
        with path.open("rb") as file:
            sys.stdout.flush()
            shutil.copyfileobj(file, sys.stdout.buffer)
            sys.stdout.buffer.flush()


def _give(pieces: Iterable[str], output: Path | None) -> None:
    if output is None:
        sys.stdout.writelines(pieces)
        return
    with _when_whole(output) as path, path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(pieces)
    say(f"Wrote {output}.")


@contextmanager
def _when_whole(output: Path) -> Iterator[Path]:
    """Where to write a file that appears under its name when it is whole; until then, and for good
    if it is broken off, what stood there stays.
    """
    if output.exists() and not output.is_file():
        yield output  # a device or a pipe, which cannot be exchanged
        return
    wanted = output.resolve()
    unfinished = wanted.with_name(f"{wanted.name}.unfinished")
    try:
        yield unfinished
        unfinished.replace(wanted)
    finally:
        unfinished.unlink(missing_ok=True)

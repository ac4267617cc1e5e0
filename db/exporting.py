"""A run as a file to take away: results as tables, JSON lines or text, or the report."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from sqlalchemy import Engine

from db.details import read_judgements, stream_details
from db.judgement_lists import JudgementFilter, JudgementOrder, OrderBy, ordered_ids
from db.results import run_summary
from db.slices import metadata_fields, slices
from recall_core.details import JudgementDetail
from recall_core.export.report import RunReport, report_html
from recall_core.export.result_files import (
    results_csv,
    results_jsonl,
    results_text,
    write_results_xlsx,
)
from recall_core.summary import JudgementState, RunSummary, Slice

IN_FULL = 300
"""How many examples a report tells in full; a longer one could neither be read nor printed."""

SLICES = 4
SLICE_VALUES = range(2, 13)
"""A field of metadata makes a readable table when it takes this many values."""

_BATCH = 100


class ExportFormat(StrEnum):
    """What a run can be exported as."""

    CSV = "csv"
    JSONL = "jsonl"
    XLSX = "xlsx"
    TEXT = "txt"
    """Every judgement in the text form of the source document."""
    REPORT = "html"


MEDIA_TYPES = {
    ExportFormat.CSV: "text/csv",
    ExportFormat.JSONL: "application/x-ndjson",
    ExportFormat.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ExportFormat.TEXT: "text/plain",
    ExportFormat.REPORT: "text/html",
}


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """A file's suggested name, its media type and what is in it."""

    name: str
    media_type: str
    content: bytes


def export_run(engine: Engine, run_id: int, format: ExportFormat, *, now: datetime) -> ExportedFile:
    """The run as a file in memory, for a download; `NotKept` if the run is gone."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "export"
        name = write_export(engine, run_id, format, path, now=now)
        return ExportedFile(name, MEDIA_TYPES[format], path.read_bytes())


def write_export(
    engine: Engine, run_id: int, format: ExportFormat, path: Path, *, now: datetime
) -> str:
    """Write the run to `path` as it streams from the database; returns a name that suits it."""
    summary = run_summary(engine, run_id)
    match format:
        case ExportFormat.CSV:
            _write(path, results_csv(stream_details(engine, run_id)))
        case ExportFormat.JSONL:
            _write(path, results_jsonl(stream_details(engine, run_id)))
        case ExportFormat.XLSX:
            write_results_xlsx(stream_details(engine, run_id), summary, path, now=now)
        case ExportFormat.TEXT:
            _write(path, results_text(stream_details(engine, run_id)))
        case ExportFormat.REPORT:
            _write(path, report_html(_report(engine, run_id, summary, now)))
    kind = "report" if format is ExportFormat.REPORT else "results"
    return f"{_plain(summary.run.name) or f'run-{run_id}'}-{kind}.{format.value}"


def _write(path: Path, pieces: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", newline="", errors="surrogatepass") as file:
        file.writelines(pieces)


def _plain(name: str) -> str:
    """The run's name with nothing that a file system, or a header, could stumble over."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-.")[:80]


def _report(engine: Engine, run_id: int, summary: RunSummary, now: datetime) -> RunReport:
    changed_first = JudgementFilter(states=(JudgementState.CHANGED,))
    changed = ordered_ids(engine, run_id, changed_first)
    lowest = ordered_ids(engine, run_id, order=JudgementOrder(OrderBy.FINAL))
    told = set(list(dict.fromkeys([*changed, *lowest]))[:IN_FULL])
    in_order = [i for i in ordered_ids(engine, run_id) if i in told]
    return RunReport(
        summary=summary,
        lowest=tuple(read_judgements(engine, [line.id for line in summary.lowest])),
        changed=tuple(read_judgements(engine, changed[:IN_FULL])),
        examples=_in_batches(engine, in_order),
        examples_left_out=len(lowest) - len(in_order),
        slices=tuple(_slices(engine, run_id)),
        made_at=now,
    )


def _in_batches(engine: Engine, ids: list[int]) -> Iterator[JudgementDetail]:
    for start in range(0, len(ids), _BATCH):
        yield from read_judgements(engine, ids[start : start + _BATCH])


def _slices(engine: Engine, run_id: int) -> Iterator[tuple[str, tuple[Slice, ...]]]:
    fields = [f.name for f in metadata_fields(engine, run_id) if f.values in SLICE_VALUES]
    for name in fields[:SLICES]:
        yield name, tuple(slices(engine, run_id, name))

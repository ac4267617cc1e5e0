"""A run as a file to take away: results as tables, JSON lines or text, or the report."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from sqlalchemy import Engine

from db.calibrating import between_people, calibrations
from db.details import read_judgements, stream_details
from db.engine import reading
from db.estimating import headline
from db.judgement_filters import JudgementFilter, JudgementOrder, OrderBy
from db.judgement_lists import ordered_ids
from db.ledgers import run_ledger
from db.policies import named_policy
from db.results import run_summary
from db.review_progress import Passes, review_progress
from db.review_rows import withheld_from_files
from db.run_cards import get_run
from db.sealing import seal_run
from db.sights import NOBODY
from db.slices import metadata_fields, slices
from db.tables import RunRow
from recall_core.details import JudgementDetail
from recall_core.export.report import RunReport, report_html
from recall_core.export.report_trust import ReviewedBy, Trust
from recall_core.export.result_files import (
    results_csv,
    results_jsonl,
    results_text,
    write_results_xlsx,
)
from recall_core.queues import Queue
from recall_core.summary import JudgementState, RunSummary, Slice
from recall_core.viewing import for_file

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
    SEALED = "sealed"
    """All that the run's numbers follow from, as a zip that can be verified anywhere."""

    @property
    def suffix(self) -> str:
        """How the file's name ends."""
        return "zip" if self is ExportFormat.SEALED else self.value


MEDIA_TYPES = {
    ExportFormat.CSV: "text/csv",
    ExportFormat.JSONL: "application/x-ndjson",
    ExportFormat.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ExportFormat.TEXT: "text/plain",
    ExportFormat.REPORT: "text/html",
    ExportFormat.SEALED: "application/zip",
}


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """A file's suggested name, its media type and what is in it."""

    name: str
    media_type: str
    content: bytes


def export_run(
    engine: Engine,
    run_id: int,
    format: ExportFormat,
    *,
    now: datetime,
    viewer: str = NOBODY,
    policy: int | None = None,
) -> ExportedFile:
    """The run as a file in memory, for a download; `NotKept` if the run is gone.

    What somebody still has to score blind, or the `viewer` has, is left out, and the file says so;
    a sealed package cannot be made until then (`db.sealing`), and has every policy. With the id of
    a saved `policy`, any other file has what that makes of each final beside it.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "export"
        name = write_export(engine, run_id, format, path, now=now, viewer=viewer, policy=policy)
        return ExportedFile(name, MEDIA_TYPES[format], path.read_bytes())


def write_export(
    engine: Engine,
    run_id: int,
    format: ExportFormat,
    path: Path,
    *,
    now: datetime,
    viewer: str = NOBODY,
    policy: int | None = None,
    texts: bool = True,
) -> str:
    """Write the run to `path` as it streams from the database; returns a name that suits it.

    A sealed package has the examples' texts, or without `texts` only their hashes.
    """
    if format is ExportFormat.SEALED:
        path.write_bytes(seal_run(engine, run_id, viewer=viewer, texts=texts).content)
        return _name(get_run(engine, run_id).name, run_id, format)
    named = None if policy is None else named_policy(engine, policy)
    withheld = withheld_from_files(engine, run_id, viewer)
    summary = replace(run_summary(engine, run_id), withheld=len(withheld))
    details = stream_details(engine, run_id, withheld=withheld)
    match format:
        case ExportFormat.CSV:
            _write(path, results_csv(details, named))
        case ExportFormat.JSONL:
            _write(path, results_jsonl(details, named))
        case ExportFormat.XLSX:
            recall = headline(engine, run_id)
            write_results_xlsx(details, summary, path, recall=recall, now=now, policy=named)
        case ExportFormat.TEXT:
            _write(path, results_text(details, named))
        case ExportFormat.REPORT:
            report = _report(engine, run_id, summary, now, withheld)
            _write(path, report_html(replace(report, policy=named)))
    return _name(summary.run.name, run_id, format)


def _name(run: str, run_id: int, format: ExportFormat) -> str:
    kinds = {ExportFormat.REPORT: "report", ExportFormat.SEALED: "sealed"}
    return f"{_plain(run) or f'run-{run_id}'}-{kinds.get(format, 'results')}.{format.suffix}"


def _write(path: Path, pieces: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", newline="", errors="surrogatepass") as file:
        file.writelines(pieces)


def _plain(name: str) -> str:
    """The run's name with nothing that a file system, or a header, could stumble over."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-.")[:80]


def _report(
    engine: Engine, run_id: int, summary: RunSummary, now: datetime, withheld: Collection[int]
) -> RunReport:
    changed_first = JudgementFilter(states=(JudgementState.CHANGED,))
    changed = _told(ordered_ids(engine, run_id, changed_first), withheld)
    lowest = _told(ordered_ids(engine, run_id, order=JudgementOrder(OrderBy.FINAL)), withheld)
    told = set(list(dict.fromkeys([*changed, *lowest]))[:IN_FULL])
    in_order = [i for i in ordered_ids(engine, run_id) if i in told]
    return RunReport(
        summary=summary,
        trust=_trust(engine, run_id, hidden=bool(withheld)),
        lowest=_for_file(engine, _told([line.id for line in summary.lowest], withheld)),
        changed=_for_file(engine, changed[:IN_FULL]),
        examples=_in_batches(engine, in_order),
        examples_left_out=len(lowest) - len(in_order),
        slices=tuple(_slices(engine, run_id)),
        made_at=now,
    )


def _trust(engine: Engine, run_id: int, *, hidden: bool) -> Trust:
    """What the number rests on; while something is `hidden`, nothing that could tell of it."""
    with reading(engine) as session:
        run = session.get_one(RunRow, run_id)
        model, prompt = run.model or "", run.prompt_hash or ""
    return Trust(
        recall=headline(engine, run_id),
        movement=None if hidden else run_ledger(engine, run_id).by_cause,
        agreement=() if hidden else calibrations(engine, [run_id]),
        people={} if hidden else between_people(engine, [run_id]),
        reviewed_by=tuple(
            ReviewedBy(
                person.reviewer,
                person.passes.finished,
                person.by_queue.get(Queue.AUDIT, Passes()).finished,
            )
            for person in review_progress(engine, run_id)
            if person.passes.finished
        ),
        model=model,
        prompt=prompt,
    )


def _in_batches(engine: Engine, ids: list[int]) -> Iterator[JudgementDetail]:
    for start in range(0, len(ids), _BATCH):
        yield from _for_file(engine, ids[start : start + _BATCH])


def _for_file(engine: Engine, ids: Sequence[int]) -> tuple[JudgementDetail, ...]:
    return tuple(for_file(detail, withheld=False) for detail in read_judgements(engine, ids))


def _told(ids: Sequence[int], withheld: Collection[int]) -> list[int]:
    """A report tells nothing of what is withheld: not even that it is low."""
    return [i for i in ids if i not in withheld]


def _slices(engine: Engine, run_id: int) -> Iterator[tuple[str, tuple[Slice, ...]]]:
    fields = [f.name for f in metadata_fields(engine, run_id) if f.values in SLICE_VALUES]
    for name in fields[:SLICES]:
        yield name, tuple(slices(engine, run_id, name))

"""Files of a reviewed run: CSV and a workbook with a row a unit, JSON lines with one an example."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from openpyxl import Workbook

from recall_core.details import JudgementDetail
from recall_core.document import write_document
from recall_core.export.result_json import reviewed_json
from recall_core.export.result_rows import COLUMNS, cells_of, rows_of, settings_text
from recall_core.export.safe_cells import CELL_LIMIT, CUT_MARK, cell_number, cell_text, protected
from recall_core.headline import Headline
from recall_core.policy import NamedPolicy
from recall_core.summary import RunSummary

SHEET_ROWS = 1_048_576
"""The most rows that a workbook's sheet can hold; a longer table goes on in the next sheet."""


def results_csv(
    details: Iterable[JudgementDetail], policy: NamedPolicy | None = None
) -> Iterator[str]:
    """CSV, a row a unit, with nothing that a spreadsheet runs.

    Begins with a byte-order mark, without which Excel takes it for another encoding.
    """
    yield "\ufeff" + _line(COLUMNS)
    for detail in details:
        for row in rows_of(detail, policy):
            yield _line(map(_csv_cell, cells_of(row)))


def results_jsonl(
    details: Iterable[JudgementDetail], policy: NamedPolicy | None = None
) -> Iterator[str]:
    """One JSON object a line and example, with its units inside; never NaN."""
    for detail in details:
        yield json.dumps(reviewed_json(detail, policy), ensure_ascii=False, allow_nan=False) + "\n"


def results_text(
    details: Iterable[JudgementDetail], policy: NamedPolicy | None = None
) -> Iterator[str]:
    """Every judgement as it counts now in the source document's text form, one below another.

    A policy stands before them in one sentence: it changes none of their lines.
    """
    if policy is not None:
        yield f"Policy: {policy.sentence}\n\n"
    for detail in details:
        hidden = detail.sight.judge_hidden
        judgement = detail.details if hidden else write_document(detail.effective, detail.trace)
        yield f"Example: {detail.example.id}\n\n{judgement}\n\n"


def write_results_xlsx(
    details: Iterable[JudgementDetail],
    summary: RunSummary,
    path: Path,
    *,
    recall: Headline,
    now: datetime,
    sheet_rows: int = SHEET_ROWS,
    policy: NamedPolicy | None = None,
) -> None:
    """A workbook at `path`: the sheet Results, a row a unit, and the sheet Run with its facts.

    Rows are written as they come, so a large run needs little memory. A text that no cell can
    hold is cut with a visible mark, and the sheet Run says how many were.
    """
    sheets = _ResultSheets(sheet_rows)
    for detail in details:
        for row in rows_of(detail, policy):
            sheets.append(cells_of(row))
    facts = sheets.book.create_sheet("Run")
    facts.column_dimensions["A"].width, facts.column_dimensions["B"].width = 28, 90
    for name, value in facts_of(summary, recall, now=now, cut=sheets.cut):
        facts.append([name, _workbook_cell(value)])
    if policy is not None:
        facts.append(["Policy", _workbook_cell(policy.sentence)])
    sheets.book.save(path)


class _ResultSheets:
    """The results of one workbook: a new sheet whenever the last is full."""

    def __init__(self, sheet_rows: int) -> None:
        self.book = Workbook(write_only=True)
        self.cut = 0
        self._sheet_rows = sheet_rows
        self._begin("Results")

    def append(self, cells: Iterable[object]) -> None:
        if self._rows == self._sheet_rows:
            self._begin(f"Results {len(self.book.sheetnames) + 1}")
        safe = [_workbook_cell(cell) for cell in cells]
        self.cut += sum(isinstance(cell, str) and cell.endswith(CUT_MARK) for cell in safe)
        self._sheet.append(safe)
        self._rows += 1

    def _begin(self, title: str) -> None:
        self._sheet = self.book.create_sheet(title)
        self._sheet.freeze_panes = "A2"
        self._sheet.append(COLUMNS)
        self._rows = 1


def facts_of(
    summary: RunSummary, recall: Headline, *, now: datetime, cut: int = 0
) -> Iterator[tuple[str, str | int | float | None]]:
    """What the run is and what its numbers are, as names and values."""
    run, counts, review = summary.run, summary.counts, summary.review
    yield "Run", run.name
    yield "Judge", f"{run.judge_title} ({run.judge}, version {run.judge_version})"
    yield "Settings", settings_text(run.settings)
    yield "Rounding", run.rounding.value
    yield "Dataset", run.dataset
    yield "Dataset content (SHA-256)", run.content_hash
    yield "Made", f"{run.created_at.isoformat(timespec='seconds')} by {run.created_by}"
    estimate = recall.estimate
    yield "Recall", None if estimate is None else estimate.point
    yield "Recall, lower end", None if estimate is None else estimate.low
    yield "Recall, upper end", None if estimate is None else estimate.high
    yield "Recall, made from", recall.made_from
    yield "Recall, how", recall.sentence
    yield "Mean now", cell_number(summary.mean.value)
    yield "Mean now covers", counts.coverage
    yield "Judge's mean", cell_number(summary.judge_mean.value)
    yield "Judge's mean covers", f"{summary.judge_mean.n} of {summary.judge_mean.of}"
    yield "Not in the mean", counts.left_out or "none"
    yield "Units reviewed", f"{review.units_reviewed} of {review.units}"
    yield "Units changed", review.units_changed
    yield "Reviewers", ", ".join(f"{name} {n}" for name, n in summary.reviewers) or "none"
    yield (
        "Withheld",
        f"What the judge said of {summary.withheld} examples that are still reviewed blind."
        if summary.withheld
        else "none",
    )
    yield "Exported", now.isoformat(timespec="seconds")
    yield (
        "Texts cut",
        f"{cut} held more than {CELL_LIMIT:,} characters, which is all that a cell can hold. "
        "They are cut there, with a mark; the CSV and JSON lines exports have them whole."
        if cut
        else "none",
    )


def _csv_cell(value: object) -> str:
    if value is None:
        return ""
    return protected(value) if isinstance(value, str) else str(value)


def _workbook_cell(value: object) -> object:
    return cell_text(value) if isinstance(value, str) else value


def _line(cells: Iterable[str]) -> str:
    text = io.StringIO()
    csv.writer(text).writerow(cells)
    return text.getvalue()

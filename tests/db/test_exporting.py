"""A run as a file: every example in it, what people decided in it, and a name for it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from openpyxl import load_workbook
from sqlalchemy import Engine, update

from db.engine import transaction
from db.errors import NotKept
from db.exporting import ExportFormat, export_run, write_export
from db.tables import RunRow
from recall_core.document import read_document
from recall_core.types import Action, Cause
from tests.db.making import NOW
from tests.db.reviewing import B1, E1, E2, Desk, desk, told


@pytest.fixture
def run(engine: Engine) -> Desk:
    made = desk(
        engine,
        told("a", [4, 3], [2], topic="x"),
        told("failed", [4], fails="timeout", topic="y"),
        told("none", [], topic="y"),
    )
    made.set("a", E2, 5, cause=Cause.JUDGE_WRONG, note="=1+1")
    made.decide("a", B1, Action.EXCLUDE, by="Jonas")
    return made


def test_a_table_has_a_row_a_unit_and_no_example_is_missing(run: Desk) -> None:
    content = export_run(run.engine, run.run_id, ExportFormat.CSV, now=NOW).content

    rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))

    assert [(r["example_id"], r["unit"], r["judge_score"], r["score_now"]) for r in rows] == [
        ("a", "E1", "4", "4"),
        ("a", "E2", "3", "5"),
        ("a", "B1", "2", ""),
        ("failed", "E1", "", ""),
        ("none", "", "", ""),
    ]
    assert [r["override"] for r in rows] == ["no", "yes", "yes", "no", ""]
    assert [r["status"] for r in rows] == ["processed"] * 3 + ["error", "skipped"]
    assert rows[1]["note"] == "'=1+1"


def test_a_line_of_json_has_what_counts_now_and_what_the_judge_said(run: Desk) -> None:
    content = export_run(run.engine, run.run_id, ExportFormat.JSONL, now=NOW).content

    first, failed, none = map(json.loads, content.decode().splitlines())

    assert (first["score"], first["judge_score"]) == (4.5, 4)
    assert [(u["unit"], u["score"], u["judge_score"]) for u in first["units"]] == [
        ("E1", 4, 4),
        ("E2", 5, 3),
        ("B1", None, 2),
    ]
    assert (failed["score"], failed["error_type"], failed["raw_response"]) == (
        None,
        "timeout",
        "gibberish",
    )
    assert (none["status"], none["units"]) == ("skipped", [])


def test_a_workbook_opens_with_the_results_and_the_facts_of_the_run(
    run: Desk, tmp_path: Path
) -> None:
    path = tmp_path / "run.xlsx"

    name = write_export(run.engine, run.run_id, ExportFormat.XLSX, path, now=NOW)

    book = load_workbook(path)
    assert (name, book.sheetnames) == ("first-results.xlsx", ["Results", "Run"])
    assert book["Results"].max_row == 6
    facts = dict(book["Run"].iter_rows(values_only=True))
    assert (facts["Mean now"], facts["Mean now covers"]) == (4.5, "1 of 3")
    assert facts["Not in the mean"] == "1 failed, 1 skipped"


def test_a_report_tells_the_changed_and_the_lowest_and_cuts_by_metadata(run: Desk) -> None:
    page = export_run(run.engine, run.run_id, ExportFormat.REPORT, now=NOW)

    text = page.content.decode()
    assert (page.name, page.media_type) == ("first-report.html", "text/html")
    assert "By <bdi>topic</bdi>" in text
    assert "Jonas</span> excluded it" in text
    assert "1 of 3 examples" in text


def test_a_long_report_tells_what_it_leaves_out(engine: Engine) -> None:
    run = desk(engine, *(told(f"e{i}", [1 + i % 5]) for i in range(310)))
    run.set("e308", E1, 3)

    text = export_run(engine, run.run_id, ExportFormat.REPORT, now=NOW).content.decode()

    assert text.count('<section class="example"') == 300
    assert "10 more examples are in the exported table" in text
    assert f'id="j{run.judgements["e308"]}"' in text


def test_a_file_name_holds_nothing_a_file_system_stumbles_over(run: Desk) -> None:
    with transaction(run.engine) as session:
        session.execute(update(RunRow).values(name='../"v7" ürün\n/x.'))

    assert export_run(run.engine, run.run_id, ExportFormat.CSV, now=NOW).name == (
        "v7-ürün-x-results.csv"
    )


def test_a_name_without_any_letter_still_makes_a_file_name(run: Desk) -> None:
    with transaction(run.engine) as session:
        session.execute(update(RunRow).values(name="***"))

    assert export_run(run.engine, run.run_id, ExportFormat.CSV, now=NOW).name == (
        f"run-{run.run_id}-results.csv"
    )


def test_a_run_that_is_gone_cannot_be_exported(engine: Engine) -> None:
    with pytest.raises(NotKept):
        export_run(engine, 9, ExportFormat.CSV, now=NOW)


def test_reviewed_judgements_print_in_the_documents_form_and_read_back(run: Desk) -> None:
    run.decide("a", E1, Action.CONFIRM)

    content = export_run(run.engine, run.run_id, ExportFormat.TEXT, now=NOW).content

    first, failed, none = content.decode().split("Example: ")[1:]
    assert first.startswith("a\n\n")
    assert "RECALL_Final_Score: 4.5" in first
    assert [u.score for u in read_document(first, essential=2, bonus=0).units] == [4, 5]
    assert "RECALL_Final_Score: none (no score for E1)" in failed
    assert none.startswith("none\n\n")

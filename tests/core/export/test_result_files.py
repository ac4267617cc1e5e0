"""Results as files: harmless in a spreadsheet, whole where they can be, never NaN."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from recall_core.details import JudgementDetail
from recall_core.export.result_files import results_csv, results_jsonl, write_results_xlsx
from recall_core.export.result_json import reviewed_json
from recall_core.export.result_rows import COLUMNS, rows_of
from recall_core.export.safe_cells import CELL_LIMIT, CUT_MARK
from recall_core.results import Status
from recall_core.summary import RunSummary
from recall_core.types import Action, Cause, Evidence, FailureKind, UnitKind
from tests.core.details import NOW, RUN, SHARE_RUN, an_example, decision, detail, summary, verdict
from tests.core.trusting import audited, unaudited

HOSTILE = [
    '=HYPERLINK("http://x","ok")',
    "+1+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    " =1",
    "\u200b=1",
]


def reviewed(**fields: Any) -> JudgementDetail:
    """Two units, of which a person has changed the second."""
    return detail(
        verdict("E1", 4, evidence=(Evidence(1, 0, 6, "A unit", located=True),), probability=0.71),
        verdict("E2", 2, evidence=(Evidence(None, None, None, "gone", located=False),)),
        decisions=[decision(1, "E2", 2, 5, cause=Cause.JUDGE_WRONG, note="it is there")],
        **fields,
    )


def csv_rows(*details: JudgementDetail) -> list[dict[str, str]]:
    text = "".join(results_csv(details))
    assert text.startswith("\ufeff")
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


def workbook_rows(path: Path, sheet: str = "Results") -> Iterator[dict[str, Any]]:
    names, *rows = load_workbook(path)[sheet].iter_rows(values_only=True)
    return (dict(zip(names, row, strict=True)) for row in rows)


def write(details: Iterable[JudgementDetail], numbers: RunSummary, path: Path, **rest: Any) -> None:
    """A workbook of a run that no audit has drawn from."""
    write_results_xlsx(details, numbers, path, recall=unaudited(numbers), now=NOW, **rest)


def test_a_row_has_the_judges_value_the_one_that_counts_and_who_set_it_when_and_why() -> None:
    first, second = csv_rows(reviewed())

    assert (second["judge_score"], second["score_now"], second["override"]) == ("2", "5", "yes")
    assert (second["reviewer"], second["cause"], second["note"]) == (
        "Mara",
        "judge wrong",
        "it is there",
    )
    assert second["decided_at"] == "2026-11-30T14:02:00+00:00"
    assert (first["override"], first["reviewed"], first["reviewer"]) == ("no", "no", "")
    assert (first["example_judge_final"], first["example_final"]) == ("3", "4.5")
    assert "RECALL_Essential_Formula: (4 + 5) / 2 = 4.5" in first["formulas"]
    assert json.loads(first["settings"]) == {"rounding": "half_up", "pass_at": 4}


def test_evidence_names_its_passage_and_says_when_the_quote_is_not_there() -> None:
    first, second = csv_rows(reviewed())

    assert first["evidence"] == "passage 1: “A unit”"
    assert second["evidence"] == "answer (not found in it): “gone”"


def test_a_moved_and_an_excluded_unit_are_told_by_both_kinds_and_an_empty_score() -> None:
    made = [
        decision(1, "E1", 4, 4, action=Action.MOVE, kind=UnitKind.BONUS),
        decision(2, "E2", 2, 2, action=Action.EXCLUDE, excluded=True),
    ]

    first, second = csv_rows(detail(verdict("E1", 4), verdict("E2", 2), decisions=made))

    assert (first["kind_judged"], first["kind_now"]) == ("essential", "bonus")
    assert (second["excluded"], second["score_now"], second["judge_score"]) == ("yes", "", "2")
    assert second["example_state"] == "void"


@pytest.mark.parametrize("text", HOSTILE)
def test_text_that_a_spreadsheet_would_run_is_harmless_in_every_column(
    text: str, tmp_path: Path
) -> None:
    hostile = detail(
        verdict(
            "E1",
            4,
            text=text,
            reasoning=text,
            evidence=(Evidence(1, 0, 1, text, located=True),),
        ),
        decisions=[decision(1, "E1", 4, 5, reviewer=text, note=text)],
        run=replace(RUN, name=text, settings={"note": text}),
        example=an_example(1, question=text),
        details=text,
        warnings=(text,),
    )
    path = tmp_path / "results.xlsx"
    write([hostile], summary(hostile, run=hostile.run), path)

    cells = [
        *csv_rows(hostile)[0].values(),
        *(cell for row in workbook_rows(path) for cell in row.values()),
        *(cell for row in load_workbook(path)["Run"].iter_rows(values_only=True) for cell in row),
    ]

    texts = [cell for cell in cells if isinstance(cell, str)]
    assert len(texts) > 40
    assert not [cell for cell in texts if cell.lstrip("\t \u200b\n")[:1] in set("=+-@")]
    types = {cell.data_type for row in load_workbook(path)["Results"] for cell in row}
    assert "f" not in types


def test_numbers_stay_numbers(tmp_path: Path) -> None:
    path = tmp_path / "results.xlsx"
    made = reviewed()
    write([made], summary(made), path)

    first, second = workbook_rows(path)

    assert (first["judge_score"], first["probability"], second["score_now"]) == (4, 0.71, 5)
    assert second["example_final"] == 4.5


def test_control_characters_leave_a_workbook_that_opens(tmp_path: Path) -> None:
    path = tmp_path / "results.xlsx"
    made = detail(verdict("E1", 4, text="one\r\ntwo\x0b three"))
    write([made], summary(made), path)

    assert [row["text"] for row in workbook_rows(path)] == ["one\ntwo three"]


def test_a_text_that_no_cell_can_hold_is_cut_visibly_counted_and_whole_elsewhere(
    tmp_path: Path,
) -> None:
    path = tmp_path / "results.xlsx"
    long = detail(verdict("E1", 4, text="x" * 40_000))
    write([long], summary(long), path)

    [row] = workbook_rows(path)
    facts = dict(load_workbook(path)["Run"].iter_rows(values_only=True))

    assert row["text"].endswith(CUT_MARK)
    assert len(row["text"]) == CELL_LIMIT
    assert facts["Texts cut"].startswith("1 held more than 32,767 characters")
    assert csv_rows(long)[0]["text"] == "x" * 40_000


def test_a_table_longer_than_a_sheet_goes_on_in_the_next(tmp_path: Path) -> None:
    path = tmp_path / "results.xlsx"
    made = [detail(verdict("E1", 4), number=i) for i in range(1, 6)]
    write(made, summary(*made), path, sheet_rows=3)

    assert load_workbook(path).sheetnames == ["Results", "Results 2", "Results 3", "Run"]
    ids = [
        row["example_id"]
        for sheet in ("Results", "Results 2", "Results 3")
        for row in workbook_rows(path, sheet)
    ]
    assert ids == ["ex-1", "ex-2", "ex-3", "ex-4", "ex-5"]


def test_a_run_without_any_judgement_is_a_table_without_rows(tmp_path: Path) -> None:
    path = tmp_path / "results.xlsx"
    write([], summary(), path)

    assert [*workbook_rows(path)] == []
    assert csv_rows() == []
    assert dict(load_workbook(path)["Run"].iter_rows(values_only=True))["Mean now"] is None


def test_an_example_without_units_has_a_row_that_says_why() -> None:
    failed = detail(
        status=Status.ERROR, error_type=FailureKind.TIMEOUT, details="It took too long."
    )

    [row] = csv_rows(failed)

    assert (row["status"], row["error_type"], row["details"]) == (
        "error",
        "timeout",
        "It took too long.",
    )
    assert (row["unit"], row["example_final"], row["score_now"]) == ("", "", "")


def test_what_is_not_a_number_is_empty_and_never_nan(tmp_path: Path) -> None:
    odd = detail(
        verdict("E1", None, similarity=float("nan"), failure=FailureKind.INCOMPLETE),
        verdict("E2", 3, probability=float("inf")),
        status=Status.ERROR,
        error_type=FailureKind.INCOMPLETE,
    )
    path = tmp_path / "results.xlsx"
    write([odd], summary(odd), path)

    [line] = results_jsonl([odd])
    record = json.loads(line, parse_constant=pytest.fail)

    assert (record["score"], record["units"][0]["score"]) == (None, None)
    assert (record["units"][0]["similarity"], record["units"][1]["probability"]) == (None, None)
    assert [row["similarity"] for row in csv_rows(odd)] == ["", ""]
    assert [row["probability"] for row in workbook_rows(path)] == [None, None]


def test_json_has_the_same_shape_as_every_result_and_what_people_decided() -> None:
    record = reviewed_json(reviewed(run=replace(RUN, pass_mark=Fraction(4))))

    assert (record["score"], record["judge_score"], record["status"]) == (4.5, 3, "processed")
    assert (record["passed"], record["label"]) == (True, "4.5 of 5")
    unit = record["units"][1]  # type: ignore[index]
    assert (unit["score"], unit["judge_score"], unit["override"]) == (5, 2, True)
    assert (unit["reviewer"], unit["note"]) == ("Mara", "it is there")
    assert record["formulas"][-1] == "RECALL_Final_Score: 4.5"  # type: ignore[index]


def test_json_of_a_failure_that_people_scored_is_processed_and_keeps_what_the_judge_said() -> None:
    made = detail(
        verdict("C1", None, failure=FailureKind.TIMEOUT),
        decisions=[decision(1, "C1", None, 1)],
        run=SHARE_RUN,
        status=Status.ERROR,
        error_type=FailureKind.TIMEOUT,
    )

    record = reviewed_json(made)

    assert (record["status"], record["judge_status"], record["error_type"]) == (
        "processed",
        "error",
        None,
    )
    assert (record["score"], record["judge_score"]) == (1, None)


def test_every_row_has_every_column_in_one_order() -> None:
    text = "".join(results_csv([reviewed(), detail(status=Status.SKIPPED)]))

    assert {len(cells) for cells in csv.reader(io.StringIO(text))} == {len(COLUMNS)}
    assert len([*rows_of(reviewed())]) == 2


def test_the_sheet_of_facts_has_the_recall_with_both_ends(tmp_path: Path) -> None:
    numbers = summary(reviewed())
    recall = audited(numbers.judge_mean, numbers.mean)
    path = tmp_path / "results.xlsx"

    write_results_xlsx([], numbers, path, recall=recall, now=NOW)

    facts = dict(load_workbook(path)["Run"].iter_rows(values_only=True))
    assert recall.estimate is not None
    assert facts["Recall"] == pytest.approx(recall.estimate.point)
    assert facts["Recall, lower end"] == pytest.approx(recall.estimate.low)
    assert facts["Recall, made from"] == "40 audited"


def test_without_an_audit_the_sheet_has_no_recall_and_says_why(tmp_path: Path) -> None:
    path = tmp_path / "results.xlsx"

    write([], summary(reviewed()), path)

    facts = dict(load_workbook(path)["Run"].iter_rows(values_only=True))
    assert facts["Recall"] is None
    assert "an interval needs 5" in facts["Recall, how"]

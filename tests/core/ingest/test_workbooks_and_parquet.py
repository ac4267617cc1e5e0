"""Workbooks and Parquet files."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, date, datetime
from decimal import Decimal

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from recall_core.errors import UnreadableFile
from recall_core.ingest import FileFormat, read_file, workbook

HEADER = ["question", "contexts", "when"]


def workbook_bytes(**sheets: list[list[object]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def parquet_bytes(columns: dict[str, object]) -> bytes:
    stream = io.BytesIO()
    pq.write_table(pa.table(columns), stream)
    return stream.getvalue()


def test_the_first_sheet_with_data_is_read_unless_another_is_chosen() -> None:
    data = workbook_bytes(
        notes=[], first=[[], [], HEADER, ["q", '["a", "b"]']], second=[["question"], ["other"]]
    )

    table = read_file(data, "rows.xlsx")

    assert (table.sheet, table.sheets) == ("first", ("notes", "first", "second"))
    assert table.columns == ("question", "contexts", "when")
    assert "Excel, sheet first" in table.description
    chosen = read_file(data, "rows.xlsx", sheet="second")
    assert [row.values["question"] for row in chosen.rows()] == ["other"]
    with pytest.raises(UnreadableFile, match=r"no sheet 'third'\. It has: notes, first, second"):
        read_file(data, "rows.xlsx", sheet="third")


def test_dates_become_iso_text_and_blank_rows_keep_the_numbers(load) -> None:
    rows = [
        HEADER,
        ["a", None, datetime(2026, 11, 30)],  # noqa: DTZ001 -- workbooks have no time zones
        [None, None, None],
        ["b", "x", datetime(2026, 11, 30, 8, 5)],  # noqa: DTZ001
        [3, 4.0, date(2026, 1, 2)],
    ]

    loaded = load(workbook_bytes(s=rows), "rows.xlsx")

    assert [e.id for e in loaded.examples] == ["row-1", "row-3", "row-4"]
    assert [e.metadata["when"] for e in loaded.examples] == [
        "2026-11-30",
        "2026-11-30T08:05:00",
        "2026-01-02",
    ]
    assert (loaded.examples[2].question, loaded.examples[2].retrieved[0].text) == ("3", "4")


def test_a_formula_counts_as_its_stored_value_and_an_error_as_missing() -> None:
    data = workbook_bytes(s=[["question", "n"], ["#N/A", 1], ["q", "=1+1"]])
    data = with_cached_value(data, "<f>1+1</f><v />", "<f>1+1</f><v>2</v>")

    first, second = read_file(data, "rows.xlsx").rows()

    assert first.values["question"] is None
    assert second.values["n"] == 2


def with_cached_value(data: bytes, old: str, new: str) -> bytes:
    """The workbook with one piece of its sheet's text replaced, as Excel would have stored it."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(stream, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if name == "xl/worksheets/sheet1.xml":
                assert old.encode() in content
                content = content.replace(old.encode(), new.encode())
            target.writestr(name, content)
    return stream.getvalue()


def test_a_small_workbook_that_unpacks_to_gigabytes_is_refused() -> None:
    stream = io.BytesIO(workbook_bytes(s=[HEADER]))
    with (
        zipfile.ZipFile(stream, "a", zipfile.ZIP_DEFLATED) as archive,
        archive.open("xl/media/bomb.bin", "w") as entry,
    ):
        for _ in range(600):
            entry.write(bytes(1024 * 1024))

    with pytest.raises(UnreadableFile, match=r"at most 512.0 MB are read"):
        read_file(stream.getvalue(), "bomb.xlsx")


def test_a_workbook_with_too_many_columns_is_refused() -> None:
    with pytest.raises(UnreadableFile, match="3,000 columns"):
        read_file(workbook_bytes(s=[[f"c{n}" for n in range(3000)]]), "wide.xlsx")


def test_a_cell_beyond_the_limit_is_an_error_of_its_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook, "MAX_CELL_CHARACTERS", 10)

    (row,) = read_file(workbook_bytes(s=[["question"], ["x" * 20]]), "rows.xlsx").rows()

    assert row.problem == "question has more than 10 characters."


def test_other_archives_and_damaged_files_are_refused() -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as target:
        target.writestr("rows.csv", "question\n")
    whole = workbook_bytes(s=[HEADER])

    with pytest.raises(UnreadableFile, match="zip archive"):
        read_file(archive.getvalue(), "rows.zip")
    with pytest.raises(UnreadableFile, match="damaged"):
        read_file(whole[: len(whole) // 2], "half.xlsx")
    with pytest.raises(UnreadableFile, match="no sheet has a header"):
        read_file(workbook_bytes(s=[]), "empty.xlsx")
    with pytest.raises(UnreadableFile, match="damaged"):
        read_file(with_cached_value(whole, "<sheetData>", "<sheetData><"), "broken.xlsx")


def test_parquet_lists_and_structs_arrive_as_they_are(load) -> None:
    data = parquet_bytes(
        {
            "question": ["a", "b", None],
            "contexts": [["x", "y"], [], None],
            "reference_contexts": [[{"text": "t", "id": "1"}], None, []],
            "score": [0.5, float("nan"), None],
            "price": [Decimal("1.50"), None, None],
            "at": [datetime(2026, 1, 2, tzinfo=UTC), None, None],
        }
    )

    loaded = load(data, "rows.parquet")

    assert loaded.table.format is FileFormat.PARQUET
    assert [len(e.retrieved) if e.retrieved is not None else None for e in loaded.examples] == [
        2,
        0,
        None,
    ]
    assert loaded.examples[0].ground_truth[0].id == "1"
    assert loaded.examples[0].metadata == {
        "score": 0.5,
        "price": 1.5,
        "at": "2026-01-02T00:00:00+00:00",
    }
    assert loaded.examples[1].metadata == {}


def test_a_binary_column_without_a_role_is_kept_readable_and_refuses_no_row(load) -> None:
    raw = [b"\x00\xff", "größe\n".encode(), b"", b"\x00\x01", None, b"x" * 70_000]
    data = parquet_bytes({"question": list("abcdef"), "raw": raw})

    loaded = load(data, "rows.parquet")

    assert not loaded.problems
    assert [e.metadata.get("raw") for e in loaded.examples] == [
        "AP8=",
        "größe\n",
        "",
        "AAE=",
        None,
        None,
    ]
    assert [(n.row, n.field, n.reason, n.said) for n in loaded.notices] == [
        (1, "raw", "binary data, kept in base64", "(2 bytes)"),
        (2, "raw", "binary data, read as UTF-8 text", "(8 bytes)"),
        (3, "raw", "binary data, kept in base64", "(0 bytes)"),
        (4, "raw", "binary data, kept in base64", "(2 bytes)"),
        (
            6,
            "raw",
            "This value is left out. It is 68 kB of binary data; at most 64 kB are kept.",
            "(70,000 bytes)",
        ),
    ]


def test_binary_data_inside_a_struct_are_kept_with_one_notice(load) -> None:
    picture = {"bytes": b"\x89\xff", "mask": b"\xff\x00", "path": "a.png"}
    data = parquet_bytes({"question": ["a"], "image": [picture]})

    loaded = load(data, "rows.parquet")

    assert loaded.examples[0].metadata == {
        "image": {"bytes": "if8=", "mask": "/wA=", "path": "a.png"}
    }
    assert [n.reason for n in loaded.notices] == ["binary data, kept in base64"]


def test_binary_data_where_a_question_should_be_are_an_error_of_their_row(load) -> None:
    loaded = load(parquet_bytes({"question": [b"\x00\xff"]}), "rows.parquet")

    assert loaded.problems[0].reason == "This is binary data, not text."


def test_damaged_and_wide_parquet_files_are_refused() -> None:
    data = parquet_bytes({"question": ["a"]})

    with pytest.raises(UnreadableFile, match="damaged"):
        read_file(data[:-20], "rows.parquet")
    with pytest.raises(UnreadableFile, match="2,001 columns"):
        read_file(parquet_bytes({f"c{n}": [1] for n in range(2001)}), "wide.parquet")


def test_a_sheet_of_notes_in_front_of_the_data_is_passed_over() -> None:
    content = workbook_bytes(
        Notes=[["About these data"]], Data=[["question", "contexts"], ["q", "a"]]
    )

    table = read_file(content, "rows.xlsx")

    assert table.sheet == "Data"
    assert [row.values["question"] for row in table.rows()] == ["q"]

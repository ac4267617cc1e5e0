"""JSON documents and JSON lines."""

from __future__ import annotations

import json

import pytest

from recall_core.errors import UnreadableFile
from recall_core.ingest import FileFormat, bad_rows_csv, bad_rows_jsonl, read_file
from recall_core.ingest import json_files as limits

ROW = {"question": "q", "contexts": ["a"]}


def test_a_broken_line_is_named_and_the_others_go_on(load) -> None:
    lines = [json.dumps({"question": f"q{n}"}) for n in range(1, 10)]
    lines[6] = '{"question": "q7", "contexts": ["cut off'

    loaded = load("\n".join(lines))

    assert [p.row for p in loaded.problems] == [7]
    assert loaded.problems[0].reason.startswith("Line 7 is not valid JSON: Unterminated string")
    assert loaded.problems[0].said == lines[6]
    assert len(loaded.examples) == 8


def test_blank_lines_do_not_move_the_numbers(load) -> None:
    loaded = load('{"question": "a"}\n\n  \n{"question": "b"}\r\n')

    assert [row.number for row in loaded.rows] == [1, 4]


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity"])
def test_literals_that_are_not_json_are_refused_by_row(load, literal: str) -> None:
    text = f'{{"question": "a", "s": {{"x": [1, {literal}]}}}}\n{{"question": "b", "s": 1}}\n'
    as_document = "[" + text.strip().replace("\n", ",") + "]"

    for loaded in (load(text), load(as_document, "rows.json")):
        assert [str(p) for p in loaded.problems] == [
            f"Row 1: s holds {literal}, which is not JSON. Write null where there is no value."
        ]
        assert [e.question for e in loaded.examples] == ["b"]


def test_a_number_too_large_to_be_finite_is_left_out_of_the_metadata(load) -> None:
    loaded = load('{"question": "a", "x": 1e999}\n')

    assert loaded.examples[0].metadata == {}
    assert [(n.field, n.reason[:22]) for n in loaded.notices] == [("x", "This value is left out")]


@pytest.mark.parametrize("line", ["[" * 100_000, '{"n": ' + "9" * 5000 + "}", "3", '"text"', "[]"])
def test_a_line_that_is_no_object_is_an_error_of_that_line(load, line: str) -> None:
    loaded = load(f'{{"question": "a"}}\n{line}\n{{"question": "b"}}\n')

    assert [p.row for p in loaded.problems] == [2]
    assert len(loaded.examples) == 2


@pytest.mark.parametrize("wrapper", ["results", "data", "examples"])
def test_a_wrapper_is_taken_off(load, wrapper: str) -> None:
    loaded = load(json.dumps({"version": 1, wrapper: [ROW, ROW]}), "rows.json")

    assert len(loaded.examples) == 2


@pytest.mark.parametrize(
    "document",
    [[ROW], ROW, {"data": ROW}, {"data": {"examples": [ROW]}}, {"results": [ROW], "data": 1}],
)
def test_documents_of_every_shape_are_rows(load, document: object) -> None:
    loaded = load(json.dumps(document, indent=2), "rows.json")

    assert [e.question for e in loaded.examples] == ["q"]
    assert loaded.table.format is FileFormat.JSON


def test_the_default_form_of_pandas_is_read_by_column(load) -> None:
    text = json.dumps({"question": {"0": "a", "1": "b"}, "contexts": {"0": ["x"], "1": []}})

    loaded = load(text, "rows.json")

    assert [(e.question, len(e.retrieved)) for e in loaded.examples] == [("a", 1), ("b", 0)]


def test_an_object_whose_objects_are_no_columns_is_one_row(load) -> None:
    document = {"question": {"0": "a"}, "contexts": {"1": "b"}}

    assert len(load(json.dumps(document), "rows.json").rows) == 1
    assert "not an object" in load("3", "rows.json").problems[0].reason


def test_the_body_of_an_evaluation_request_is_one_example(load) -> None:
    body = {"data": {"contexts": ["a"], "expected_contexts": ["a"]}, "settings": {}}

    loaded = load(json.dumps(body), "body.json")

    assert len(loaded.examples) == 1
    assert len(loaded.examples[0].essential) == 1


def test_the_name_of_a_json_file_does_not_matter(load) -> None:
    lines = json.dumps(ROW) + "\n" + json.dumps(ROW) + "\n"
    several = json.dumps(ROW, indent=1) + "\n" + json.dumps(ROW, indent=1)

    assert load(lines, "rows.json").table.format is FileFormat.JSONL
    assert load(lines, "rows.txt").table.format is FileFormat.JSONL
    assert load(json.dumps([ROW, ROW], indent=1), "rows.jsonl").table.format is FileFormat.JSON
    assert len(load(several, "rows.jsonl").examples) == 2
    assert len(load(json.dumps([ROW]), "rows.jsonl").examples) == 1
    assert len(load(json.dumps(ROW), "rows.jsonl").examples) == 1


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "cp1252"])
def test_encodings_are_detected(load, codec: str) -> None:
    text = '{"question": "Où?"}\n{"question": "à côté"}\n'

    assert [e.question for e in load(text.encode(codec)).examples] == ["Où?", "à côté"]


def test_line_separators_inside_a_text_do_not_end_the_line(load) -> None:
    loaded = load('{"question": "a\u2028b\u0085c"}\n{"question": "d"}\n')

    assert [e.question for e in loaded.examples] == ["a\u2028b\u0085c", "d"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[{\n1", "line 2"),
        ('{\n"a": 1}\n{"b": ', "line 3"),
        ("[" * 200_000, "cannot be read"),
    ],
)
def test_a_broken_document_says_where(text: str, reason: str) -> None:
    with pytest.raises(UnreadableFile, match=reason):
        read_file(text.encode(), "rows.json")


def test_a_document_too_large_to_hold_names_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_JSON_BYTES", 100)

    with pytest.raises(UnreadableFile, match="JSON lines"):
        read_file(json.dumps([ROW] * 20, indent=1).encode(), "rows.json")


def test_a_line_too_long_is_an_error_that_names_the_limit(
    monkeypatch: pytest.MonkeyPatch, load
) -> None:
    monkeypatch.setattr(limits, "MAX_LINE_CHARACTERS", 1024 * 1024)
    long = json.dumps({"question": "x" * 3_000_000})

    loaded = load(f'{{"question": "a"}}\n{long}\n{{"question": "b"}}\n')

    assert [(p.row, p.reason) for p in loaded.problems] == [(2, "Line 2 is longer than 1.0 MB.")]
    assert [e.question for e in loaded.examples] == ["a", "b"]


def test_rows_with_too_many_fields_are_refused(load) -> None:
    wide = {f"c{n}": n for n in range(100_000)}

    loaded = load([{"question": "a"}, wide])

    assert "more than 2,000 fields" in loaded.problems[0].reason
    different = "".join(json.dumps({"question": "a", f"c{n}": n}) + "\n" for n in range(2_500))
    assert len(load(different).examples) == 2_500
    many = [{f"c{n}_{k}": k for k in range(100)} for n in range(30)]
    with pytest.raises(UnreadableFile, match="2,000 different fields"):
        load(many)


@pytest.mark.parametrize("depth", [150, 970, 100_000])
@pytest.mark.parametrize("start", ['{"question": "q", "m": ', ""])
def test_what_is_nested_too_deeply_is_an_error_of_its_row(load, depth: int, start: str) -> None:
    line = start + "[" * depth + "]" * depth + ("}" if start else "")
    good = '{"question": "q"}'

    for loaded in (load(f"{good}\n{line}\n{good}\n"), load(f"{line}\n{good}\n{good}\n")):
        assert len(loaded.problems) == 1
        assert len(loaded.examples) == 2
        "".join(bad_rows_csv(loaded.rows, loaded.table)).encode()
        "".join(bad_rows_jsonl(loaded.rows)).encode()


def test_depth_that_tools_really_write_is_kept(load) -> None:
    loaded = load('{"question": "q", "m": ' + "[" * 100 + "]" * 100 + "}\n")

    assert not loaded.problems


def test_half_a_surrogate_pair_never_leaves_the_reader(load) -> None:
    loaded = load(
        '{"question": "q\\ud800", "metr\\udead": {"k\\udc00": "\\ud83d"}}\n'
        '{"question": ["\\ud800"], "n\\ud801": "\\ud802"}\n'
        '{"question": "q", "x\\ud803": NaN, "y": "\\ud804"}\n'
        '["\\ud805"]\n'
    )

    written = [
        "".join(bad_rows_csv(loaded.rows, loaded.table)),
        "".join(bad_rows_jsonl(loaded.rows)),
        *loaded.table.columns,
        *(f"{remark}{remark.said}" for remark in (*loaded.problems, *loaded.rows[0].notices)),
    ]
    assert len(loaded.problems) == 3
    for text in written:
        text.encode()


def test_json_lines_may_begin_with_broken_ones(load) -> None:
    loaded = load('{"question": "cut\n{oops}\n' + '{"question": "q"}\n' * 3)

    assert [p.row for p in loaded.problems] == [1, 2]
    assert len(loaded.examples) == 3


@pytest.mark.parametrize("name", ["rows.csv", "rows.tsv", "rows.txt"])
def test_objects_are_json_whatever_the_file_is_called(load, name: str) -> None:
    for text in ('[{"question": "q"}]', '{"question": "q"}\n{"question": "r"}\n'):
        assert load(text, name).examples[0].question == "q"


def test_a_reason_says_what_is_wrong_and_not_what_python_advises(load) -> None:
    cut = load('{"question": "a"}\n{"question": "cut\n')
    long = load('{"question": "a"}\n{"n": ' + "9" * 5000 + "}\n")

    assert "at at" not in cut.problems[0].reason
    assert "sys." not in long.problems[0].reason
    with pytest.raises(UnreadableFile, match="more digits than any number needs"):
        read_file(b'[{"n": ' + b"9" * 5000 + b"}]", "rows.json")

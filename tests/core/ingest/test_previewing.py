"""The preview counts the whole file and says what each judge can take; bad rows come back."""

from __future__ import annotations

import csv
import io
import json

import pytest

from recall_core.ingest import (
    bad_rows_csv,
    bad_rows_jsonl,
    content_hash,
    parse_examples,
    preview,
    previewing,
    read_file,
    suggest_mapping,
)
from recall_core.ingest.names import REASON_COLUMN, ROW_COLUMN
from recall_core.judges import judges

ROWS = [
    {"question": "a", "contexts": ["x", "y"], "expected_contexts": ["x"], "reference": "X."},
    {"question": "b", "contexts": "x;y", "expected_contexts": []},
    {"question": "c", "contexts": [None], "topic": "t"},
    {"question": "d"},
]
LINES = "".join(json.dumps(row) + "\n" for row in ROWS) + "{broken\n"


def previewed(content: str, filename: str = "rows.jsonl") -> previewing.Preview:
    table = read_file(content.encode(), filename)
    return preview(table, suggest_mapping(table.columns, table.sample()))


def test_rows_are_counted_as_good_with_warnings_and_in_error() -> None:
    seen = previewed(LINES)

    assert (seen.all, seen.good, seen.warnings, seen.errors, seen.saved) == (5, 2, 1, 2, 3)
    assert [(p.row, p.field) for p in seen.problems] == [(3, "Retrieved passages"), (5, "")]
    assert [(n.row, n.reason) for n in seen.notices] == [(2, "one passage, not split")]


def test_the_first_rows_show_how_many_passages_they_have() -> None:
    seen = previewed(LINES)

    assert [(r.number, r.question, r.essential, r.bonus, r.retrieved) for r in seen.rows] == [
        (1, "a", 1, 0, 2),
        (2, "b", 0, 0, 1),
        (4, "d", None, None, None),
    ]
    assert seen.rows[1].notices[0].reason == "one passage, not split"


def test_every_judge_says_how_many_rows_it_can_take_and_what_the_others_lack() -> None:
    seen = previewed(LINES)

    takes = {judge.name: judge for judge in seen.judges}
    assert set(takes) == set(judges())
    assert takes["context_recall"].takes == 2
    assert takes["context_recall"].lacks
    assert takes["contextual_recall_lexical"].takes == 1


def test_the_hash_is_of_the_rows_that_would_be_saved() -> None:
    table = read_file(LINES.encode(), "rows.jsonl")
    mapping = suggest_mapping(table.columns, table.sample())
    saved = [row.example for row in parse_examples(table, mapping) if row.example]

    assert preview(table, mapping).content_hash == content_hash(saved)


def test_lists_of_remarks_stop_growing_but_the_counts_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(previewing, "KEPT_REMARKS", 3)
    rows = [{"question": "q", "contexts": c} for c in ([None], "x;y") for _ in range(10)]

    seen = previewed("".join(json.dumps(row) + "\n" for row in rows))

    assert (seen.errors, seen.warnings) == (10, 10)
    assert (len(seen.problems), len(seen.notices)) == (3, 3)


def test_bad_rows_become_a_csv_with_their_reasons_that_loads_again_once_put_right() -> None:
    text = "question,contexts,note\nok,x,n\nbad,['a' 'b'],'=1+1\n"
    table = read_file(text.encode(), "rows.csv")
    rows = parse_examples(table, suggest_mapping(table.columns, table.sample()))

    written = "".join(bad_rows_csv(rows, table))

    (record,) = csv.DictReader(io.StringIO(written.removeprefix("\ufeff")))
    assert (record[ROW_COLUMN], record["question"]) == ("2", "bad")
    assert record[REASON_COLUMN].startswith("Retrieved passages: This is numpy's own text")
    again = read_file(written.replace("['a' 'b']", "\"['a', 'b']\"").encode(), "fixed.csv")
    (row,) = parse_examples(again, suggest_mapping(again.columns, again.sample()))
    assert [p.text for p in row.example.retrieved] == ["a", "b"]
    assert row.example.metadata == {"note": "=1+1"}


def test_bad_rows_become_json_lines_with_their_reasons() -> None:
    table = read_file(LINES.encode(), "rows.jsonl")
    rows = parse_examples(table, suggest_mapping(table.columns, table.sample()))

    first, second = map(json.loads, bad_rows_jsonl(rows))

    assert first == {
        ROW_COLUMN: 3,
        REASON_COLUMN: first[REASON_COLUMN],
        "question": "c",
        "contexts": [None],
        "topic": "t",
    }
    assert "Item 1 is empty" in first[REASON_COLUMN]
    assert second["text_of_the_row"] == "{broken"


def test_bad_rows_never_hold_a_formula_or_a_value_that_json_lacks() -> None:
    line = '{"question": ["=1"], "answer": "=1+1", "x": 1e999}\n'
    table = read_file(line.encode(), "rows.jsonl")
    rows = list(parse_examples(table, suggest_mapping(table.columns, table.sample())))

    assert ",'=1+1," in "".join(bad_rows_csv(rows, table))
    assert json.loads("".join(bad_rows_jsonl(rows)))["x"] == "inf"


def test_ground_truth_without_an_essential_passage_loads_but_no_passage_judge_takes_it() -> None:
    seen = previewed('{"passage_gt": "[BONUS PASSAGE]\\nb", "passage_llm": "r"}\n')

    takes = {judge.name: judge for judge in seen.judges}
    assert seen.good == 1
    assert takes["passage_recall_lexical"].takes == 0
    assert "essential" in takes["passage_recall_lexical"].lacks.lower()

"""Rows become examples, or the reasons why they cannot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_core.ingest import (
    ColumnMapping,
    FileFormat,
    RawRow,
    References,
    Role,
    Table,
    content_hash,
    parse_examples,
    parse_form,
)
from recall_core.types import Example, GroundTruthPassage, PassageKind, RetrievedPassage

E, B = PassageKind.ESSENTIAL, PassageKind.BONUS
Load = Callable[..., object]


def table_of(*records: dict[str, object], format_: FileFormat = FileFormat.PARQUET) -> Table:
    rows = [RawRow(number, record) for number, record in enumerate(records, 1)]
    columns = dict.fromkeys(name for record in records for name in record)
    return Table("memory", format_, tuple(columns), lambda: iter(rows))


def test_a_text_of_contexts_is_one_context_with_a_notice(load) -> None:
    loaded = load([{"contexts": "The mill burned; in 1904."}])

    assert loaded.examples[0].retrieved == (RetrievedPassage(1, "The mill burned; in 1904."),)
    assert [n.reason for n in loaded.notices] == ["one passage, not split"]


def test_the_documents_one_passage_column_needs_no_notice(load) -> None:
    loaded = load([{"passage_gt": "[ESSENTIAL PASSAGE]\na", "passage_llm": "b"}])

    assert loaded.examples[0].retrieved == (RetrievedPassage(1, "b"),)
    assert loaded.examples[0].ground_truth == (GroundTruthPassage(E, "a"),)
    assert not loaded.notices


def test_an_empty_list_is_imported_and_is_not_missing(load) -> None:
    loaded = load([{"contexts": [], "expected_contexts": ["a"]}, {"expected_contexts": []}])

    assert loaded.examples[0].retrieved == ()
    assert loaded.examples[1].retrieved is None
    assert loaded.examples[1].ground_truth == ()


def test_not_a_number_is_missing_and_never_the_text_nan() -> None:
    table = table_of({"contexts": float("nan"), "question": float("nan"), "answer": "a"})
    mapping = ColumnMapping({Role.RETRIEVED: "contexts", Role.QUESTION: "question"})

    row = next(parse_examples(table, replace(mapping, columns={**mapping.columns})))

    assert row.example is None  # nothing is left: `answer` is metadata here
    mapping = mapping.with_column(Role.ACTUAL_OUTPUT, "answer")
    example = next(parse_examples(table, mapping)).example
    assert example is not None
    assert (example.question, example.retrieved) == (None, None)


def test_a_null_among_the_passages_is_an_error_that_names_the_item(load) -> None:
    loaded = load([{"contexts": ["a", None]}, {"contexts": ["b"]}])

    assert [str(p) for p in loaded.problems] == [
        "Row 1, Retrieved passages: Item 2 is empty (null). Remove it, or write an empty text."
    ]
    assert len(loaded.examples) == 1


def test_chunks_with_ids_keep_them(load) -> None:
    chunk = {"document_id": "d1", "chunk_id": "c1", "content": "text"}
    loaded = load([{"contexts": [chunk, {"doc_id": "d2", "text": "more"}, {"id": 7, "text": "x"}]}])

    assert loaded.examples[0].retrieved == (
        RetrievedPassage(1, "text", "d1/c1"),
        RetrievedPassage(2, "more", "d2"),
        RetrievedPassage(3, "x", "7"),
    )


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ({"id": "kb-88", "score": 0.71}, "object without text (it has: id, score)"),
        (["a"], "Item 1 is a list, not a passage"),
        (True, "not a passage"),
        ({"text": ["a"]}, "The text of item 1 is not text"),
    ],
)
def test_an_item_that_is_no_passage_is_named(load, item: object, reason: str) -> None:
    loaded = load([{"contexts": [item]}])

    assert reason in loaded.problems[0].reason


def test_blank_passages_of_a_plain_list_stay_and_are_counted(load) -> None:
    loaded = load([{"contexts": ["", "a"], "expected_contexts": ["a", " ", ""]}])

    assert [p.text for p in loaded.examples[0].retrieved or ()] == ["", "a"]
    assert [n.reason for n in loaded.notices] == ["2 blank items", "item 1 is blank"]


def test_ground_truth_lists_name_their_kinds(load) -> None:
    passages = [{"kind": "Bonus", "text": "b"}, {"kind": "essential", "text": "e", "id": "p1"}]
    loaded = load([{"ground_truth": passages}])

    assert loaded.examples[0].ground_truth == (
        GroundTruthPassage(B, "b"),
        GroundTruthPassage(E, "e", "p1"),
    )


@pytest.mark.parametrize(
    ("passage", "reason"),
    [
        ({"kind": "essential", "text": " "}, "Item 1 (essential) is empty"),
        ({"kind": "vital", "text": "a"}, "takes essential or bonus"),
        ({"importance": "essential", "text": "a"}, "takes vital or okay"),
        ({"kind": "bonus"}, "object without text"),
    ],
)
def test_a_ground_truth_passage_without_text_or_kind_is_an_error(load, passage, reason) -> None:
    loaded = load([{"GROUND_TRUTH_PASSAGE": [passage], "question": "q"}])

    assert reason in loaded.problems[0].reason
    assert loaded.problems[0].field == "Essential and bonus passages"


def test_essential_and_bonus_columns_make_one_ground_truth(load) -> None:
    loaded = load([{"bonus": ["b"], "essential": ["e1", "e2"]}, {"bonus": ["b"], "essential": []}])

    assert [p.kind for p in loaded.examples[0].ground_truth or ()] == [E, E, B]
    assert [p.kind for p in loaded.examples[1].ground_truth or ()] == [B]


def test_tagged_text_in_an_essential_column_is_read_as_tagged(load) -> None:
    loaded = load([{"essential": "[ESSENTIAL PASSAGE]\na\n[BONUS PASSAGE]\nb"}])

    assert [p.kind for p in loaded.examples[0].ground_truth or ()] == [E, B]


def test_ground_truth_text_without_a_marker_is_an_error_or_one_passage_by_choice(load) -> None:
    rows = [{"passage_gt": "Guests can comment."}]

    assert "No [ESSENTIAL PASSAGE] marker" in load(rows).problems[0].reason
    chosen = load(rows, change=lambda m: replace(m, whole_text_essential=True))
    assert chosen.examples[0].ground_truth == (GroundTruthPassage(E, "Guests can comment."),)


def test_the_empty_passage_of_a_tagged_text_is_named(load) -> None:
    loaded = load([{"passage_gt": "[ESSENTIAL PASSAGE]\n\n[BONUS PASSAGE]\ntext"}])

    assert "ESSENTIAL 1 is empty" in loaded.problems[0].reason


@pytest.mark.parametrize("name", ["ground_truths", "reference", "ground_truth", "ideal"])
def test_one_reference_in_a_list_is_unwrapped(load, name: str) -> None:
    loaded = load([{name: ["A."]}])

    assert loaded.examples[0].expected_output == "A."


def test_several_references_are_asked_about(load) -> None:
    rows = [{"question": "q", "ground_truths": ["A.", "B."]}]

    assert "There are 2 references. Choose" in load(rows).problems[0].reason
    joined = load(rows, change=lambda m: replace(m, references=References.JOIN))
    assert joined.examples[0].expected_output == "A.\nB."
    each = load(rows, change=lambda m: replace(m, references=References.EACH_ESSENTIAL))
    assert each.examples[0].expected_output is None
    assert [p.text for p in each.examples[0].ground_truth or ()] == ["A.", "B."]


def test_each_reference_is_essential_in_rows_with_one_reference_too(load) -> None:
    rows = [{"ground_truths": ["A.", "B."]}, {"ground_truths": ["C."]}]

    loaded = load(rows, change=lambda m: replace(m, references=References.EACH_ESSENTIAL))

    texts = [[p.text for p in e.ground_truth or ()] for e in loaded.examples]
    assert texts == [["A.", "B."], ["C."]]


def test_references_written_as_text_are_read_as_a_list(load) -> None:
    loaded = load("question,ground_truths\nq,['A.']\nq,\"['A.', 'B.']\"\nq,A.\n", "rows.csv")

    assert [e.expected_output for e in loaded.examples] == ["A.", "A."]
    assert "2 references" in loaded.problems[0].reason


def test_passages_in_a_column_for_text_are_refused(load) -> None:
    for value in ([{"kind": "bonus", "text": "a"}], "[ESSENTIAL PASSAGE]\na"):
        loaded = load([{"reference": value}])

        assert "Map the column as essential and bonus" in loaded.problems[0].reason


def test_a_blank_reference_is_missing(load) -> None:
    loaded = load([{"reference": "   ", "retrieved_contexts": ["x"]}])

    assert loaded.examples[0].expected_output is None
    assert "blank" in loaded.notices[0].reason


def test_an_unanswered_question_about_a_column_keeps_every_row_out(load) -> None:
    rows = [{"question": "q", "context": ["a"]}]

    assert "Choose its role" in load(rows).problems[0].reason
    answered = load(rows, change=lambda m: m.with_column(Role.RETRIEVED, "context"))
    assert answered.examples[0].retrieved == (RetrievedPassage(1, "a"),)


def test_extra_columns_are_kept_as_metadata(load) -> None:
    loaded = load(
        [{"question": "q", "reviewer_note": "ok", "scores": [1, 0.5], "meta": {"a": None}}]
    )

    assert loaded.examples[0].metadata == {
        "reviewer_note": "ok",
        "scores": [1, 0.5],
        "meta": {"a": None},
    }


def test_a_metadata_object_is_spread(load) -> None:
    loaded = load([{"question": "q", "metadata": {"topic": "a", "n": 1}, "lang": "en"}])
    as_text = load('question,metadata\nq,"{""topic"": ""a""}"\nq,plain\n', "rows.csv")

    assert loaded.examples[0].metadata == {"topic": "a", "n": 1, "lang": "en"}
    assert [e.metadata for e in as_text.examples] == [{"topic": "a"}, {"metadata": "plain"}]


def test_metadata_takes_dates_and_durations_as_text_and_says_what_it_cannot_take() -> None:
    table = table_of(
        {"question": "q", "took": timedelta(seconds=90), "metadata": {"raw": 1j}},
        {"question": "q", "took": timedelta(seconds=90), "on": date(2026, 1, 2)},
    )
    mapping = ColumnMapping({Role.QUESTION: "question", Role.METADATA: "metadata"})

    first, second = parse_examples(table, mapping)

    assert [(p.field, p.said) for p in first.problems] == [("metadata", '{"raw": "1j"}')]
    assert second.example.metadata == {"took": "0:01:30", "on": "2026-01-02"}


def test_infinity_in_a_column_without_a_role_is_left_out_and_refuses_no_row() -> None:
    table = table_of({"question": "q", "loss": float("inf")}, {"question": "q", "loss": 0.5})
    mapping = ColumnMapping({Role.QUESTION: "question"})

    first, second = parse_examples(table, mapping)

    assert first.example is not None
    assert first.example.metadata == {}
    assert [(n.field, n.reason) for n in first.notices] == [
        (
            "loss",
            "This value is left out. Infinity cannot be kept. Write a number or leave it empty.",
        )
    ]
    assert second.example is not None
    assert second.example.metadata == {"loss": 0.5}


def test_a_row_with_nothing_that_is_mapped_is_an_error(load) -> None:
    loaded = load([{"question": "q"}, {"note": "n"}])

    assert "Nothing in this row is mapped" in loaded.problems[0].reason


def test_ids_are_kept_made_and_told_apart(load) -> None:
    loaded = load(
        [
            {"id": "a", "question": "q"},
            {"id": 7, "question": "q"},
            {"question": "q"},
            {"id": "a", "question": "q"},
            {"id": "a#2", "question": "q"},
            {"id": "a", "question": "q"},
        ]
    )

    assert [e.id for e in loaded.examples] == ["a", "7", "row-3", "a#2", "a#2#2", "a#3"]
    assert loaded.notices[0].reason == "row 1 has the same id; this one is kept as a#2"


@given(st.lists(st.sampled_from(["a", "b", "a#2", "row-2", None]), max_size=30))
def test_no_two_examples_of_a_file_share_an_id(wanted: list[str | None]) -> None:
    table = table_of(*({"id": id_, "question": "q"} for id_ in wanted))
    mapping = ColumnMapping({Role.ID: "id", Role.QUESTION: "question"})

    once = [row.example.id for row in parse_examples(table, mapping) if row.example]
    again = [row.example.id for row in parse_examples(table, mapping) if row.example]

    assert len(set(once)) == len(wanted)
    assert once == again


def test_thousands_of_ids_are_told_apart() -> None:
    table = table_of(*({"id": f"q{n % 3000}", "question": "q"} for n in range(4000)))
    mapping = ColumnMapping({Role.ID: "id", Role.QUESTION: "question"})

    ids = [row.example.id for row in parse_examples(table, mapping) if row.example]

    assert len(set(ids)) == 4000
    assert sum("#2" in id_ for id_ in ids) == 1000


def test_characters_that_no_database_keeps_are_removed_with_a_notice(load) -> None:
    loaded = load('{"question": "a\\u0000b \\ud800 c", "note": "x\\u0000"}\n')

    assert loaded.examples[0].question == "ab \ufffd c"
    assert loaded.examples[0].metadata == {"note": "x"}
    assert [(n.field, n.reason) for n in loaded.notices] == [
        ("Question", "characters that cannot be stored were removed"),
        ("note", "characters that cannot be stored were removed"),
    ]


def test_characters_removed_anywhere_in_metadata_are_said_once_a_field(load) -> None:
    loaded = load(
        '{"question": "q", "tags": ["a\\u0000", {"k\\ud800": "\\ud800"}],'
        ' "metadata": {"n": "x\\u0000"}, "good": "x"}\n'
    )

    assert loaded.examples[0].metadata == {
        "n": "x",
        "tags": ["a", {"k\ufffd": "\ufffd"}],
        "good": "x",
    }
    assert sorted(n.field for n in loaded.notices) == ["metadata", "tags"]
    assert {n.reason for n in loaded.notices} == {"characters that cannot be stored were removed"}


def test_what_the_file_says_is_shortened_on_one_line(load) -> None:
    loaded = load([{"contexts": [{"id": "x" * 500}, "a\nb"]}])

    assert len(loaded.problems[0].said) == 120
    assert loaded.problems[0].said.endswith("…")


def test_a_known_column_that_appears_late_is_said(load) -> None:
    records: list[object] = [{"question": "q"} for _ in range(1000)]

    loaded = load([*records, {"question": "q", "contexts": ["a"]}])

    assert loaded.examples[1000].retrieved is None
    assert loaded.examples[1000].metadata == {"contexts": ["a"]}
    assert "far down" in loaded.notices[0].reason


def test_one_example_from_a_form_goes_the_same_way() -> None:
    row = parse_form(
        {
            Role.QUESTION: "q",
            Role.GROUND_TRUTH: "[ESSENTIAL PASSAGE]\na",
            Role.RETRIEVED: "one\ntwo\n",
            Role.EXPECTED_OUTPUT: "",
        },
        split_at="\n",
    )

    assert row.example == Example(
        id="row-1",
        question="q",
        ground_truth=(GroundTruthPassage(E, "a"),),
        retrieved=(RetrievedPassage(1, "one"), RetrievedPassage(2, "two")),
    )
    assert parse_form({Role.GROUND_TRUTH: "a"}).problems[0].reason.startswith("No [ESSENTIAL")


def test_the_content_hash_tells_order_and_missing_apart() -> None:
    one, two = Example("1", question="q"), Example("2", retrieved=())

    hashes = {
        content_hash([one, two]),
        content_hash([two, one]),
        content_hash([one]),
        content_hash([one, replace(two, retrieved=None)]),
        content_hash([one, replace(two, metadata={"a": 1})]),
        content_hash([]),
    }

    assert len(hashes) == 6
    assert content_hash(iter([one, two])) == content_hash([one, two])

"""Files and typed examples become datasets, and nothing is saved before a person says so."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

from db.datasets import archive_dataset, list_datasets, read_examples
from recall_core.types import Example
from tests.db.making import NOW, examples, kept_dataset, queued_run
from tests.pages.screens import Screens, column, tables, texts

CSV = """question;must_have;nice_to_have;chunks;ticket
How do I restore it?;"['Open Settings.', 'Choose restore.']";[];"['Open Settings.']";T1
كيف أفعّل المصادقة؟;"['فعّل']";[];"['x']";T2
Broken list;"['a']";[];"['a' 'b']";T3
One passage;"one; two";[];"['z']";T4
""".encode("utf-8-sig")


def upload(screens: Screens, name: str, data: bytes) -> AppTest:
    page = screens.open("data", add="file")
    page.file_uploader(key="add.file").upload(name, data)
    return page.run()


def table_with(page: AppTest, title: str) -> dict:
    return next(t for t in tables(page) if title in [c["title"] for c in t["columns"]])


def select(page: AppTest, label: str):
    return next(box for box in page.selectbox if box.label == label)


def save_label(page: AppTest) -> str:
    return page.button(key="save").label


def test_without_data_the_page_says_what_a_dataset_is(screens: Screens) -> None:
    page = screens.open("data")

    assert not page.exception
    assert "No data yet" in texts(page)
    assert "0 datasets" in texts(page)


def test_the_list_says_how_much_is_in_each_dataset_and_what_uses_it(screens: Screens) -> None:
    dataset = kept_dataset(screens.engine, examples(3), name="facts <b>bold</b>")
    queued_run(screens.engine, dataset)

    (listed,) = tables(screens.open("data"))

    assert column(listed, "Dataset") == ["facts <b>bold</b>"]
    assert column(listed, "Examples") == ["3"]
    assert column(listed, "Essential") == ["3"]
    assert column(listed, "Used by") == ["1 run (first)"]
    assert column(listed, "Source") == ["facts.jsonl"]


def test_datasets_of_one_name_are_versions_of_each_other(screens: Screens) -> None:
    first = kept_dataset(screens.engine, examples(3), name="facts")
    second = kept_dataset(screens.engine, examples(4), name="Facts")
    kept_dataset(screens.engine, examples(2), name="other")

    (listed,) = tables(screens.open("data"))
    assert dict(zip(column(listed, "Dataset"), column(listed, "Examples"), strict=True)) == {
        "other": "2",
        "Facts (version 2 of 2)": "4",
        "facts (version 1 of 2)": "3",
    }

    page = screens.open("data", dataset=second)
    same = table_with(page, "Version")
    assert column(same, "Version") == ["v2, this one", "v1"]
    assert [line["id"] for line in same["rows"]] == [str(second), str(first)]


def test_archived_datasets_show_when_they_are_asked_for(screens: Screens) -> None:
    dataset = kept_dataset(screens.engine, examples(1))
    archive_dataset(screens.engine, dataset, now=NOW)
    page = screens.open("data")
    assert not tables(page)

    page.toggle(key="with_archived").set_value(True).run()

    assert column(tables(page)[0], "Dataset") == ["facts (archived)"]


def test_a_file_opens_on_its_errors_with_row_field_reason_and_what_it_says(
    screens: Screens,
) -> None:
    page = upload(screens, "odd.csv", CSV)

    assert not page.exception
    assert "odd.csv, 1 kB, UTF-8 with BOM, semicolons" in texts(page).replace("\\", "")
    tabs = next(c for c in page.segmented_control if c.label == "Which rows")
    assert list(tabs.options) == ["All 4", "Good 2", "Warnings 1", "Errors 1"]
    assert tabs.value == "Errors"
    errors = table_with(page, "Reason")
    assert column(errors, "Row") == ["3"]
    assert column(errors, "Field") == ["Retrieved passages"]
    assert "without commas" in column(errors, "Reason")[0]
    assert column(errors, "What the file says") == ["['a' 'b']"]
    assert page.download_button(key="bad_rows").label == "Download the row with its reason"


def test_the_list_of_all_rows_says_how_many_it_leaves_out(screens: Screens) -> None:
    page = upload(screens, "odd.csv", CSV)
    tabs = next(c for c in page.segmented_control if c.label == "Which rows")

    tabs.set_value("All").run()

    assert "1 row is left out: see Errors." in texts(page)


def test_columns_are_mapped_by_their_names_and_the_rest_is_metadata(screens: Screens) -> None:
    page = upload(screens, "odd.csv", CSV)

    assert select(page, "Essential passages").value == "must_have"
    assert select(page, "Retrieved passages").value == "chunks"
    assert select(page, "Expected output").value is None
    assert "Kept as metadata: ticket." in texts(page)


def test_a_changed_mapping_shows_at_once_and_a_column_plays_one_role(screens: Screens) -> None:
    page = upload(screens, "odd.csv", CSV)

    select(page, "Actual output").set_value("chunks").run()

    assert not page.exception
    assert select(page, "Retrieved passages").value is None
    tabs = next(c for c in page.segmented_control if c.label == "Which rows")
    assert "Errors 0" in tabs.options
    assert save_label(page) == "Save 4 examples"


def test_cells_are_split_only_where_a_person_says_so(screens: Screens) -> None:
    data = b"question,essential\nQ1,one;two;three\n"
    page = upload(screens, "split.csv", data)
    assert column(table_with(page, "Essential"), "Essential") == ["1"]

    select(page, "Split cells at").set_value("semicolon").run()

    assert column(table_with(page, "Essential"), "Essential") == ["3"]


def test_the_good_rows_are_saved_without_the_bad_and_the_button_says_so(screens: Screens) -> None:
    page = upload(screens, "odd.csv", CSV)
    assert save_label(page) == "Save 3 examples, leave out 1"
    next(t for t in page.text_input if t.label == "Dataset name").set_value("Help centre")

    page.button(key="save").click().run()

    assert not page.exception
    (saved,) = list_datasets(screens.engine)
    assert (saved.name, saved.examples, saved.source) == ("Help centre", 3, "odd.csv")
    rows = read_examples(screens.engine, saved.id, offset=0, limit=9)
    assert [e.metadata["ticket"] for e in rows] == ["T1", "T2", "T4"]


def test_nothing_is_stored_before_save(screens: Screens) -> None:
    upload(screens, "odd.csv", CSV)

    assert list_datasets(screens.engine) == []


def test_the_same_rows_are_noticed_when_they_come_again(screens: Screens) -> None:
    upload(screens, "odd.csv", CSV).button(key="save").click().run()

    page = upload(screens, "other-name.csv", CSV)

    assert "These examples are here already:** odd." in texts(page)
    assert page.button(key="open_same").label == "Open it"


def test_each_judge_says_how_many_rows_it_can_take_and_what_the_others_lack(
    screens: Screens,
) -> None:
    data = b'{"question": "Q", "essential": ["a"], "contexts": ["a"]}\n{"question": "Q2"}\n'
    page = upload(screens, "two.jsonl", data)

    takes = table_with(page, "The others lack")
    by_judge = dict(zip(column(takes, "Judge"), column(takes, "Rows"), strict=True))
    assert by_judge["Context recall (string distance)"] == "1 of 2"
    assert by_judge["Contextual recall (lexical screen)"] == "0 of 2"


NOBODY = "No judge can take these rows yet"


@pytest.mark.parametrize(
    ("row", "remedy"),
    [
        ({"question": "Q"}, "map Essential passages or Expected output, and Retrieved passages."),
        ({"question": "Q", "essential": ["a"]}, "map Retrieved passages."),
        ({"question": "Q", "contexts": ["a"]}, "map Essential passages or Expected output."),
        ({"essential": [], "contexts": ["a"]}, None),
    ],
)
def test_rows_that_no_judge_can_take_are_told_beside_the_button_that_saves_them(
    screens: Screens, row: dict[str, object], remedy: str | None
) -> None:
    page = upload(screens, "rows.jsonl", json.dumps(row).encode())

    said = [line for line in texts(page).replace("\\", "").splitlines() if NOBODY in line]
    assert said == ([f":red[! {NOBODY}: {remedy}]"] if remedy else [])
    assert not page.button(key="save").disabled


def test_an_ambiguous_column_waits_for_an_answer(screens: Screens) -> None:
    data = b'{"question": "Q", "context": ["a"]}\n'
    page = upload(screens, "context.jsonl", data)
    assert "**What is context?**" in texts(page)
    assert page.button(key="save").disabled

    question = next(c for c in page.segmented_control if c.label == "What is context?")
    question.set_value("retrieved").run()

    assert not page.exception
    assert not page.button(key="save").disabled
    assert select(page, "Retrieved passages").value == "context"


def test_a_list_of_references_asks_what_it_is(screens: Screens) -> None:
    data = json.dumps({"question": "Q", "ground_truths": ["a", "b"], "contexts": ["a"]}).encode()
    page = upload(screens, "refs.jsonl", data)
    assert save_label(page) == "Save 0 examples, leave out 1"

    select(page, "Several expected outputs in one row are").set_value(
        "each is an essential passage"
    ).run()

    assert not page.exception
    assert save_label(page) == "Save 1 example"


def test_ground_truth_without_a_marker_may_be_taken_as_one_essential_passage(
    screens: Screens,
) -> None:
    data = b"question,passage_gt,passage_llm\nQ,no marker here,text\n"
    page = upload(screens, "plain.csv", data)
    assert page.button(key="save").disabled

    page.toggle[0].set_value(True).run()

    assert save_label(page) == "Save 1 example"


def test_an_unreadable_file_says_why_and_offers_another_encoding(screens: Screens) -> None:
    page = upload(screens, "paper.csv", b"%PDF-1.7 whatever")

    assert not page.exception
    assert "this is a PDF" in texts(page)
    assert "Nothing was saved." in texts(page)


@pytest.mark.parametrize("name", ["template.csv", "template.jsonl"])
def test_a_template_is_there_to_download(screens: Screens, name: str) -> None:
    page = screens.open("data", add="file")

    assert name.split(".")[1].upper() in [b.label for b in page.download_button]


def test_one_example_is_typed_in_and_becomes_a_dataset(screens: Screens) -> None:
    page = screens.open("data", add="paste")
    page.text_area(key="one.question").set_value("What is it?")
    page.text_area(key="one.essential").set_value("First fact.\n\nSecond fact.")
    page.text_area(key="one.retrieved").set_value("First fact.")

    page.button(key="save").click().run()

    assert not page.exception
    (saved,) = list_datasets(screens.engine)
    (example,) = read_examples(screens.engine, saved.id, offset=0, limit=9)
    assert [p.text for p in example.essential] == ["First fact.", "Second fact."]
    assert [p.text for p in example.retrieved or ()] == ["First fact."]
    assert example.expected_output is None


def test_tagged_ground_truth_can_be_pasted_whole(screens: Screens) -> None:
    page = screens.open("data", add="paste")
    page.text_area(key="one.essential").set_value(
        "[ESSENTIAL PASSAGE]\nNeeded.\n\n[BONUS PASSAGE]\nNice."
    )

    page.button(key="save").click().run()

    (saved,) = list_datasets(screens.engine)
    assert (saved.essential, saved.bonus) == (1, 1)


def test_an_empty_form_is_not_saved_and_says_why(screens: Screens) -> None:
    page = screens.open("data", add="paste")

    page.button(key="save").click().run()

    assert page.error
    assert list_datasets(screens.engine) == []


def test_a_dataset_shows_its_examples_fifty_a_page_and_the_page_is_in_the_address(
    screens: Screens,
) -> None:
    dataset = kept_dataset(screens.engine, examples(120))

    page = screens.open("data", dataset=dataset, page=3)

    assert not page.exception
    shown = column(table_with(page, "Retrieved"), "Example")
    assert (shown[0], len(shown)) == ("e101", 20)
    assert "120 examples, page 3 of 3" in texts(page)


def test_odd_texts_are_shown_as_they_are(screens: Screens) -> None:
    odd = [
        Example("long", question="word " * 5_000),
        Example("rtl", question="كيف أفعّل المصادقة الثنائية؟"),
        Example("hostile", question="<script>alert(1)</script> =1+1 [x](javascript:alert(1))"),
        Example("none", metadata={"a": None, "b": ["x", 1]}),
    ]
    dataset = kept_dataset(screens.engine, odd, name="**odd** <i>")

    page = screens.open("data", dataset=dataset)

    assert not page.exception
    listed = table_with(page, "Retrieved")
    assert column(listed, "Question")[1:] == [odd[1].question, odd[2].question, "–"]
    assert column(listed, "Retrieved") == ["–"] * 4
    assert page.title[0].value == "\\*\\*odd\\*\\* \\<i\\>"


def test_a_dataset_that_is_gone_says_so(screens: Screens) -> None:
    page = screens.open("data", dataset=99)

    assert not page.exception
    assert "There is no dataset 99" in texts(page).replace("\\", "")


def test_a_file_that_nobody_works_on_any_more_is_let_go(screens: Screens) -> None:
    page = upload(screens, "odd.csv", CSV)
    assert any(name.endswith(".table") for name in page.session_state.keys())  # noqa: SIM118

    screens.open("data")

    assert not any(name.endswith(".table") for name in page.session_state.keys())  # noqa: SIM118


@pytest.mark.parametrize("label", ["Question", "Split cells at"])
def test_a_control_reported_after_its_file_was_let_go_changes_nothing(
    screens: Screens, label: str
) -> None:
    page = upload(screens, "odd.csv", CSV)
    control = select(page, label)
    names = [str(name) for name in page.session_state.keys()]  # noqa: SIM118
    del page.session_state[next(name for name in names if name.endswith(".mapping"))]

    control.select_index(1)
    page.run()

    assert not page.exception
    assert "Columns" in texts(page)

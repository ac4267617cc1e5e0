"""Judge output that exists already is previewed, compared with our arithmetic, and imported."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from streamlit.testing.v1 import AppTest

from db.results import list_judgements
from db.reviews import read_judgement
from db.runs import list_runs
from pages.components.review_desk.items import desk_item
from recall_core.types import Example
from tests.db.making import kept_dataset
from tests.model_answers import passage_example
from tests.pages.screens import Screens, column, tables, texts

ROWS = [passage_example(f"e{i}", [f"Fact {i}."], [f"Text {i}."], ["More."]) for i in (1, 2, 3)]


def said(essential: object, bonus: int, final: object = "") -> str:
    lines = [
        f"[ESSENTIAL PASSAGE] 1: It stands there. Score: {essential}",
        f"[BONUS PASSAGE] 1: Hardly. Score: {bonus}",
    ]
    return "\n".join([*lines, f"RECALL_Final_Score: {final}"] if final != "" else lines)


def importing(screens: Screens, rows: list[Example] = ROWS) -> AppTest:
    dataset = kept_dataset(screens.engine, rows)
    page = screens.open("run", **{"import": dataset})
    assert not page.exception
    return page


def preview(page: AppTest) -> dict[str, Any]:
    assert not page.exception
    (table,) = tables(page)
    return table


def test_one_reply_is_pasted_read_and_becomes_a_run(screens: Screens) -> None:
    page = importing(screens)
    assert page.button(key="import_now").disabled

    page.selectbox(key="import.example").set_value("e2")
    page.text_area(key="import.text").set_value(said(4, 2)).run()
    page.toggle(key="import.blind").set_value(True).run()

    found = preview(page)
    assert column(found, "Example") == ["e2"]
    assert column(found, "Final") == ["5.00"]
    assert column(found, "State") == ["read"]

    page.button(key="import_now").click().run()

    (run,) = list_runs(screens.engine)
    assert (run.kind, run.processed, run.name) == ("imported", 1, "facts, imported judgements")
    assert run.options.blind


def test_arithmetic_that_differs_is_a_badge_before_and_after(screens: Screens) -> None:
    page = importing(screens)
    page.text_area(key="import.text").set_value(said(3, 1, final=4.5)).run()

    found = preview(page)
    assert column(found, "State") == ["arithmetic differs"]
    assert (
        "RECALL_Final_Score: the reply says 4.5, the scores make 3.5."
        in (column(found, "What was found")[0])
    )
    assert "1 with other arithmetic than ours" in texts(page)

    page.button(key="import_now").click().run()

    (run,) = list_runs(screens.engine)
    (line,) = list_judgements(screens.engine, run.id).rows
    item = desk_item(read_judgement(screens.engine, line.id))
    assert item["mismatches"] == ["RECALL_Final_Score: the reply says 4.5, the scores make 3.5."]
    assert item["warnings"] == []


def test_a_column_of_a_file_is_found_and_what_does_not_fit_is_said(screens: Screens) -> None:
    page = importing(screens)
    page.segmented_control(key="import.kind").set_value("Column of a file").run()
    lines = [
        {"id": "e1", "note": "x", "judge": said(5, 5)},
        {"id": "e3", "note": "x", "judge": said("none", 5)},
        {"id": "nobody", "note": "x", "judge": said(1, 0)},
    ]
    file = "\n".join(json.dumps(line) for line in lines).encode()

    page.file_uploader(key="import.file").upload("out.jsonl", file)
    page.run()

    found = preview(page)
    assert column(found, "Example") == ["nobody", "e3", "e1"], "trouble first"
    assert column(found, "State") == ["left out", "no final score", "read"]
    assert "is not in the dataset" in column(found, "What was found")[0]
    assert page.button(key="import_now").label == "Import 2 judgements"

    page.button(key="import_now").click().run()

    (run,) = list_runs(screens.engine)
    assert (run.processed, run.failed) == (1, 1)


def test_replies_that_came_with_the_dataset_are_offered_first(screens: Screens) -> None:
    rows = [replace(row, metadata={"llm": said(4, 0), "topic": "bikes"}) for row in ROWS]

    page = importing(screens, rows)

    assert page.segmented_control(key="import.kind").value == "Column kept with the dataset"
    assert page.selectbox(key="import.field").options == ["llm"]
    assert column(preview(page), "Final") == ["4.00", "4.00", "4.00"]


def test_the_way_to_the_import_is_on_the_dataset_and_on_the_run_page(screens: Screens) -> None:
    dataset = kept_dataset(screens.engine, ROWS)

    for file in ("data", "run"):
        page = screens.open(file, dataset=dataset)
        page.button(key="to_import").click().run()
        assert not page.exception
        assert "Import judge output" in [title.value for title in page.title]

"""The list of a run's examples is filtered, sorted and paged, all by its address."""

from __future__ import annotations

from fractions import Fraction

import pytest

from db.engine import Engine
from db.results import JudgementFilter, JudgementOrder, OrderBy, slices
from db.runs import get_run
from pages.components.list_query import list_params, list_query, metadata_words
from recall_core.judges import make_judge
from recall_core.summary import JudgementState
from tests.db.making import queued_run
from tests.db.reviewing import E1, desk, told
from tests.pages.screens import Screens, column, tables, texts, work_off


def some(engine: Engine) -> int:
    run = desk(
        engine,
        told("good", [5, 5], [5], topic="plans"),
        told("poor", [1, 2], [0], topic="plans", warns=["Look twice."]),
        told("half", [3], topic="bikes", question="كيف أفعّل؟"),
        told("lost", [3], topic="bikes", fails="timeout"),
    )
    run.set("good", E1, 3)
    run.confirm_left("half")
    return run.run_id


def ids(screens: Screens, run: int, **address: object) -> list[str]:
    page = screens.open("examples_list", run=run, **address)
    assert not page.exception
    return column(tables(page)[0], "Example") if tables(page) else []


def test_each_line_has_the_judges_final_the_one_that_counts_the_parts_and_how_it_stands(
    screens: Screens,
) -> None:
    run = some(screens.engine)

    (listed,) = tables(screens.open("examples_list", run=run))

    assert column(listed, "Example") == ["good", "poor", "half", "lost"]
    assert column(listed, "Judge") == ["5.00", "1.50", "3.00", "–"]
    assert column(listed, "Now") == ["5.00", "1.50", "3.00", "–"]
    assert column(listed, "Essential") == ["4.00", "1.50", "3.00", "–"]
    assert column(listed, "Bonus") == ["1.25", "0.00", "0.00", "–"]
    assert column(listed, "State") == ["changed", "judge only", "confirmed", "failed: timeout"]
    assert column(listed, "Remarks") == ["", "Look twice.", "", ""]


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ({"sort": "lowest first"}, ["poor", "half", "good", "lost"]),
        ({"sort": "highest first"}, ["good", "half", "poor", "lost"]),
        ({"state": "changed"}, ["good"]),
        ({"state": "failed"}, ["lost"]),
        ({"low": "2", "high": "4"}, ["half"]),
        ({"q": "كيف"}, ["half"]),
        ({"q": "essential 2 of poor"}, ["poor"]),
        ({"warned": "true"}, ["poor"]),
        ({"field": "topic", "value": "plans"}, ["good", "poor"]),
        ({"field": "topic", "value": "plans", "sort": "lowest first"}, ["poor", "good"]),
    ],
)
def test_the_address_alone_makes_the_list(
    screens: Screens, address: dict[str, str], expected: list[str]
) -> None:
    assert ids(screens, some(screens.engine), **address) == expected


def test_the_controls_show_what_the_address_says(screens: Screens) -> None:
    page = screens.open(
        "examples_list", run=some(screens.engine), state="changed", q="good", low="1.5"
    )

    assert page.selectbox(key="list.state").value == "changed"
    assert page.text_input(key="list.q").value == "good"
    assert page.number_input(key="list.low").value == 1.5


def test_words_that_nobody_knows_ask_for_nothing(screens: Screens) -> None:
    asked = {"state": "splendid", "sort": "by magic", "low": "NaN", "high": "much"}

    assert ids(screens, some(screens.engine), **asked) == ["good", "poor", "half", "lost"]


def test_a_list_that_nothing_fits_says_what_to_do(screens: Screens) -> None:
    page = screens.open("examples_list", run=some(screens.engine), q="nowhere to be found")

    assert not tables(page)
    assert "Widen the search" in texts(page)


def test_a_control_changes_the_list_and_goes_back_to_its_first_page(screens: Screens) -> None:
    run = desk(screens.engine, *(told(f"e{i:03}", [1 + i % 5]) for i in range(120))).run_id
    page = screens.open("examples_list", run=run, page=3)
    assert column(tables(page)[0], "Example")[0] == "e100"
    assert "120 examples, page 3 of 3" in texts(page)

    page.number_input(key="list.low").set_value(2.0).run()

    assert not page.exception
    assert "96 examples, page 1 of 2" in texts(page)
    assert page.query_params["low"] == "2"
    assert "page" not in page.query_params


def test_another_field_forgets_the_value_of_the_one_before(screens: Screens) -> None:
    page = screens.open("examples_list", run=some(screens.engine), field="topic", value="plans")
    assert page.selectbox(key="list.value").value == "plans"

    page.selectbox(key="list.field").set_value(None).run()

    assert column(tables(page)[0], "Example") == ["good", "poor", "half", "lost"]
    assert not {"field", "value"} & page.query_params.keys()


def partly_given(engine: Engine) -> int:
    return desk(
        engine,
        told("plans", [5], topic="plans"),
        told("empty", [4], topic=""),
        told("null", [3], topic=None),
        told("bare", [2]),
    ).run_id


def test_every_slice_of_a_field_leads_to_its_examples_and_to_no_others(screens: Screens) -> None:
    run = partly_given(screens.engine)

    found = {
        piece.value: ids(screens, run, **metadata_words("topic", piece.value))
        for piece in slices(screens.engine, run, "topic")
    }

    assert found == {"plans": ["plans"], "": ["empty"], None: ["null", "bare"]}


def test_examples_without_a_field_are_listed_by_a_control_that_shows_and_clears_it(
    screens: Screens,
) -> None:
    run = partly_given(screens.engine)
    page = screens.open("examples_list", run=run, field="topic", absent="true")
    assert page.toggle(key="list.absent").value
    assert page.selectbox(key="list.value").disabled

    page.toggle(key="list.absent").set_value(False).run()

    assert not page.exception
    assert "absent" not in page.query_params
    assert column(tables(page)[0], "Example") == ["plans", "empty", "null", "bare"]

    page.selectbox(key="list.value").set_value("plans").run()
    page.toggle(key="list.absent").set_value(True).run()

    assert "value" not in page.query_params
    assert page.query_params["absent"] == "true"
    assert column(tables(page)[0], "Example") == ["null", "bare"]

    page.selectbox(key="list.field").set_value(None).run()

    assert not {"field", "absent"} & page.query_params.keys()
    assert len(column(tables(page)[0], "Example")) == 4


def test_a_value_without_a_character_can_be_chosen_and_cleared(screens: Screens) -> None:
    page = screens.open("examples_list", run=partly_given(screens.engine), field="topic")

    page.selectbox(key="list.value").set_value("").run()

    assert page.query_params["value"] == ""
    assert column(tables(page)[0], "Example") == ["empty"]

    page.selectbox(key="list.value").set_value(None).run()

    assert "value" not in page.query_params
    assert len(column(tables(page)[0], "Example")) == 4


@pytest.mark.parametrize("metadata", [{"topic": "plans"}, {}])
def test_a_field_that_no_example_has_is_shown_and_can_be_cleared(
    screens: Screens, metadata: dict[str, str]
) -> None:
    run = desk(screens.engine, told("a", [4], **metadata)).run_id
    page = screens.open("examples_list", run=run, field="gone", value="x")
    assert not tables(page)
    field = page.selectbox(key="list.field")
    assert field.value == "gone"
    assert "gone (no example has it)" in field.options

    field.set_value(None).run()

    assert not page.exception
    assert not {"field", "value"} & page.query_params.keys()
    assert column(tables(page)[0], "Example") == ["a"]


def test_the_controls_follow_when_the_address_changes_in_another_way(screens: Screens) -> None:
    run = some(screens.engine)
    page = screens.open("examples_list", run=run, state="changed")

    page.query_params["state"] = "failed"
    page.run()

    assert page.selectbox(key="list.state").value == "failed"
    assert column(tables(page)[0], "Example") == ["lost"]


def test_a_page_past_the_end_is_the_first_page(screens: Screens) -> None:
    run = some(screens.engine)

    assert ids(screens, run, page=9) == ["good", "poor", "half", "lost"]


def test_without_a_run_the_page_offers_the_runs_there_are(screens: Screens) -> None:
    some(screens.engine)

    page = screens.open("examples_list")

    assert "Of which run?" in texts(page)
    assert column(tables(page)[0], "Run") == ["first (told)"]


def test_without_any_run_the_page_says_so(screens: Screens) -> None:
    page = screens.open("examples_list")

    assert not page.exception
    assert "none has judged an example so far" in texts(page)


def test_hostile_and_endless_texts_are_only_texts(screens: Screens) -> None:
    hostile = "<script>alert(1)</script> **x** =cmd|' /C calc'!A0"
    run = desk(
        screens.engine,
        told("h", [4], question=hostile),
        told("l", [4], question="word " * 9_000),
        told("x" * 300, [4], question=""),
    ).run_id

    page = screens.open("examples_list", run=run)

    assert not page.exception
    assert column(tables(page)[0], "Question")[0] == hostile


def test_the_words_of_an_address_make_the_same_query_on_every_page() -> None:
    params = {
        "run": "7",
        "state": "judge only",
        "sort": "most lowered first",
        "q": "lock",
        "low": "1.5",
        "field": "topic",
        "value": "app",
        "page": "3",
    }

    query = list_query(list_params(params))

    assert query.where == JudgementFilter(
        states=(JudgementState.JUDGE_ONLY,),
        lowest=Fraction(3, 2),
        text="lock",
        metadata={"topic": "app"},
    )
    assert query.order == JudgementOrder(OrderBy.CHANGE)
    assert list_params(params).keys() == params.keys() - {"run", "page"}


def test_turning_the_page_changes_the_address(screens: Screens) -> None:
    run = desk(screens.engine, *(told(f"e{i:03}", [1 + i % 5]) for i in range(120))).run_id
    page = screens.open("examples_list", run=run)

    page.pagination[0].set_value(2).run()

    assert not page.exception
    assert page.query_params["page"] == "2"
    assert column(tables(page)[0], "Example")[0] == "e050"


def test_examples_on_which_judges_disagree_are_marked_filtered_and_sorted(
    screens: Screens,
) -> None:
    run = some(screens.engine)
    dataset = get_run(screens.engine, run).dataset_id
    queued_run(screens.engine, dataset, judge=make_judge("passage_recall_lexical"))
    work_off(screens.engine)

    page = screens.open("examples_list", run=run)
    assert column(tables(page)[0], "Remarks")[:2] == ["⇄ judges disagree", "Look twice."]

    page.toggle(key="list.differs").set_value(True).run()

    assert page.query_params["differs"] == "true"
    assert column(tables(page)[0], "Example") == ["good", "half"]
    assert ids(screens, run, differs="true", sort="most disagreement first") == ["good", "half"]
    assert ids(screens, run, sort="most disagreement first")[:2] == ["good", "half"]

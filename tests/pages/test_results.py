"""A run's results: every number with what it covers, and nothing called recall too early."""

from __future__ import annotations

import json

from streamlit.testing.v1 import AppTest

from db.runs import list_runs
from db.sights import set_blind
from pages.components.export_menu import file_stem
from pages.components.session import NAME_KEY
from recall_core.types import Action, Cause
from tests.db.reviewing import E1, Desk, desk, told
from tests.db.sealing import done
from tests.pages.screens import Screens, column, tables, texts, work_off


def reviewed(screens: Screens) -> Desk:
    run = desk(
        screens.engine,
        told("a", [4, 2], [0], topic="plans"),
        told("b", [2], topic="plans"),
        told("c", [3], topic="bikes", warns=["Look twice."]),
        told("d", [3], topic="bikes", fails="timeout"),
    )
    run.set("a", E1, 2, cause=Cause.JUDGE_WRONG)
    run.decide("b", E1, Action.EXCLUDE, cause=Cause.GROUND_TRUTH_WRONG)
    run.set("d", E1, 5)
    return run


def chart(page: AppTest, place: int) -> dict:
    return json.loads(page.get("plotly_chart")[place].proto.spec)


def test_before_anybody_reviewed_the_number_is_the_judges_only(screens: Screens) -> None:
    run = desk(screens.engine, told("a", [4]), told("b", [2])).run_id

    page = screens.open("results", run=run)

    assert not page.exception
    said = texts(page)
    number = "<dd>3.00<small>judge only, unreviewed</small></dd>"
    assert f"<dt>Judge’s mean, 2 examples</dt>{number}" in said
    assert 'class="head judge"' in said
    assert "From judge to now" not in said
    assert "Judge alone" not in said, "it is the headline already"


def test_the_headline_says_what_the_mean_covers_and_who_is_not_in_it(screens: Screens) -> None:
    run = reviewed(screens)

    page = screens.open("results", run=run.run_id)

    assert not page.exception
    said = texts(page)
    number = "<dd>3.33<small>partly reviewed, no interval</small></dd>"
    assert f"<dt>Mean so far, 3 examples</dt>{number}" in said
    assert "<dt>Judge alone</dt><dd>2.67, 3 of 4</dd>" in said
    assert "<dt>Not in the mean</dt><dd>1 void</dd>" in said
    assert "<dt>Changed</dt><dd>3 units</dd>" in said


def test_the_way_from_the_judges_mean_is_told_by_cause(screens: Screens) -> None:
    page = screens.open("results", run=reviewed(screens).run_id)

    assert "From judge to now" in texts(page)
    bars = chart(page, 2)["data"][0]
    assert bars["y"] == ["left the mean, 1", "judge wrong, 1", "failed, scored by people, 1"]


def test_unit_scores_are_shares_by_kind_judge_and_now(screens: Screens) -> None:
    page = screens.open("results", run=reviewed(screens).run_id)

    spec = chart(page, 1)
    assert {line for segment in spec["data"] for line in segment["y"]} == {
        "Essential, judge",
        "Essential, now",
        "Bonus, judge",
        "Bonus, now",
    }
    assert spec["layout"]["barnorm"] == "percent"


def test_the_lowest_examples_come_first(screens: Screens) -> None:
    page = screens.open("results", run=reviewed(screens).run_id)

    lowest = next(t for t in tables(page) if t["columns"][0]["title"] == "Example")
    assert column(lowest, "Example") == ["a", "c", "d"]
    assert column(lowest, "Now") == ["2.00", "3.00", "5.00"]


def test_slices_have_a_mean_and_how_many_for_each_value(screens: Screens) -> None:
    page = screens.open("results", run=reviewed(screens).run_id, by="topic")

    cut = tables(page)[-1]
    assert column(cut, "topic") == ["bikes", "plans"]
    assert column(cut, "Mean now") == ["4.00", "2.00"]
    assert column(cut, "Covers") == ["2 of 2", "1 of 2"]


def test_examples_without_the_field_are_a_row_of_their_own_beside_an_empty_text(
    screens: Screens,
) -> None:
    run = desk(
        screens.engine, told("a", [5], topic="x"), told("b", [4], topic=""), told("c", [3])
    ).run_id

    cut = tables(screens.open("results", run=run, by="topic"))[-1]

    assert column(cut, "topic") == ["(empty text)", "x", "not given"]
    assert len({line["id"] for line in cut["rows"]}) == 3


def test_review_next_opens_an_order_that_decisions_leave_as_it_is(screens: Screens) -> None:
    page = screens.open("results", run=reviewed(screens).run_id)

    page.button(key="review_next").click().run()

    assert page.query_params["sort"] == "judge's lowest first"


def test_warnings_are_counted_and_the_first_is_shown(screens: Screens) -> None:
    page = screens.open("results", run=reviewed(screens).run_id)

    assert "**1 example carries a warning**, for example c: Look twice." in texts(page).replace(
        "\\", ""
    )


def test_a_lexical_screen_is_called_one_and_says_what_it_cannot_see(screens: Screens) -> None:
    screens.open().button(key="open_demo").click().run()
    work_off(screens.engine)
    run = next(r for r in list_runs(screens.engine) if r.judge == "passage_recall_lexical")

    said = texts(screens.open("results", run=run.id))

    assert "judge only, unreviewed" in said
    assert "cannot see paraphrase" in said
    assert "cannot see contradiction" in said


def test_the_results_are_taken_away_as_files_of_every_kind(screens: Screens) -> None:
    page = screens.open("results", run=reviewed(screens).run_id)

    assert [button.label for button in page.download_button] == [
        "Excel, a row a unit",
        "CSV, a row a unit",
        "JSON lines, an example a line",
        "RECALL text",
        "Sealed package",
        "Report",
    ]


def test_a_run_cannot_be_sealed_while_it_judges_and_the_button_says_so(screens: Screens) -> None:
    run = desk(screens.engine, told("a", [4]))

    button = screens.open("results", run=run.run_id).download_button(key="export-sealed")
    assert button.disabled
    assert "can be sealed when it is done" in button.help

    done(run)
    button = screens.open("results", run=run.run_id).download_button(key="export-sealed")
    assert not button.disabled


def test_the_name_of_a_file_has_one_hyphen_where_the_runs_name_has_other_signs() -> None:
    assert file_stem("Demo: passages (2)") == "Demo-passages-2"


def test_a_run_without_any_judgement_has_results_that_say_so(screens: Screens) -> None:
    screens.open().button(key="open_demo").click().run()
    (run, *_) = list_runs(screens.engine)

    page = screens.open("results", run=run.id)

    assert not page.exception
    assert "12 not judged yet" in texts(page)


def test_a_run_that_is_gone_says_so(screens: Screens) -> None:
    page = screens.open("results", run=7)

    assert not page.exception
    assert "There is no run 7" in texts(page)


def test_nothing_stands_above_the_runs_name(screens: Screens) -> None:
    """Streamlit draws every bare string of a page's file, docstrings of constants among them."""
    page = screens.open("results", run=reviewed(screens).run_id)

    drawn = [m.value for m in page.markdown if not m.value.startswith("**1 example")]
    assert drawn == []


def test_who_has_begun_goes_on_where_they_stopped(screens: Screens) -> None:
    run = reviewed(screens)
    page = screens.open("results", run=run.run_id)
    page.session_state[NAME_KEY] = "Mara"
    page.run()

    page.button(key="continue").click().run()

    assert page.query_params["judgement"] == str(run.judgements["d"])


def test_the_stop_rule_is_said_with_what_is_still_reachable(screens: Screens) -> None:
    run = desk(screens.engine, told("a", [5]), told("b", [5]), pass_at=2.5)
    run.set("a", E1, 5)

    said = texts(screens.open("results", run=run.run_id)).replace("\\", "")

    assert "<dt>Still reachable</dt><dd>3.00 to 5.00</dd>" in said
    assert "No unreviewed example can move this run across 2.50" in said


def test_who_scores_blind_is_not_told_how_the_run_stands_unless_they_ask(screens: Screens) -> None:
    run = reviewed(screens)
    set_blind(screens.engine, "Li", True)
    page = screens.open("results", run=run.run_id)
    page.session_state[NAME_KEY] = "Li"
    page.run()

    assert not page.exception
    said = texts(page)
    assert "4 examples still to be scored blind" in said
    assert "3.33" not in said
    assert not page.get("plotly_chart")

    page.toggle(key=f"results.anyway.{run.run_id}").set_value(True).run()

    said = texts(page)
    assert "3.33" in said
    assert "carries a warning" not in said
    assert "By metadata" not in said
    assert not [t for t in tables(page) if t["rows"]], "no example is named"

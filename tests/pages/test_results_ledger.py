"""The ledger of a run on its results: every decision, and what taking some back would do."""

from __future__ import annotations

import json

from streamlit.testing.v1 import AppTest

from db.runs import RunOptions
from pages.components.ledger_lines import step_words
from pages.components.revert_dialog import PICKS
from pages.components.session import NAME_KEY
from recall_core.types import Action, Cause, UnitKind
from tests.db.reviewing import B1, E1, Desk, desk, told
from tests.pages.screens import Screens, column, tables, texts


def reviewed(screens: Screens, options: RunOptions | None = None) -> Desk:
    run = desk(screens.engine, told("a", [4, 2], [0]), told("b", [2]), options=options)
    run.set("a", E1, 2, cause=Cause.JUDGE_WRONG, note="says the opposite")
    run.set("b", E1, 5, by="Ben", cause=Cause.RETRIEVAL_MISSED)
    run.confirm_left("a")
    return run


def opened(screens: Screens, run: Desk, *ids: int, name: str = "Mara") -> AppTest:
    page = screens.open("results", run=run.run_id, view="ledger")
    page.session_state[NAME_KEY] = name
    page.session_state[PICKS.place] = frozenset(str(i) for i in ids)
    return page.run()


def lines(page: AppTest) -> dict:
    return next(t for t in tables(page) if t["columns"][2]["title"] == "From and to")


def test_every_change_is_a_line_with_its_reason_and_effect_the_newest_first(
    screens: Screens,
) -> None:
    page = opened(screens, reviewed(screens))

    assert not page.exception
    ledger = lines(page)
    assert column(ledger, "Example") == ["b", "a"]
    assert column(ledger, "From and to") == ["2 → 5", "4 → 2"]
    assert column(ledger, "Cause and note") == [
        "retrieval really missed it",
        "judge wrong (says the opposite)",
    ]
    assert column(ledger, "Moves final") == ["+3.00", "−1.00"]
    assert column(ledger, "Moves mean") == ["+1.5000", "−0.5000"]
    assert [who.split(" (")[0] for who in column(ledger, "Who, when (UTC)")] == ["Ben", "Mara"]


def test_all_decisions_are_shown_when_asked_for_and_by_person(screens: Screens) -> None:
    page = opened(screens, reviewed(screens))

    page.segmented_control(key="lines").set_value("All decisions").run()
    assert column(lines(page), "Example") == ["a", "a", "b", "a"]

    page.selectbox(key="who").set_value("Ben").run()
    assert column(lines(page), "Example") == ["b"]


def test_the_waterfall_is_by_cause_or_by_reviewer(screens: Screens) -> None:
    page = opened(screens, reviewed(screens))

    def bars() -> list[str]:
        return json.loads(page.get("plotly_chart")[0].proto.spec)["data"][0]["y"]

    assert bars() == ["retrieval really missed it, 1", "judge wrong, 1"]
    page.segmented_control(key="way").set_value("By reviewer").run()
    assert bars() == ["Ben, 1", "Mara, 1"]


def test_what_taking_back_would_do_is_shown_before_it_is_done(screens: Screens) -> None:
    run = reviewed(screens)
    mine = run.detail("a").decisions[0].id
    page = opened(screens, run, mine)

    page.button(key="revert_preview").click().run()

    assert not page.exception
    assert "<dt>Mean</dt><dd>3.50 → 4.00</dd>" in texts(page)
    ahead = next(t for t in tables(page) if t["columns"][1]["title"] == "Final now")
    assert column(ahead, "Final now") == ["2.00"]
    assert column(ahead, "Without") == ["3.00"]
    assert run.detail("a").trace.final == 2, "nothing is done yet"

    page.button(key="revert_go").click().run()

    assert not page.exception
    assert "Took back 1 decision on 1 example" in texts(page)
    assert run.detail("a").trace.final == 3
    assert column(lines(page), "Example") == ["b"]


def test_taking_a_change_back_says_that_its_reason_goes_with_it(screens: Screens) -> None:
    run = reviewed(screens)
    run.decide("a", E1, Action.CONFIRM, cause=Cause.JUDGE_WRONG, note="It is there.")
    page = opened(screens, run, run.detail("a").decisions[0].id)

    page.button(key="revert_preview").click().run()
    page.button(key="revert_go").click().run()

    assert "Took back 2 decisions on 1 example, reasons given later among them." in texts(page)
    assert run.detail("a").trace.final == 3


def test_others_decisions_can_be_looked_at_and_are_theirs_to_take_back(screens: Screens) -> None:
    run = reviewed(screens)
    page = opened(screens, run, run.detail("b").decisions[0].id)

    page.button(key="revert_preview").click().run()

    assert not page.exception
    assert "1 of them is not yours" in texts(page)
    assert page.button(key="revert_go").disabled


def test_a_run_that_nobody_has_reviewed_says_what_will_stand_here(screens: Screens) -> None:
    page = opened(screens, desk(screens.engine, told("a", [4])))

    assert not page.exception
    assert "Every decision will be a line" in texts(page)


def test_a_ledger_keeps_from_a_blind_reviewer_what_is_hidden_from_them(screens: Screens) -> None:
    run = desk(screens.engine, told("a", [4]), options=RunOptions(blind=True))
    run.set("a", E1, 2, by="Ben")

    page = opened(screens, run)
    page.toggle(key=f"results.anyway.{run.run_id}").set_value(True).run()

    assert not page.exception
    assert "Every decision will be a line" in texts(page)


def test_a_line_names_what_moved_and_what_was_left_out(screens: Screens) -> None:
    run = desk(screens.engine, told("a", [4, 3], [0]))
    moved = run.decide("a", E1, Action.MOVE, to_kind=UnitKind.BONUS).decisions[0]
    out = run.decide("a", B1, Action.EXCLUDE).decisions[0]

    assert step_words(moved) == "essential 4 → bonus 4"
    assert step_words(out) == "0 → excluded"
    assert step_words(run.undo("a", B1).decisions[0]) == "excluded → 0, taken back"

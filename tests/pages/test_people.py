"""Who reviews a run: progress by person and queue, shared out and handed over."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from db.assignments import assign, assignments_of
from db.flags import flag
from db.reviews import open_review
from pages.components.session import NAME_KEY
from recall_core.queues import Queue
from tests.db.making import NOW
from tests.db.reviewing import E1, Desk, desk, told
from tests.pages.screens import Screens, column, tables, texts


def four(screens: Screens) -> Desk:
    return desk(screens.engine, *(told(name, [4]) for name in "abcd"))


def opened(screens: Screens, run: Desk) -> AppTest:
    page = screens.open("results", run=run.run_id, view="people")
    page.session_state[NAME_KEY] = "Mara"
    page.run()
    assert not page.exception
    return page


def test_progress_is_told_by_person_and_queue(screens: Screens) -> None:
    run = four(screens)
    ids = list(run.judgements.values())
    assign(screens.engine, ids[:2], ["Mara"], by="Ana", now=NOW)
    open_review(screens.engine, ids[0], reviewer="Mara", queue=Queue.STAKE, now=NOW)
    run.set("a", E1, 2)
    run.set("d", E1, 4, by="Ben")

    people = tables(opened(screens, run))[0]

    assert column(people, "Person") == ["Ben", "Mara"]
    assert column(people, "Assigned, done") == ["none", "1 of 2"]
    assert column(people, "By queue: finished of opened") == ["Chosen 1 of 1", "Stake 1 of 1"]
    assert column(people, "Changes") == ["0", "1"]


def test_a_run_without_reviewers_says_how_to_begin(screens: Screens) -> None:
    assert "Nobody has been asked to review this run" in texts(opened(screens, four(screens)))


def test_what_is_unreviewed_is_shared_out_evenly(screens: Screens) -> None:
    run = four(screens)
    page = opened(screens, run)
    assert page.button(key="split_go").disabled
    assign(screens.engine, [run.judgements["a"]], ["Mara", "Ben"], by="Ana", now=NOW)

    page = opened(screens, run)
    page.multiselect(key="split_people").set_value(["Mara", "Ben"]).run()
    page.button(key="split_go").click().run()

    assert not page.exception
    assert "Shared out anew" in texts(page)
    given = assignments_of(screens.engine, list(run.judgements.values()))
    assert sorted(len(names) for names in given.values()) == [1, 1, 1, 2]


def test_unfinished_work_is_handed_over(screens: Screens) -> None:
    run = four(screens)
    ids = [run.judgements[name] for name in "ab"]
    assign(screens.engine, ids, ["Ben"], by="Ana", now=NOW)
    run.set("a", E1, 2, by="Ben")
    run.set("c", E1, 3)

    page = opened(screens, run)
    page.selectbox(key="hand_from").set_value("Ben").run()
    page.selectbox(key="hand_to").set_value("Mara").run()
    page.button(key="hand_go").click().run()

    assert "1 example went from Ben to Mara" in texts(page)
    assert assignments_of(screens.engine, ids) == {ids[0]: ("Ben",), ids[1]: ("Mara",)}


def test_what_waits_for_a_person_is_counted_by_queue(screens: Screens) -> None:
    run = four(screens)
    flag(screens.engine, run.judgements["b"], by="Ben", now=NOW)

    page = opened(screens, run)

    waits = next(t for t in tables(page) if t["columns"][0]["title"] == "Queue")
    counts = dict(zip(column(waits, "Queue"), column(waits, "Examples"), strict=True))
    assert counts == {"Stake": "4", "Flagged": "1", "Chosen": "4"}

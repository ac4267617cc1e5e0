"""The first screen: what to do when nothing is there, and where every run stands."""

from __future__ import annotations

from db.assignments import assign
from db.datasets import list_datasets, read_examples
from db.reviews import open_review
from db.runs import RunOptions, archive_run, list_runs, rename_run
from db.sights import set_blind
from pages.components.session import NAME_KEY
from recall_core.queues import Queue
from recall_core.types import Action, FailureKind
from tests.db.making import NOW
from tests.db.reviewing import B1, E1, desk, told
from tests.pages.screens import Screens, column, tables, texts, work_off


def test_a_fresh_installation_offers_the_demo_and_says_what_the_three_steps_are(
    screens: Screens,
) -> None:
    page = screens.open()

    assert not page.exception
    said = texts(page)
    for words in ("Nothing to review yet", "Open the demo", "1 Bring data", "3 Review"):
        assert words in said
    assert not tables(page)


def test_the_demo_is_one_click_and_three_judges_take_all_twelve_examples(screens: Screens) -> None:
    screens.open().button(key="open_demo").click().run()
    work_off(screens.engine)

    page = screens.open()

    assert not page.exception
    (runs,) = tables(page)
    assert column(runs, "Run") == [
        "Demo, passages (Demo)",
        "Demo, statements (Demo)",
        "Demo, string distance (Demo)",
    ]
    assert column(runs, "State") == ["To review (12 of 12 judged)"] * 3
    assert all("judge only, unreviewed" in cell for cell in column(runs, "Recall"))
    assert column(runs, "Reviewed") == ["0 of 12"] * 3
    assert "**Next:** open Demo, passages" in texts(page)


def test_before_a_judge_has_begun_a_run_is_queued_and_has_no_mean(screens: Screens) -> None:
    screens.open().button(key="open_demo").click().run()

    page = screens.open()

    (runs,) = tables(page)
    assert column(runs, "State") == ["Queued (0 of 12 judged)"] * 3
    assert column(runs, "Recall") == ["–"] * 3
    assert "the judges are at work" in texts(page)


def test_sixty_labelled_examples_load_with_two_systems_that_share_their_examples(
    screens: Screens,
) -> None:
    screens.open().button(key="load_labelled").click().run()

    cards = {card.name: card for card in list_datasets(screens.engine)}
    assert {name: card.examples for name, card in cards.items()} == {
        "REALSumm, all 60": 60,
        "REALSumm, T5 11B": 20,
        "REALSumm, Bottom-Up": 20,
    }
    one, other = (
        {e.id for e in read_examples(screens.engine, cards[name].id, offset=0, limit=50)}
        for name in ("REALSumm, T5 11B", "REALSumm, Bottom-Up")
    )
    assert one == other
    assert len(list_runs(screens.engine)) == 3


def test_loading_the_demo_again_makes_runs_but_no_second_dataset(screens: Screens) -> None:
    for _ in range(2):
        screens.open("data", add="file").button(key="open_demo").click().run()

    assert len(list_datasets(screens.engine)) == 1
    assert len(list_runs(screens.engine)) == 6


def test_without_an_audit_the_mean_that_counts_now_says_so(screens: Screens) -> None:
    run = desk(screens.engine, told("a", [4], [2]), told("b", [2]))
    run.set("a", E1, 2, by="Mara")
    run.set("a", B1, 0, by="Mara")

    (runs,) = tables(screens.open())

    assert column(runs, "Recall") == ["2.00 (0 audited)"]
    assert column(runs, "Reviewed") == ["1 of 2"]
    assert column(runs, "Last activity")[0].startswith("Mara")


def test_a_reviewer_goes_on_where_they_stopped(screens: Screens) -> None:
    run = desk(screens.engine, told("a", [4]), told("b", [2]))
    run.decide("a", E1, Action.CONFIRM, by="Mara")
    page = screens.open()
    assert "Go on where you stopped" not in texts(page)

    page.session_state[NAME_KEY] = "Mara"
    page.run()

    assert "**Go on where you stopped:** first, 1 of 2 examples reviewed." in texts(page)
    assert [b.label for b in page.button if b.key == "continue"] == ["Continue"]


def test_the_list_is_cut_by_state_and_found_by_words(screens: Screens) -> None:
    screens.open().button(key="open_demo").click().run()
    work_off(screens.engine)
    page = screens.open()
    control = page.segmented_control(key="runs_shown")
    assert list(control.options) == [
        "All 3", "Running 0", "To review 3", "Reviewed 0", "Failed 0"
    ]  # fmt: skip

    page.text_input(key="runs_found").set_value("STATEMENTS demo").run()
    assert column(tables(page)[0], "Run") == ["Demo, statements (Demo)"]

    page.text_input(key="runs_found").set_value("").run()
    control.set_value("Failed").run()
    assert "No run fits." in texts(page)


def test_a_run_that_was_put_away_is_only_under_archived(screens: Screens) -> None:
    run = desk(screens.engine, told("a", [4]))
    archive_run(screens.engine, run.run_id, now=NOW)

    page = screens.open()

    assert "0 runs on 0 datasets" in texts(page)
    assert not tables(page)
    page.segmented_control(key="runs_shown").set_value("Archived").run()
    assert column(tables(page)[0], "Run") == ["first (told)"]


def test_failed_examples_are_said_beside_the_state(screens: Screens) -> None:
    desk(screens.engine, told("a", [4]), told("b", [2], fails=FailureKind.TIMEOUT.value))

    (runs,) = tables(screens.open())

    assert column(runs, "State") == ["Queued (2 of 2 judged, 1 failed)"]
    assert column(runs, "Recall") == ["4.00 (1 of 2, judge only)"]


def test_a_name_with_markup_stays_text(screens: Screens) -> None:
    name = "<img src=x onerror=alert(1)> **bold** [link](http://example.org) :red[x] $x$"
    run = desk(screens.engine, told("a", [4]), told("b", [4]))
    rename_run(screens.engine, run.run_id, name)
    run.decide("a", E1, Action.CONFIRM, by="Mara")

    page = screens.open()
    page.session_state[NAME_KEY] = "Mara"
    page.run()

    assert not page.exception
    (runs,) = tables(page)
    assert column(runs, "Run") == [f"{name} (told)"]
    shown = next(m.value for m in page.markdown if "Go on" in m.value)
    assert "\\<img" in shown
    assert "\\*\\*bold" in shown
    assert "\\[link\\]" in shown


def test_a_reviewer_goes_on_in_the_queue_that_they_were_in(screens: Screens) -> None:
    run = desk(screens.engine, told("a", [4]), told("b", [2]))
    open_review(screens.engine, run.judgements["a"], reviewer="Mara", queue=Queue.STAKE, now=NOW)
    run.set("a", E1, 2)
    page = screens.open()
    page.session_state[NAME_KEY] = "Mara"
    page.run()
    assert "queue Stake, 1 of 2 examples reviewed" in texts(page).replace("\\", "")

    page.button(key="continue").click().run()

    assert page.query_params["queue"] == "stake"
    assert page.query_params["judgement"] == str(run.judgements["a"])


def test_what_is_assigned_waits_for_who_has_not_begun(screens: Screens) -> None:
    run = desk(screens.engine, told("a", [4]), told("b", [2]))
    assign(screens.engine, list(run.judgements.values()), ["Mara"], by="Ana", now=NOW)
    page = screens.open()
    page.session_state[NAME_KEY] = "Mara"
    page.run()
    assert "**Waiting for you:** first, 2 examples assigned to you" in texts(page).replace("\\", "")

    page.button(key="begin_assigned").click().run()

    assert page.query_params["queue"] == "mine"


def test_a_link_carries_which_runs_are_shown(screens: Screens) -> None:
    desk(screens.engine, told("a", [4]))

    page = screens.open(show="To review", find="nowhere")
    assert page.segmented_control(key="runs_shown").value == "To review"
    assert page.text_input(key="runs_found").value == "nowhere"

    page = screens.open()
    page.segmented_control(key="runs_shown").set_value("Running").run()
    assert page.query_params["show"] == "Running"


def test_who_still_scores_a_run_blind_is_not_told_its_mean_in_the_list(screens: Screens) -> None:
    desk(screens.engine, told("a", [4]), options=RunOptions(blind=True))
    desk(screens.engine, told("b", [3]))
    hidden = "– (hidden while you score blind)"

    (runs,) = tables(screens.open())
    assert column(runs, "Recall") == ["3.00 (judge only, unreviewed)", hidden]

    set_blind(screens.engine, "Li", True)
    page = screens.open()
    page.session_state[NAME_KEY] = "Li"
    (runs,) = tables(page.run())
    assert column(runs, "Recall") == [hidden, hidden]

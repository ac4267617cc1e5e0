"""What is picked in the list of examples is decided on, assigned and flagged as one."""

from __future__ import annotations

from fractions import Fraction

import pytest
from streamlit.testing.v1 import AppTest

from db.assignments import assign, assignments_of
from db.batches import bulk_batches
from db.engine import Engine
from db.flags import flag, flags_of
from db.runs import RunOptions
from db.sights import set_blind
from pages.components import bulk_dialog
from pages.components.bulk_dialog import PICKS
from pages.components.session import NAME_KEY
from recall_core.types import Action, Cause
from tests.db.making import NOW
from tests.db.reviewing import B1, E1, Desk, desk, told
from tests.pages.screens import Screens, column, tables, texts


def some(engine: Engine, options: RunOptions | None = None) -> Desk:
    return desk(
        engine,
        told("good", [5, 5], [5], topic="plans"),
        told("poor", [1, 2], [0], topic="plans"),
        told("half", [3], topic="bikes"),
        told("lost", [3], topic="bikes", fails="timeout"),
        options=options,
    )


def opened(screens: Screens, run: Desk, *names: str, **address: object) -> AppTest:
    """The list with these examples picked, by somebody who has said their name."""
    page = screens.open("examples_list", run=run.run_id, **address)
    page.session_state[NAME_KEY] = "Mara"
    page.session_state[PICKS.place] = frozenset(str(run.judgements[name]) for name in names)
    return page.run()


def test_what_is_picked_is_counted_and_before_that_nothing_can_be_done(screens: Screens) -> None:
    run = some(screens.engine)

    page = opened(screens, run)
    assert "Nothing selected" in texts(page)
    assert page.button(key="bulk_decide").disabled

    page = opened(screens, run, "good", "half")
    assert "**2 examples selected**" in texts(page)
    assert not page.button(key="bulk_decide").disabled


def test_all_that_fit_the_filter_are_picked_beyond_the_page(screens: Screens) -> None:
    run = desk(screens.engine, *(told(f"e{i:03}", [1 + i % 5]) for i in range(120)))
    page = opened(screens, run, low=5)

    assert page.button(key="pick_all").label == "Select all 24 that fit"
    page.button(key="pick_all").click().run()

    assert "**24 examples selected**" in texts(page)


def test_another_filter_has_no_picks(screens: Screens) -> None:
    page = opened(screens, some(screens.engine), "good")

    page.toggle(key="list.flagged").set_value(True).run()
    page.toggle(key="list.flagged").set_value(False).run()

    assert "Nothing selected" in texts(page)


def test_confirming_shows_what_it_would_change_before_it_is_done(screens: Screens) -> None:
    run = some(screens.engine)
    page = opened(screens, run, "good", "half", "lost")

    page.button(key="bulk_decide").click().run()

    assert not page.exception
    said = texts(page)
    assert "<dt>Decided on</dt><dd>4 units, 2 examples</dd>" in said
    assert "<dt>Counts differently</dt><dd>0 units</dd>" in said
    assert "1 left out: The unit has no score that could be confirmed" in said.replace("\\", "")
    assert not run.detail("good").decisions, "the preview stores nothing"

    page.button(key="bulk_go").click().run()

    assert not page.exception
    assert "Confirmed 4 units of 2 examples" in texts(page)
    assert {d.action for d in run.detail("good").decisions} == {Action.CONFIRM}
    assert column(tables(page)[0], "State")[:3] == ["confirmed", "judge only", "confirmed"]
    assert "Nothing selected" in texts(page)


def test_a_score_is_set_on_one_kind_of_unit_with_cause_and_note(screens: Screens) -> None:
    run = some(screens.engine)
    page = opened(screens, run, "good", "poor")

    page.button(key="bulk_decide").click().run()
    page.segmented_control(key="bulk_action").set_value("Set a score").run()
    page.selectbox(key="bulk_kind").set_value("Bonus ones").run()
    page.number_input(key="bulk_score_0").set_value(0.0).run()
    page.selectbox(key="bulk_cause").set_value(Cause.JUDGE_WRONG).run()
    page.text_input(key="bulk_note").input("not asked for").run()
    assert "<dt>Mean</dt><dd>3.17 → 3.17</dd>" in texts(page), "the cap had kept the bonus out"
    page.button(key="bulk_go").click().run()

    assert not page.exception
    (made,) = run.detail("good").decisions
    assert (made.unit, made.after.score) == (B1, Fraction(0))
    assert (made.cause, made.note, made.reviewer) == (Cause.JUDGE_WRONG, "not asked for", "Mara")


def test_a_run_that_asks_for_notes_takes_no_selection_without_one(screens: Screens) -> None:
    run = some(screens.engine, RunOptions(notes_required=True))
    page = opened(screens, run, "good")

    page.button(key="bulk_decide").click().run()
    page.segmented_control(key="bulk_action").set_value("Exclude").run()
    assert page.button(key="bulk_go").disabled

    page.text_input(key="bulk_note").input("out of date").run()

    assert not page.button(key="bulk_go").disabled


def test_a_selection_is_taken_back_as_one(screens: Screens) -> None:
    run = some(screens.engine)
    page = opened(screens, run, "good", "half")
    page.button(key="bulk_decide").click().run()
    page.button(key="bulk_go").click().run()

    page.session_state["bulk_undo"] = True
    page.run()
    assert "4 units of 2 examples, now" in texts(page)
    next(b for b in page.button if b.label == "Undo").click().run()

    assert not page.exception
    assert "Took back 4 decisions on 2 examples" in texts(page)
    assert not any(e.reviewed for e in run.detail("good").effective)


def test_a_decision_made_after_the_preview_is_not_overwritten(screens: Screens) -> None:
    run = some(screens.engine)
    page = opened(screens, run, "good", "half")
    page.button(key="bulk_decide").click().run()
    page.segmented_control(key="bulk_action").set_value("Exclude").run()
    seen_by_mara = page.button(key="bulk_go")
    run.set("half", E1, 4, by="Jonas")

    seen_by_mara.click().run()

    assert not page.exception
    assert run.detail("half").effective[0].state.score == 4


def test_people_are_asked_to_review_what_is_picked_and_the_list_says_so(screens: Screens) -> None:
    run = some(screens.engine)
    page = opened(screens, run, "good", "half")

    page.button(key="bulk_assign").click().run()
    page.multiselect(key="assign_people").set_value(["Mara"]).run()
    page.button(key="assign_go").click().run()

    assert not page.exception
    assert "2 examples are assigned to Mara" in texts(page)
    assert column(tables(page)[0], "Assigned to") == ["Mara", "", "Mara", ""]


def test_people_can_be_taken_off_again(screens: Screens) -> None:
    run = some(screens.engine)
    ids = [run.judgements[name] for name in ("good", "half")]
    assign(screens.engine, ids, ["Mara", "Jonas"], by="Ana", now=NOW)
    page = opened(screens, run, "good")

    page.button(key="bulk_assign").click().run()
    page.segmented_control(key="assign_what").set_value("Take off").run()
    page.multiselect(key="assign_people").set_value(["Jonas"]).run()
    page.button(key="assign_go").click().run()

    assert assignments_of(screens.engine, ids) == {ids[0]: ("Mara",), ids[1]: ("Jonas", "Mara")}


def test_what_is_picked_is_flagged_and_unflagged(screens: Screens) -> None:
    run = some(screens.engine)
    page = opened(screens, run, "good", "half")

    page.button(key="bulk_flag").click().run()
    page.text_input(key="flag_note").input("still sold?").run()
    page.button(key="flag_go").click().run()

    assert column(tables(page)[0], "Remarks") == [
        "⚑ Mara: still sold?",
        "",
        "⚑ Mara: still sold?",
        "",
    ]

    page.button(key="bulk_flag").click().run()
    page.button(key="unflag_go").click().run()

    assert not page.exception
    assert not flags_of(screens.engine, list(run.judgements.values()))


def test_the_list_is_cut_by_who_is_asked_and_by_flag(screens: Screens) -> None:
    run = some(screens.engine)
    assign(screens.engine, [run.judgements["good"]], ["Mara"], by="Ana", now=NOW)
    flag(screens.engine, run.judgements["half"], by="Ana", now=NOW)

    def listed(**address: object) -> list[str]:
        page = screens.open("examples_list", run=run.run_id, **address)
        assert not page.exception
        return column(tables(page)[0], "Example")

    assert listed(assigned="Mara") == ["good"]
    assert listed(assigned="nobody") == ["poor", "half", "lost"]
    assert listed(flagged="true") == ["half"]


def test_who_reviews_blind_gets_a_list_without_scores(screens: Screens) -> None:
    run = some(screens.engine)
    set_blind(screens.engine, "Mara", True)

    page = opened(screens, run, sort="lowest first")

    assert not page.exception
    assert "You review examples of this run blind" in texts(page)
    listed = tables(page)[0]
    assert column(listed, "Example") == ["good", "poor", "half", "lost"]
    assert set(column(listed, "Judge") + column(listed, "Now")) == {"–"}


def test_a_large_selection_is_stored_in_steps_and_is_one_batch(screens: Screens) -> None:
    run = desk(screens.engine, *(told(f"e{i:03}", [1 + i % 5]) for i in range(120)))
    page = opened(screens, run)
    page.button(key="pick_all").click().run()

    page.button(key="bulk_decide").click().run()
    page.button(key="bulk_go").click().run()

    assert not page.exception
    assert "Confirmed 120 units of 120 examples" in texts(page)
    (batch,) = bulk_batches(screens.engine, run.run_id, "Mara")
    assert (batch.examples, batch.standing) == (120, 120)


def test_a_very_large_selection_is_looked_at_only_when_asked(
    screens: Screens, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk_dialog, "AT_ONCE", 1)
    page = opened(screens, some(screens.engine), "good", "half")

    page.button(key="bulk_decide").click().run()
    assert "To look at 2 examples takes a moment" in texts(page)
    assert "Decided on" not in texts(page)

    page.button(key="bulk_look").click().run()
    assert "<dt>Decided on</dt><dd>4 units, 2 examples</dd>" in texts(page)
    page.button(key="bulk_go").click().run()
    assert "Confirmed 4 units of 2 examples" in texts(page)


def test_a_preview_does_not_tell_a_blind_reviewer_what_the_judge_gave(screens: Screens) -> None:
    run = some(screens.engine)
    set_blind(screens.engine, "Mara", True)
    page = opened(screens, run, "poor")

    page.button(key="bulk_decide").click().run()
    page.segmented_control(key="bulk_action").set_value("Set a score").run()

    assert not page.exception
    said = texts(page)
    assert "<dt>Decided on</dt><dd>3 units, 1 example</dd>" in said
    assert "<dt>Mean</dt>" not in said
    assert "Counts differently" not in said

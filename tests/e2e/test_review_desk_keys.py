"""At the desk: what each key and button does, and what the person sees of it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pytest
from playwright.sync_api import Browser, expect

from db.reviews import read_judgement
from db.runs import RunOptions
from recall_core.types import Action, Cause, TraceState
from tests.db.reviewing import B1, E1, E2, Desk, told
from tests.e2e.desk import AtDesk, House, at_desk, house_in

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house_in(tmp_path_factory.mktemp("desk")) as house:
        yield house


@pytest.fixture
def run(house: House) -> Desk:
    return house.judged(told("a", [5, 4], [3, 3]), told("b", [2], [0]), told("c", [4]))


@pytest.fixture
def desk(browser: Browser, house: House, run: Desk) -> Iterator[AtDesk]:
    with at_desk(browser, house, run) as desk:
        yield desk


def actions(run: Desk, example: str) -> list[tuple[str, str, Fraction | None]]:
    """What the database holds: unit, action and the score it left, oldest first."""
    detail = read_judgement(run.engine, run.judgements[example])
    return [(d.unit.label, d.action.value, d.after.score) for d in detail.decisions]


def test_a_digit_sets_the_open_units_score_and_the_formula_follows_at_once(
    desk: AtDesk, run: Desk
) -> None:
    desk.press("ArrowDown", "3")

    expect(desk.unit("E2").locator(".state")).to_contain_text("Changed by you")
    desk.shows(".formulas", "(5 + 3) / 2 = 4")
    desk.shows(".formulas .person", "3")
    desk.shows(".effects", "−0.50 E2 4 → 3")
    desk.shows(".effects", "+0.25 cap: judge’s 5.25 counted as 5")
    desk.shows(".final", "4.75")
    desk.is_saved()
    assert actions(run, "a") == [("E2", "set", 3)]
    assert run.detail("a").trace.final == Fraction("4.75")


def test_arrows_and_hjkl_walk_through_examples_and_units(desk: AtDesk) -> None:
    walked = []
    for key in (
        "l",
        "ArrowRight",
        "ArrowRight",
        "h",
        "ArrowLeft",
        "j",
        "ArrowDown",
        "k",
        "ArrowUp",
    ):
        desk.press(key)
        place = desk.page.locator(".position b").inner_text()
        walked.append((place, desk.open.get_attribute("data-key")))

    # The third step to the right finds no further example.
    assert [place for place, _ in walked] == ["2", "3", "3", "2", "1", "1", "1", "1", "1"]
    assert [unit for _, unit in walked][4:] == ["E1", "E2", "B1", "E2", "E1"]


def test_enter_confirms_and_goes_on_to_the_next_unit_and_then_to_the_next_example(
    desk: AtDesk, run: Desk
) -> None:
    desk.press("Enter", "Enter", "Enter", "Enter")
    expect(desk.page.locator(".reviewed")).to_have_text("4 of 4 reviewed")
    expect(desk.open).to_have_attribute("data-key", "B2")

    desk.press("Enter")

    desk.shows("h2", "What of b?")
    desk.is_saved()
    assert [a for _, a, _ in actions(run, "a")] == ["confirm"] * 4
    assert actions(run, "b") == []


def test_ctrl_enter_confirms_only_what_is_left_and_u_right_after_takes_that_back(
    desk: AtDesk, run: Desk
) -> None:
    desk.press("2")
    desk.shows(".bar .primary", "Confirm 3 left and next")
    desk.press("Control+Enter")
    desk.shows("h2", "What of b?")
    desk.is_saved()
    assert [u for u, a, _ in actions(run, "a") if a == "confirm"] == ["E2", "B1", "B2"]

    desk.press("u")

    desk.shows("h2", "What of a?")
    desk.shows(".reviewed", "1 of 4 reviewed")
    desk.is_saved()
    assert [a for _, a, _ in actions(run, "a")] == ["set"] + ["confirm"] * 3 + ["undo"] * 3
    assert run.detail("a").unit(E1).state.score == 2


def test_undo_leaves_what_stood_before_and_the_history_tells_all_of_it(
    desk: AtDesk, run: Desk
) -> None:
    desk.press("1", "2", "u")

    expect(desk.unit("E1").locator(".scores")).to_contain_text("1")
    desk.is_saved()
    assert run.detail("a").unit(E1).state.score == 1
    desk.press("y")
    rows = desk.page.locator(".history tbody tr").all_inner_texts()
    assert [row.split("\t")[3:6] for row in rows] == [
        ["took a change back", "2", "1"],
        ["set 2", "1", "2"],
        ["set 1", "5", "1"],
    ]
    assert all(row.split("\t")[1] == "you" for row in rows)


def test_a_digit_off_the_scale_is_refused_in_words_and_nothing_is_written(
    desk: AtDesk, run: Desk
) -> None:
    desk.press("0")
    desk.shows(".message", "0 is not on the scale of an essential passage, which goes from 1 to 5.")
    desk.press("9")
    desk.shows(".message", "9 is not on the scale")

    desk.press("ArrowDown", "ArrowDown", "0")

    expect(desk.unit("B1").locator(".state")).to_contain_text("Changed by you")
    desk.is_saved()
    assert actions(run, "a") == [("B1", "set", 0)]


def test_keys_sleep_while_a_note_is_typed_and_on_a_focused_control(desk: AtDesk, run: Desk) -> None:
    desk.press("4", "n")
    desk.page.keyboard.type("1 of 2 is missing, u 3")
    desk.press("Enter")
    desk.shows(".note.shown", "1 of 2 is missing, u 3")
    desk.page.get_by_role("button", name="Next example", exact=True).focus()
    desk.press("1", "u", "ArrowRight")
    desk.shows("h2", "What of a?")

    desk.press("Escape", "5")

    desk.is_saved()
    assert actions(run, "a") == [("E1", "set", 4), ("E1", "confirm", 4), ("E1", "set", 5)]
    assert run.detail("a").decisions[1].note == "1 of 2 is missing, u 3"


def test_a_click_leaves_the_keys_awake(desk: AtDesk, run: Desk) -> None:
    desk.page.locator(".score", has_text="2").click()
    desk.click("judge wrong")

    desk.press("ArrowDown", "1")

    desk.is_saved()
    last = run.detail("a").decisions
    assert [(d.unit, d.after.score) for d in last] == [(E1, 2), (E1, 2), (E2, 1)]
    assert last[1].cause is Cause.JUDGE_WRONG
    desk.shows(".effects", "judge wrong, you")


def test_a_reason_chosen_beside_an_open_note_is_written_with_what_is_typed(
    desk: AtDesk, run: Desk
) -> None:
    desk.press("2", "n")
    desk.page.keyboard.type("Only half of it")
    desk.click("judge wrong")

    desk.is_saved()
    last = run.detail("a").decisions[-1]
    assert (last.cause, last.note) == (Cause.JUDGE_WRONG, "Only half of it")


def test_after_a_reason_chosen_by_key_the_focus_is_still_at_the_open_unit(desk: AtDesk) -> None:
    desk.press("2")
    chip = desk.page.get_by_role("button", name="judge wrong", exact=True)
    chip.focus()

    desk.press("Enter")

    expect(chip).to_have_attribute("aria-pressed", "true")
    expect(desk.open).to_be_focused()


@pytest.mark.parametrize("away", ["Enter", "ArrowDown", "ArrowRight", "Control+Enter"])
def test_a_note_that_is_left_open_is_kept_and_escape_drops_it(
    desk: AtDesk, run: Desk, away: str
) -> None:
    desk.press("2", "n")
    desk.page.keyboard.type("Dropped")
    desk.press("Escape", "n")
    desk.page.keyboard.type("Kept")
    desk.page.locator(".desk h2").click()
    desk.press(away)

    desk.is_saved()
    notes = [d.note for d in run.detail("a").decisions if d.unit == E1]
    assert notes == ["", "Kept"]


def test_a_key_held_down_decides_once(desk: AtDesk, run: Desk) -> None:
    for _ in range(5):
        desk.page.keyboard.down("Enter")
    desk.page.keyboard.up("Enter")

    desk.is_saved()
    assert actions(run, "a") == [("E1", "confirm", 5)]


def test_the_sheet_of_keys_covers_the_desk_and_lets_no_score_through(
    desk: AtDesk, run: Desk
) -> None:
    desk.press("?", "3")
    expect(desk.page.get_by_role("dialog", name="Keys")).to_be_visible()

    desk.press("?")

    expect(desk.page.get_by_role("dialog", name="Keys")).to_be_hidden()
    assert actions(run, "a") == []


def test_excluding_the_last_essential_is_announced_and_leaves_the_example_void(
    browser: Browser, house: House, run: Desk
) -> None:
    with at_desk(browser, house, run, "c") as desk:
        desk.press("n")
        desk.click("ground truth wrong")
        desk.shows(
            ".then", "E1 is the last essential passage. Without it this example has no final"
        )
        desk.click("Exclude E1 from the formula")

        expect(desk.unit("E1").locator(".state")).to_contain_text("Excluded by you")
        desk.shows(".formulas", "this example is out of the mean, and counted as void")
        desk.is_saved()

    detail = run.detail("c")
    assert detail.trace.state is TraceState.VOID
    assert detail.decisions[-1].cause is Cause.GROUND_TRUTH_WRONG


def test_a_bonus_that_should_be_essential_is_asked_for_a_score_on_the_new_scale(
    browser: Browser, house: House, run: Desk
) -> None:
    with at_desk(browser, house, run, "b") as desk:
        desk.press("ArrowDown", "n")
        desk.click("should be essential")
        desk.shows(".then", "Count B1 as essential, with the score")
        desk.click("2", within=".then")

        expect(desk.unit("B1").locator(".kind")).to_have_text("Essential, was bonus")
        desk.shows(".formulas", "(2 + 2) / 2 = 2")
        desk.is_saved()

    assert run.detail("b").unit(B1).state.score == 2
    assert run.detail("b").decisions[-1].action is Action.MOVE


def test_a_judge_that_failed_says_so_and_a_person_fills_the_gap(
    browser: Browser, house: House
) -> None:
    run = house.judged(told("gap", [5, None], [2]), told("lost", [3], fails="refusal"))
    with at_desk(browser, house, run) as desk:
        expect(desk.unit("E2").locator(".state")).to_contain_text("No score from the judge")
        desk.shows(".formulas", "needs 1 more score")
        desk.press("Control+Enter")
        desk.shows(".message", "E2 still has no score")
        desk.press("3")
        desk.shows(".final", "Filled in by people")
        desk.shows(".final", "4.5")
        desk.is_saved()

        desk.press("ArrowRight")
        desk.shows(".notice", "The judge refused to answer. It did not answer.")

    assert run.detail("gap").trace.final == Fraction("4.5")


def test_a_run_that_asks_for_notes_writes_no_change_without_one(
    browser: Browser, house: House
) -> None:
    run = house.judged(told("a", [5, 4]), options=RunOptions(notes_required=True))
    with at_desk(browser, house, run) as desk:
        desk.press("3")
        expect(desk.unit("E1").locator(".state")).to_contain_text("Waits for a note")
        desk.press("Enter")
        assert actions(run, "a") == []

        desk.page.keyboard.type("half of it is missing")
        desk.press("Enter")

        expect(desk.unit("E1").locator(".state")).to_contain_text("Changed by you")
        desk.is_saved()
    assert [(d.after.score, d.note) for d in run.detail("a").decisions] == [
        (3, "half of it is missing")
    ]


def test_halves_are_given_where_the_run_allows_them(browser: Browser, house: House) -> None:
    run = house.judged(told("a", [5]), options=RunOptions(halves=True))
    with at_desk(browser, house, run) as desk:
        desk.press("3", ".")
        desk.shows(".formulas", "(3.5) / 1 = 3.5")
        desk.is_saved()
    assert run.detail("a").unit(E1).state.score == Fraction("3.5")


def test_the_address_follows_the_desk_and_opens_it_there_again(
    browser: Browser, house: House, run: Desk
) -> None:
    with at_desk(browser, house, run) as desk:
        desk.press("ArrowRight")
        desk.page.wait_for_url(f"**judgement={run.judgements['b']}")
        desk.page.reload()
        desk.shows("h2", "What of b?")
        desk.shows(".position", "2 of 3")


def test_next_walks_the_filtered_list_in_its_order(browser: Browser, house: House) -> None:
    run = house.judged(told("high", [5]), told("low", [1]), told("mid", [3]), told("top", [4]))
    with at_desk(browser, house, run) as desk:
        page = desk.page
        page.goto(f"{house.server.url}/review?run={run.run_id}&sort=lowest+first&high=4")
        seen = []
        for _ in range(3):
            page.locator(".unit").first.wait_for()
            seen.append(page.locator(".question h2").inner_text())
            desk.press("ArrowRight")

        assert seen == ["What of low?", "What of mid?", "What of top?"]
        desk.shows(".position", "3 of 3")
        desk.click("Filtered examples")
        page.wait_for_url("**/examples?*high=4*")

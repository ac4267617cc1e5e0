"""More than one person at the desk, or one who scores blind: what each may see, and what counts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from db.comments import unread
from db.runs import RunOptions
from recall_core.types import Basis, UnitRef
from tests.db.reviewing import B1, B2, E1, E2, Desk, told
from tests.e2e.browser import PATIENCE
from tests.e2e.desk import House, at_desk, house_in

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house_in(tmp_path_factory.mktemp("desk")) as house:
        yield house


def score_of(run: Desk, unit: UnitRef, example: str = "a") -> int | None:
    return run.detail(example).unit(unit).state.score


def test_a_blind_reviewer_scores_commits_sees_the_judge_and_revises(
    browser: Browser, house: House
) -> None:
    run = house.judged(told("a", [5, 4]), told("b", [2]), options=RunOptions(blind=True))
    with at_desk(browser, house, run) as mara:
        mara.shows(".unit.open .veil", "appear after you commit")
        expect(mara.page.locator("mark")).to_have_count(0)
        go = mara.page.get_by_role("button", name="Commit needs 2 more scores")
        expect(go).to_be_disabled()
        mara.press("Control+Enter")
        mara.shows(".message", "Give E1 a score first")

        mara.press("3", "ArrowDown", "4")
        mara.is_saved()
        mara.shows(".final", "Yours, the judge is hidden")
        mara.press("Control+Enter")

        mara.shows('.unit[data-key="E1"] .scores', "judge")
        expect(mara.unit("E1").locator(".chip")).to_have_text(["5", "3"], timeout=PATIENCE)
        expect(mara.page.locator("mark").first).to_be_visible()
        mara.shows("h2", "What of a?")
        mara.press("ArrowUp", "4")
        mara.is_saved()
        mara.shows('.unit[data-key="E1"]', "first 3, now 4")

    assert score_of(run, E1) == 4


def test_two_reviewers_who_differ_on_three_units_resolve_them(
    browser: Browser, house: House
) -> None:
    # Nobody has decided on it in another test, which the desk would remember by name.
    run = house.judged(
        told("pair", [5, 4], [3, 0]),
        options=RunOptions(mode="independent", reviewers_needed=2),
    )
    with at_desk(browser, house, run, name="Jonas") as jonas:
        jonas.press("2", "ArrowDown", "4", "ArrowDown", "1", "ArrowDown", "0")
        jonas.is_saved()
        jonas.shows(".others", "waiting for 1 more reviewer")
    with at_desk(browser, house, run) as mara:
        expect(mara.page.locator(".desk")).not_to_contain_text("Jonas")
        mara.press("3", "ArrowDown", "4", "ArrowDown", "2", "ArrowDown", "5")
        mara.shows(".others", "3 disagreements to resolve")
        expect(mara.unit("E2").locator(".state")).to_contain_text("Agreed")
        expect(mara.page.locator(".desk")).not_to_contain_text("Jonas")
        mara.shows(".unit.open .opinion >> nth=0", "Reviewer A")

        mara.press("Control+Enter")
        mara.shows(".message", "Keep one of the values of E1")
        mara.press("a")
        mara.shows(".unit.open .label", "B1")
        mara.press("b")
        mara.shows(".unit.open .label", "B2")
        mara.press("1")
        mara.is_saved()

        mara.page.locator('.unit[data-key="E1"]').click()
        mara.shows(".unit.open .contest", "Jonas")
        expect(mara.unit("B2").locator(".state")).to_contain_text("Resolved by you")

    now = {e.ref: (e.state.score, e.basis) for e in run.detail("pair").effective}
    assert now == {
        E1: (2, Basis.RESOLVED),
        E2: (4, Basis.AGREED),
        B1: (2, Basis.RESOLVED),
        B2: (1, Basis.RESOLVED),
    }


def test_a_duplicate_names_its_twin_and_the_last_essential_leaves_the_example_void(
    browser: Browser, house: House
) -> None:
    run = house.judged(told("a", [5, 4]))
    with at_desk(browser, house, run) as mara:
        mara.press("3")
        mara.click("duplicate")
        mara.shows(".then", "Say which unit E1 repeats")
        mara.click("E1 repeats E2")
        mara.is_saved()
        expect(mara.unit("E1").locator(".state")).to_contain_text("Out: same as E2")
        mara.shows(".effects", "duplicate of E2")

        mara.press("ArrowDown", "1")
        mara.click("ground truth wrong")
        mara.shows(".then", "E2 is the last essential passage")
        mara.click("Exclude E2 from the formula")
        mara.is_saved()
        mara.shows(".formulas", "counted as void")

    assert [d.twin for d in run.detail("a").decisions if d.twin] == [E2]


def test_a_comment_is_posted_as_plain_text_and_reaches_the_other_reviewer(
    browser: Browser, house: House
) -> None:
    run = house.judged(told("a", [5, 4]))
    run.set("a", E1, 4, by="Jonas")
    with at_desk(browser, house, run) as mara:
        mara.press("m")
        mara.page.get_by_label("Comment on this example").fill("Is <b>E2</b> 5?\nReally?")
        mara.press("Control+Enter")
        mara.is_saved()
        mara.shows(".comment .text", "Is <b>E2</b> 5?")
        expect(mara.page.get_by_label("Comment on this example")).to_have_value("")
        assert unread(house.engine, "Jonas") == 1
        mara.click("Close")
        mara.shows(".bar", "Comments 1")
    with at_desk(browser, house, run, name="Jonas") as jonas:
        jonas.press("m")
        jonas.shows(".comment", "Really?")
    assert unread(house.engine, "Jonas") == 0


def test_who_opens_the_comments_types_there_and_decides_nothing_by_it(
    browser: Browser, house: House
) -> None:
    run = house.judged(told("a", [5, 4]), told("b", [3]))
    with at_desk(browser, house, run) as desk:
        desk.press("m")
        desk.page.keyboard.type("Look at E2: 14, not 30")
        desk.press("Control+Enter")

        desk.shows(".comment .text", "Look at E2: 14, not 30")
        desk.is_saved()
    assert run.detail("a").decisions == run.detail("b").decisions == ()


def test_what_was_decided_in_another_run_is_taken_over_in_this_one(
    browser: Browser, house: House
) -> None:
    before = house.judged(told("memo", [5, 4]))
    before.set("memo", E1, 2, by="Jonas", note="It is not there")
    before.set("memo", E2, 3, by="Jonas")
    run = house.judged(told("memo", [5, 5]))
    with at_desk(browser, house, run) as mara:
        mara.shows(".memory", "Decided before: 2 by Jonas")
        mara.press("t")
        mara.is_saved()
        mara.shows('.unit[data-key="E1"] .state', "Changed from memory by you")
        mara.press("u")
        mara.is_saved()
        mara.click("Take over all 2")
        mara.is_saved()
        assert score_of(run, E2, "memo") == 3
        mara.press("u")
        mara.is_saved()
        mara.shows(".memory", "Decided before")
    assert score_of(run, E2, "memo") == 5


def test_who_chooses_to_review_blind_is_blind_from_the_next_example_on(
    browser: Browser, house: House
) -> None:
    run = house.judged(*(told(name, [5, 4]) for name in ("a", "b", "c")))
    with at_desk(browser, house, run, name="Lena") as lena:
        lena.shows(".unit.open .judge", "as told")
        lena.page.wait_for_timeout(1500)  # until the example counts as shown
        lena.click("Blind: off")
        lena.shows(".strip", "Blind: on")
        lena.shows(".unit.open .judge", "as told")
        lena.press("ArrowRight")
        lena.shows(".unit.open .veil", "appear after you commit")
        lena.press("4", "ArrowDown", "u", "3", "Control+Enter")
        lena.shows(".unit.open .judge", "as told")
        lena.click("Blind: on")
        lena.shows(".strip", "Blind: off")
        lena.press("ArrowRight")
        lena.shows("h2", "What of c?")
        lena.shows(".unit.open .judge", "as told")
    assert [run.detail("b").unit(unit).state.score for unit in (E1, E2)] == [4, 3]


def test_blind_alone_and_with_notes_a_difference_is_settled_with_a_note(
    browser: Browser, house: House
) -> None:
    options = RunOptions("independent", blind=True, reviewers_needed=2, notes_required=True)
    run = house.judged(told("a", [5]), options=options)
    run.set("a", E1, 2, by="Jonas", note="Half is missing")
    run.commit("a", by="Jonas")
    with at_desk(browser, house, run) as mara:
        mara.press("4")
        mara.page.keyboard.type("Nearly all is there")
        mara.page.keyboard.press("Enter")
        mara.is_saved()
        expect(mara.page.locator(".desk")).not_to_contain_text("Half is missing")
        mara.press("Control+Enter")
        mara.shows(".contest", "Half is missing")
        mara.shows(".contest", "Nearly all is there")

        mara.press("a")
        mara.shows(".unit.open", "this run asks for one with every change")
        mara.page.keyboard.type("Passage 2 has the rest")
        mara.page.keyboard.press("Enter")
        mara.is_saved()
        mara.shows(".unit.open .state", "Resolved by you")

    effective = run.detail("a").unit(E1)
    assert (effective.state.score, effective.basis) == (2, Basis.RESOLVED)
    assert effective.decision.note == "Passage 2 has the rest"

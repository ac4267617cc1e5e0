"""At the desk: what to review next, and what is kept about how an example came before a person."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, expect

from db.audits import audit_draws, draw_audit
from db.engine import reading, transaction
from db.flags import flag, flags_of
from db.queues import queue_ids
from db.tables import ReviewRow, RunRow
from recall_core.queues import Queue
from recall_core.types import RetrievedPassage
from tests.db.making import NOW
from tests.db.reviewing import E1, Desk, told
from tests.e2e.browser import PATIENCE
from tests.e2e.desk import AtDesk, House, at_desk, house_in

pytestmark = pytest.mark.e2e

HELD_DOWN = """document.body.dispatchEvent(
  new KeyboardEvent("keydown", { key: "ArrowRight", repeat: true, bubbles: true }))"""
TWO_STEPS = """for (const key of ["l", "l"])
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }))"""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house_in(tmp_path_factory.mktemp("desk")) as house:
        yield house


@pytest.fixture
def run(house: House) -> Desk:
    """Six examples whose judging is done, and with equal stakes."""
    run = house.judged(*(told(f"e{i}", [3]) for i in range(6)))
    with transaction(run.engine) as session:
        session.get_one(RunRow, run.run_id).state = "done"
    return run


def order(run: Desk, queue: Queue) -> list[str]:
    names = {number: name for name, number in run.judgements.items()}
    return [names[i] for i in queue_ids(run.engine, run.run_id, queue, "Mara")]


def kept(run: Desk) -> dict[str, tuple[str, bool, bool]]:
    """By example: the queue that brought the review, whether it was drawn, the judge seen."""
    names = {number: name for name, number in run.judgements.items()}
    with reading(run.engine) as session:
        rows = session.query(ReviewRow).filter(ReviewRow.judgement_id.in_(names))
        return {
            names[r.judgement_id]: (r.selection, r.audit_draw_id is not None, r.judge_visible)
            for r in rows
        }


def question(desk: AtDesk) -> str:
    return desk.page.locator(".question h2").inner_text()


def test_what_a_queue_shows_is_kept_with_the_review_and_what_is_walked_past_is_not(
    browser: Browser, house: House, run: Desk
) -> None:
    first, second, third = order(run, Queue.STAKE)[:3]
    with at_desk(browser, house, run, queue="stake") as desk:
        desk.shows(".question h2", f"What of {first}?")
        desk.page.wait_for_timeout(800)  # looked at
        desk.page.evaluate(TWO_STEPS)
        desk.press("4")
        desk.is_saved()

    assert kept(run) == {first: ("stake", False, True), third: ("stake", False, True)}
    assert second not in kept(run)


def test_the_audit_draws_what_it_shows_and_leads_on_when_somebody_else_drew_it_first(
    browser: Browser, house: House, run: Desk
) -> None:
    expected = order(run, Queue.AUDIT)
    with at_desk(browser, house, run, queue="audit") as desk:
        desk.shows(".question h2", f"What of {expected[0]}?")
        expect(desk.page.locator(".tab.here")).to_have_text("Audit6")
        desk.press("5")
        desk.is_saved()
        draw_audit(run.engine, run.run_id, reviewer="Jonas", now=NOW)  # expected[1]
        desk.press("ArrowRight")
        desk.shows(".question h2", f"What of {expected[2]}?")
        desk.shows(".news", "Somebody else drew the example that stood here.")
        desk.shows(".position", "2 of 5")
        desk.page.wait_for_timeout(700)
        desk.press("5")
        desk.is_saved()

    names = {number: name for name, number in run.judgements.items()}
    drawn = [(names[d.judgement_id], d.drawn_by) for d in audit_draws(run.engine, run.run_id)]
    assert drawn == [(expected[0], "Mara"), (expected[1], "Jonas"), (expected[2], "Mara")]
    mine = kept(run)
    assert mine[expected[0]] == mine[expected[2]] == ("audit", True, True)
    assert run.detail(expected[1]).decisions == ()


def test_whoever_jumps_ahead_in_the_audit_is_led_to_the_next_draw(
    browser: Browser, house: House, run: Desk
) -> None:
    expected = order(run, Queue.AUDIT)
    with at_desk(browser, house, run, queue="audit") as desk:
        desk.page.set_viewport_size({"width": 1700, "height": 900})
        desk.page.wait_for_timeout(600)
        desk.page.locator(".queue .row").nth(4).click()
        desk.shows(".news", "An audit keeps to its random order.")
        desk.shows(".question h2", f"What of {expected[1]}?")
        desk.shows(".position", "2 of 6")
        desk.page.evaluate(HELD_DOWN)  # nothing is drawn that nobody looks at
        desk.shows(".position", "2 of 6")

    names = {number: name for name, number in run.judgements.items()}
    drawn = [names[d.judgement_id] for d in audit_draws(run.engine, run.run_id)]
    assert drawn == expected[:2]


def test_b_goes_to_what_is_most_at_stake_and_says_so(
    browser: Browser, house: House, run: Desk
) -> None:
    best = order(run, Queue.STAKE)[0]
    with at_desk(browser, house, run, "e3") as desk:
        desk.press("b")
        desk.shows(".question h2", f"What of {best}?")
        desk.shows(".position", "from Stake")
        desk.page.wait_for_timeout(700)
        desk.press("4")
        desk.is_saved()

    assert kept(run)[best] == ("stake", False, True)


def test_f_flags_the_example_in_sight_and_takes_the_flag_away(
    browser: Browser, house: House, run: Desk
) -> None:
    with at_desk(browser, house, run, "e0") as desk:
        desk.press("f")
        desk.shows(".facts", "Flagged by you")
        desk.is_saved()
        assert flags_of(run.engine, [run.judgements["e0"]])[run.judgements["e0"]].by == "Mara"
        expect(desk.page.locator('.tab[data-key="flagged"]')).to_have_text(
            "Flagged1", timeout=PATIENCE
        )
        desk.press("f")
        desk.is_saved()
        expect(desk.page.locator(".facts .flagged")).to_have_count(0)

    assert flags_of(run.engine, [run.judgements["e0"]]) == {}


def test_counts_and_stop_rule_follow_what_is_decided_and_a_queue_that_is_done_leads_on(
    browser: Browser, house: House, run: Desk
) -> None:
    flag(run.engine, run.judgements["e1"], by="Jonas", now=NOW)
    with at_desk(browser, house, run, queue="flagged") as desk:
        desk.shows(".stop", "between 1.00 and 5.00")
        desk.press("5")
        desk.is_saved()
        desk.shows(".stop", "between 1.66 and 5.00")
        expect(desk.page.locator('.tab[data-key="stake"]')).to_have_text("Stake5")
        desk.click("Flagged", within=".bar")
        desk.is_saved()
        desk.page.goto(f"{house.server.url}/review?run={run.run_id}&queue=flagged")
        expect(desk.page.locator("h1")).to_have_text(
            "Flagged: nothing waits for you", timeout=PATIENCE
        )
        desk.page.get_by_role("button", name="To Audit, 5").click()
        expect(desk.page.locator(".tab.here")).to_have_text("Audit5", timeout=PATIENCE)
    assert run.detail("e1").unit(E1).state.score == 5


def test_at_its_end_a_queue_says_what_was_done_and_leads_on(
    browser: Browser, house: House, run: Desk
) -> None:
    for example in ("e1", "e4"):
        flag(run.engine, run.judgements[example], by="Jonas", now=NOW)
    with at_desk(browser, house, run, queue="flagged") as desk:
        desk.press("Control+Enter", "4")
        desk.shows(".notice.done", "Flagged done: 2 of 2. Next: Audit, 4.")
        desk.is_saved()
        desk.press("Control+Enter")
        here = desk.page.locator(".desk:visible .tab.here")
        expect(here).to_have_text("Audit4", timeout=PATIENCE)


def test_slash_finds_words_in_all_texts_of_the_example_and_opens_what_is_folded(
    browser: Browser, house: House
) -> None:
    far = "Nothing of it is here. " * 20 + "The magpie is."
    run = house.judged(
        replace(
            told("a", [5, 4], question="Where is the Magpie?"),
            retrieved=(RetrievedPassage(1, "no bird"), RetrievedPassage(2, far)),
        )
    )
    with at_desk(browser, house, run, "a") as desk:
        hits, passage = desk.page.locator(".find .hits"), desk.page.locator('[data-key="p2"] .text')
        expect(passage).to_have_class("text clamp2")
        desk.press("/")
        desk.page.keyboard.type("magpie")
        expect(hits).to_have_text("1 of 2")
        desk.press("Enter")
        expect(hits).to_have_text("2 of 2")
        expect(passage).to_have_class("text")
        desk.press("Shift+Enter")
        expect(hits).to_have_text("1 of 2")
        assert desk.page.evaluate("CSS.highlights.get('rd-hit-here').size") == 1

        desk.press("Escape", "3")  # keys work again
        expect(desk.page.locator(".find")).to_have_count(0)
        expect(desk.unit("E1").locator(".state")).to_contain_text("Changed by you")
        desk.is_saved()
    assert run.detail("a").unit(E1).state.score == 3

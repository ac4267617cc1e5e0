"""Nothing that a reviewer presses is lost or lands elsewhere: fast, slow, cut off, or reloaded."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Dialog, expect

from db.audits import audit_draws
from db.engine import transaction
from db.queues import queue_ids
from db.reviews import read_judgement
from db.tables import RunRow
from recall_core.queues import Queue
from tests.db.reviewing import Desk, told
from tests.e2e.browser import PATIENCE
from tests.e2e.desk import AtDesk, House, at_desk, house_in
from tests.e2e.server import free_port

pytestmark = pytest.mark.e2e

PRESSES = 60
RESTART = 120_000
"""Milliseconds in which a browser has found a server that came back, on a busy machine."""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house_in(tmp_path_factory.mktemp("desk")) as house:
        yield house


def run_of(house: House, count: int = PRESSES + 20) -> Desk:
    return house.judged(*(told(f"e{i}", [i % 5 + 1, 3], [2]) for i in range(count)))


def score_and_go_on(desk: AtDesk, first: int, last: int, gap: float) -> None:
    """Set the score of each example's first unit to another one each time, by keys alone."""
    for i in range(first, last):
        desk.press(str(i * 3 % 5 + 1))
        desk.press("ArrowRight", gap=gap)


def written(run: Desk, count: int) -> list[list[tuple[str, str]]]:
    """For each of the first examples: unit and score of every decision that is stored."""
    details = [read_judgement(run.engine, run.judgements[f"e{i}"]) for i in range(count)]
    return [[(d.unit.label, str(d.after.score)) for d in detail.decisions] for detail in details]


def expected(count: int) -> list[list[tuple[str, str]]]:
    return [[("E1", str(i * 3 % 5 + 1))] for i in range(count)]


@pytest.mark.parametrize("gap", [25, 80, 150])
def test_sixty_of_sixty_presses_are_exact(browser: Browser, house: House, gap: int) -> None:
    run = run_of(house)
    with at_desk(browser, house, run) as desk:
        score_and_go_on(desk, 0, PRESSES, gap)

        desk.shows(".position", f"{PRESSES + 1} of")
        desk.is_saved()
    assert written(run, PRESSES + 1) == [*expected(PRESSES), []]


def test_in_an_audit_each_of_sixty_is_drawn_once_and_scored_as_it_was_shown(
    browser: Browser, house: House
) -> None:
    run = run_of(house)
    with transaction(run.engine) as session:
        session.get_one(RunRow, run.run_id).state = "done"
    order = queue_ids(run.engine, run.run_id, Queue.AUDIT, "Mara")[: PRESSES + 1]
    with at_desk(browser, house, run, queue="audit") as desk:
        score_and_go_on(desk, 0, PRESSES, 25)
        desk.is_saved()
        desk.page.wait_for_timeout(1_000)  # the last one is drawn too

    assert tuple(draw.judgement_id for draw in audit_draws(run.engine, run.run_id)) == order
    details = [read_judgement(run.engine, i) for i in order]
    scored = [[(d.unit.label, str(d.after.score)) for d in detail.decisions] for detail in details]
    assert scored == [*expected(PRESSES), []]


def test_with_a_slow_server_the_same_sixty_are_exact_and_the_desk_says_what_it_is_saving(
    browser: Browser, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "uvicorn", "tests.e2e.apps.slow_desk:app"]
    port = free_port()
    with house_in(tmp_path, [*command, "--port", str(port)], port=port) as house:
        run = run_of(house)
        with at_desk(browser, house, run) as desk:
            desk.page.locator(".ticks .todo").nth(39).wait_for(timeout=PATIENCE)
            score_and_go_on(desk, 0, PRESSES, 25)

            assert desk.page.locator(".saved").inner_text().startswith("saving ")
            desk.is_saved()
        assert written(run, PRESSES + 1) == [*expected(PRESSES), []]


def test_a_killed_server_costs_nothing_a_reload_in_between_included(
    browser: Browser, tmp_path: Path
) -> None:
    with house_in(tmp_path) as house:
        run = run_of(house)
        with at_desk(browser, house, run) as desk:
            warned: list[str] = []
            desk.page.on("dialog", lambda dialog: _leave(dialog, warned))
            desk.page.locator(".ticks .todo").nth(30).wait_for(timeout=PATIENCE)
            score_and_go_on(desk, 0, 8, 25)
            house.server.kill()
            score_and_go_on(desk, 8, 14, 25)
            desk.shows(".saved", "not saved")
            desk.shows(".facts", "Server not reached.")
            desk.shows(".facts", "kept in this tab; you can go on.")
            house.server.start()
            desk.is_saved(within=RESTART)
            assert written(run, 15) == [*expected(14), []]

            house.server.kill()
            score_and_go_on(desk, 14, 18, 25)
            house.server.start()
            desk.page.reload()
            desk.shows(".position", "19 of")
            desk.is_saved(within=RESTART)

            assert warned == ["beforeunload"]
            score_and_go_on(desk, 18, 20, 25)
            desk.is_saved()
        assert written(run, 21) == [*expected(20), []]


def _leave(dialog: Dialog, warned: list[str]) -> None:
    warned.append(dialog.type)
    dialog.accept()


def test_leaving_for_another_page_right_after_a_key_loses_nothing(
    browser: Browser, house: House
) -> None:
    run = run_of(house, 5)
    with at_desk(browser, house, run) as desk:
        desk.press("3")
        desk.page.get_by_role("link", name="Results").click()
        desk.page.wait_for_url("**/results*")
        expect(desk.page.locator(".desk")).to_have_count(0, timeout=PATIENCE)
        desk.page.go_back()
        desk.page.locator(".unit").first.wait_for(timeout=PATIENCE)
        desk.is_saved()
    assert written(run, 1) == [[("E1", "3")]]


def test_a_duplicated_tab_does_not_swallow_what_the_other_writes(
    browser: Browser, house: House
) -> None:
    run = run_of(house, 5)
    with at_desk(browser, house, run) as first:
        first.press("2")
        first.is_saved()
        kept = first.page.evaluate("JSON.stringify({...sessionStorage})")
        with at_desk(browser, house, run, "e1") as second:
            second.page.evaluate("kept => Object.assign(sessionStorage, JSON.parse(kept))", kept)
            second.page.reload()
            second.page.locator(".unit").first.wait_for(timeout=PATIENCE)
            second.press("4")
            second.is_saved()
        first.press("ArrowRight", "ArrowRight", "5")
        first.is_saved()
    assert written(run, 3) == [[("E1", "2")], [("E1", "4")], [("E1", "5")]]

"""axe-core finds nothing on the desk, and enough contrast on every page, in light and in dark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from db.comments import comment
from db.engine import transaction
from db.flags import flag
from db.runs import RunOptions
from db.tables import RunRow
from pages.components.screens import SCREENS
from recall_core.types import Cause
from tests.db.making import NOW
from tests.db.reviewing import B1, E1, E2, Desk, told
from tests.e2e.browser import PATIENCE, at_rest
from tests.e2e.desk import AtDesk, House, at_desk, house_in

pytestmark = pytest.mark.e2e

THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
CONTRAST = {"runOnly": ["color-contrast"], "resultTypes": ["violations"]}
ALL_RULES = {"resultTypes": ["violations"]}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house_in(tmp_path_factory.mktemp("desk")) as house:
        yield house


@pytest.fixture(scope="module")
def run(house: House) -> Desk:
    """A reviewed run with something of everything: changes, causes, a flag, a failure, comments."""
    texts = [told(f"e{i}", [i % 5 + 1, 5], [3]) for i in range(10)]
    odd = told("odd", [2, 5], [1], marks={"E1": "contradiction"}, warns=("E2: odd",))
    run = house.judged(odd, told("failed", [3], fails="timeout"), *texts)
    with transaction(run.engine) as session:
        session.get_one(RunRow, run.run_id).state = "done"
    run.set("odd", E1, 4, by="Jonas", cause=Cause.JUDGE_WRONG, note="It is all there.")
    run.set("odd", E2, 1, cause=Cause.GROUND_TRUTH_AMBIGUOUS)
    run.set("e0", B1, 0)
    flag(run.engine, run.judgements["odd"], by="Jonas", now=NOW, note="Look again.")
    words: dict[str, Any] = {"author": "Jonas", "now": NOW, "client_id": "j", "client_seq": 1}
    comment(run.engine, run.judgements["odd"], "Is this the right plan?", **words)
    return run


def violations(page: Page, options: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Rule, where, and what is wrong, in both themes; a place in the desk is led by `desk`."""
    for theme in THEMES:
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        page.wait_for_timeout(600)  # until colours have stopped fading into each other
        for found in Axe().run(page, options=options).response["violations"]:
            for node in found["nodes"]:
                place = node["target"][0]
                where = place if isinstance(place, str) else f"desk {place[-1]}"
                yield found["id"], f"{theme}: {where}", node["failureSummary"]


def on_desk(desk: AtDesk) -> list[tuple[str, str, str]]:
    """What all of axe's rules find in the desk itself."""
    return [v for v in violations(desk.page, ALL_RULES) if ": desk " in v[1]]


def test_the_desk_passes_all_rules_in_each_of_its_states(
    browser: Browser, house: House, run: Desk
) -> None:
    with at_desk(browser, house, run, "odd") as desk:
        desk.shows(".facts", "Flagged by Jonas")
        desk.press("ArrowDown", "n", "Escape")
        found = on_desk(desk)
        for panel in ("?", "y", "m"):
            desk.press(panel)
            desk.page.locator(".panel").wait_for(timeout=PATIENCE)
            found += on_desk(desk)
            desk.press("Escape")
        desk.press("/")
        desk.page.keyboard.type("odd")
        found += on_desk(desk)
        desk.page.set_viewport_size({"width": 1700, "height": 1000})
        desk.press("Escape", "ArrowRight")
        found += on_desk(desk)
    assert found == []


def test_the_desk_passes_all_rules_while_reviewers_are_blind_and_where_they_differ(
    browser: Browser, house: House
) -> None:
    both = RunOptions(mode="independent", reviewers_needed=2)
    blind = house.judged(told("a", [3, 4]), options=RunOptions(blind=True))
    differ = house.judged(told("a", [3, 4]), options=both)
    for name, score in (("Mara", 2), ("Jonas", 5)):
        differ.set("a", E1, score, by=name, note="So it says.")
        differ.set("a", E2, 4, by=name)
    found = []
    for run in (blind, differ):
        with at_desk(browser, house, run, "a") as desk:
            desk.page.locator(".veil, .contest").first.wait_for(timeout=PATIENCE)
            found += on_desk(desk)
    assert found == []


def test_every_page_has_contrast(browser: Browser, house: House, run: Desk) -> None:
    found = []
    with at_desk(browser, house, run, "e0") as desk:
        addresses = [f"{screen.address}?run={run.run_id}" for screen in SCREENS]
        views = [f"results?run={run.run_id}&view={v}" for v in ("ledger", "whatif", "people")]
        for address in addresses + views:
            desk.page.goto(f"{house.server.url}/{address}")
            desk.page.locator("h1, .desk .unit").first.wait_for(timeout=PATIENCE)
            at_rest(desk.page)
            found += [(address, *v) for v in violations(desk.page, CONTRAST)]
    assert found == []

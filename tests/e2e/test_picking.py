"""Rows are ticked in a real browser, faster than the server answers, and decided on as one."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from db.engine import Engine
from tests.db.reviewing import desk, told
from tests.e2e.browser import PATIENCE, at_rest, exceptions_on, say_name
from tests.e2e.server import Server

pytestmark = pytest.mark.e2e


def tick(page: Page, name: str):
    return page.get_by_role("checkbox", name=f"Select {name}", exact=True)


def ticked(page: Page) -> list[str]:
    boxes = page.locator("td.pick input:checked")
    return [box.get_attribute("aria-label") or "" for box in boxes.all()]


def test_ticks_are_exact_however_fast_and_the_selection_is_confirmed_and_undone_as_one(
    server: Server, page: Page, engine: Engine
) -> None:
    run = desk(engine, *(told(f"e{i}", [1 + i % 5]) for i in range(8)))
    page.goto(f"{server.url}/examples?run={run.run_id}")
    at_rest(page)
    say_name(page)

    for name in ("e0", "e1", "e2", "e1"):  # No waiting: each lands before the last is answered.
        tick(page, name).click()
    tick(page, "e6").click(modifiers=["Shift"])
    page.get_by_text("7 examples selected").wait_for(timeout=PATIENCE)
    at_rest(page)
    assert ticked(page) == [f"Select e{i}" for i in range(7)]

    row = page.locator("tr.opens", has_text="What of e6?")
    row.focus()
    row.press("Space")
    page.get_by_text("6 examples selected").wait_for(timeout=PATIENCE)
    at_rest(page)
    expect(page.locator("tr.opens:focus")).to_have_attribute("data-id", str(run.judgements["e6"]))

    page.get_by_role("button", name="Decide …").click()
    page.get_by_role("button", name="Confirm 6 units").click()
    page.get_by_text("Confirmed 6 units of 6 examples").wait_for(timeout=PATIENCE)
    at_rest(page)
    assert ticked(page) == []
    assert all(run.detail(f"e{i}").effective[0].reviewed for i in range(6))

    page.get_by_role("button", name="Undo …").click()
    page.get_by_test_id("stPopoverBody").get_by_role("button", name="Undo").click()
    page.get_by_text("Took back 6 decisions on 6 examples").wait_for(timeout=PATIENCE)
    assert not any(run.detail(f"e{i}").effective[0].reviewed for i in range(8))
    assert exceptions_on(page) == []

"""From a matrix and a heat map to the units behind their cells, in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from db.engine import Engine
from tests.db.test_estimating import audit_of, plain
from tests.e2e.browser import PATIENCE, at_rest, exceptions_on
from tests.e2e.server import Server

pytestmark = pytest.mark.e2e


def test_cells_open_by_click_and_key(server: Server, page: Page, engine: Engine) -> None:
    runs = [audit_of(engine, *plain(12)) for _ in range(2)]
    for audit in runs:
        for score in (3,) * 6 + (4,) * 5:
            audit.draw(score)
    a, b = (audit.run.run_id for audit in runs)

    page.goto(f"{server.url}/calibration?run={a}")
    at_rest(page)
    cell = page.get_by_role("button", name="person 3, judge 4: 6 units")
    cell.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Person 3, judge 4: 6 units")).to_be_visible(timeout=PATIENCE)
    at_rest(page)
    assert "cell=3-4" in page.url
    expect(cell).to_be_focused()

    page.goto(f"{server.url}/compare?a={a}&b={b}")
    at_rest(page)
    expect(page.get_by_text("11 of 12", exact=True)).to_be_visible(timeout=PATIENCE)
    page.get_by_role("button", name="What of e0?, B: ").click()
    page.wait_for_url("**/review?judgement=*")
    assert exceptions_on(page) == []

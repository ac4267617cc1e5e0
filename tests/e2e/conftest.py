"""The real app on a free port with a database of its own, and a real browser.

    def test_something(server, page):
        page.goto(server.url + "/data")
        at_rest(page)                     # from tests.e2e.browser

`server.stop()`, `server.kill()` and `server.start()` restart it on the same database.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.e2e.browser import FLAGS, chromium_path
from tests.e2e.server import Server


@pytest.fixture
def server(tmp_path: Path, database_url: str) -> Iterator[Server]:
    """The app, started; ended with the test, worker and all."""
    app = Server(database_url=database_url, log=tmp_path / "server.log")
    app.start()
    yield app
    app.stop()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for the tests of a file.

    Not for the whole session: while Playwright runs, its event loop does, and tests of other files
    could not start their own.
    """
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        yield running
        running.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A tab of a person who was never here before, 1280 by 800."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True)
    yield context.new_page()
    context.close()

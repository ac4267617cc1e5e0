"""A page that was chosen is drawn, whatever the one before it was doing at that moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, WebSocketRoute, expect
from streamlit.proto.BackMsg_pb2 import BackMsg

from pages.components.session import NAME_COOKIE
from tests.db.reviewing import told
from tests.e2e.browser import PATIENCE, at_rest
from tests.e2e.desk import House, house_in

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house_in(tmp_path_factory.mktemp("desk")) as house:
        yield house


Send = Callable[[bytes], None]


class Wire:
    """Between browser and server; `crossing` decides what becomes of a change of pages."""

    def __init__(self, page: Page, crossing: Callable[[Send, bytes, bytes], None]) -> None:
        self.crossing = crossing
        self.crossed = 0
        self.refresh = b""
        page.route_web_socket("**/_stcore/stream", self._connect)

    def _connect(self, from_page: WebSocketRoute) -> None:
        server = from_page.connect_to_server()
        from_page.on_message(lambda message: self._pass(server.send, message))

    def _pass(self, send: Send, message: bytes | str) -> None:
        assert isinstance(message, bytes)
        asked = BackMsg.FromString(message).rerun_script
        if asked.fragment_id:
            self.refresh = message
        elif self.refresh and not self.crossed:
            self.crossed += 1
            self.crossing(send, message, self.refresh)
            return
        send(message)


def refreshed_behind_it(send: Send, choice: bytes, refresh: bytes) -> None:
    """The old page refreshes itself after the choice, before it can know of the new page."""
    send(choice)
    send(refresh)


def swallowed(send: Send, choice: bytes, refresh: bytes) -> None:
    """The server takes both for one, and the old page wins."""
    send(refresh)


@pytest.mark.parametrize("crossing", [refreshed_behind_it, swallowed])
def test_leaving_a_page_that_refreshes_itself_shows_the_new_one(
    browser: Browser, house: House, crossing: Callable[[Send, bytes, bytes], None]
) -> None:
    run = house.judged(told("a", [4]), told("b", [2]))
    context = browser.new_context()
    mara = {"name": NAME_COOKIE, "value": quote("Mara"), "url": house.server.url}
    context.add_cookies([mara])
    page = context.new_page()
    wire = Wire(page, crossing)
    page.goto(f"{house.server.url}/review?run={run.run_id}")
    page.locator(".unit").first.wait_for(timeout=PATIENCE)
    page.keyboard.press("3")
    expect(page.locator(".saved")).to_have_text("Saved", timeout=PATIENCE)
    at_rest(page)

    page.get_by_role("link", name="Data").click()

    expect(page.get_by_role("heading", name="Data")).to_be_visible(timeout=PATIENCE)
    assert wire.crossed == 1
    context.close()

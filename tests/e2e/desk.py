"""The review desk in a browser: a server for a file of tests, and what a reviewer does there.

Every test makes a run of its own, so that the tests of a file can share one server.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Browser, Locator, Page, expect

from db.engine import Engine, open_engine
from db.runs import RunOptions
from recall_core.types import Example
from tests.db.reviewing import Desk, desk
from tests.e2e.browser import PATIENCE
from tests.e2e.server import Server, free_port


@dataclass
class House:
    """A running app and its database."""

    server: Server
    engine: Engine

    def judged(self, *examples: Example, options: RunOptions | None = None) -> Desk:
        """A run over these examples, judged; the app's worker, which does not know the tests'
        judge, finds nothing left to do in it.
        """
        made = desk(self.engine, *examples, options=options)
        # Runs share the database, so their reviewers' browsers must not count alike.
        made.sequence = dict.fromkeys(("Mara", "Jonas"), made.run_id * 1000)
        return made


@contextmanager
def house_in(
    folder: Path, command: Sequence[str] = (), *, port: int | None = None
) -> Iterator[House]:
    """The app with an empty database in `folder`; `command` starts another one, on `port`."""
    url = f"sqlite:///{folder / 'recall.db'}"
    engine = open_engine(url)
    server = Server(url, folder / "server.log", port=port or free_port(), command=command)
    server.start()
    try:
        yield House(server, engine)
    finally:
        server.stop()
        engine.dispose()


@dataclass
class AtDesk:
    """A reviewer with a browser tab of their own, at the desk."""

    page: Page

    def press(self, *keys: str, gap: float = 0) -> None:
        """Press keys one after another, `gap` milliseconds apart."""
        for key in keys:
            self.page.keyboard.press(key)
            if gap:
                self.page.wait_for_timeout(gap)

    def unit(self, label: str) -> Locator:
        """The unit of that label on the left."""
        return self.page.locator(f'.unit[data-key="{label}"]')

    @property
    def open(self) -> Locator:
        return self.page.locator(".unit.open")

    def shows(self, place: str, text: str) -> None:
        """Wait until the part of the desk holds the text."""
        expect(self.page.locator(place)).to_contain_text(text, timeout=PATIENCE)

    def is_saved(self, *, within: int = PATIENCE) -> None:
        """Wait until every act is answered, at most so many milliseconds."""
        expect(self.page.locator(".saved")).to_have_text("Saved", timeout=within)

    def click(self, name: str, *, within: str = ".desk") -> None:
        self.page.locator(within).get_by_role("button", name=name, exact=True).first.click()


@contextmanager
def at_desk(
    browser: Browser,
    house: House,
    run: Desk,
    example: str | None = None,
    *,
    name: str = "Mara",
    queue: str | None = None,
) -> Iterator[AtDesk]:
    """Open the desk of a run as that person, at that example or the first one (of the queue)."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    cookie = {"name": "recall_reviewer", "value": quote(name), "url": house.server.url}
    context.add_cookies([cookie])
    page = context.new_page()
    place = "" if example is None else f"&judgement={run.judgements[example]}"
    place += "" if queue is None else f"&queue={queue}"
    page.goto(f"{house.server.url}/review?run={run.run_id}{place}")
    page.locator(".unit, .notice").first.wait_for(timeout=PATIENCE)
    yield AtDesk(page)
    context.close()

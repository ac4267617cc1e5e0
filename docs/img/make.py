"""Makes the pictures of the README and the docs again, from the real app and the demo.

python docs/img/make.py        (needs the packages of requirements-dev.txt and Chromium)
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from db.engine import open_engine  # noqa: E402
from db.results import list_judgements  # noqa: E402
from db.runs import list_runs  # noqa: E402
from tests.e2e.browser import FLAGS, at_rest, chromium_path, say_name  # noqa: E402
from tests.e2e.server import Server  # noqa: E402

HERE = Path(__file__).parent
SIZE = {"width": 1280, "height": 800}
PASSAGES_RUN = "Demo, passages"
EXAMPLE = "kestrel-10"
"""An outdated passage was retrieved: it says 30 days where the truth says 14."""


def main() -> None:
    """Write review.png, results.png and overview.png beside this file."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(f"sqlite:///{folder}/recall.db", Path(folder) / "server.log")
        server.start()
        try:
            browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
            page = browser.new_page(viewport=SIZE, color_scheme="light")
            _take(page, server)
            browser.close()
        finally:
            server.stop()


def _take(page: Page, server: Server) -> None:
    url = server.url
    page.goto(url)
    at_rest(page)
    say_name(page)
    page.get_by_role("button", name="Open the demo").click()
    page.get_by_text("12 of 12 judged").nth(2).wait_for()
    engine = open_engine(server.database_url)
    run_id = next(run.id for run in list_runs(engine) if run.name == PASSAGES_RUN)
    judged = {line.example_id: line.id for line in list_judgements(engine, run_id).rows}
    page.goto(f"{url}/review?run={run_id}")
    _confirm_three(page)
    page.goto(f"{url}/review?run={run_id}&judgement={judged[EXAMPLE]}")
    _correct(page)
    page.screenshot(path=HERE / "review.png")
    page.goto(f"{url}/results?run={run_id}")
    page.get_by_text("Lowest first").wait_for()
    _settle(page)
    page.screenshot(path=HERE / "results.png")
    page.goto(url)
    page.get_by_text(PASSAGES_RUN).first.wait_for()
    _settle(page)
    page.screenshot(path=HERE / "overview.png")


def _confirm_three(page: Page) -> None:
    page.get_by_text("1 of 12").wait_for()
    for seen in ("2 of 12", "3 of 12", "4 of 12"):
        page.keyboard.press("Control+Enter")
        page.get_by_text(seen).wait_for()
    page.get_by_text("Saved", exact=True).wait_for()


def _correct(page: Page) -> None:
    """The lexical screen finds nearly all words, and cannot see that the number is another one."""
    page.get_by_text("10 of 12").wait_for()
    page.keyboard.press("Enter")
    page.keyboard.press("1")
    page.get_by_role("button", name="judge wrong").click()
    page.get_by_text("Saved", exact=True).wait_for()
    _settle(page)


def _settle(page: Page) -> None:
    at_rest(page)
    page.wait_for_timeout(1500)


if __name__ == "__main__":
    main()

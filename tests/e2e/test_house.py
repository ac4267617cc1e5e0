"""The house stands: every page and route answers, whatever way the app was started."""

from __future__ import annotations

import json
import re
import signal
import sys
import time
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import Page

from api.headers import SAFETY_HEADERS
from api.http import operations
from pages.components.screens import SCREENS
from tests.e2e.browser import at_rest, exceptions_on, say_name
from tests.e2e.server import ROOT, Server, free_port, streamlit_run

pytestmark = pytest.mark.e2e


def test_every_page_answers_without_an_exception(server: Server, page: Page) -> None:
    for screen in SCREENS:
        page.goto(f"{server.url}/{screen.address}")
        at_rest(page)

        assert exceptions_on(page) == [], screen.file
        assert page.locator("[data-testid=stHeaderLogo]").count() == 1, screen.file


def test_a_name_is_asked_once_and_survives_a_reload(server: Server, page: Page) -> None:
    page.goto(f"{server.url}/review")
    at_rest(page)
    page.get_by_text("Who is reviewing?").wait_for()

    say_name(page, "Zoë <b>Ø</b>")
    page.reload()
    at_rest(page)

    assert page.get_by_text("Who is reviewing?").count() == 0
    assert page.locator(".st-key-rd-reviewer").get_by_text("Zoë <b>Ø</b>").count() == 1


def test_every_answer_carries_the_safety_headers(server: Server) -> None:
    paths = ["/", "/healthz", "/readyz", "/fonts/inter-latin-wght-normal.woff2", "/_stcore/health"]
    for path in [*paths, "/fonts/nothing-here.woff2"]:
        _, headers, _ = server.get(path)

        assert {n: headers.get(n.lower()) for n in SAFETY_HEADERS} == SAFETY_HEADERS, path


def test_fonts_and_their_licences_are_served_and_nothing_beside_them(server: Server) -> None:
    status, headers, body = server.get("/fonts/inter-latin-wght-normal.woff2")
    assert (status, headers["content-type"], body[:4]) == (200, "font/woff2", b"wOF2")
    assert server.get("/fonts/inter-LICENSE.txt")[0] == 200

    for path in ("/fonts/..%2fstyle.css", "/fonts/style.css", "/fonts/inter-LICENSE.exe"):
        assert server.get(path)[0] in (400, 404), path


@pytest.mark.parametrize(
    "way",
    [
        lambda port: streamlit_run(port),
        lambda port: [sys.executable, str(ROOT / "app.py")],
        lambda port: [sys.executable, "-m", "uvicorn", "app:app", "--port", str(port)],
    ],
    ids=["streamlit run app.py", "python app.py", "uvicorn app:app"],
)
def test_every_way_of_starting_serves_pages_routes_and_a_worker(
    way, tmp_path: Path, database_url: str
) -> None:
    port = free_port()
    server = Server(database_url, tmp_path / "server.log", port=port, command=way(port))

    server.start()
    try:
        assert server.get("/")[0] == 200
        assert server.get("/data")[0] == 200
        assert server.get("/healthz")[0] == 200
        state = json.loads(server.get("/readyz")[2])
        worker = _worker_of(server)
    finally:
        server.stop()

    assert state == {"ready": True, "database": "ok", "worker": "running", "worker_restarts": 0}
    assert psutil.wait_procs([worker], timeout=10)[1] == [], "the worker outlived its server"


def test_a_killed_worker_is_started_again(server: Server) -> None:
    first = _worker_of(server)

    first.send_signal(signal.SIGKILL)
    second = _worker_of(server, other_than=first)

    assert second.pid != first.pid
    assert server.get("/healthz")[0] == 200


def test_the_worker_ends_with_a_server_that_was_killed(server: Server) -> None:
    worker = _worker_of(server)

    server.process.kill()

    assert psutil.wait_procs([worker], timeout=15)[1] == [], "an orphan goes on judging"


def _worker_of(server: Server, other_than: psutil.Process | None = None) -> psutil.Process:
    """The one worker of the server, as soon as it runs."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        family = psutil.Process(server.process.pid).children()
        if found := [p for p in family if _is_worker(p) and p != other_than]:
            assert len(found) == 1
            return found[0]
        time.sleep(0.1)
    raise AssertionError("The server has no worker.")


def _is_worker(process: psutil.Process) -> bool:
    try:
        return any(part.endswith("worker.py") for part in process.cmdline())
    except (psutil.ZombieProcess, psutil.NoSuchProcess):
        return False


def test_pages_and_routes_answer_side_by_side_each_at_its_own_address(server: Server) -> None:
    for screen in SCREENS:
        status, headers, _ = server.get(f"/{screen.address}")
        assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")

    paths = {re.sub(r"{\w+(:path)?}", "1", operation.path) for operation in operations()}
    for path in (*paths, "/docs", "/openapi.json"):
        status, headers, body = server.get(path)
        assert headers["content-type"] == "application/json", path
        assert status in (401, 405), path
        assert set(json.loads(body)) == {"title", "status", "detail", "errors"}

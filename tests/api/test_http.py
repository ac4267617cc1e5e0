"""The server's own routes say what a load balancer and a person with curl want to know."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware

from api.headers import SAFETY_HEADERS, SafetyHeaders
from api.http import routes
from api.lifecycle import Lifecycle
from api.supervisor import Supervisor, WorkerState
from db.engine import Engine


def get(lifecycle: Lifecycle, path: str) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of a GET, without a socket."""
    app = Starlette(routes=routes(lifecycle), middleware=[Middleware(SafetyHeaders)])
    messages: list[Any] = []

    asked = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> dict[str, Any]:
        while not asked:
            await asyncio.sleep(1)
        return asked.pop()

    async def send(message: Any) -> None:
        messages.append(message)

    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [],
    }
    asyncio.run(app(scope, receive, send))
    start = messages[0]
    headers = {name.decode(): value.decode() for name, value in start["headers"]}
    return start["status"], headers, b"".join(m.get("body", b"") for m in messages[1:])


def supervisor(state: WorkerState) -> Supervisor:
    made = Supervisor()
    made.state = state
    return made


def test_a_server_with_its_database_is_ready_even_while_the_worker_restarts(
    engine: Engine,
) -> None:
    status, _, body = get(Lifecycle(supervisor(WorkerState.WAITING), engine), "/readyz")

    assert status == 200
    assert json.loads(body) == {
        "ready": True,
        "database": "ok",
        "worker": "waiting to restart",
        "worker_restarts": 0,
    }


def test_a_server_without_its_database_is_alive_and_not_ready() -> None:
    lifecycle = Lifecycle(supervisor(WorkerState.RUNNING), engine=None)

    assert get(lifecycle, "/healthz")[0] == 200
    status, _, body = get(lifecycle, "/readyz")
    assert status == 503
    assert json.loads(body)["database"] == "ConnectionError"


def test_a_server_that_is_stopping_is_not_ready(engine: Engine) -> None:
    lifecycle = Lifecycle(supervisor(WorkerState.STOPPED), engine)

    assert get(lifecycle, "/readyz")[0] == 503


@pytest.mark.parametrize("path", ["/healthz", "/fonts/inter-LICENSE.txt", "/nothing"])
def test_every_answer_is_made_safe(path: str) -> None:
    _, headers, _ = get(Lifecycle(), path)

    assert {name: headers.get(name.lower()) for name in SAFETY_HEADERS} == SAFETY_HEADERS
    assert len(headers) == len(set(headers))


@pytest.mark.parametrize("name", ["../style.css", "style.css", "", "inter-LICENSE.exe", "."])
def test_only_committed_fonts_are_served(name: str) -> None:
    assert get(Lifecycle(), f"/fonts/{name}")[0] == 404

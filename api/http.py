"""The server's own routes beside the dashboard.

All are `async`: Streamlit shares one small thread pool with file serving, and blocking handlers
would hold up the pages. None may have the name of a page (`tests/api/test_routes.py` holds that).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from api import judgeval, langwatch
from api.lifecycle import Lifecycle
from api.routes import (
    datasets,
    evaluating,
    events,
    judgements,
    replies,
    results,
    runs,
    teamwork,
)
from api.supervisor import WorkerState
from api.web.answers import Problem, response_of_problem
from api.web.description import description_routes
from api.web.desk import Desk
from api.web.endpoint import Endpoint
from api.web.operations import Operation

FONTS: Final = Path(__file__).resolve().parent.parent / "pages" / "components" / "fonts"
FONT_TYPES: Final = {".woff2": "font/woff2", ".txt": "text/plain; charset=utf-8"}
A_MONTH: Final = 30 * 24 * 3600


def routes(lifecycle: Lifecycle) -> list[BaseRoute]:
    """Every route of our own, each with an explicit path from the root; the busiest come first."""

    async def ready(request: Request) -> Response:
        return await _readiness(lifecycle)

    declared = operations()
    return [
        *operation_routes(lifecycle.desk, declared),
        Route("/fonts/{name}", _font),
        Route("/healthz", _alive),
        Route("/readyz", ready),
        *description_routes(lifecycle.desk, declared),
        Route("/experiments/{place}", langwatch.Experiments(lifecycle.desk).answer),
        Route("/{judge}/evaluate", NoSuchRoute(lifecycle.desk, NO_JUDGE)),
        Route("/api/{rest:path}", NoSuchRoute(lifecycle.desk, NO_ROUTE)),
    ]


def operations() -> list[Operation[Any, Any]]:
    """Everything that programs can call."""
    ours = (evaluating, datasets, runs, events, replies, results, judgements, teamwork)
    nouns = (*ours, langwatch, judgeval)
    return [operation for noun in nouns for operation in noun.operations()]


def operation_routes(desk: Desk, declared: Sequence[Operation[Any, Any]]) -> list[Route]:
    """One route a path, whatever its methods."""
    by_path: dict[str, list[Operation[Any, Any]]] = {}
    for operation in declared:
        by_path.setdefault(operation.path, []).append(operation)
    return [Route(path, Endpoint(desk, same)) for path, same in by_path.items()]


NO_JUDGE = "There is no judge of that name. GET /judges lists them."
NO_ROUTE = "There is nothing at this address. /docs lists what there is."


class NoSuchRoute:
    """Answers a program that has the address wrong, where the dashboard would send it a page."""

    def __init__(self, desk: Desk, detail: str) -> None:
        self._desk, self._detail = desk, detail

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        problem = Problem(404, self._detail)
        try:
            await self._desk.gate.caller(Headers(scope=scope), None)
        except Problem as refused:
            problem = refused
        await response_of_problem(problem)(scope, receive, send)


async def _font(request: Request) -> Response:
    """A committed font or its licence; nothing outside the folder."""
    name = request.path_params["name"]
    kind = FONT_TYPES.get(Path(name).suffix)
    if kind is None or name not in {file.name for file in FONTS.iterdir()}:
        raise HTTPException(404)
    return FileResponse(
        FONTS / name,
        media_type=kind,
        headers={"Cache-Control": f"public, max-age={A_MONTH}"},
    )


async def _alive(request: Request) -> Response:
    """The server process answers."""
    return JSONResponse({"status": "ok"})


async def _readiness(lifecycle: Lifecycle) -> Response:
    """Whether a person can work: the database answers. Says what the worker does as well."""
    try:
        await asyncio.to_thread(lifecycle.database_answers)
        database = "ok"
    except Exception as error:  # noqa: BLE001 - any failure of any database driver means "not ready"
        database = type(error).__name__
    worker = lifecycle.supervisor
    ready = database == "ok" and worker.state is not WorkerState.STOPPED
    return JSONResponse(
        {
            "ready": ready,
            "database": database,
            "worker": worker.state.value,
            "worker_restarts": worker.restarts,
        },
        status_code=200 if ready else 503,
    )

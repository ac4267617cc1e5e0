"""The server's own routes beside the dashboard.

All are `async`: Streamlit shares one small thread pool with file serving, and blocking handlers
would hold up the pages. None may have the name of a page (`tests/e2e` holds that).
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from api.lifecycle import Lifecycle
from api.supervisor import WorkerState

FONTS: Final = Path(__file__).resolve().parent.parent / "pages" / "components" / "fonts"
FONT_TYPES: Final = {".woff2": "font/woff2", ".txt": "text/plain; charset=utf-8"}
A_MONTH: Final = 30 * 24 * 3600


def routes(lifecycle: Lifecycle) -> list[BaseRoute]:
    """Every route of our own, each with an explicit path from the root."""

    async def ready(request: Request) -> Response:
        return await _readiness(lifecycle)

    return [
        Route("/fonts/{name}", _font),
        Route("/healthz", _alive),
        Route("/readyz", ready),
    ]


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

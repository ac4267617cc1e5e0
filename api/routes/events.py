"""A run's progress as it happens, for programs that would rather listen than ask again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from starlette.responses import StreamingResponse

from api.routes.parameters import RunId
from api.routes.run_shapes import ProgressShape
from api.routes.runs import TAG
from api.web.answers import Problem
from api.web.operations import Call, Gives, Noun, Operation
from db.progress import Progress, progress

LOOK = 1.0
"""Seconds between looks at the run."""
SIGN_OF_LIFE = 15
"""After so many looks without news a comment is sent, so that no proxy closes the connection."""
MOST_LISTENERS = 50


TOLD = (
    "Server-sent events: `progress` whenever something changed, with what "
    "`GET /api/v1/runs/{run_id}` has as `progress`; `end`, with the same, when the run is done, "
    "failed, paused or cancelled."
)


def operations() -> list[Operation[Any, Any]]:
    """The stream of one run."""
    stream = Gives(media=("text/event-stream",), description="Events, until the run ends.")
    path, listen = "/api/v1/runs/{run_id}/events", Listeners().listen
    return [Noun(TAG).read(path, "Listen to a run until it ends", RunId, stream, listen, told=TOLD)]


class Listeners:
    """Counts who listens, because each listener looks into the database once a second."""

    def __init__(self) -> None:
        self._count = 0

    async def listen(self, call: Call[RunId, bytes]) -> StreamingResponse:
        """The stream; a 404 before it begins if there is no such run."""
        if self._count >= MOST_LISTENERS:
            raise Problem(503, "Too many programs listen already.", headers={"Retry-After": "30"})
        first = await self._look(call)
        headers = {"Cache-Control": "no-store"}
        return StreamingResponse(
            self._events(call, first), media_type="text/event-stream", headers=headers
        )

    async def _events(self, call: Call[RunId, bytes], now: Progress) -> AsyncIterator[bytes]:
        self._count += 1
        try:
            told, quiet = None, 0
            while now.state.active:
                quiet = 0 if told != now else quiet + 1
                if told != now:
                    yield _event("progress", now)
                    told = now
                elif quiet % SIGN_OF_LIFE == 0:
                    yield b": still there\n\n"
                await asyncio.sleep(LOOK)
                now = await self._look(call)
            yield _event("end", now)
        finally:
            self._count -= 1

    async def _look(self, call: Call[RunId, bytes]) -> Progress:
        desk = call.desk
        return await desk.database.run(progress, call.engine, call.params.run_id, desk.now())


def _event(name: str, now: Progress) -> bytes:
    data = ProgressShape.model_validate(now).model_dump_json()
    return f"event: {name}\ndata: {data}\n\n".encode()

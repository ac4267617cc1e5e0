"""The desk's own routes, called in process as a program calls them over the wire."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import httpx2 as httpx
from starlette.applications import Starlette

from api.http import routes
from api.lifecycle import Lifecycle
from api.supervisor import Supervisor, WorkerState
from db.engine import Engine
from db.tokens import Scope, create_token

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


class Program:
    """Something that calls the desk, with the token that it was given."""

    def __init__(self, lifecycle: Lifecycle, token: str = "", app: Starlette | None = None) -> None:
        self.lifecycle = lifecycle
        self.token = token
        self.app = app or Starlette(routes=routes(lifecycle))

    def __call__(self, method: str, path: str, **request: Any) -> httpx.Response:
        """What the desk answers; `json`, `content`, `params`, `headers` as for httpx."""
        headers = {**self._token(), **request.pop("headers", {})}
        return asyncio.run(self._ask(method, path, headers, request))

    def get(self, path: str, **params: Any) -> httpx.Response:
        """A GET with these parameters."""
        return self("GET", path, params=params or None)

    def post(self, path: str, body: Any = None, **headers: str) -> httpx.Response:
        """A POST of this JSON."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return self("POST", path, json=body, headers=sent)

    def named(self, name: str, *scopes: Scope) -> Program:
        """Another one, with a token of its own."""
        engine = self.lifecycle.engine
        assert engine is not None
        return self.with_token(create_token(engine, name, scopes, now=NOW))

    def with_token(self, token: str) -> Program:
        """Another one, with this token."""
        return Program(self.lifecycle, token, self.app)

    def _token(self) -> Mapping[str, str]:
        return {"X-Auth-Token": self.token} if self.token else {}

    async def _ask(
        self, method: str, path: str, headers: Mapping[str, str], request: dict[str, Any]
    ) -> httpx.Response:
        transport = httpx.ASGITransport(app=self.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://desk") as client:
            answer = await client.request(method, path, headers=headers, **request)
        await self.lifecycle.desk.gate.settled()
        return answer


@contextmanager
def desk_of(engine: Engine) -> Iterator[Lifecycle]:
    """A desk over this database, with a worker that is said to be running and is not there."""
    supervisor = Supervisor()
    supervisor.state = WorkerState.RUNNING
    lifecycle = Lifecycle(supervisor, engine)
    try:
        yield lifecycle
    finally:
        lifecycle.desk.close()

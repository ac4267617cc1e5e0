"""The desk in this process, where the application is installed beside the client."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import httpx2 as httpx

from recall_client.connection import Connection
from recall_client.desk import Desk
from recall_client.loops import LoopThread

ROOT = Path(__file__).resolve().parent.parent
NEEDED = ("starlette", "sqlalchemy", "alembic", "psutil")


def is_installed() -> bool:
    """Whether the application stands beside this package, with the packages that it needs.

    Somebody else's package that happens to be called `api` or `db` is not taken for it.
    """
    return all(_is_ours(name) for name in ("api", "db")) and all(map(find_spec, NEEDED))


def _is_ours(name: str) -> bool:
    spec = find_spec(name)
    return spec is not None and str(ROOT / name) in (spec.submodule_search_locations or ())


class AsgiInThread(httpx.BaseTransport):
    """Calls an ASGI application, whose event loop has a thread of its own."""

    def __init__(self, app: object) -> None:
        self._inner = httpx.ASGITransport(app=app)  # type: ignore[arg-type]
        self._loop = LoopThread()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The application's answer, read to its end."""
        return self._loop.run(self._answer(request))

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        sent = httpx.Request(
            request.method, request.url, headers=request.headers, content=request.read()
        )
        answer = await self._inner.handle_async_request(sent)
        body = await answer.aread()
        return httpx.Response(answer.status_code, headers=answer.headers, content=body)

    def close(self) -> None:
        """End the loop."""
        self._loop.close()


class DeskInProcess(Desk):
    """A desk without a server; its runs are judged here unless a worker takes them."""

    def __init__(self) -> None:
        from api.in_process import InProcess

        self._here = InProcess()
        transport = AsgiInThread(self._here.app)
        connection = Connection("http://desk", None, transport=transport)
        where = f"in this process, {self._here.engine.url.render_as_string()}"
        super().__init__(connection, where, judge=self._here.judge)

    def _url(self, page: str) -> str:
        """Where in the dashboard; nobody knows at which address that is."""
        return page

    def close(self) -> None:
        """Let go of the loop and of the database."""
        super().close()
        self._here.close()

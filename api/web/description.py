"""`/openapi.json` and `/docs`: what there is to call, for programs and for people."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from api.web.answers import Problem, json_bytes, json_response, response_of_problem
from api.web.desk import Desk
from api.web.openapi import openapi
from api.web.operations import Operation

PAGE = Path(__file__).with_name("docs.html")


def description_routes(desk: Desk, operations: Sequence[Operation[Any, Any]]) -> list[Route]:
    """Both, open to whoever reaches the desk as soon as it has a token: they hold no data."""
    document = json_bytes(openapi(operations, desk_version()))

    def for_anybody(make: Callable[[], Response]) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            try:
                await desk.gate.anybody()
            except Problem as problem:
                return response_of_problem(problem)
            return make()

        return answer

    return [
        Route("/openapi.json", for_anybody(lambda: json_response(document))),
        Route("/docs", for_anybody(lambda: HTMLResponse(PAGE.read_text("utf-8")))),
    ]


def desk_version() -> str:
    """The version of what is installed; a checkout that is not installed has none."""
    try:
        return version("recall-desk")
    except PackageNotFoundError:
        return "0"

"""From a request to an answer: who, what, whether it is right, and what went wrong."""

from __future__ import annotations

import hashlib
import json
import logging
import math
import typing
from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import uuid4

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json
from starlette.datastructures import QueryParams
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from api.web.answers import (
    Answer,
    FieldProblem,
    Problem,
    content_bytes,
    invalid,
    json_response,
    problem_of,
    response_of_problem,
)
from api.web.desk import Desk
from api.web.gate import Caller
from api.web.operations import Call, Operation, Takes
from db.idempotency import KeptAnswer, begin_write, end_write, forget_write
from recall_core.errors import RecallError

logger = logging.getLogger(__name__)

KEY_HEADER = "Idempotency-Key"
MAX_KEY = 200
REPLAYED: Final = {"Idempotency-Replayed": "true"}


class Endpoint:
    """All operations of one path, as an ASGI application."""

    def __init__(self, desk: Desk, operations: Sequence[Operation[Any, Any]]) -> None:
        self._desk = desk
        self._by_method = {o.method: o for o in operations}
        self._allowed = ", ".join(sorted({*self._by_method, *self._heads()}))

    def _heads(self) -> list[str]:
        return ["HEAD"] if "GET" in self._by_method else []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive, send)
        try:
            response = await self._respond(request)
        except Problem as problem:
            response = response_of_problem(problem)
        except (RecallError, ValidationError) as error:
            response = response_of_problem(problem_of(error))
        except ClientDisconnect:
            return
        except Exception:
            logger.exception("%s %s could not be answered.", request.method, request.url.path)
            response = response_of_problem(
                Problem(500, "This is a fault of Recall Desk. The server's log says more.")
            )
        await response(scope, receive, send)

    async def _respond(self, request: Request) -> Response:
        operation = self._by_method.get("GET" if request.method == "HEAD" else request.method)
        if operation is None:
            raise Problem(
                405,
                f"{request.url.path} takes {self._allowed}.",
                headers={"Allow": self._allowed},
            )
        caller = await self._desk.gate.caller(request.headers, operation.scope)
        params = read_params(operation.params, request.path_params, request.query_params)
        raw = await read_body(request, operation.takes) if operation.takes is not None else b""
        # Who calls in process has no token under which a key could be kept, and no wire to lose.
        key = _write_key(request) if operation.writes and caller.token_id else None
        if key is None:
            return await self._carry_out(operation, request, caller, params, raw, uuid4().hex)
        return await self._once(operation, request, caller, params, raw, key)

    async def _once(
        self,
        operation: Operation[Any, Any],
        request: Request,
        caller: Caller,
        params: BaseModel,
        raw: bytes,
        key: str,
    ) -> Response:
        """Carry the request out, or answer as the first time if the key was seen before."""
        desk = self._desk
        asked = _hash_of(request, raw)
        kept = await desk.database.run(
            begin_write, desk.engine, caller.token_id, key, asked, now=desk.now()
        )
        if kept is not None:
            return json_response(kept.answer.encode(), kept.status, REPLAYED)
        write = hashlib.sha256(f"{caller.token_id}/{key}".encode()).hexdigest()[:32]
        try:
            response = await self._carry_out(operation, request, caller, params, raw, write)
        except Exception:
            await desk.database.run(forget_write, desk.engine, caller.token_id, key)
            raise
        answer = KeptAnswer(response.status_code, bytes(response.body).decode())
        await desk.database.run(end_write, desk.engine, caller.token_id, key, answer)
        return response

    async def _carry_out(
        self,
        operation: Operation[Any, Any],
        request: Request,
        caller: Caller,
        params: BaseModel,
        raw: bytes,
        write: str,
    ) -> Response:
        body = raw if operation.takes is None else read_model(operation.takes, raw)
        call = Call(self._desk, caller, params, body, self._desk.now(), write, request)
        if operation.wait is not None:
            handled = await operation.wait(call)
        else:
            assert operation.do is not None
            handled = await self._desk.database.run(operation.do, call)
        if isinstance(handled, Response):
            return handled
        if isinstance(handled, Answer):
            return json_response(content_bytes(handled.content), handled.status, handled.headers)
        return json_response(content_bytes(handled), operation.gives.status)


async def read_body(request: Request, takes: Takes) -> bytes:
    """The body, never more of it than the limit; a 413 names the limit."""
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > takes.limit:
        raise _too_large(takes.limit)
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > takes.limit:
            raise _too_large(takes.limit)
    return bytes(body)


def _too_large(limit: int) -> Problem:
    return Problem(413, f"The body is larger than {limit:,} bytes, which is all this path takes.")


def read_model(takes: Takes, raw: bytes) -> Any:
    """The body as the model that the operation declares, or as it came."""
    if takes.model is None:
        return raw
    return loosely(takes.model, raw) if takes.nan_is_null else checked(takes.model, raw)


ModelType = typing.TypeVar("ModelType", bound=BaseModel)


def checked(model: type[ModelType], raw: bytes) -> ModelType:
    """The JSON text as that model: a 400 if it is no JSON, a 422 that names every field at fault.

    NaN and infinity are no JSON, also where the model would take any value.
    """
    try:
        from_json(raw, allow_inf_nan=False)
    except ValueError as error:
        raise Problem(400, f"The body is not JSON: {error}.") from None
    try:
        return model.model_validate_json(raw, strict=True)
    except ValidationError as error:
        raise invalid(error) from None


def loosely(model: type[ModelType], raw: bytes) -> ModelType:
    """As `checked`, where NaN and infinity stand for null and types may differ a little."""
    try:
        value = without_nan(from_json(raw, allow_inf_nan=True))
    except ValueError as error:
        raise Problem(400, f"The body is not JSON: {error}.") from None
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise invalid(error) from None


def without_nan(value: Any) -> Any:
    """The value with null in the place of what is not a number, or endless."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list):
        return [without_nan(item) for item in value]
    if isinstance(value, dict):
        return {key: without_nan(item) for key, item in value.items()}
    return value


def read_params(model: type[ModelType], path: Mapping[str, Any], query: QueryParams) -> ModelType:
    """The parameters of path and query; unknown ones are a 422, as are ones that come twice."""
    values: dict[str, Any] = dict(path)
    for name in query:
        several = query.getlist(name)
        if name in path or (len(several) > 1 and not _is_list(model, name)):
            raise Problem(
                422,
                f"{name} stands more than once in the address.",
                [FieldProblem(name, "It may stand there once.")],
            )
        values[name] = several if _is_list(model, name) else several[0]
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise invalid(error) from None


def _is_list(model: type[BaseModel], name: str) -> bool:
    found = model.model_fields.get(name)
    if found is None:
        return False
    kinds = (found.annotation, *typing.get_args(found.annotation))
    return any((typing.get_origin(kind) or kind) in (list, tuple) for kind in kinds)


def _write_key(request: Request) -> str | None:
    key = request.headers.get(KEY_HEADER)
    if key is None:
        return None
    if not key.strip() or len(key) > MAX_KEY:
        raise Problem(422, f"The header {KEY_HEADER} takes 1 to {MAX_KEY} characters.")
    return key


def _hash_of(request: Request, raw: bytes) -> str:
    digest = hashlib.sha256(json.dumps([request.method, str(request.url.path)]).encode())
    digest.update(request.url.query.encode())
    digest.update(b"\0")
    digest.update(raw)
    return digest.hexdigest()

"""What goes back to a program: JSON, or a problem said in one shape everywhere."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus

from pydantic import BaseModel, ValidationError
from starlette.responses import Response

from db.errors import NotKept, NotPossibleNow, StillNeeded, UnusableDatabase
from db.review_errors import ChangedMeanwhile, state_text
from recall_core.errors import RecallError
from recall_core.types import Json

JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Answer:
    """What an operation says; `content` is a model or plain JSON values."""

    content: BaseModel | Json
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """What is wrong with one field; `path` leads to it: `data.0.contexts.2`."""

    path: str
    message: str


class Problem(Exception):
    """Why a request gets no answer; the message is a sentence for the person who sent it."""

    def __init__(
        self,
        status: int,
        detail: str,
        errors: Sequence[FieldProblem] = (),
        *,
        headers: Mapping[str, str] | None = None,
        more: Mapping[str, Json] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.detail, self.errors = status, detail, tuple(errors)
        self.headers = dict(headers or {})
        self.more = dict(more or {})

    def as_json(self) -> dict[str, Json]:
        """The one shape of every error (RFC 9457): title, status, detail, and fields at fault."""
        fields: list[Json] = [{"path": e.path, "message": e.message} for e in self.errors]
        return {
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
            "errors": fields,
            **self.more,
        }


def json_bytes(value: Json) -> bytes:
    """The value as JSON; not-a-number cannot get through."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def content_bytes(content: BaseModel | Json) -> bytes:
    """An answer's content as JSON."""
    if isinstance(content, BaseModel):
        return json_bytes(content.model_dump(mode="json"))
    return json_bytes(content)


def response_of(answer: Answer) -> Response:
    """The answer as it goes over the wire."""
    return json_response(content_bytes(answer.content), answer.status, answer.headers)


def json_response(
    body: bytes, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """JSON that is there as bytes already; never kept by a cache, for it may be different soon."""
    return Response(
        body,
        status_code=status,
        headers={"Cache-Control": "no-store", **(headers or {})},
        media_type=JSON,
    )


def response_of_problem(problem: Problem) -> Response:
    """The problem as it goes over the wire."""
    return json_response(json_bytes(problem.as_json()), problem.status, problem.headers)


def problem_of(error: RecallError | ValidationError) -> Problem:
    """What went wrong while a request was carried out, as the program that sent it hears it."""
    if isinstance(error, ValidationError):
        return invalid(error)
    if isinstance(error, ChangedMeanwhile):
        return _changed(error)
    return Problem(_status(error), str(error))


def _status(error: RecallError) -> int:
    if isinstance(error, NotKept):
        return 404
    if isinstance(error, NotPossibleNow | StillNeeded):
        return 409
    return 503 if isinstance(error, UnusableDatabase) else 422


def _changed(error: ChangedMeanwhile) -> Problem:
    newest = 0 if error.decision is None else error.decision.id
    current: dict[str, Json] = {
        "unit": error.current.ref.label,
        "now": state_text(error.current.state),
        "newest": newest,
    }
    return Problem(409, str(error), more={"current": current})


def invalid(error: ValidationError, *before: str) -> Problem:
    """A 422 that names every field at fault; `before` is the way to the value that was checked."""
    problems = [
        FieldProblem(".".join([*before, *_way(e["loc"])]), _sentence(e["msg"]))
        for e in error.errors(include_url=False, include_context=False, include_input=False)
    ]
    first = problems[0]
    where = f"{first.path}: " if first.path else ""
    others = f" ({len(problems) - 1} more)" if len(problems) > 1 else ""
    return Problem(422, f"{where}{first.message}{others}", problems)


def _way(location: tuple[int | str, ...]) -> list[str]:
    """The names and numbers that a JSON reader knows, without pydantic's own for its types."""
    return [str(part) for part in location if not _names_a_type(part)]


def _names_a_type(part: int | str) -> bool:
    return isinstance(part, str) and (part in _TYPE_NAMES or "[" in part or part[:1].isupper())


_TYPE_NAMES = frozenset({"str", "int", "float", "bool", "none"})


def _sentence(message: str) -> str:
    return message if message.endswith(".") else f"{message}."

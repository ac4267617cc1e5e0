"""What there is to call, declared once: routes, checks and the document are made from it."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict
from starlette.requests import Request
from starlette.responses import Response

from api.web.answers import Answer
from api.web.desk import Desk
from api.web.gate import Caller
from db.engine import Engine
from db.tokens import Scope


class Nothing(BaseModel):
    """No parameters, or no body."""

    model_config = ConfigDict(extra="forbid")


P = TypeVar("P", bound=BaseModel)
B = TypeVar("B")

KILOBYTE = 1024
MEGABYTE = 1024 * 1024
USUAL_LIMIT = MEGABYTE


@dataclass(frozen=True, slots=True)
class Call(Generic[P, B]):
    """One request that was let in, with everything in it checked.

    `params` are those of the path and of the query, `body` is the model that the operation
    declares, or the raw bytes. `write` names this request for good, also when it is sent again.
    """

    desk: Desk
    caller: Caller
    params: P
    body: B
    now: datetime
    write: str
    request: Request

    @property
    def engine(self) -> Engine:
        """The database."""
        return self.desk.engine


Handled: TypeAlias = "Answer | BaseModel | Response"


@dataclass(frozen=True, slots=True)
class Gives:
    """What an operation answers when all went well; `media` that is not JSON has no `model`."""

    model: type[BaseModel] | None = None
    status: int = 200
    media: tuple[str, ...] = ("application/json",)
    description: str = "Done."
    also: tuple[int, ...] = ()
    """Further statuses of the same answer."""


@dataclass(frozen=True, slots=True)
class Takes:
    """What an operation takes as its body: a `model`, or raw bytes of one of `media`."""

    model: type[BaseModel] | None = None
    media: tuple[str, ...] = ("application/json",)
    limit: int = USUAL_LIMIT
    examples: tuple[Any, ...] = ()
    nan_is_null: bool = False
    """For clients that write what a data frame lacks as NaN, which is no JSON."""


@dataclass(frozen=True, slots=True)
class Operation(Generic[P, B]):
    """One method of one path. `do` runs in the database's threads, `wait` in the event loop.

    `scope` is what the token must cover (`None`: any token will do). `errors` are the statuses it
    may answer besides those that every operation may.
    """

    method: str
    path: str
    summary: str
    scope: Scope | None
    params: type[P]
    gives: Gives
    takes: Takes | None = None
    do: Callable[[Call[P, B]], Handled] | None = None
    wait: Callable[[Call[P, B]], Awaitable[Handled]] | None = None
    errors: tuple[int, ...] = ()
    tag: str = ""
    description: str = ""
    hidden: bool = False
    """Whether it stays out of the document: routes that somebody else's client dictates."""
    name: str = field(default="")

    @property
    def writes(self) -> bool:
        """Whether sending it twice could do something twice."""
        return self.method != "GET" and self.path.startswith("/api/v1/")

    @property
    def id(self) -> str:
        """A name for programs that are made from the document."""
        return self.name or (self.do or self.wait).__name__  # type: ignore[union-attr]


class Noun:
    """Makes the operations of one kind of thing, `tag` being its heading in the document."""

    def __init__(self, tag: str) -> None:
        self.tag = tag

    def read(
        self,
        path: str,
        summary: str,
        params: type[P],
        gives: type[BaseModel] | Gives,
        handle: Callable[[Call[P, bytes]], Any],
        *,
        told: str = "",
        errors: tuple[int, ...] = (),
    ) -> Operation[P, bytes]:
        """A GET, for tokens that may read."""
        more: Any = {"told": told, "errors": errors}
        return self.act("GET", path, summary, params, None, gives, handle, Scope.READ, **more)

    def act(
        self,
        method: str,
        path: str,
        summary: str,
        params: type[P],
        takes: type[BaseModel] | Takes | None,
        gives: type[BaseModel] | Gives,
        handle: Callable[[Call[P, B]], Any],
        scope: Scope,
        *,
        told: str = "",
        errors: tuple[int, ...] = (),
    ) -> Operation[P, B]:
        """Any method. A `handle` that is a coroutine runs in the event loop, others in the
        database's threads; where the path has a number in it there may be a 404."""
        waits = inspect.iscoroutinefunction(handle)
        return Operation(
            method,
            path,
            summary,
            scope,
            params,
            gives if isinstance(gives, Gives) else Gives(gives),
            Takes(takes) if isinstance(takes, type) else takes,
            do=None if waits else handle,
            wait=handle if waits else None,
            errors=(*errors, 404) if "{" in path else errors,
            tag=self.tag,
            description=told,
        )


DELETED = Gives(status=204, media=(), description="Deleted.")

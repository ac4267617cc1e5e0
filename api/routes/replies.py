"""Replies that somebody already has, in the source document's text form, as a run to review."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field, model_validator
from pydantic_core import PydanticCustomError

from api.routes.parameters import Body, DatasetId, Name, Shape
from api.routes.run_shapes import OptionsBody
from api.web.operations import MEGABYTE, Call, Gives, Noun, Operation, Takes
from db.imported import Imported, import_replies
from db.runs import RunOptions
from db.tokens import Scope
from recall_core.imported import Reply

LIMIT = 64 * MEGABYTE


class ReplyBody(Body):
    """One reply; the example goes by its id, or by its place in the dataset (from 1)."""

    text: str
    example_id: str | None = None
    position: Annotated[int, Field(ge=1, le=2**31)] | None = None

    @model_validator(mode="after")
    def _one_way(self) -> ReplyBody:
        if (self.example_id is None) == (self.position is None):
            raise PydanticCustomError("which", "Give example_id or position, and not both")
        return self


class ImportBody(Body):
    """The replies of one run."""

    name: Name
    replies: list[ReplyBody] = Field(min_length=1, max_length=20_000)
    options: OptionsBody = OptionsBody()


class LeftOut(Shape):
    """A reply that belongs to no example; `number` counts from 1."""

    number: int
    example_id: str | None
    problem: str


class ImportedShape(Shape):
    """The run that was made, and what was left out of it."""

    run_id: int
    taken: int
    left_out: list[LeftOut]


def operations() -> list[Operation[Any, Any]]:
    """The one way in."""
    return [
        Noun("Runs").act(
            "POST",
            "/api/v1/datasets/{dataset_id}/replies",
            "Make a run of replies that somebody already has",
            DatasetId,
            Takes(ImportBody, limit=LIMIT),
            Gives(ImportedShape, 201, description="Made."),
            bring,
            Scope.EVALUATE,
            told=(
                "Replies in the form `RECALL_Reasoning` … `RECALL_Final_Score`. The final is "
                "computed anew; where the writer's arithmetic differs, a warning has both."
            ),
        )
    ]


async def bring(call: Call[DatasetId, ImportBody]) -> BaseModel:
    """Where it holds up no short request."""
    return ImportedShape.model_validate(await call.desk.files.run(_import, call))


def _import(call: Call[DatasetId, ImportBody]) -> Imported:
    wanted = call.body
    return import_replies(
        call.engine,
        call.params.dataset_id,
        [Reply(r.text, example_id=r.example_id, position=r.position) for r in wanted.replies],
        name=wanted.name,
        author=call.caller.name,
        now=call.now,
        options=RunOptions(**wanted.options.model_dump()),
    )

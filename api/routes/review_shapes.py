"""Judgements, decisions and reviews as they come and go over HTTP."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field, RootModel, StringConstraints

from api.routes.dataset_shapes import ExampleShape
from api.routes.parameters import Body, Id, Name, Number, RunId, Seen, Shape
from api.routes.result_shapes import ReviewedResult, ReviewedUnit
from recall_core.queues import Queue
from recall_core.types import Cause

Label = Annotated[str, StringConstraints(pattern=r"^[EBSC][1-9][0-9]{0,5}$")]
"""How units are named: E1, B2, S3, C4."""

Score = Annotated[float, Field(ge=0, le=5, allow_inf_nan=False)]
Act = Literal["set", "confirm", "exclude", "move", "unset", "undo", "resolve"]
Passage = Literal["essential", "bonus"]


class StateShape(Shape):
    """What counts for a unit at one moment."""

    kind: str
    score: Number | None
    excluded: bool


class DecisionShape(BaseModel):
    """One act of a reviewer on one unit; never changed, never deleted."""

    id: int
    unit: str
    action: str
    before: StateShape
    after: StateShape
    reviewer: str
    at: datetime
    cause: str | None
    note: str
    undoes: int | None
    twin: str | None
    recalled: int | None


class SightShape(Shape):
    """What is kept from the reader."""

    judge_hidden: bool
    others_hidden: bool
    names_hidden: bool
    done: bool
    reviewers_done: int


class JudgementUnit(ReviewedUnit):
    """A unit; `newest` is what a decision on it hands back as `seen`."""

    newest: int


class JudgementShape(ReviewedResult):
    """One judgement with all that is needed to check it."""

    units: list[JudgementUnit]  # type: ignore[assignment]
    run_id: int
    example: ExampleShape
    decisions: list[DecisionShape]
    provisional: bool
    sight: SightShape


class DecidedShape(BaseModel):
    """What a write left: its own decisions, and the judgement as it is now."""

    decisions: list[DecisionShape]
    batch: str | None
    judgement: JudgementShape


class CommentShape(Shape):
    """What somebody said about an example."""

    id: int
    author: str
    text: str
    at: datetime


class Comments(RootModel[list[CommentShape]]):
    """The comments on one example, oldest first."""


class PassesShape(Shape):
    """How many examples were opened, and how many of these finished."""

    opened: int
    finished: int


class PersonShape(Shape):
    """One person's part in a run."""

    reviewer: str
    assigned: int
    assigned_done: int
    passes: PassesShape
    decisions: int
    changes: int
    last_at: datetime | None


class People(RootModel[list[PersonShape]]):
    """Everybody who has been asked to review, or has begun to."""


class QueueShape(BaseModel):
    """The judgements that wait in a queue, the most valuable first."""

    judgements: list[int]


class DrawShape(Shape):
    """One draw of the audit."""

    id: int
    judgement_id: int
    position: int
    seed: int
    undrawn: int
    state: str
    drawn_by: str


class Drawn(BaseModel):
    """The draw, or null when none is left."""

    draw: DrawShape | None


class Authored(Body):
    """A write of somebody: the token's name, unless an administrator names another author."""

    author: Name | None = Field(default=None, description="Administrators only.")


class NewDecision(Authored):
    """An act on one unit. `seen` is its `newest`: a decision that came after is never overwritten
    unseen (409)."""

    unit: Label
    action: Act
    seen: Seen
    score: Score | None = Field(default=None, description="The new value (set, move, resolve).")
    to_kind: Passage | None = Field(default=None, description="Where it moves to.")
    cause: Cause | None = Field(default=None, description="Why a value is changed.")
    note: str = Field(default="", max_length=10_000)
    twin: Label | None = Field(default=None, description="The unit that a duplicate repeats.")
    keep: Id | None = Field(default=None, description="The decision that a resolution keeps.")
    exclude: bool = Field(default=False, description="The resolution excludes the unit.")


class ConfirmLeft(Authored):
    """The units that were seen as left, each with its `newest`."""

    seen: dict[Label, Seen] = Field(
        min_length=1, max_length=10_000, json_schema_extra={"additionalProperties": False}
    )


class OpenReview(Authored):
    """How the example came to be picked."""

    queue: Queue = Queue.CHOSEN


class NewComment(Authored):
    """What to say."""

    text: str = Field(min_length=1, max_length=10_000, pattern=r"\S")


class QueueParams(RunId):
    queue: Queue

"""Datasets as they come and go over HTTP."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, RootModel

from api.routes.parameters import Body, DatasetId, Flag, Name, Params, Shape
from recall_core.ingest import SPLITS, Role


class DatasetShape(Shape):
    """A named set of examples that never changes."""

    id: int
    name: str
    source: str
    content_hash: str
    examples: int
    essential: int
    bonus: int
    runs: int
    created_at: datetime
    created_by: str
    archived_at: datetime | None


class Datasets(RootModel[list[DatasetShape]]):
    """The datasets, newest first."""


class RemarkShape(Shape):
    """Something about one row: why it is left out, or what was done with it."""

    row: int
    field: str
    reason: str
    said: str


class TakesShape(Shape):
    """How many of the examples a judge can take, and what most others lack."""

    name: str
    takes: int
    lacks: str


class UploadShape(Shape):
    """What became of a file; `dataset` is null where nothing was to be saved."""

    dataset: DatasetShape | None
    description: str
    columns: dict[str, str]
    metadata: list[str]
    good: int
    warnings: int
    errors: int
    content_hash: str
    same_as: int | None
    problems: list[RemarkShape]
    notices: list[RemarkShape]
    judges: list[TakesShape]


class PassageShape(Shape):
    """A text that ought to come back."""

    kind: str
    text: str
    id: str | None


class RetrievedShape(Shape):
    """A text that came back; `rank` counts from 1."""

    rank: int
    text: str
    id: str | None


class ExampleShape(Shape):
    """One question with what should have come back and what did; null: there is no such field."""

    id: str
    question: str | None
    ground_truth: list[PassageShape] | None
    retrieved: list[RetrievedShape] | None
    actual_output: str | None
    expected_output: str | None
    metadata: dict[str, Any]


class ExamplesShape(Shape):
    """One page of a dataset."""

    total: int
    offset: int
    examples: list[ExampleShape]


class ListParams(Params):
    archived: Flag = Field(default=False, description="Those that were put away as well.")


class UploadParams(Params):
    name: Name = Field(description="The dataset's name.")
    filename: str = Field(
        default="upload", max_length=200, description="Helps to tell what the file is."
    )
    skip_bad: Flag = Field(default=False, description="Save the good rows although others are bad.")
    dry_run: Flag = Field(default=False, description="Only say what would be saved.")
    map: list[str] = Field(
        default_factory=list,
        max_length=50,
        description=f"ROLE=COLUMN; repeatable. Roles: {', '.join(Role)}.",
    )
    split_at: Literal[tuple(SPLITS)] | None = Field(  # type: ignore[valid-type]
        default=None, description="Where a cell that holds several passages is split."
    )
    references: Literal["join", "essential"] | None = Field(
        default=None,
        description="What several expected outputs are: one reference, or essential passages.",
    )
    whole_text_essential: Flag = Field(
        default=False, description="Ground truth without a marker is one essential passage."
    )


class ExamplesParams(DatasetId):
    offset: Annotated[int, Field(ge=0, le=2**31)] = 0
    limit: Annotated[int, Field(ge=1, le=200)] = 50


class Change(Body):
    """What may be changed of a dataset; its examples never are."""

    name: Name | None = None
    archived: bool | None = None


class Delete(DatasetId):
    with_runs: Flag = Field(default=False, description="Delete its runs with it.")

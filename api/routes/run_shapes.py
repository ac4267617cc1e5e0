"""Runs as they come and go over HTTP."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue, RootModel

from api.routes.parameters import Body, Flag, Id, Name, Number, Params, Shape
from db.run_cards import MOST_REVIEWERS
from recall_core.judges import judges


class OptionsShape(Shape):
    """How people review the run."""

    mode: str
    blind: bool
    reviewers_needed: int
    halves: bool
    notes_required: bool
    audit_seed: int


class RunShape(Shape):
    """One judge, with its settings frozen, over one dataset."""

    id: int
    name: str
    dataset_id: int
    dataset: str
    judge: str
    judge_version: int
    settings: dict[str, Any]
    formula: str
    rounding: str
    pass_mark: Number | None
    options: OptionsShape
    state: str
    message: str
    examples: int
    processed: int
    skipped: int
    failed: int
    created_at: datetime
    created_by: str
    started_at: datetime | None
    ended_at: datetime | None
    archived_at: datetime | None
    kind: str
    endpoint: str | None
    model: str | None
    budget: Number | None
    page: str = Field(default="", description="The address of its examples in the dashboard.")


class Runs(RootModel[list[RunShape]]):
    """The runs, newest first."""


class SpendingShape(Shape):
    """What its calls came to so far; `spent` is null where a price is unknown."""

    calls: int
    failed_calls: int
    retries: int
    asked_again: int
    from_store: int
    tokens_in: int
    tokens_out: int
    spent: Number | None


class ProgressShape(Shape):
    """How far a run is; the rate is null unless it runs and has begun."""

    state: str
    message: str
    total: int
    processed: int
    failed: int
    skipped: int
    left: int
    per_minute: float | None
    seconds_left: float | None
    by_kind: dict[str, int]
    spending: SpendingShape | None


class RunNow(RunShape):
    """A run and how far it is."""

    progress: ProgressShape


class OptionsBody(Body):
    """How people will review the run."""

    mode: Literal["shared", "independent"] = "shared"
    blind: bool = False
    reviewers_needed: Annotated[int, Field(ge=1, le=MOST_REVIEWERS)] = 1
    halves: bool = False
    notes_required: bool = False
    audit_seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0


class NewRun(Body):
    """What to judge, and how."""

    dataset_id: Id
    judge: str = Field(
        description="Its name, as GET /judges lists it.",
        json_schema_extra=lambda schema: schema.update(enum=list(judges())),
    )
    name: Name
    settings: dict[str, JsonValue] = Field(
        default_factory=dict, description="Settings of the judge; the others have their defaults."
    )
    options: OptionsBody = OptionsBody()


class ChangeRun(Body):
    """What may be changed of a run. A budget of null lets it cost any amount."""

    name: Name | None = None
    archived: bool | None = None
    budget: Annotated[float, Field(gt=0, le=1e9, allow_inf_nan=False)] | None = None


class RunsParams(Params):
    dataset_id: Id | None = Field(default=None, description="Only those over this dataset.")
    archived: Flag = Field(default=False, description="Those that were put away as well.")


class Again(Shape):
    """How many examples are judged again."""

    examples: int

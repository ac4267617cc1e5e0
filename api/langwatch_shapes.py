"""What the `langwatch` package sends, as far as the desk reads it."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue

from api.routes.parameters import Params, Shape


class Loose(BaseModel):
    """What the package sends; fields that the desk does not know are its own business."""

    model_config = ConfigDict(extra="ignore")


class DatasetName(Params):
    name: str = Field(max_length=500)


class EvaluatorName(Params):
    evaluator: str = Field(max_length=200)


class ResultsOf(Params):
    key: str = Field(max_length=500)
    experimentSlug: str = Field(default="", max_length=500)  # noqa: N815 - the package's own name


class Init(Loose):
    experiment_name: str | None = None
    experiment_slug: str | None = None


class Initialised(Shape):
    """Where people follow the run."""

    path: str
    slug: str


class Evaluate(Loose):
    trace_id: str | None = None
    data: dict[str, JsonValue]
    settings: dict[str, JsonValue] | None = None


Position = Annotated[str, BeforeValidator(str), Field(max_length=64)]


class Row(Loose):
    index: Position
    entry: JsonValue = None
    trace_id: str | None = None
    error: str | None = None


class Logged(Loose):
    name: str | None = None
    evaluator: str
    index: Position
    trace_id: str | None = None
    status: str | None = None
    score: float | None = None
    passed: bool | None = None
    label: str | None = None
    details: str | None = None
    error_type: str | None = None


class Times(Loose):
    finished_at: int | None = None


class Batch(Loose):
    experiment_slug: Annotated[str, Field(max_length=500)]
    run_id: Annotated[str, Field(max_length=500)]
    name: str | None = None
    dataset: list[Row] = []
    evaluations: list[Logged] = []
    progress: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = None
    total: int | None = None
    timestamps: Times = Times()

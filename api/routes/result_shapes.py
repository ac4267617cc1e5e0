"""Results and numbers of a run as they go over HTTP."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field

from api.routes.parameters import Flag, Number, RunId, Shape
from api.routes.shapes import UnitShape
from db.exporting import ExportFormat
from db.judgement_filters import OrderBy
from recall_core.summary import JudgementState


class ReviewedUnit(UnitShape):
    """One unit: what the judge said, and what counts now."""

    unit: str
    judge_score: float | None
    kind_now: str
    override: bool
    excluded: bool
    reviewed: bool
    basis: str
    reviewer: str | None = None
    decided_at: str | None = None
    cause: str | None = None
    note: str | None = None
    twin: str | None = None
    recalled: bool | None = None


class ReviewedResult(BaseModel):
    """One judge's answer for one example, as it counts now, with what people decided."""

    judgement: int
    page: str
    run: str
    judge: str
    judge_version: int
    position: int
    question: str | None
    id: str
    status: str
    score: float | None
    passed: bool | None
    label: str | None
    details: str
    error_type: str | None
    cost: dict[str, Any] | None
    raw_response: str | None
    traceback: list[str]
    warnings: list[str]
    units: list[ReviewedUnit]
    state: str
    judge_status: str
    judge_score: float | None
    formulas: list[str]
    settings: dict[str, Any]


class ResultPage(BaseModel):
    """One page of a run's results. `blind`: the reader may not see every judge's score yet, so
    filters and orders that would give one away were left out."""

    total: int
    page: int
    size: int
    blind: bool
    results: list[ReviewedResult]


class MeanShape(Shape):
    """An exact mean over `n` of `of` examples; null where `n` is 0."""

    value: Number | None
    n: int
    of: int


class CountsShape(Shape):
    """Every example in one place: it has a score, or a reason why not."""

    scored: int
    vacuous: int
    void: int
    incomplete: int
    failed: int
    skipped: int
    left: int


class ReviewCountsShape(Shape):
    """How far people have come."""

    examples: int
    examples_started: int
    examples_changed: int
    failed_scored: int
    units: int
    units_reviewed: int
    units_changed: int


class RecallShape(BaseModel):
    """What is said of the run's recall: the estimate with its interval where people have audited,
    else the mean that counts now, and in `why_no_interval` what is missing. `standing` says in
    words which of them it is. `gate` holds the lower end of the interval against `at_least`.
    """

    recall: float | None
    low: float | None
    high: float | None
    confidence: float
    standing: str
    method: str | None
    examples: int
    audited: int
    chosen: int
    pending: int
    failed: int
    judge_mean: float | None
    judge_covers: int
    reachable: list[float] | None
    why_no_interval: str | None
    gate: str | None


class SummaryShape(BaseModel):
    """A run's numbers: its recall, the judge's mean, and the one that counts now, each with its
    coverage.
    """

    recall: RecallShape
    mean: MeanShape
    judge_mean: MeanShape
    counts: CountsShape
    review: ReviewCountsShape
    causes: dict[str, int]
    reviewers: dict[str, int]
    withheld: int
    gate: str | None


class ResultsParams(RunId):
    page: Annotated[int, Field(ge=1, le=2**31)] = 1
    size: Annotated[int, Field(ge=1, le=200)] = 50
    order: OrderBy = OrderBy.POSITION
    descending: Flag = False
    state: list[JudgementState] = Field(
        default_factory=list, max_length=20, description="Any of these; repeatable."
    )
    lowest: Annotated[float, Field(allow_inf_nan=False)] | None = Field(
        default=None, description="The final score is at least this."
    )
    highest: Annotated[float, Field(allow_inf_nan=False)] | None = Field(
        default=None, description="The final score is at most this."
    )
    text: str = Field(default="", max_length=500, description="Stands in the example.")


class SummaryParams(RunId):
    at_least: Annotated[float, Field(ge=0, le=5, allow_inf_nan=False)] | None = Field(
        default=None,
        description="Says in `gate` whether the mean passes this mark, whatever is still open.",
    )


class ExportParams(RunId):
    format: ExportFormat

"""What came of a run: results by page, its numbers, files to take away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Annotated, Any

from pydantic import BaseModel, Field
from starlette.responses import Response

from api.routes.parameters import Flag, Number, RunId, Shape
from api.routes.shapes import UnitShape
from api.web.answers import Answer
from api.web.operations import Call, Gives, Operation
from db.details import read_judgements
from db.estimating import headline
from db.exporting import MEDIA_TYPES, ExportedFile, ExportFormat, export_run
from db.judgement_filters import JudgementFilter, JudgementOrder, OrderBy
from db.results import list_judgements, run_summary
from db.run_cards import get_run
from db.sights import NOBODY
from db.tokens import Scope
from recall_core.details import JudgementDetail
from recall_core.export.result_json import reviewed_json
from recall_core.headline import Headline
from recall_core.results import Status
from recall_core.summary import Gate, JudgementState, Mean, gate
from recall_core.types import Json

TAG = "Results"


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


def operations() -> list[Operation[Any, Any]]:
    """What can be read of a run's results."""
    one = "/api/v1/runs/{run_id}"
    return [
        Operation(
            "GET",
            f"{one}/results",
            "Read a run's results, page by page",
            Scope.READ,
            ResultsParams,
            Gives(ResultPage),
            do=read_results,
            errors=(404,),
            tag=TAG,
        ),
        Operation(
            "GET",
            f"{one}/summary",
            "Read a run's numbers",
            Scope.READ,
            SummaryParams,
            Gives(SummaryShape),
            do=read_summary,
            errors=(404,),
            tag=TAG,
        ),
        Operation(
            "GET",
            f"{one}/export",
            "Take a run away as a file",
            Scope.READ,
            ExportParams,
            Gives(media=tuple(MEDIA_TYPES.values()), description="The file."),
            wait=export,
            errors=(404, 409),
            tag=TAG,
            description="What somebody still has to score blind is left out, and the file says so. "
            "A sealed package holds everything, so it waits until nothing is kept from anybody.",
        ),
    ]


def read_results(call: Call[ResultsParams, bytes]) -> Answer:
    asked, viewer = call.params, call.caller.viewer
    get_run(call.engine, asked.run_id)
    page = list_judgements(
        call.engine,
        asked.run_id,
        where=JudgementFilter(
            states=tuple(asked.state),
            lowest=None if asked.lowest is None else Fraction(str(asked.lowest)),
            highest=None if asked.highest is None else Fraction(str(asked.highest)),
            text=asked.text,
        ),
        order=JudgementOrder(asked.order, asked.descending),
        page=asked.page,
        size=asked.size,
        viewer=viewer,
    )
    details = read_judgements(call.engine, [line.id for line in page.rows], viewer)
    return Answer(
        {
            "total": page.total,
            "page": page.page,
            "size": page.size,
            "blind": page.blind,
            "results": [result_json(detail) for detail in details],
        }
    )


def result_json(detail: JudgementDetail) -> dict[str, Json]:
    """A judgement as it counts now, for whom it was read; what is kept from them is `skipped`."""
    if detail.sight.judge_hidden:
        detail = replace(detail, status=Status.SKIPPED, error_type=None)
    return {"judgement": detail.id, "page": review_page(detail), **reviewed_json(detail)}


def review_page(detail: JudgementDetail) -> str:
    """The address at which people review it."""
    return f"/review?run={detail.run.id}&judgement={detail.id}"


def read_summary(call: Call[SummaryParams, bytes]) -> BaseModel:
    asked = call.params
    summary = run_summary(call.engine, asked.run_id, call.caller.viewer)
    mark = None if asked.at_least is None else Fraction(str(asked.at_least))
    verdict: Gate | None = None if mark is None else gate(summary, mark)
    return SummaryShape(
        recall=_recall(headline(call.engine, asked.run_id), asked.at_least),
        mean=_mean(summary.mean),
        judge_mean=_mean(summary.judge_mean),
        counts=CountsShape.model_validate(summary.counts),
        review=ReviewCountsShape.model_validate(summary.review),
        causes=_counted([("" if c is None else c.value, n) for c, n in summary.causes]),
        reviewers=_counted(summary.reviewers),
        withheld=summary.withheld,
        gate=None if verdict is None else verdict.value,
    )


def _recall(found: Headline, mark: float | None) -> RecallShape:
    verdict = None if mark is None else found.gate(mark).value
    return RecallShape.model_validate({**found.as_json(), "gate": verdict})


def _mean(mean: Mean) -> MeanShape:
    return MeanShape.model_validate(mean)


def _counted(pairs: Sequence[tuple[str, int]]) -> dict[str, int]:
    return dict(pairs)


async def export(call: Call[ExportParams, bytes]) -> Response:
    """A file in memory, made where it holds up no short request."""
    file: ExportedFile = await call.desk.files.run(
        export_run,
        call.engine,
        call.params.run_id,
        call.params.format,
        now=call.now,
        viewer=call.caller.viewer or NOBODY,
    )
    plain = file.name.encode("ascii", "ignore").decode() or "export"
    return Response(
        file.content,
        media_type=file.media_type,
        headers={"Content-Disposition": f'attachment; filename="{plain}"'},
    )

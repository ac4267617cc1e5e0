"""What came of a run: results by page, its numbers, files to take away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from pydantic import BaseModel
from starlette.responses import Response

from api.routes.result_shapes import (
    CountsShape,
    ExportParams,
    MeanShape,
    RecallShape,
    ResultPage,
    ResultsParams,
    ReviewCountsShape,
    SummaryParams,
    SummaryShape,
)
from api.web.answers import Answer
from api.web.operations import Call, Gives, Noun, Operation
from db.details import read_judgements
from db.estimating import headline
from db.exporting import MEDIA_TYPES, ExportedFile, export_run
from db.judgement_filters import JudgementFilter, JudgementOrder
from db.results import list_judgements, run_summary
from db.run_cards import get_run
from db.sights import NOBODY
from recall_core.details import JudgementDetail
from recall_core.export.result_json import reviewed_json
from recall_core.headline import Headline
from recall_core.results import Status
from recall_core.summary import Gate, Mean, gate
from recall_core.types import Json

EXPORTED = (
    "What somebody still has to score blind is left out, and the file says so. A sealed package "
    "holds everything, so it waits until nothing is kept from anybody."
)


def operations() -> list[Operation[Any, Any]]:
    """What can be read of a run's results."""
    noun, one = Noun("Results"), "/api/v1/runs/{run_id}"
    file = Gives(media=tuple(MEDIA_TYPES.values()), description="The file.")
    page, away = "Read a run's results, page by page", "Take a run away as a file"
    return [
        noun.read(f"{one}/results", page, ResultsParams, ResultPage, read_results),
        noun.read(
            f"{one}/summary", "Read a run's numbers", SummaryParams, SummaryShape, read_summary
        ),
        noun.read(f"{one}/export", away, ExportParams, file, export, told=EXPORTED, errors=(409,)),
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

"""Runs: start one, see how far it is, stop it, read what came of it."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, Field, JsonValue, RootModel
from starlette.responses import Response

from api.routes.parameters import Body, Flag, Id, Name, Number, Params, RunId, Shape
from api.web.answers import FieldProblem, Problem
from api.web.operations import Call, Gives, Operation, Takes
from db.run_cards import MOST_REVIEWERS
from db.runs import (
    RunOptions,
    archive_run,
    cancel_run,
    create_run,
    delete_run,
    get_run,
    list_runs,
    pause_run,
    progress,
    raise_budget,
    rename_run,
    rerun_failed,
    resume_run,
    unarchive_run,
)
from db.tokens import Scope
from recall_core.errors import InvalidSetting
from recall_core.judges import judges, make_judge

TAG = "Runs"


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


def operations() -> list[Operation[Any, Any]]:
    """What can be done with runs."""
    one = "/api/v1/runs/{run_id}"
    missing = (404,)
    return [
        Operation(
            "GET",
            "/api/v1/runs",
            "List the runs",
            Scope.READ,
            RunsParams,
            Gives(Runs),
            do=list_all_runs,
            tag=TAG,
        ),
        Operation(
            "POST",
            "/api/v1/runs",
            "Start a run",
            Scope.EVALUATE,
            Params,
            Gives(RunNow, 201, description="Queued."),
            Takes(NewRun),
            do=start_run,
            errors=missing,
            tag=TAG,
            description="It is queued, and judged as soon as the worker is free.",
        ),
        Operation(
            "GET",
            one,
            "Read about one run, and how far it is",
            Scope.READ,
            RunId,
            Gives(RunNow),
            do=read_run,
            errors=missing,
            tag=TAG,
        ),
        Operation(
            "PATCH",
            one,
            "Rename a run, put it away, bring it back, or change its budget",
            Scope.EVALUATE,
            RunId,
            Gives(RunNow),
            Takes(ChangeRun),
            do=change_run,
            errors=missing,
            tag=TAG,
        ),
        Operation(
            "DELETE",
            one,
            "Delete a run for good, with what people decided in it",
            Scope.ADMIN,
            RunId,
            Gives(status=204, media=(), description="Deleted."),
            do=remove_run,
            errors=missing,
            tag=TAG,
        ),
        *(
            Operation(
                "POST",
                f"{one}/{verb}",
                summary,
                Scope.EVALUATE,
                RunId,
                Gives(RunNow),
                do=do,
                errors=missing,
                tag=TAG,
            )
            for verb, summary, do in (
                ("pause", "Stop judging for now", pause),
                ("resume", "Go on where it stopped", resume),
                ("cancel", "Stop judging; what is judged stays", cancel),
            )
        ),
        Operation(
            "POST",
            f"{one}/rerun-failed",
            "Judge again the examples on which the judge failed",
            Scope.EVALUATE,
            RunId,
            Gives(Again),
            do=judge_failed_again,
            errors=missing,
            tag=TAG,
        ),
    ]


def list_all_runs(call: Call[RunsParams, bytes]) -> BaseModel:
    asked = call.params
    cards = list_runs(call.engine, dataset_id=asked.dataset_id, archived=asked.archived)
    return Runs([_with_page(RunShape.model_validate(card)) for card in cards])


def start_run(call: Call[Params, NewRun]) -> BaseModel:
    wanted = call.body
    try:
        judge = make_judge(wanted.judge, wanted.settings)
    except InvalidSetting as error:
        field = "settings" if "settings" in str(error) else "judge"
        raise Problem(422, str(error), [FieldProblem(field, str(error))]) from None
    run_id = create_run(
        call.engine,
        dataset_id=wanted.dataset_id,
        judge=judge,
        name=wanted.name,
        options=RunOptions(**wanted.options.model_dump()),
        author=call.caller.name,
        now=call.now,
    )
    return run_now(call, run_id)


def read_run(call: Call[RunId, bytes]) -> BaseModel:
    return run_now(call, call.params.run_id)


def change_run(call: Call[RunId, ChangeRun]) -> BaseModel:
    run_id, wanted = call.params.run_id, call.body
    get_run(call.engine, run_id)
    if wanted.name is not None:
        rename_run(call.engine, run_id, wanted.name)
    if wanted.archived is True:
        archive_run(call.engine, run_id, now=call.now)
    if wanted.archived is False:
        unarchive_run(call.engine, run_id)
    if "budget" in wanted.model_fields_set:
        budget = None if wanted.budget is None else Decimal(str(wanted.budget))
        raise_budget(call.engine, run_id, budget)
    return run_now(call, run_id)


def remove_run(call: Call[RunId, bytes]) -> Response:
    delete_run(call.engine, call.params.run_id, author=call.caller.name, now=call.now)
    return Response(status_code=204)


def pause(call: Call[RunId, bytes]) -> BaseModel:
    pause_run(call.engine, call.params.run_id)
    return run_now(call, call.params.run_id)


def resume(call: Call[RunId, bytes]) -> BaseModel:
    resume_run(call.engine, call.params.run_id)
    return run_now(call, call.params.run_id)


def cancel(call: Call[RunId, bytes]) -> BaseModel:
    cancel_run(call.engine, call.params.run_id, now=call.now)
    return run_now(call, call.params.run_id)


def judge_failed_again(call: Call[RunId, bytes]) -> BaseModel:
    return Again(examples=rerun_failed(call.engine, call.params.run_id))


def run_now(call: Call[Any, Any], run_id: int) -> RunNow:
    """The run and how far it is at this moment."""
    card = RunShape.model_validate(get_run(call.engine, run_id))
    come = ProgressShape.model_validate(progress(call.engine, run_id, call.now))
    return _with_page(RunNow(**card.model_dump(), progress=come))


S = TypeVar("S", bound=RunShape)


def _with_page(shape: S) -> S:
    return shape.model_copy(update={"page": f"/examples?run={shape.id}"})

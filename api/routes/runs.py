"""Runs: start one, see how far it is, stop it, read what came of it."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any, TypeVar

from pydantic import BaseModel
from starlette.responses import Response

from api.routes.parameters import Params, RunId
from api.routes.run_shapes import (
    Again,
    ChangeRun,
    NewRun,
    ProgressShape,
    RunNow,
    Runs,
    RunShape,
    RunsParams,
)
from api.web.answers import FieldProblem, Problem
from api.web.operations import DELETED, Call, Gives, Noun, Operation
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
from recall_core.judges import make_judge

TAG = "Runs"


def operations() -> list[Operation[Any, Any]]:
    """What can be done with runs."""
    noun, every, one = Noun(TAG), "/api/v1/runs", "/api/v1/runs/{run_id}"
    queued = Gives(RunNow, 201, description="Queued.")
    change_what = "Rename a run, put it away, or change its budget"
    remove_what = "Delete a run for good, with what people decided in it"

    def move(verb: str, summary: str, do: Callable[[Call[RunId, bytes]], RunNow]) -> Any:
        return noun.act("POST", f"{one}/{verb}", summary, RunId, None, RunNow, do, Scope.EVALUATE)

    return [
        noun.read(every, "List the runs", RunsParams, Runs, list_all_runs),
        noun.act(
            "POST",
            every,
            "Start a run",
            Params,
            NewRun,
            queued,
            start_run,
            Scope.EVALUATE,
            told="It is queued, and judged as soon as the worker is free.",
            errors=(404,),
        ),
        noun.read(one, "Read about one run, and how far it is", RunId, RunNow, read_run),
        noun.act("PATCH", one, change_what, RunId, ChangeRun, RunNow, change_run, Scope.EVALUATE),
        noun.act("DELETE", one, remove_what, RunId, None, DELETED, remove_run, Scope.ADMIN),
        move("pause", "Stop judging for now", pause),
        move("resume", "Go on where it stopped", resume),
        move("cancel", "Stop judging; what is judged stays", cancel),
        noun.act(
            "POST",
            f"{one}/rerun-failed",
            "Judge again the examples on which the judge failed",
            RunId,
            None,
            Again,
            judge_failed_again,
            Scope.EVALUATE,
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


def pause(call: Call[RunId, bytes]) -> RunNow:
    pause_run(call.engine, call.params.run_id)
    return run_now(call, call.params.run_id)


def resume(call: Call[RunId, bytes]) -> RunNow:
    resume_run(call.engine, call.params.run_id)
    return run_now(call, call.params.run_id)


def cancel(call: Call[RunId, bytes]) -> RunNow:
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

"""What the `judgeval` package (0.0.44) asks of a server, answered by this desk.

Its examples become a dataset and its scorer a run over it, which the worker judges while the
package waits; the link that it prints opens that run. `docs/clients.md` shows it in five lines.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, JsonValue
from starlette.requests import ClientDisconnect, Request

from api.asking import judged_by_model
from api.judgeval_shapes import Evaluation, LoggedRun, Loose, RunName, Scorer
from api.web.answers import Answer, FieldProblem, Problem
from api.web.operations import MEGABYTE, Call, Gives, Nothing, Noun, Operation, Takes
from db.client_runs import ClientRow, ClientRun, Whose, find_client_run, make_runs, take_rows
from db.details import stream_details
from db.endpoints import known_endpoints
from db.progress import progress
from db.run_cards import RunState, get_run
from db.tokens import Scope
from recall_core.asking.judge import ModelJudge
from recall_core.export.result_json import result_of_detail
from recall_core.ingest.form import parse_form
from recall_core.ingest.names import Role
from recall_core.judges import make_judge
from recall_core.llm.endpoints import FIRST
from recall_core.results import Result, Status, result_of
from recall_core.types import Example, Json

CLIENT = "judgeval"
SCORER = "contextual_recall"
LIMIT = 64 * MEGABYTE
LOOK = 0.2
"""Seconds between looks at whether the run is done."""
REQUIRED = ("input", "actual_output", "expected_output", "retrieval_context")
"""What the scorer's own page asks of an example."""


def operations() -> list[Operation[Any, Any]]:
    """The addresses that the package expects, all outside the document."""
    return [
        _route("/auth/validate_api_key/", Loose, validate_api_key),
        _route("/check_experiment_type/", Loose, check_experiment_type),
        _route("/eval-run-name-exists/", RunName, eval_run_name_exists),
        _route("/evaluate/", Evaluation, evaluate),
        _route("/log_eval_results/", LoggedRun, log_eval_results),
    ]


def _route(path: str, model: type[BaseModel], handle: Any) -> Operation[Any, Any]:
    takes = Takes(model, limit=LIMIT, nan_is_null=True)
    made = Noun("").act("POST", path, "", Nothing, takes, Gives(), handle, Scope.EVALUATE)
    return replace(made, hidden=True, name=f"judgeval_{handle.__name__}")


async def validate_api_key(call: Call[Nothing, Loose]) -> Answer:
    """Who came this far has a token that is in force."""
    return Answer({"detail": call.caller.name})


async def check_experiment_type(call: Call[Nothing, Loose]) -> Answer:
    """Every run here is one of examples."""
    return Answer({"detail": "ok"})


async def eval_run_name_exists(call: Call[Nothing, RunName]) -> Answer:
    """A 409 for a name that is taken, which makes the package refuse it."""
    found = await call.desk.database.run(find_client_run, call.engine, _whose(call), call.body.key)
    if found is not None and found.run_id is not None:
        raise Problem(409, f"There is a run {call.body.eval_name!r} already.")
    return Answer({"detail": "The name is free."})


async def evaluate(call: Call[Nothing, Evaluation]) -> Answer:
    """Judge the examples by each scorer, and keep that as a run if the package says so."""
    wanted = call.body
    examples = [_example(number, sent) for number, sent in enumerate(wanted.examples, 1)]
    scored = [await _scored(call, scorer, examples) for scorer in wanted.scorers]
    results: list[Json] = []
    for number, sent in enumerate(wanted.examples):
        scorers = [of_scorer[number] for of_scorer in scored]
        results.append(
            {
                "success": all(bool(data["success"]) for data in scorers),
                "scorers_data": [*scorers],
                "data_object": sent,
                "name": sent.get("name"),
                "trace_id": None,
                "run_duration": None,
                "evaluation_cost": None,
            }
        )
    return Answer({"results": results})


ScorerData = dict[str, Json]


async def _scored(
    call: Call[Nothing, Evaluation], scorer: Scorer, examples: Sequence[Example]
) -> list[ScorerData]:
    """What the scorer says of each example, in their order."""
    wanted = call.body
    if scorer.score_type.lower() != SCORER:
        why = f"This desk has no scorer {scorer.score_type!r}. It has {SCORER}."
        return [_failed(scorer, wanted.model_name, why)] * len(examples)
    endpoint = _endpoint_of(wanted.model_name)
    if endpoint is None:
        why = f"No endpoint of this desk offers the model {wanted.model_name!r}."
        return [_failed(scorer, wanted.model_name, why)] * len(examples)
    settings: dict[str, Json] = {
        "model": wanted.model_name,
        "endpoint": endpoint,
        "threshold": scorer.threshold,
        "strict": bool(scorer.strict_mode),
    }
    judge = make_judge(SCORER, settings)
    assert isinstance(judge, ModelJudge)
    missing = [_missing(sent) for sent in wanted.examples]
    if wanted.log_results:
        results, page = await _judged_in_a_run(call, judge, examples)
    else:
        outcomes = await call.desk.models.run(judged_by_model, judge, examples, call.engine)
        results = [result_of(e, judge, o) for e, o in zip(examples, outcomes, strict=True)]
        page = None
    return [
        _scorer_data(scorer, wanted.model_name, result, lacks, page)
        for result, lacks in zip(results, missing, strict=True)
    ]


def _endpoint_of(model: str) -> str | None:
    """The endpoint that lists the model, else the first that takes any name."""
    usable = {n: e for n, e in known_endpoints().items() if e.problem is None}
    for name, endpoint in usable.items():
        if model in endpoint.model_names:
            return name
    open_ones = [name for name, endpoint in usable.items() if not endpoint.model_names]
    return FIRST if FIRST in open_ones else next(iter(open_ones), None)


async def _judged_in_a_run(
    call: Call[Nothing, Evaluation], judge: ModelJudge, examples: Sequence[Example]
) -> tuple[list[Result], str]:
    """The results of a run that the worker judges, and where it is."""
    run_id = await call.desk.files.run(_queue, call, judge, examples)
    while True:
        come = await call.desk.database.run(progress, call.engine, run_id, call.desk.now())
        if not come.state.active:
            break
        if await call.request.is_disconnected():
            raise ClientDisconnect
        await asyncio.sleep(LOOK)
    results = await call.desk.files.run(_results, call, run_id, examples, come.message)
    return results, f"{_base(call.request)}/examples?run={run_id}"


def _queue(call: Call[Nothing, Evaluation], judge: ModelJudge, examples: Sequence[Example]) -> int:
    name = call.body.eval_name or "judgeval"
    run = _client_run(call, name)
    made = make_runs(
        call.engine, run, examples, [(name, judge)], author=call.caller.name, now=call.now
    )
    return made[0]


def _client_run(call: Call[Nothing, Evaluation], name: str) -> ClientRun:
    rows: list[ClientRow] = []
    return take_rows(
        call.engine,
        _whose(call),
        call.body.key,
        rows,
        place=call.body.project_name or "",
        name=name,
        finished_with=len(call.body.examples),
        now=call.now,
    )


def _results(
    call: Call[Any, Any], run_id: int, examples: Sequence[Example], message: str
) -> list[Result]:
    """In the order of the examples; one that the run did not come to has the run's own reason."""
    by_place = {d.position: result_of_detail(d) for d in stream_details(call.engine, run_id)}
    if get_run(call.engine, run_id).state is RunState.DONE:
        message = "The run did not judge this example."
    return [
        by_place.get(place) or Result(example.id, Status.ERROR, None, message)
        for place, example in enumerate(examples, 1)
    ]


def _scorer_data(
    scorer: Scorer, model: str, result: Result, lacks: str | None, page: str | None
) -> ScorerData:
    """One result in the package's words: a failure has an error and no score, and never a 0."""
    if lacks is not None or result.score is None:
        return _failed(scorer, model, lacks or result.details, result, page)
    return {
        **_about(scorer, model),
        "success": bool(result.passed),
        "score": float(result.score),
        "reason": result.details,
        "error": None,
        "additional_metadata": _more(result, page),
    }


def _failed(
    scorer: Scorer, model: str, why: str, result: Result | None = None, page: str | None = None
) -> ScorerData:
    return {
        **_about(scorer, model),
        "success": False,
        "score": None,
        "reason": None,
        "error": why,
        "additional_metadata": None if result is None else _more(result, page),
    }


def _about(scorer: Scorer, model: str) -> ScorerData:
    return {
        "name": _title(scorer.score_type),
        "threshold": scorer.threshold,
        "strict_mode": bool(scorer.strict_mode),
        "evaluation_model": model,
    }


def _title(score_type: str) -> str:
    return score_type.replace("_", " ").title()


def _more(result: Result, page: str | None) -> dict[str, Json]:
    """What the package has no field for: every verdict, and where people review it."""
    record = result.as_json()
    return {"units": record["units"], "warnings": record["warnings"], "page": page}


def _example(number: int, sent: Mapping[str, JsonValue]) -> Example:
    """The example as a row of a file would be read; its id is the package's own."""
    known = ("name", "context", "created_at", "trace_id", "tools_called", "expected_tools")
    extra: dict[str, Json] = {k: sent[k] for k in known if sent.get(k) is not None}
    given = sent.get("additional_metadata")
    row = parse_form(
        {
            Role.QUESTION: _text(sent.get("input")),
            Role.ACTUAL_OUTPUT: _text(sent.get("actual_output")),
            Role.EXPECTED_OUTPUT: _text(sent.get("expected_output")),
            Role.RETRIEVED: sent.get("retrieval_context"),
            Role.METADATA: {**extra, **(given if isinstance(given, dict) else {})},
        }
    )
    if row.example is None:
        path = f"examples.{number - 1}"
        reasons = [FieldProblem(f"{path}.{p.field}", p.reason) for p in row.problems]
        raise Problem(422, f"{path}: {' '.join(p.reason for p in row.problems)}", reasons)
    return replace(row.example, id=str(sent.get("example_id") or number))


def _text(value: JsonValue) -> JsonValue:
    """Some of its fields may be lists of texts, or objects."""
    if isinstance(value, list):
        return "\n".join(str(item) for item in value)
    return str(value) if isinstance(value, dict) else value


def _missing(sent: Mapping[str, JsonValue]) -> str | None:
    lacking = [name for name in REQUIRED if sent.get(name) is None]
    return f"The example has no {', no '.join(lacking)}." if lacking else None


async def log_eval_results(call: Call[Nothing, LoggedRun]) -> Answer:
    """The run was kept when it was judged; this says where it is."""
    found = await call.desk.database.run(
        find_client_run, call.engine, _whose(call), call.body.run.key
    )
    if found is None or found.run_id is None:
        raise Problem(404, "This desk keeps the runs that it has judged itself, and no others.")
    return Answer({"ui_results_url": f"{_base(call.request)}/examples?run={found.run_id}"})


def _base(request: Request) -> str:
    return str(request.base_url).rstrip("/")


def _whose(call: Call[Any, Any]) -> Whose:
    return Whose(call.caller.token_id, CLIENT)

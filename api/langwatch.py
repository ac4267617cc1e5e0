"""What the `langwatch` package asks of a server, answered by this desk.

Its loop evaluates row by row and reports what came of it in batches, in any order and perhaps
twice. Rows become a dataset, each evaluator that was asked becomes a run over it, and the address
that the package prints leads there. `docs/clients.md` shows it in five lines.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from api.langwatch_rows import EVALUATORS, entry_of, examples_of
from api.langwatch_shapes import (
    Batch,
    DatasetName,
    Evaluate,
    EvaluatorName,
    Init,
    Initialised,
    Logged,
    ResultsOf,
    Row,
)
from api.routes.evaluating import LIMIT, evaluated
from api.routes.example_data import data_of
from api.web.answers import Answer, Problem, invalid
from api.web.desk import Desk
from api.web.operations import MEGABYTE, Call, Gives, Nothing, Noun, Operation, Takes
from db.client_runs import (
    ClientCall,
    ClientRow,
    ClientRun,
    Whose,
    calls_of_traces,
    find_client_run,
    is_complete,
    judge_as_asked,
    make_runs,
    remember_call,
    rows_of,
    run_at_place,
    take_rows,
)
from db.datasets import DatasetCard, list_datasets, stream_examples
from db.errors import NotKept
from db.tokens import Scope
from recall_core.judges import Judge, judges
from recall_core.types import Json

CLIENT = "langwatch"
TRACE_KEYS = ("trace_id", "span_id")
"""They stand inside `data` as well, and are not fields of an example."""
SHOWN_NAME = 200
"""So much of a client's name for its run is kept, in characters."""
_MAKING = threading.Lock()
LOG_LIMIT = 64 * MEGABYTE
TRACES_LIMIT = 4 * MEGABYTE


def operations() -> list[Operation[Any, Any]]:
    """The addresses that the package expects, all outside the document."""
    evaluations = "/api/evaluations"
    batch = Takes(Batch, limit=LOG_LIMIT, nan_is_null=True)
    one = Takes(Evaluate, limit=LIMIT, nan_is_null=True)
    spans = Takes(media=("application/x-protobuf",), limit=TRACES_LIMIT)
    return [
        _route("GET", "/api/dataset/{name}", DatasetName, None, dataset, Scope.READ),
        _route("POST", "/api/experiment/init", Nothing, Takes(Init), init),
        _route("POST", f"{evaluations}/batch/log_results", Nothing, batch, log_results),
        _route("GET", f"{evaluations}/v3/runs/{{key}}/results", ResultsOf, None, results),
        _route("POST", f"{evaluations}/{{evaluator:path}}/evaluate", EvaluatorName, one, evaluate),
        _route("POST", "/api/otel/v1/traces", Nothing, spans, traces),
    ]


def _route(
    method: str,
    path: str,
    params: Any,
    takes: Takes | None,
    handle: Any,
    scope: Scope = Scope.EVALUATE,
) -> Operation[Any, Any]:
    made = Noun("").act(method, path, "", params, takes, Gives(), handle, scope)
    return replace(made, hidden=True, name=f"langwatch_{handle.__name__}")


def dataset(call: Call[DatasetName, bytes]) -> Answer:
    """A dataset by its number, its name, or its name as addresses write it."""
    card = _dataset_named(call, call.params.name)
    made = card.created_at.isoformat()
    data: list[Json] = [
        {
            "id": example.id,
            "datasetId": str(card.id),
            "projectId": "recall-desk",
            "entry": entry_of(example),
            "createdAt": made,
            "updatedAt": made,
        }
        for example in stream_examples(call.engine, card.id)
    ]
    return Answer({"id": str(card.id), "slug": slug(card.name), "name": card.name, "data": data})


def _dataset_named(call: Call[Any, Any], name: str) -> DatasetCard:
    for card in list_datasets(call.engine):
        if name in (str(card.id), card.name, slug(card.name)):
            return card
    raise NotKept(f"There is no dataset {name!r}: it goes by its number, or by its name.")


def slug(name: str) -> str:
    """The name as addresses write it."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "experiment"


def init(call: Call[Nothing, Init]) -> BaseModel:
    """Say where the run will be; it is made when its rows are there."""
    wanted = call.body
    place = slug(wanted.experiment_slug or wanted.experiment_name or "")
    return Initialised(path=f"/experiments/{place}", slug=place)


async def evaluate(call: Call[EvaluatorName, Evaluate]) -> Answer:
    """Score one row, and remember how that was asked."""
    judge_type = _judge_named(call.params.evaluator)
    data = {k: v for k, v in call.body.data.items() if k not in TRACE_KEYS}
    settings = call.body.settings or {}
    try:
        example = data_of(judge_type).model_validate(data, strict=True).example(1)
        judge = judge_type.model_validate(settings)
    except ValidationError as error:
        raise invalid(error) from None
    (result,) = await evaluated(call, judge, [example])
    trace = call.body.trace_id or str(call.body.data.get("trace_id") or "")
    if trace:
        asked = ClientCall(judge.name, settings, data)
        await call.desk.database.run(
            remember_call, call.engine, call.caller.token_id, trace, asked, now=call.now
        )
    return Answer(result.as_json())


def _judge_named(evaluator: str) -> type[Judge]:
    name = EVALUATORS.get(evaluator, evaluator)
    if name not in judges():
        known = ", ".join([*EVALUATORS, *judges()])
        raise Problem(404, f"This desk has no evaluator {evaluator!r}. It has: {known}.")
    return judges()[name]


async def log_results(call: Call[Nothing, Batch]) -> Answer:
    """Take a batch; the run is made as soon as the last one is there."""
    run = await call.desk.database.run(_take, call)
    await call.desk.files.run(_make_if_complete, call, run, call.body)
    return Answer({"message": "ok"})


def _take(call: Call[Nothing, Batch]) -> ClientRun:
    batch = call.body
    rows = [ClientRow(row.index, _entry(row)) for row in batch.dataset]
    logged = [
        ClientRow(one.index, None, {one.name or one.evaluator: said_of(one)})
        for one in batch.evaluations
    ]
    done = batch.timestamps.finished_at is not None
    return take_rows(
        call.engine,
        _whose(call),
        batch.run_id,
        [*rows, *logged],
        place=slug(batch.experiment_slug),
        name=(batch.name or batch.experiment_slug)[:SHOWN_NAME],
        finished_with=(batch.progress or 0) if done else None,
        now=call.now,
    )


def _entry(row: Row) -> dict[str, Json]:
    fields = row.entry if isinstance(row.entry, dict) else {"input": row.entry}
    entry: dict[str, Any] = {"entry": fields, "trace_id": row.trace_id or ""}
    return {**entry, "error": row.error} if row.error else entry


def said_of(one: Logged) -> dict[str, Json]:
    """What was logged of a row. An error that has no status is an error all the same."""
    status = one.status or ("error" if one.error_type else "processed")
    said = one.model_dump(exclude={"index", "name"}, exclude_none=True)
    return {**said, "status": "error" if one.error_type else status}


def _whose(call: Call[Any, Any]) -> Whose:
    return Whose(call.caller.token_id, CLIENT)


def _make_if_complete(call: Call[Any, Any], run: ClientRun, batch: Batch | None) -> None:
    # Batches come side by side, and the run is to be made by one of them.
    with _MAKING:
        known = find_client_run(call.engine, _whose(call), run.key)
        made = known is not None and known.run_id is not None
        if not made and (batch is None or is_complete(call.engine, run)):
            _make(call, run)


def _make(call: Call[Any, Any], run: ClientRun) -> None:
    rows = [row for row in rows_of(call.engine, run.id) if row.entry is not None]
    traces = [str(row.entry["trace_id"]) for row in rows if row.entry is not None]
    calls = calls_of_traces(call.engine, call.caller.token_id, traces)
    examples = examples_of(rows, calls)
    asked = _asked(calls.values())
    if examples:
        make_runs(
            call.engine, run, examples, _named(run, asked), author=call.caller.name, now=call.now
        )


def _asked(calls: Any) -> list[ClientCall]:
    """One call of each judge with the same settings, in the order of first asking."""
    different: dict[str, ClientCall] = {}
    for of_one_trace in calls:
        for one in of_one_trace:
            judge = judge_as_asked(one)
            different.setdefault(f"{judge.name} {judge.model_dump_json()}", one)
    return list(different.values())


def _named(run: ClientRun, asked: Sequence[ClientCall]) -> list[tuple[str, Judge]]:
    made = [judge_as_asked(one) for one in asked]
    if len(made) == 1:
        return [(run.name, made[0])]
    return [(f"{run.name}: {judge.title}", judge) for judge in made]


async def results(call: Call[ResultsOf, bytes]) -> Answer:
    """What the run came to, in the package's words, for the table that it prints at the end."""
    return await call.desk.files.run(_results, call)


def _results(call: Call[ResultsOf, bytes]) -> Answer:
    run = find_client_run(call.engine, _whose(call), call.params.key)
    if run is None:
        raise NotKept(f"Nothing has arrived of the run {call.params.key!r} yet.")
    if run.expected is not None:
        # The package asks some seconds after its last batch: what is missing now never comes.
        _make_if_complete(call, run, None)
    rows = rows_of(call.engine, run.id)
    entries: list[Json] = []
    evaluations: list[Json] = []
    for row in rows:
        sent: Any = row.entry
        if sent is None:
            continue
        index: Json = int(row.position) if row.position.isdecimal() else row.position
        entries.append(
            {
                "index": index,
                "entry": sent["entry"],
                "traceId": sent["trace_id"],
                "error": sent.get("error"),
            }
        )
        for name, said in row.logged.items():
            assert isinstance(said, dict)
            evaluations.append({"index": index, "name": name, **said})
    return Answer({"runId": run.key, "dataset": entries, "evaluations": evaluations})


async def traces(call: Call[Nothing, bytes]) -> Response:
    """Traces are not kept: what was retrieved and scored arrives on its own."""
    return Response(b"", media_type="application/x-protobuf")


WAITING = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta http-equiv="refresh" content="2"><title>Recall Desk</title>
<p style="font: 14px system-ui; margin: 2rem">The rows of this run are still arriving. \
This page looks again every two seconds.</p></html>"""


NOTHING_SCORED = """<!doctype html><html lang="en"><meta charset="utf-8">
<title>Recall Desk</title><p style="font: 14px system-ui; margin: 2rem">This run asked for none of \
the desk's evaluators, so there is nothing to review. Its rows are kept as a dataset, with what \
was logged about them: <a href="/data">Data</a>.</p></html>"""


class Experiments:
    """The address that the package prints, which people open: it leads to the desk's run."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def answer(self, request: Request) -> Response:
        """A redirect to the run, or a page that waits for it."""
        place, key = request.path_params["place"], request.query_params.get("runId", "")
        try:
            run = await self._desk.database.run(run_at_place, self._desk.engine, CLIENT, place, key)
        except NotKept:
            return HTMLResponse(WAITING, status_code=404)
        if run.run_id is None:
            return HTMLResponse(WAITING if run.expected is None else NOTHING_SCORED)
        return RedirectResponse(f"/examples?run={run.run_id}", status_code=303)

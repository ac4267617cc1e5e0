"""`POST /{judge}/evaluate`: examples in, results out, nothing stored. One route a judge."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, create_model
from starlette.responses import Response

from api.asking import judged_by_model
from api.routes.example_data import ExampleData, data_of
from api.routes.shapes import Judges, JudgeShape, Results
from api.web.answers import FieldProblem, Problem, json_bytes, json_response
from api.web.operations import MEGABYTE, Call, Gives, Nothing, Noun, Operation, Takes
from db.tokens import Scope
from recall_core.asking.judge import ModelJudge
from recall_core.judges import Judge, LocalJudge, judges
from recall_core.results import Result, result_of
from recall_core.scoring import FINAL_RANGE
from recall_core.types import Example, Json

LIMIT = 2 * MEGABYTE
MOST_EXAMPLES = 1000
MOST_PAIRS = 200_000
"""How many texts may be compared with each other in one request; more belongs into a run."""

TAG = "Evaluate"

SETTINGS = "The judge's settings; those that are left out have their defaults. See GET /judges."

DOCUMENTED = "/ragas/context_recall/evaluate"
"""The address that the source document gives the string-distance judge."""


def operations() -> list[Operation[Any, Any]]:
    """A route for every judge, the documented one, and the list of judges."""
    by_name = judges()
    listing = Noun(TAG).read(
        "/judges",
        "List the judges, with the schemas of their settings and data",
        Nothing,
        Judges,
        list_judges,
    )
    return [
        _evaluate(by_name["context_recall"], DOCUMENTED, "evaluate_ragas_context_recall"),
        *(_evaluate(j, f"/{name}/evaluate", f"evaluate_{name}") for name, j in by_name.items()),
        replace(listing, scope=None),
    ]


def _evaluate(judge: type[Judge], path: str, name: str) -> Operation[Any, Any]:
    made = Noun(TAG).act(
        "POST",
        path,
        f"Score examples with {judge.name}",
        Nothing,
        Takes(request_model(judge), limit=LIMIT),
        Gives(Results, description="One result an example, in the order of the request."),
        evaluate,
        Scope.EVALUATE,
        told=(
            f"{_first_sentence(judge)}\n\n`data` is one example or a list of them; the answer is "
            "always a list. Nothing is stored but a model's answers. What cannot be scored is an "
            "error of that example alone."
        ),
    )
    return replace(made, name=name)


def _first_sentence(judge: type[Judge]) -> str:
    first = (inspect.getdoc(judge) or "").split("\n\n")[0]
    return " ".join(first.split())


def request_model(judge: type[Judge]) -> type[BaseModel]:
    """The body for this judge: `data`, one example or several, and its own settings."""
    data = data_of(judge)
    one_or_more = Annotated[
        Annotated[data, Tag("One")]  # type: ignore[valid-type]
        | Annotated[list[data], Field(max_length=MOST_EXAMPLES), Tag("Many")],  # type: ignore[valid-type]
        Discriminator(lambda value: "Many" if isinstance(value, list) else "One"),
    ]
    return create_model(
        f"{judge.__name__}Request",
        __config__=ConfigDict(extra="forbid", frozen=True),
        data=(one_or_more, Field(description=_about(data))),
        settings=(judge, Field(default_factory=judge, description=SETTINGS)),
    )


def _about(data: type[ExampleData]) -> str:
    return f"One example or at most {MOST_EXAMPLES}. {inspect.getdoc(data)}"


async def evaluate(call: Call[Nothing, Any]) -> Response:
    """One result an example of the request, in its order."""
    given = call.body.data
    data: Sequence[ExampleData] = given if isinstance(given, list) else [given]
    examples = [item.example(number) for number, item in enumerate(data, 1)]
    results = await evaluated(call, call.body.settings, examples)
    return json_response(json_bytes([result.as_json() for result in results]))


async def evaluated(
    call: Call[Any, Any], judge: Judge, examples: Sequence[Example]
) -> list[Result]:
    """One result an example; scored here, in the scoring process, or by asking the model."""
    _require_few(examples)
    if isinstance(judge, LocalJudge):
        return await call.desk.scoring.score(judge, examples)
    assert isinstance(judge, ModelJudge)
    outcomes = await call.desk.models.run(judged_by_model, judge, examples, call.engine)
    return [
        result_of(example, judge, outcome)
        for example, outcome in zip(examples, outcomes, strict=True)
    ]


def _require_few(examples: Sequence[Example]) -> None:
    pairs = sum(len(e.ground_truth or ()) * len(e.retrieved or ()) for e in examples)
    if pairs > MOST_PAIRS:
        raise Problem(
            422,
            f"data: {pairs:,} comparisons are too many for one request, which takes "
            f"{MOST_PAIRS:,}. Send fewer at a time, or make a dataset and a run of them.",
            [FieldProblem("data", f"More than {MOST_PAIRS:,} comparisons.")],
        )


async def list_judges(call: Call[Nothing, Any]) -> Response:
    """Every judge with its schemas."""
    shapes = [_shape(judge) for judge in judges().values()]
    content: list[Json] = [shape.model_dump(mode="json") for shape in shapes]
    return json_response(json_bytes(content))


def _shape(judge: type[Judge]) -> JudgeShape:
    low, high = FINAL_RANGE[judge.formula]
    return JudgeShape(
        name=judge.name,
        version=judge.version,
        title=judge.title,
        help=inspect.getdoc(judge) or "",
        path=f"/{judge.name}/evaluate",
        scale=[float(low), float(high)],
        asks_a_model=issubclass(judge, ModelJudge),
        lexical_screen=judge.screen,
        settings=judge.model_json_schema(),
        data=data_of(judge).model_json_schema(),
    )

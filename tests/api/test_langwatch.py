"""What the langwatch package sends, however it arrives, becomes one run of the desk."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

from db.datasets import list_datasets, read_examples, save_dataset
from db.engine import Engine
from db.results import list_judgements
from db.reviews import read_judgement
from db.runs import list_runs
from db.tokens import Scope
from recall_core.judges import make_judge
from recall_core.types import Example, GroundTruthPassage, PassageKind, RetrievedPassage
from tests.api.calling import NOW, Program
from tests.db.making import judge_everything

EVALUATE = "/api/evaluations/ragas/context_recall/evaluate"
LOG = "/api/evaluations/batch/log_results"


@pytest.fixture
def client(program: Program) -> Program:
    """A program that may evaluate and nothing else."""
    return program.named("notebook", Scope.EVALUATE)


def row(number: int, **more: Any) -> dict[str, Any]:
    entry = {"input": f"Question {number}", "contexts": [f"Fact {number}."], "topic": "facts"}
    return {"index": number, "entry": entry, "duration": 3, "trace_id": f"trace-{number}", **more}


def measured(number: int, name: str = "ragas/context_recall", **more: Any) -> dict[str, Any]:
    said = {"name": name, "evaluator": name, "index": number, "status": "processed", "inputs": {}}
    return {**said, "trace_id": f"trace-{number}", **more}


def batch(*rows: Any, measured: Any = (), finished: bool = False, of: int = 2) -> dict[str, Any]:
    body = {"experiment_slug": "trial", "name": "Trial", "run_id": "run-1", "dataset": [*rows]}
    times = {"created_at": 1} | ({"finished_at": 2} if finished else {})
    body |= {"evaluations": [*measured], "progress": of, "total": of, "timestamps": times}
    return body


def score_row(client: Program, number: int, **settings: Any) -> Any:
    data = {"contexts": [f"Fact {number}."], "expected_contexts": [f"Fact {number}.", "Nothing."]}
    trace = f"trace-{number}"
    body = {"trace_id": trace, "span_id": "s", "name": "x", "as_guardrail": False}
    return client.post(
        EVALUATE,
        {**body, "settings": settings, "data": {**data, "trace_id": trace, "span_id": "s"}},
    )


def test_the_package_gets_one_result_although_trace_ids_stand_in_its_data(
    client: Program,
) -> None:
    answer = score_row(client, 1)

    assert answer.status_code == 200
    assert (answer.json()["status"], answer.json()["score"]) == ("processed", 0.5)


@pytest.mark.parametrize("order", [*itertools.permutations(range(3))])
def test_batches_may_come_in_any_order_and_twice(
    client: Program, engine: Engine, order: tuple[int, ...]
) -> None:
    for number in (0, 1):
        score_row(client, number, threshold=0.6)
    batches = [
        batch(row(0), measured=[measured(0)]),
        batch(row(1), measured=[measured(1)]),
        batch(finished=True),
    ]

    for place in (*order, order[0], order[2]):
        assert client.post(LOG, batches[place]).status_code == 200

    (run,) = list_runs(engine)
    assert (run.name, run.judge, run.examples) == ("Trial", "context_recall", 2)
    assert run.settings["threshold"] == 0.6
    judge: Any = make_judge(run.judge, run.settings)
    judge_everything(engine, run.id, judge)
    lines = list_judgements(engine, run.id).rows
    details = [read_judgement(engine, line.id) for line in lines]
    assert [d.example.question for d in details] == ["Question 0", "Question 1"]
    assert [[v.score for v in d.verdicts] for d in details] == [[1, 0], [1, 0]]
    opened = client.with_token("").get("/experiments/trial", runId="run-1")
    assert (opened.status_code, opened.headers["location"]) == (303, f"/examples?run={run.id}")


def test_rows_whose_long_traces_begin_alike_keep_their_own_calls(
    client: Program, engine: Engine
) -> None:
    traces = ["t" * 80 + end for end in "ab"]
    for number, trace in enumerate(traces):
        data = {"contexts": [f"Fact {number}."], "expected_contexts": [f"Fact {number}."]}
        client.post(EVALUATE, {"trace_id": trace, "data": data})
    rows = [row(number, trace_id=trace) for number, trace in enumerate(traces)]

    client.post(LOG, batch(*rows, finished=True))

    (run,) = list_runs(engine)
    kept = read_examples(engine, run.dataset_id, offset=0, limit=9)
    assert [[p.text for p in e.essential] for e in kept] == [["Fact 0."], ["Fact 1."]]


def test_a_long_name_of_a_run_is_cut_and_an_impossible_count_is_refused(
    client: Program, engine: Engine
) -> None:
    score_row(client, 0)
    sent = batch(row(0), finished=True, of=1)

    for count in (-1, 10**30):
        assert client.post(LOG, {**sent, "progress": count}).status_code == 422
    assert client.post(LOG, {**sent, "name": "n" * 5000}).status_code == 200

    assert [len(run.name) for run in list_runs(engine)] == [200]


def test_a_row_that_never_came_does_not_keep_the_others_waiting_for_ever(
    client: Program, engine: Engine
) -> None:
    score_row(client, 0)
    client.post(LOG, batch(row(0), finished=True, of=2))
    assert list_runs(engine) == []

    table = client.get("/api/evaluations/v3/runs/run-1/results", experimentSlug="trial")

    assert [entry["index"] for entry in table.json()["dataset"]] == [0]
    assert len(list_runs(engine)) == 1


def test_what_a_data_frame_lacks_comes_as_nan_and_is_kept_as_missing(
    client: Program, engine: Engine
) -> None:
    score_row(client, 0)
    body = batch(row(0), finished=True, of=1)
    body["dataset"][0]["entry"]["output"] = float("nan")

    answer = client("POST", LOG, content=json.dumps(body).encode())

    assert answer.status_code == 200
    (card,) = list_datasets(engine)
    assert read_examples(engine, card.id, offset=0, limit=5)[0].actual_output is None


def test_scores_of_the_client_s_own_stand_with_the_example_and_errors_are_errors(
    client: Program, engine: Engine
) -> None:
    score_row(client, 0)
    own = [
        measured(0, "my_metric", score=0.25),
        measured(0, "broken", status=None, error_type="ValueError", details="It broke."),
    ]
    client.post(LOG, batch(row(0), measured=own, finished=True, of=1))

    (card,) = list_datasets(engine)
    (example,) = read_examples(engine, card.id, offset=0, limit=5)
    assert example.metadata["logged: my_metric"] == 0.25
    table = client.get("/api/evaluations/v3/runs/run-1/results").json()
    states = {e["name"]: e["status"] for e in table["evaluations"]}
    assert states == {"my_metric": "processed", "broken": "error"}


def test_a_run_that_asked_for_no_evaluator_leaves_its_rows_and_says_so(
    client: Program, engine: Engine
) -> None:
    body = batch(row(0), measured=[measured(0, "mine", score=1)], finished=True, of=1)

    client.post(LOG, body)

    assert (len(list_datasets(engine)), list_runs(engine)) == (1, [])
    assert "nothing to review" in client.get("/experiments/trial", runId="run-1").text


def test_two_evaluators_make_a_run_each_over_one_dataset(client: Program, engine: Engine) -> None:
    score_row(client, 0)
    data = {"essential": ["Fact 0."], "contexts": ["Fact 0."], "trace_id": "trace-0"}
    path = "/api/evaluations/passage_recall_lexical/evaluate"
    assert client.post(path, {"trace_id": "trace-0", "data": data}).status_code == 200

    client.post(LOG, batch(row(0), finished=True, of=1))

    runs = list_runs(engine)
    assert sorted(run.judge for run in runs) == ["context_recall", "passage_recall_lexical"]
    assert len({run.dataset_id for run in runs}) == 1


def test_a_dataset_speaks_the_package_s_words_and_comes_back_as_itself(
    client: Program, engine: Engine
) -> None:
    example = Example(
        "q1",
        question="When?",
        ground_truth=(GroundTruthPassage(PassageKind.ESSENTIAL, "Fact 1."),),
        retrieved=(RetrievedPassage(1, "Fact 1."),),
        expected_output="At one.",
        metadata={"topic": "hours"},
    )
    facts = {"source": "", "author": "t", "now": NOW}
    save_dataset(engine, "My Facts", [example], content_hash="f" * 64, **facts)

    assert client.get("/api/dataset/1").status_code == 403
    reader = client.named("reader", Scope.READ)
    for name in ("1", "My Facts", "my-facts"):
        found = reader.get(f"/api/dataset/{name}")
        assert found.status_code == 200, name
    (entry,) = found.json()["data"]
    assert entry["entry"] == {
        "id": "q1",
        "input": "When?",
        "contexts": ["Fact 1."],
        "expected_contexts": ["Fact 1."],
        "expected_output": "At one.",
        "topic": "hours",
    }
    assert reader.get("/api/dataset/nobody").status_code == 404


def test_an_evaluator_that_the_desk_has_not_is_named(client: Program) -> None:
    answer = client.post("/api/evaluations/ragas/faithfulness/evaluate", {"data": {}})

    assert answer.status_code == 404
    assert "ragas/context_recall" in answer.json()["detail"]


def test_the_package_s_greetings_are_answered(client: Program) -> None:
    made = client.post("/api/experiment/init", {"experiment_slug": "My Trial", "x": 1}).json()
    assert made == {"path": "/experiments/my-trial", "slug": "my-trial"}
    traces = client("POST", "/api/otel/v1/traces", content=b"\x0a\x00")
    assert (traces.status_code, traces.content) == (200, b"")
    assert client.with_token("wrong").post("/api/experiment/init", {}).status_code == 401
    assert client.get("/api/evaluations/v3/runs/nothing/results").status_code == 404

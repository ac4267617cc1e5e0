"""`POST /{judge}/evaluate` scores what the documents send, and says what is wrong with the rest."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from api.routes import evaluating
from api.web import scoring
from recall_core.judges import judges
from recall_core.results import Result, Status
from recall_core.types import FailureKind
from tests.api.calling import Program

CONTEXTS = {"contexts": ["Open on Sundays.", "No dogs."], "expected_contexts": ["Open on Sundays."]}


def test_the_document_s_own_call_gets_the_document_s_own_answer(program: Program) -> None:
    body = {"data": CONTEXTS, "settings": {"distance_measure": "levenshtein"}}

    answer = program.post("/ragas/context_recall/evaluate", body)

    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    (result,) = answer.json()
    assert (result["status"], result["score"], result["cost"]) == ("processed", 1.0, None)
    assert (result["error_type"], result["traceback"]) == (None, [])
    assert result["units"][0]["evidence"][0]["rank"] == 1


@pytest.mark.parametrize("name", judges())
def test_every_judge_of_the_registry_has_a_route(program: Program, name: str) -> None:
    answer = program.post(f"/{name}/evaluate", {"data": [], "settings": {}})

    assert (answer.status_code, answer.json()) == (200, [])


def test_a_list_is_answered_in_its_own_order(program: Program) -> None:
    data = [{**CONTEXTS, "id": f"no {n}"} for n in (3, 1, 2)]

    answer = program.post("/context_recall/evaluate", {"data": data})

    assert [result["id"] for result in answer.json()] == ["no 3", "no 1", "no 2"]


def test_a_list_too_long_for_the_event_loop_is_scored_the_same_in_the_other_process(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = {"data": [CONTEXTS, {"contexts": [], "expected_contexts": ["x"]}]}
    at_once = program.post("/context_recall/evaluate", body).json()

    monkeypatch.setattr(scoring, "SHORT_PAIRS", 0)
    elsewhere = program.post("/context_recall/evaluate", body).json()

    assert elsewhere == at_once
    assert [result["score"] for result in elsewhere] == [1.0, 0.0]


def test_the_first_document_s_placeholders_are_fields_of_passage_recall(program: Program) -> None:
    truth = "[ESSENTIAL PASSAGE]\nOpen on Sundays.\n[BONUS PASSAGE]\nEntrance is free."
    data = {"passage_gt": truth, "passage_llm": "It is open on Sundays."}

    (result,) = program.post("/passage_recall_lexical/evaluate", {"data": data}).json()

    assert [(u["kind"], u["index"]) for u in result["units"]] == [("essential", 1), ("bonus", 1)]


def test_the_second_document_s_fields_are_those_of_contextual_recall(program: Program) -> None:
    data = {
        "input": "May I return socks?",
        "actual_output": "Yes.",
        "expected_output": "All customers may return socks within 30 days.",
        "retrieval_context": ["All customers may return socks within 30 days."],
    }
    settings = {"threshold": 0.8}

    (result,) = program.post(
        "/contextual_recall_lexical/evaluate", {"data": data, "settings": settings}
    ).json()

    assert (result["score"], result["passed"], result["label"]) == (1.0, True, "1 of 1 found")


def test_a_judge_without_its_model_is_skipped_with_the_reason_and_costs_nothing(
    program: Program,
) -> None:
    data = {"expected_output": "A.", "retrieval_context": ["A."]}

    (result,) = program.post("/contextual_recall/evaluate", {"data": data}).json()

    assert (result["status"], result["score"], result["cost"]) == ("skipped", None, None)
    assert "not configured" in result["details"]


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"data": [CONTEXTS, {"contexts": "a", "expected_contexts": []}]}, "data.1.contexts"),
        ({"data": [CONTEXTS, {"contexts": [1], "expected_contexts": []}]}, "data.1.contexts.0"),
        ({"data": {"contexts": [None], "expected_contexts": []}}, "data.contexts.0"),
        ({"data": {"contexts": []}}, "data.expected_contexts"),
        ({"data": {**CONTEXTS, "context": []}}, "data.context"),
        ({"data": CONTEXTS, "setting": {}}, "setting"),
        ({"data": CONTEXTS, "settings": {"measure": "jaro"}}, "settings.measure"),
        (
            {"data": CONTEXTS, "settings": {"distance_measure": "cosine"}},
            "settings.distance_measure",
        ),
        ({"data": CONTEXTS, "settings": {"threshold": "0.5"}}, "settings.threshold"),
        ({"data": CONTEXTS, "settings": []}, "settings"),
        ({"data": "x"}, "data"),
        ({}, "data"),
        ([], ""),
    ],
)
def test_what_is_wrong_is_named_by_its_path_and_nothing_is_scored(
    program: Program, body: Any, path: str
) -> None:
    answer = program.post("/context_recall/evaluate", body)

    assert answer.status_code == 422
    assert path in [error["path"] for error in answer.json()["errors"]]
    assert answer.json()["detail"].endswith((".", "more)"))


@pytest.mark.parametrize(
    "raw",
    [
        b"{",
        b"",
        b'{"data": NaN}',
        b'{"data": {"contexts": [], "expected_contexts": []}, "settings": {"threshold": NaN}}',
        b'{"data": {"contexts": [], "expected_contexts": []}, "settings": {"pass_at": Infinity}}',
        b'{"data": {"contexts": ["\\ud800"], "expected_contexts": []}}',
        b'{"data": {"contexts": ["\xff"], "expected_contexts": []}}',
        b"[" * 10_000,
    ],
)
def test_what_is_no_json_is_said_to_be_none(program: Program, raw: bytes) -> None:
    answer = program("POST", "/context_recall/evaluate", content=raw)

    assert answer.status_code == 400
    assert answer.json()["detail"].startswith("The body is not JSON")


def test_a_body_over_the_limit_is_refused_by_its_announced_and_by_its_real_size(
    program: Program,
) -> None:
    announced = program("POST", "/context_recall/evaluate", content=b" " * (evaluating.LIMIT + 1))

    async def pieces() -> Any:
        for _ in range(evaluating.LIMIT // 65536 + 2):
            yield b" " * 65536

    real = program("POST", "/context_recall/evaluate", content=pieces())

    assert (announced.status_code, real.status_code) == (413, 413)


def test_more_comparisons_than_a_request_may_cost_are_refused(program: Program) -> None:
    data = {"contexts": ["a"] * 1000, "expected_contexts": ["b"] * 1000}

    answer = program.post("/context_recall/evaluate", {"data": data})

    assert answer.status_code == 422
    assert "make a dataset and a run" in answer.json()["detail"]


def test_both_ways_to_give_the_same_thing_are_one_too_many(program: Program) -> None:
    data = {"passage_llm": "a", "contexts": ["a"], "essential": ["a"]}

    answer = program.post("/passage_recall_lexical/evaluate", {"data": data})

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["path"] == "data"


def test_not_a_number_never_stands_in_an_answer(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = Result("1", Status.ERROR, None, "It broke.", error_type=FailureKind.INTERNAL)
    monkeypatch.setattr(scoring, "score", lambda judge, examples: [broken])

    text = program.post("/context_recall/evaluate", {"data": CONTEXTS}).text

    (result,) = json.loads(text, parse_constant=pytest.fail)
    assert (result["status"], result["score"]) == ("error", None)


def test_a_judge_that_breaks_on_one_example_fails_that_one_alone(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = judges()["context_recall"]
    real = judge.judge

    def judge_one(self: Any, example: Any) -> Any:
        if example.id == "2":
            raise RuntimeError("broke")
        return real(self, example)

    monkeypatch.setattr(judge, "judge", judge_one)

    results = program.post("/context_recall/evaluate", {"data": [CONTEXTS] * 3}).json()

    assert [r["status"] for r in results] == ["processed", "error", "processed"]
    assert results[1]["error_type"] == "internal"
    assert results[1]["traceback"] == []


def test_the_judges_are_listed_with_schemas_that_name_their_settings(program: Program) -> None:
    listed = {judge["name"]: judge for judge in program.get("/judges").json()}

    assert list(listed) == list(judges())
    measure = listed["context_recall"]["settings"]["properties"]["distance_measure"]
    assert measure["enum"] == ["levenshtein", "hamming", "jaro", "jaro_winkler"]
    assert "passage_gt" in listed["passage_recall"]["data"]["properties"]
    assert listed["passage_recall"]["scale"] == [1.0, 5.0]


def test_results_are_those_of_the_golden_file(program: Program, root: Path) -> None:
    lines = (root / "tests/golden/context_recall_golden.jsonl").read_text("utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if _is_plain(row)]
    assert len(rows) > 100
    for row in rows:
        data = {"contexts": row["contexts"], "expected_contexts": row["expected_contexts"]}
        settings = {"distance_measure": row["distance"], "threshold": row["threshold"]}
        body = {"data": data, "settings": settings}
        (result,) = program.post("/context_recall/evaluate", body).json()
        assert result["score"] == pytest.approx(row["langwatch_score"], abs=1e-12)


def _is_plain(row: Any) -> bool:
    lists = (row.get("contexts"), row.get("expected_contexts"))
    texts = all(isinstance(one, list) and all(isinstance(t, str) for t in one) for one in lists)
    return texts and isinstance(row.get("langwatch_score"), int | float)


def test_a_scoring_process_that_died_is_replaced(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "SHORT_PAIRS", 0)
    before = program.post("/context_recall/evaluate", {"data": CONTEXTS}).json()
    process = program.lifecycle.desk.scoring._process
    assert process is not None
    process.kill()
    process.wait()

    after = program.post("/context_recall/evaluate", {"data": CONTEXTS}).json()

    assert after == before


def test_what_a_judge_prints_does_not_stand_between_its_results() -> None:
    script = (
        "import sys\n"
        "from api import scoring_process as s\n"
        "s.score = lambda judge, examples: print('chatter') or examples\n"
        "s.main()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        scoring.send(child.stdin, ("judge", ["one", "two"]))
        assert scoring.receive(child.stdout) == ["one", "two"]
        child.stdin.close()
        assert child.wait(timeout=20) == 0

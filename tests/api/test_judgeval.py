"""What the judgeval package sends is judged, kept as a run, and never scored where it failed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from db.engine import Engine
from db.owners import new_owner
from db.runs import list_runs
from db.tokens import Scope
from db.working import work
from tests.api.calling import Program
from tests.llm_server import LlmServer, reply
from tests.model_answers import judging

EXAMPLE = {
    "input": "May I return socks?",
    "actual_output": "Yes.",
    "expected_output": "Socks may be returned. Receipts are needed. Shops are open.",
    "retrieval_context": ["Socks may be returned.", "Receipts are needed."],
    "example_id": "e1",
    "created_at": "2026-11-30",
}
SCORERS = [{"score_type": "contextual_recall", "threshold": 0.8}]


def two_of_three(entry: dict[str, Any]) -> dict[str, Any]:
    """The third statement is not supported."""
    return entry | {"supported": False, "quotes": []} if entry.get("statement") == "S3" else entry


@pytest.fixture
def model() -> Iterator[LlmServer]:
    with LlmServer(judging({"S3": two_of_three})) as running:
        yield running


@pytest.fixture
def client(
    program: Program, model: LlmServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[Program]:
    """A notebook that calls a desk with a model, and a worker beside it."""
    endpoints = tmp_path / "endpoints.toml"
    endpoints.write_text("", "utf-8")
    monkeypatch.setenv("RECALL_ENDPOINTS", str(endpoints))
    monkeypatch.setenv("OPENAI_BASE_URL", model.url)
    monkeypatch.setenv("OPENAI_API_KEY", "no-key-at-all")
    assert program.lifecycle.engine is not None
    stop = threading.Event()
    worker = threading.Thread(
        target=work,
        args=(program.lifecycle.engine,),
        kwargs={"owner": new_owner(), "stop": stop, "clock": lambda: datetime.now(UTC)},
    )
    worker.start()
    yield program.named("notebook", Scope.EVALUATE)
    stop.set()
    worker.join()


def evaluation(*examples: Any, **more: Any) -> dict[str, Any]:
    body = {"log_results": True, "project_name": "p", "eval_name": "first", "model": "gpt-4o"}
    body |= {"judgment_api_key": "secret", "organization_id": "o", "scorers": SCORERS}
    return {**body, "examples": [*(examples or (EXAMPLE,))], **more}


def scored(client: Program, *examples: Any, **more: Any) -> list[dict[str, Any]]:
    """The scorer's data for each example."""
    answer = client.post("/evaluate/", evaluation(*examples, **more))
    assert answer.status_code == 200, answer.text
    return [result["scorers_data"][0] for result in answer.json()["results"]]


def test_examples_are_judged_in_a_run_and_the_link_leads_there(
    client: Program, engine: Engine
) -> None:
    (data,) = scored(client)

    assert data["score"] == pytest.approx(2 / 3)
    assert (data["success"], data["threshold"], data["error"]) == (False, 0.8, None)
    assert "missing: S3" in data["reason"]
    assert [u["score"] for u in data["additional_metadata"]["units"]] == [1, 1, 0]
    (run,) = list_runs(engine)
    assert (run.name, run.created_by) == ("first", "notebook")
    logged = client.post("/log_eval_results/", {"results": [], "run": evaluation()})
    assert logged.json() == {"ui_results_url": f"http://desk/examples?run={run.id}"}


def test_a_threshold_is_compared_with_the_exact_score(client: Program) -> None:
    (data,) = scored(client, scorers=[{"score_type": "contextual_recall", "threshold": 0.67}])

    assert data["success"] is False
    assert data["score"] < 0.67


def test_strict_mode_changes_the_success_and_not_the_score(client: Program) -> None:
    strict = {"score_type": "contextual_recall", "threshold": 0.1, "strict_mode": True}

    (data,) = scored(client, scorers=[strict])

    assert (data["success"], data["strict_mode"]) == (False, True)
    assert data["score"] == pytest.approx(2 / 3)


def test_a_failure_has_an_error_and_no_score(client: Program, model: LlmServer) -> None:
    model.enqueue(*[reply(None, refusal="No.")] * 5)

    (data,) = scored(client)

    assert (data["success"], data["score"]) == (False, None)
    assert data["error"]


@pytest.mark.parametrize("field", ["input", "actual_output", "expected_output"])
def test_a_missing_field_is_that_example_s_error_and_the_others_go_on(
    client: Program, field: str
) -> None:
    lacking = {k: v for k, v in EXAMPLE.items() if k != field}

    first, second = scored(client, lacking, {**EXAMPLE, "example_id": "e2"})

    assert first["error"] == f"The example has no {field}."
    assert first["score"] is None
    assert second["score"] == pytest.approx(2 / 3)


def test_a_scorer_or_a_model_that_the_desk_has_not_is_an_error_and_no_score(
    client: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    (other,) = scored(client, scorers=[{"score_type": "faithfulness", "threshold": 0.5}])
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_BASE_URL")
    (nowhere,) = scored(client, model="nobody's")

    assert (other["score"], other["success"]) == (None, False)
    assert "no scorer 'faithfulness'" in other["error"]
    assert nowhere["error"] == 'No endpoint of this desk offers the model "nobody\'s".'


def test_a_name_is_taken_once_its_run_is_there(client: Program) -> None:
    name = {"project_name": "p", "eval_name": "first"}
    assert client.post("/eval-run-name-exists/", name).status_code == 200

    scored(client)

    assert client.post("/eval-run-name-exists/", name).status_code == 409


def test_without_logging_nothing_is_kept_but_the_model_s_answers(
    client: Program, engine: Engine
) -> None:
    (data,) = scored(client, log_results=False)

    assert data["score"] == pytest.approx(2 / 3)
    assert list_runs(engine) == []


def test_a_wrong_key_and_results_from_elsewhere_are_refused_in_words(client: Program) -> None:
    assert client.post("/auth/validate_api_key/", {}).json() == {"detail": "notebook"}
    assert client.with_token("wrong").post("/auth/validate_api_key/", {}).status_code == 401
    foreign = client.post("/log_eval_results/", {"results": [], "run": {"eval_name": "x"}})
    assert foreign.status_code == 404
    assert "judged itself" in foreign.json()["detail"]

"""`python -m api judge` with a judge that asks a model, against a real server on loopback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from api.cli import main
from db.engine import open_engine
from tests.llm_server import Answer, LlmServer, Received, reply


def scores_of(received: Received) -> Answer:
    """5 for E1, after a moment that is longer for the example that asks about "slow"."""
    entry = {"passage": "E1", "reasoning": "there", "quotes": [], "score": 5}
    after = 0.3 if "slow" in received.prompt else 0.0
    return reply(json.dumps({"passages": [entry]}), after=after)


@pytest.fixture
def server() -> Iterator[LlmServer]:
    with LlmServer(scores_of) as running:
        yield running


@dataclass(frozen=True)
class Answered:
    """What the command left behind."""

    status: int
    results: list[Any]
    err: str


@pytest.fixture
def judge(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    database_url: str,
    server: LlmServer,
    tmp_path: Path,
) -> Any:
    monkeypatch.setenv("RECALL_DATABASE_URL", database_url)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("RECALL_ENDPOINTS", raising=False)
    file = tmp_path / "rows.jsonl"

    def command(*questions: str, settings: tuple[str, ...] = ("model=m",)) -> Answered:
        rows = [
            {"id": q, "question": q, "essential": [f"Of {q}."], "contexts": ["text"]}
            for q in questions
        ]
        file.write_text("\n".join(map(json.dumps, rows)), "utf-8")
        options = [part for setting in settings for part in ("--set", setting)]
        status = main(["judge", str(file), "--judge", "passage_recall", *options])
        captured = capsys.readouterr()
        return Answered(status, [json.loads(x) for x in captured.out.splitlines()], captured.err)

    return command


def test_results_stand_in_the_files_order_whatever_takes_longer(judge: Any) -> None:
    answered = judge("slow", "b", "c")

    assert answered.status == 0
    assert [(r["id"], r["score"]) for r in answered.results] == [("slow", 5), ("b", 5), ("c", 5)]
    assert "Mean 5 over 3 of 3" in answered.err


def test_without_a_model_every_example_is_skipped_with_what_to_set(judge: Any) -> None:
    (result,) = judge("a", settings=()).results

    assert result["status"] == "skipped"
    assert result["cost"] is None
    assert "choose a model (setting model)" in result["details"]


def test_an_endpoint_without_its_key_skips_every_example(
    judge: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "endpoints.toml"
    file.write_text('[endpoints.lab]\nbase_url = "http://localhost:9/v1"\nkey_env = "LAB_KEY"\n')
    monkeypatch.setenv("RECALL_ENDPOINTS", str(file))

    (result,) = judge("a", settings=("model=m", "endpoint=lab")).results

    assert result["status"] == "skipped"
    assert "LAB_KEY is not set" in result["details"]


def test_an_unknown_endpoint_is_skipped_with_the_names_there_are(judge: Any) -> None:
    (result,) = judge("a", settings=("model=m", "endpoint=moon")).results

    assert result["status"] == "skipped"
    assert "no endpoint named moon" in result["details"]
    assert "default" in result["details"]


def test_the_same_question_is_answered_from_the_database_the_second_time(
    judge: Any, server: LlmServer, database_url: str
) -> None:
    open_engine(database_url).dispose()

    first, second = judge("a", "b"), judge("a", "b")

    assert first.results == second.results
    assert len(server.received) == 2


def test_without_a_database_none_is_made_and_every_question_is_asked(
    judge: Any, server: LlmServer, tmp_path: Path
) -> None:
    judge("a")
    judge("a")

    assert len(server.received) == 2
    assert not list(tmp_path.glob("*.db"))


def test_a_prompt_with_an_unknown_placeholder_is_refused_before_any_call(
    judge: Any, server: LlmServer
) -> None:
    answered = judge("a", settings=("model=m", "prompt={{ground_truth}} {{passages}} {{who}}"))

    assert answered.status == 2
    assert "The prompt has {{who}}, which stands for nothing." in answered.err
    assert server.received == []

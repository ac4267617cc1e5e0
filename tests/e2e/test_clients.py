"""The two documents' own samples, run by the real packages against a desk that the test starts."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from db.datasets import save_dataset
from db.engine import Engine, open_engine
from db.results import list_judgements
from db.reviews import read_judgement
from db.runs import RunCard, RunState, list_runs
from db.tokens import Scope, create_token
from recall_core.results import Status
from recall_core.types import Example, GroundTruthPassage, PassageKind, RetrievedPassage
from tests.db.making import until
from tests.e2e.server import ROOT, Server
from tests.llm_server import LlmServer
from tests.model_answers import judging

pytestmark = pytest.mark.e2e

CLIENTS = ROOT / ".bench" / "clients"
SAMPLES = ROOT / "examples" / "clients"


@pytest.fixture(scope="session", autouse=True)
def _packages() -> None:
    """The packages' environments, made now if `make test` has not made them."""
    subprocess.run([ROOT / "scripts" / "get-clients", sys.executable], check=True)


@pytest.fixture
def model() -> Iterator[LlmServer]:
    """A model that supports every statement."""
    with LlmServer(judging()) as running:
        yield running


@pytest.fixture
def desk(
    tmp_path: Path, database_url: str, model: LlmServer, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Server]:
    """A desk whose first endpoint is the model on loopback."""
    monkeypatch.setenv("OPENAI_BASE_URL", model.url)
    monkeypatch.setenv("OPENAI_API_KEY", "no-key-at-all")
    monkeypatch.setenv("RECALL_ENDPOINTS", str(tmp_path / "none.toml"))
    (tmp_path / "none.toml").write_text("", "utf-8")
    app = Server(database_url=database_url, log=tmp_path / "server.log")
    app.start()
    yield app
    app.stop()


@pytest.fixture
def kept(desk: Server) -> Iterator[Engine]:
    """The running desk's database."""
    engine = open_engine(desk.database_url)
    yield engine
    engine.dispose()


def run_sample(name: str, script: str, **environment: str) -> str:
    """What the sample prints, run by its own package in an environment of its own."""
    python = CLIENTS / name / "bin" / "python"
    done = subprocess.run(
        [python, SAMPLES / script],
        env={**os.environ, "NO_COLOR": "1", **environment},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


def finished(kept: Engine) -> RunCard:
    """The only run, once it is judged."""
    until(lambda: [run.state for run in list_runs(kept)] == [RunState.DONE])
    return list_runs(kept)[0]


def token(kept: Engine) -> str:
    return create_token(kept, "notebook", [Scope.EVALUATE, Scope.READ], now=datetime.now(UTC))


def test_langwatch_s_sample_makes_a_run_that_its_printed_address_opens(
    desk: Server, kept: Engine
) -> None:
    example = Example(
        "q1",
        question="When is it open?",
        ground_truth=tuple(
            GroundTruthPassage(PassageKind.ESSENTIAL, text)
            for text in ("Open on Sundays.", "Photographs need a written permit.")
        ),
        retrieved=(RetrievedPassage(1, "Open on Sundays."), RetrievedPassage(2, "No dogs.")),
        metadata={"topic": "hours"},
    )
    facts = {"source": "t", "author": "t", "now": datetime.now(UTC)}
    save_dataset(kept, "dataset-id", [example], content_hash="x" * 64, **facts)

    said = run_sample(
        "langwatch",
        "langwatch_evaluation.py",
        LANGWATCH_ENDPOINT=desk.url,
        LANGWATCH_API_KEY=token(kept),
    )

    run = finished(kept)
    assert (run.name, run.judge, run.created_by) == (
        "my-incredible-evaluation",
        "context_recall",
        "notebook",
    )
    printed = re.search(r"Follow the results at: (\S+)", said)
    assert printed is not None
    status, headers, _ = desk.get(printed[1].removeprefix(desk.url))
    assert (status, headers["location"]) == (303, f"/examples?run={run.id}")
    (line,) = list_judgements(kept, run.id).rows
    detail = read_judgement(kept, line.id)
    assert [v.score for v in detail.verdicts] == [1, 0]
    assert detail.verdicts[0].evidence[0].quote == "Open on Sundays."
    assert (detail.example.id, detail.example.metadata["topic"]) == ("q1", "hours")


def test_judgeval_s_sample_makes_a_run_that_its_printed_link_opens(
    desk: Server, kept: Engine, model: LlmServer
) -> None:
    key = token(kept)

    said = run_sample(
        "judgeval",
        "judgeval_evaluation.py",
        JUDGMENT_API_URL=desk.url,
        JUDGMENT_API_KEY=key,
        JUDGMENT_ORG_ID="ours",
    )

    run = finished(kept)
    assert (run.judge, run.settings["threshold"], run.model) == ("contextual_recall", 0.8, "gpt-4o")
    assert "success=True" in said
    assert "score=1.0" in said
    assert "View Results" in said
    (line,) = list_judgements(kept, run.id).rows
    detail = read_judgement(kept, line.id)
    assert detail.status is Status.PROCESSED
    assert [v.unit.text for v in detail.verdicts] == [
        "All customers are eligible for a 30-day return policy, no questions asked."
    ]
    assert detail.verdicts[0].reasoning
    assert len(model.received) == 1
    with kept.connect() as connection:
        for table in ("client_run", "client_row", "run", "example", "model_call"):
            rows = connection.exec_driver_sql(f"SELECT * FROM {table}").fetchall()
            assert key not in str(rows), f"the key stands in {table}"

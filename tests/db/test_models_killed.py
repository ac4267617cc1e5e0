"""A real worker process that asks a real server is killed: no answer that had arrived is lost or
paid for twice, and nothing of the key is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, func, select

from db.engine import reading
from db.runs import RunState, get_run, run_spending
from db.tables import JudgementRow, ModelCallRow
from tests.db.asking import COST, KEY, example_numbers, facts, model_run, scores, slowly
from tests.db.making import kept_dataset, until
from tests.llm_server import LlmServer

Start = Callable[[LlmServer], subprocess.Popen[bytes]]

ENDPOINTS = """
[endpoints.lab]
base_url = "{url}"
key_env = "LAB_KEY"

[endpoints.lab.models.big]
window = 8000
input = 10
output = 20
"""


@pytest.fixture
def start(database_url: str, root: Path, tmp_path: Path) -> Iterator[Start]:
    """Starts `worker.py` as it is, with the lab in its endpoints and the key in its environment."""
    started: list[subprocess.Popen[bytes]] = []
    log = (tmp_path / "worker.log").open("wb")

    def start_one(server: LlmServer) -> subprocess.Popen[bytes]:
        file = tmp_path / "endpoints.toml"
        file.write_text(ENDPOINTS.format(url=server.url))
        environ = {
            **os.environ,
            "RECALL_DATABASE_URL": database_url,
            "RECALL_ENDPOINTS": str(file),
            "LAB_KEY": KEY,
        }
        command = [sys.executable, str(root / "worker.py")]
        process = subprocess.Popen(command, cwd=root, env=environ, stdout=log, stderr=log)
        started.append(process)
        return process

    yield start_one
    for process in started:
        process.kill()
        process.wait()
    log.close()


def count(engine: Engine, table: type[JudgementRow] | type[ModelCallRow]) -> int:
    with reading(engine) as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


def answered(engine: Engine) -> set[int]:
    """The examples whose reply is kept."""
    with reading(engine) as session:
        return {example_id or 0 for example_id in session.scalars(select(ModelCallRow.example_id))}


@pytest.mark.parametrize("fresh", [False, True])
def test_a_killed_worker_asks_nothing_twice_whose_answer_had_arrived(
    engine: Engine, start: Start, fresh: bool
) -> None:
    run_id = model_run(engine, kept_dataset(engine, facts(60)), concurrency=6, fresh=fresh)

    with LlmServer(slowly(0.1)) as server:
        first = start(server)
        until(lambda: count(engine, ModelCallRow) > count(engine, JudgementRow) + 2)
        first.send_signal(signal.SIGKILL)
        first.wait()
        arrived, judged = answered(engine), count(engine, JudgementRow)
        assert judged < len(arrived) < 60

        start(server)
        until(lambda: get_run(engine, run_id).state is RunState.DONE)
        asked = example_numbers(server)

    assert [asked[f"e{number}"] for number in sorted(arrived)] == [1] * len(arrived)
    assert len(asked) == 60
    assert sum(asked.values()) - 60 <= 6
    run, spent = get_run(engine, run_id), run_spending(engine, run_id)
    assert (run.processed, run.failed) == (60, 0)
    assert (spent.calls, spent.spent, spent.from_store) == (60, 60 * COST, 0)


def test_the_key_stays_in_the_environment(
    engine: Engine, start: Start, tmp_path: Path, database_url: str
) -> None:
    run_id = model_run(engine, kept_dataset(engine, facts(3)))

    with LlmServer(scores) as server:
        worker = start(server)
        until(lambda: get_run(engine, run_id).state is RunState.DONE)
        worker.terminate()
        assert worker.wait(timeout=30) == 0
        assert server.received[0].headers["authorization"] == f"Bearer {KEY}"

    assert get_run(engine, run_id).processed == 3
    for file in tmp_path.iterdir():
        assert KEY.encode() not in file.read_bytes(), file.name

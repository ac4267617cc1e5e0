"""`worker.py` itself, as the server starts it and alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from sqlalchemy import Engine

from db.engine import VARIABLE
from db.runs import RunState, get_run
from recall_core.judges import make_judge
from tests.db.making import examples, kept_dataset, queued_run, until


def started(root: Path, url: str, **more: str) -> subprocess.Popen[bytes]:
    environment: Mapping[str, str] = os.environ | {VARIABLE: url} | more
    return subprocess.Popen(
        [sys.executable, str(root / "worker.py")],
        cwd=root,
        env=environment,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.fixture
def worker(root: Path, database_url: str, engine: Engine) -> Iterator[subprocess.Popen[bytes]]:
    """A supervised worker on the test's database."""
    with started(root, database_url, RECALL_SUPERVISED="1") as process:
        yield process
        process.kill()


def test_it_judges_what_is_queued_and_ends_cleanly_when_asked(
    engine: Engine, worker: subprocess.Popen[bytes]
) -> None:
    dataset_id = kept_dataset(engine, examples(5))
    run_id = queued_run(engine, dataset_id, judge=make_judge("context_recall"))

    until(lambda: get_run(engine, run_id).state is RunState.DONE)
    worker.send_signal(signal.SIGTERM)

    assert worker.wait(timeout=30) == 0
    assert get_run(engine, run_id).processed == 5


def test_it_ends_when_the_server_that_started_it_is_gone(
    engine: Engine, worker: subprocess.Popen[bytes]
) -> None:
    run_id = queued_run(
        engine, kept_dataset(engine, examples(1)), judge=make_judge("context_recall")
    )
    until(lambda: get_run(engine, run_id).state is RunState.DONE)

    assert worker.stdin is not None
    worker.stdin.close()

    assert worker.wait(timeout=30) == 0


def test_a_database_it_cannot_use_is_a_sentence_and_status_1(root: Path, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("not a database at all " * 50)

    process = started(root, f"sqlite:///{file}")
    _, errors = process.communicate(timeout=30)

    assert process.returncode == 1
    assert b"cannot be opened: file is not a database" in errors
    assert b"Traceback" not in errors

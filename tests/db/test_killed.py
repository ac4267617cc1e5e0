"""Worker processes killed and set against each other: nothing is lost, nothing comes twice."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, select

from db.engine import reading
from db.runs import RunState, cancel_run, get_run, pause_run, progress, resume_run
from db.tables import JudgementRow
from tests.db.making import NOW, examples, kept_dataset, queued_run, until

Start = Callable[[float], subprocess.Popen[bytes]]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "judged.log"


@pytest.fixture
def start(database_url: str, log: Path, root: Path) -> Iterator[Start]:
    """Starts a worker with a judge that takes so many seconds an example."""
    started: list[subprocess.Popen[bytes]] = []

    def start_one(seconds: float) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "tests.db.slow_worker"]
        process = subprocess.Popen([*command, database_url, str(log), str(seconds)], cwd=root)
        started.append(process)
        return process

    yield start_one
    for process in started:
        process.kill()
        process.wait()


def stored(engine: Engine) -> dict[int, int]:
    """The judgement of each position, by its row id."""
    with reading(engine) as session:
        query = select(JudgementRow.id, JudgementRow.position).order_by(JudgementRow.id)
        return dict(session.execute(query).all())


def is_done(engine: Engine, run_id: int) -> bool:
    return get_run(engine, run_id).state is RunState.DONE


def test_a_killed_worker_loses_nothing_and_the_next_one_judges_nothing_twice(
    engine: Engine, start: Start
) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(40)))
    first = start(0.05)
    until(lambda: len(stored(engine)) >= 5)
    first.send_signal(signal.SIGKILL)
    first.wait()
    before = stored(engine)
    assert 5 <= len(before) < 40
    assert get_run(engine, run_id).state is RunState.RUNNING

    start(0.01)
    until(lambda: is_done(engine, run_id))

    after = stored(engine)
    assert before.items() <= after.items()
    assert sorted(after.values()) == list(range(1, 41))
    assert progress(engine, run_id, NOW).processed == 40


def test_two_workers_at_once_never_judge_the_same_example(
    engine: Engine, start: Start, log: Path
) -> None:
    dataset_id = kept_dataset(engine, examples(15))
    runs = [queued_run(engine, dataset_id) for _ in range(3)]

    start(0.02)
    start(0.02)
    until(lambda: all(is_done(engine, run_id) for run_id in runs))

    asked = Counter(line.split()[1] for line in log.read_text().splitlines())
    assert set(asked.values()) == {3}
    assert len(stored(engine)) == 45


def test_a_worker_told_to_end_finishes_what_it_has_begun_and_gives_the_run_back(
    engine: Engine, start: Start, log: Path
) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(200)))
    worker = start(0.05)
    until(lambda: len(stored(engine)) >= 3)

    worker.terminate()

    assert worker.wait(timeout=30) == 0
    assert len(stored(engine)) == len(log.read_text().splitlines()) < 200
    assert get_run(engine, run_id).state is RunState.QUEUED


def test_a_paused_run_stops_keeps_what_was_begun_and_goes_on_later(
    engine: Engine, start: Start, log: Path
) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(60)))
    other_id = queued_run(engine, kept_dataset(engine, examples(3)))
    start(0.02)
    until(lambda: len(stored(engine)) >= 3)

    pause_run(engine, run_id)
    until(lambda: is_done(engine, other_id))

    paused = get_run(engine, run_id)
    assert paused.state is RunState.PAUSED
    assert 3 <= paused.processed < 60
    assert paused.processed + 3 == len(log.read_text().splitlines())
    resume_run(engine, run_id)
    until(lambda: is_done(engine, run_id))
    assert len(log.read_text().splitlines()) == 63


def test_a_cancelled_run_frees_the_worker_for_the_next(engine: Engine, start: Start) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(300)))
    next_id = queued_run(engine, kept_dataset(engine, examples(2)))
    start(0.02)
    until(lambda: len(stored(engine)) >= 1)

    cancel_run(engine, run_id, now=NOW)
    until(lambda: is_done(engine, next_id))

    assert get_run(engine, run_id).state is RunState.CANCELLED
    assert get_run(engine, run_id).processed < 300

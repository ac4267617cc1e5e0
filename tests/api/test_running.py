"""Judging a run in the process that waits for it."""

from __future__ import annotations

import threading

import pytest

from api import running
from api.running import judge_run
from db.claims import claim_run
from db.engine import Engine
from db.owners import new_owner
from db.runs import Progress, RunState, get_run, pause_run
from recall_core.judges import make_judge
from tests.db.making import NOW, examples, kept_dataset, queued_run

JUDGE = make_judge("context_recall")


def queued(engine: Engine, count: int = 3) -> int:
    return queued_run(engine, kept_dataset(engine, examples(count)), judge=JUDGE)


def test_a_run_that_nobody_judges_is_judged_here_and_others_are_left_alone(engine: Engine) -> None:
    other, mine = queued(engine), queued(engine)
    told: list[Progress] = []

    come = judge_run(engine, mine, told.append)

    assert (come.state, come.judged) == (RunState.DONE, 3)
    assert told[-1] == come
    assert get_run(engine, other).state is RunState.QUEUED


def test_a_run_that_a_worker_has_is_only_waited_for(engine: Engine) -> None:
    run_id = queued(engine)
    claimed = claim_run(engine, new_owner(), running.utc_now())
    told = threading.Event()
    ended: list[Progress] = []
    waiting = threading.Thread(
        target=lambda: ended.append(judge_run(engine, run_id, lambda _: told.set()))
    )

    waiting.start()
    assert told.wait(10)
    pause_run(engine, run_id)
    waiting.join(10)

    assert claimed is not None
    assert [(come.state, come.judged) for come in ended] == [(RunState.PAUSED, 0)]


def test_stopping_gives_the_run_back_to_the_workers(engine: Engine) -> None:
    run_id = queued(engine)
    stop = threading.Event()
    stop.set()

    judge_run(engine, run_id, stop=stop)

    assert get_run(engine, run_id).state is RunState.QUEUED
    assert claim_run(engine, new_owner(), NOW) is not None


def test_an_interrupt_gives_the_run_back_as_well(engine: Engine) -> None:
    run_id = queued(engine, 50)

    def interrupt(_: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        judge_run(engine, run_id, interrupt)

    assert get_run(engine, run_id).state in (RunState.QUEUED, RunState.DONE)

"""How far a run is and when it will be done."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy import Engine

from db.claims import claim_run, finish_run
from db.errors import NotKept
from db.owners import new_owner
from db.progress import progress
from db.runs import Judged, RunState, pause_run, record_outcomes
from tests.db.making import (
    NOW,
    Found,
    example,
    examples,
    judge_everything,
    kept_dataset,
    queued_run,
)


def after(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def record(engine: Engine, run_id: int, numbers: range, at: datetime) -> None:
    judged = [Judged(n, n, example(n), Found().judge(example(n))) for n in numbers]
    record_outcomes(engine, run_id, Found(), judged, at)


def a_running_run(engine: Engine, count: int) -> int:
    run_id = queued_run(engine, kept_dataset(engine, examples(count)))
    claim_run(engine, new_owner(), NOW)
    return run_id


def test_before_it_begins_everything_is_left_and_nothing_is_promised(engine: Engine) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(4)))

    now = progress(engine, run_id, NOW)

    assert (now.state, now.total, now.judged, now.left) == (RunState.QUEUED, 4, 0, 4)
    assert (now.per_minute, now.seconds_left, now.by_kind) == (None, None, {})


def test_done_failed_and_skipped_are_counted_and_failures_by_kind(engine: Engine) -> None:
    rows = [
        example(1),
        example(2, question="fail"),
        replace(example(3), retrieved=None),
        example(4, question="fail"),
    ]
    run_id = queued_run(engine, kept_dataset(engine, rows))
    claim = claim_run(engine, new_owner(), NOW)
    assert claim is not None
    judge_everything(engine, run_id)
    finish_run(engine, claim, NOW)

    now = progress(engine, run_id, NOW)

    assert (now.processed, now.failed, now.skipped, now.left, now.judged) == (1, 2, 1, 0, 4)
    assert now.by_kind == {"timeout": 2}
    assert (now.state, now.per_minute) == (RunState.DONE, None)


def test_the_rate_and_the_time_left_come_from_what_was_judged(engine: Engine) -> None:
    run_id = a_running_run(engine, 100)
    record(engine, run_id, range(1, 41), after(10))

    now = progress(engine, run_id, after(20))

    assert now.per_minute == pytest.approx(120)
    assert now.seconds_left == pytest.approx(30)


def test_a_run_that_got_faster_shows_its_rate_of_the_last_half_minute(engine: Engine) -> None:
    run_id = a_running_run(engine, 100)
    record(engine, run_id, range(1, 21), after(100))
    record(engine, run_id, range(21, 81), after(190))

    now = progress(engine, run_id, after(200))

    assert now.per_minute == pytest.approx(120)
    assert now.seconds_left == pytest.approx(10)


def test_a_slow_judge_has_a_rate_over_its_last_judgements(engine: Engine) -> None:
    run_id = a_running_run(engine, 60)
    for number in range(1, 31):
        record(engine, run_id, range(number, number + 1), after(60 * number))

    now = progress(engine, run_id, after(60 * 30))

    assert now.per_minute == pytest.approx(1)
    assert now.seconds_left == pytest.approx(30 * 60)


def test_the_time_before_this_worker_does_not_count(engine: Engine) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(50)))
    claim = claim_run(engine, new_owner(), NOW)
    assert claim is not None
    record(engine, run_id, range(1, 11), after(1))
    finish_run(engine, claim, after(2))
    claim_run(engine, new_owner(), after(10_000))
    record(engine, run_id, range(11, 21), after(10_005))

    now = progress(engine, run_id, after(10_010))

    assert now.per_minute == pytest.approx(60)
    assert now.seconds_left == pytest.approx(30)


def test_a_paused_run_promises_no_time(engine: Engine) -> None:
    run_id = a_running_run(engine, 10)
    record(engine, run_id, range(1, 5), after(1))

    pause_run(engine, run_id)

    now = progress(engine, run_id, after(2))
    assert (now.state, now.left, now.seconds_left) == (RunState.PAUSED, 6, None)


def test_the_progress_of_a_run_that_is_gone_is_a_sentence(engine: Engine) -> None:
    with pytest.raises(NotKept, match="no run 9"):
        progress(engine, 9, NOW)

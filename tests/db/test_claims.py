"""Whose run it is: one worker's at a time, and nobody's for long when that worker is gone."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import psutil
from sqlalchemy import Engine

from db.claims import LEASE, claim_run, fail_run, finish_run, is_mine, renew_lease
from db.owners import is_gone, new_owner
from db.runs import (
    Judged,
    RunState,
    cancel_run,
    get_run,
    pause_run,
    record_outcomes,
    resume_run,
)
from recall_core.types import Skipped
from tests.db.making import (
    NOW,
    Found,
    example,
    examples,
    judge_everything,
    kept_dataset,
    queued_run,
)

ELSEWHERE = "another-host:1:0-abc"


def owner_with(pid: int, started: float) -> str:
    return f"{socket.gethostname()}:{pid}:{round(started * 1000)}-abc"


def a_dead_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_a_process_is_gone_when_its_id_is_free() -> None:
    assert is_gone(owner_with(a_dead_pid(), 0))


def test_a_process_is_gone_when_its_id_belongs_to_a_later_one() -> None:
    started = psutil.Process().create_time()

    assert is_gone(owner_with(os.getpid(), started - 60))
    assert not is_gone(owner_with(os.getpid(), started))
    assert not is_gone(new_owner())


def test_a_process_is_gone_when_it_has_ended_and_nobody_has_asked_how() -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    owner = owner_with(process.pid, psutil.Process(process.pid).create_time())
    alive = is_gone(owner)

    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)

    assert (alive, is_gone(owner)) == (False, True)
    process.communicate()


def test_of_another_hosts_processes_nothing_is_known() -> None:
    assert not is_gone(ELSEWHERE)


def test_the_oldest_waiting_run_is_claimed_and_only_once(engine: Engine) -> None:
    dataset_id = kept_dataset(engine, examples(1))
    first, second = queued_run(engine, dataset_id), queued_run(engine, dataset_id)

    claims = [claim_run(engine, new_owner(), NOW) for _ in range(3)]

    assert [claim and claim.run_id for claim in claims] == [first, second, None]
    run = get_run(engine, first)
    assert (run.state, run.started_at) == (RunState.RUNNING, NOW)


def test_many_workers_at_once_never_claim_the_same_run(engine: Engine) -> None:
    dataset_id = kept_dataset(engine, examples(1))
    made = [queued_run(engine, dataset_id) for _ in range(6)]

    with ThreadPoolExecutor(8) as pool:
        claims = list(pool.map(lambda _: claim_run(engine, new_owner(), NOW), range(8)))

    assert sorted(claim.run_id for claim in claims if claim) == made


def test_a_run_whose_worker_died_on_this_host_is_taken_over_at_once(engine: Engine) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(1)))
    claim_run(engine, owner_with(a_dead_pid(), 0), NOW)

    claim = claim_run(engine, new_owner(), NOW)

    assert claim is not None
    assert claim.run_id == run_id


def test_a_run_of_another_hosts_worker_is_taken_over_after_its_lease(engine: Engine) -> None:
    queued_run(engine, kept_dataset(engine, examples(1)))
    claim_run(engine, ELSEWHERE, NOW)

    before = claim_run(engine, new_owner(), NOW + LEASE - timedelta(seconds=1))
    after = claim_run(engine, new_owner(), NOW + LEASE)

    assert before is None
    assert after is not None


def test_a_renewed_lease_keeps_the_run(engine: Engine) -> None:
    queued_run(engine, kept_dataset(engine, examples(1)))
    claim = claim_run(engine, ELSEWHERE, NOW)
    assert claim is not None

    assert renew_lease(engine, claim, NOW + LEASE / 2)
    assert claim_run(engine, new_owner(), NOW + LEASE) is None


def test_a_worker_notices_that_its_run_is_no_longer_its_own(engine: Engine) -> None:
    dataset_id = kept_dataset(engine, examples(1))
    run_id = queued_run(engine, dataset_id)
    claim = claim_run(engine, new_owner(), NOW)
    assert claim is not None
    mine = is_mine(engine, claim)

    pause_run(engine, run_id)

    assert (mine, is_mine(engine, claim)) == (True, False)
    assert not renew_lease(engine, claim, NOW)
    assert not finish_run(engine, claim, NOW)
    fail_run(engine, claim, "too late", NOW)
    assert get_run(engine, run_id).state is RunState.PAUSED


def test_a_run_with_nothing_left_is_done(engine: Engine) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(2)))
    claim = claim_run(engine, new_owner(), NOW)
    assert claim is not None
    judge_everything(engine, run_id)

    finish_run(engine, claim, NOW)

    run = get_run(engine, run_id)
    assert (run.state, run.ended_at) == (RunState.DONE, NOW)


def test_a_run_that_is_let_go_early_waits_for_the_next_worker(engine: Engine) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(2)))
    claim = claim_run(engine, new_owner(), NOW)
    assert claim is not None

    finish_run(engine, claim, NOW)

    assert get_run(engine, run_id).state is RunState.QUEUED
    assert claim_run(engine, new_owner(), NOW) is not None


def test_a_cancelled_run_is_not_claimed(engine: Engine) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(1)))
    cancel_run(engine, run_id, now=NOW)

    assert claim_run(engine, new_owner(), NOW) is None


def judge_one_at(engine: Engine, run_id: int, number: int, at: datetime) -> None:
    one = example(number)
    judged = Judged(number, number, one, Skipped(one.id, "There is no retrieved passage."))
    record_outcomes(engine, run_id, Found(), [judged], at)


def test_the_time_that_a_run_took_leaves_pauses_out(engine: Engine) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(2)))
    claim_run(engine, new_owner(), NOW)
    judge_one_at(engine, run_id, 1, NOW + timedelta(seconds=30))
    pause_run(engine, run_id)
    paused = get_run(engine, run_id)

    resume_run(engine, run_id)
    later = NOW + timedelta(hours=1)
    claim = claim_run(engine, new_owner(), later)
    assert claim is not None
    judge_one_at(engine, run_id, 2, later + timedelta(seconds=15))
    finish_run(engine, claim, later + timedelta(seconds=20))

    run = get_run(engine, run_id)
    assert (paused.worked_seconds, run.worked_seconds) == (30, 50)
    assert run.ended_at == later + timedelta(seconds=20)


def test_a_dead_worker_has_worked_until_its_last_judgement(engine: Engine) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(2)))
    claim_run(engine, owner_with(a_dead_pid(), 0), NOW)
    judge_one_at(engine, run_id, 1, NOW + timedelta(seconds=7))

    claim = claim_run(engine, new_owner(), NOW + timedelta(days=1))
    assert claim is not None
    fail_run(engine, claim, "no", NOW + timedelta(days=1, seconds=2))

    assert get_run(engine, run_id).worked_seconds == 9


def test_a_run_that_is_cancelled_before_anybody_has_it_took_no_time(engine: Engine) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(1)))

    cancel_run(engine, run_id, now=NOW)

    assert get_run(engine, run_id).worked_seconds == 0

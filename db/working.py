"""What a worker does: claim runs, judge what has no judgement yet, record it, take the next.

A run without a model takes the processor, so there is one at a time; beside it one run of each
endpoint, which mostly waits for the server.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Protocol

from sqlalchemy import Engine

from db.claims import Busy, Claim, claim_run, fail_run, finish_run, stop_run
from db.judging import JudgingThread, LocalJudging
from db.judging_models import ModelJudging, Models
from db.processors import on_one_processor
from db.recording import TICK, Clock, Pace, Recorder
from recall_core.asking.judge import ModelJudge
from recall_core.errors import InvalidSetting, RecallError
from recall_core.judges import make_judge
from recall_core.judges.base import Judge
from recall_core.types import Json

MakeJudge = Callable[[str, Mapping[str, Json]], Judge]


def work(
    engine: Engine,
    *,
    owner: str,
    stop: threading.Event,
    clock: Clock,
    make: MakeJudge = make_judge,
    pace: Pace | None = None,
    models: Models | None = None,
) -> None:
    """Judge the runs that wait, until `stop` is set.

    On `stop` what the judges have begun is finished and recorded (within `pace.patience`) and the
    runs are given back. `owner` is a name from `db.owners.new_owner`. Raises what stands in the way
    of all work, as a database that cannot be written.
    """
    pace = pace or Pace()
    judge = partial(
        judge_claimed,
        engine,
        stop=stop,
        clock=clock,
        make=make,
        pace=pace,
        models=models or Models(),
    )
    at_work: list[AtWork] = []
    while not stop.is_set():
        at_work = [one for one in at_work if not one.is_over()]
        claim = claim_run(engine, owner, clock(), _busy(at_work))
        if claim is None:
            _wait(stop, at_work, pace.look)
        else:
            at_work.append(AtWork(claim, judge))
            at_work[-1].start()
    for one in at_work:
        one.join()
        one.is_over()


class JudgesClaims(Protocol):
    """Judges a claimed run and sets `halt` once no further example is begun."""

    def __call__(self, claim: Claim, *, halt: threading.Event) -> None: ...


class AtWork(threading.Thread):
    """One claimed run being judged. Once `halt` is set it only waits for what has been begun."""

    def __init__(self, claim: Claim, judge: JudgesClaims) -> None:
        super().__init__(name=f"run {claim.run_id}", daemon=True)
        self.claim = claim
        self.halt = threading.Event()
        self._judge = judge
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            self._judge(self.claim, halt=self.halt)
        except Exception as error:  # noqa: BLE001  # raised again in the worker's main thread
            self._error = error

    def is_over(self) -> bool:
        """Whether it has ended; raises what it ended with."""
        if self._error is not None:
            raise self._error
        return not self.is_alive()


def _busy(at_work: Sequence[AtWork]) -> Busy:
    """What cannot be claimed beside these: the same runs, and what each of them works with, except
    an endpoint that is only waited for."""
    return Busy(
        runs=frozenset(one.claim.run_id for one in at_work),
        endpoints=frozenset(
            one.claim.endpoint
            for one in at_work
            if one.claim.endpoint is None or not one.halt.is_set()
        ),
    )


def _wait(stop: threading.Event, at_work: Sequence[AtWork], seconds: float) -> None:
    """Wait until it is time to look again, or one of these has ended."""
    until = time.monotonic() + seconds
    while time.monotonic() < until and not stop.wait(min(TICK, seconds)):
        if not all(one.is_alive() for one in at_work):
            return


def judge_claimed(
    engine: Engine,
    claim: Claim,
    *,
    stop: threading.Event,
    clock: Clock,
    make: MakeJudge,
    pace: Pace,
    models: Models | None = None,
    halt: threading.Event | None = None,
) -> None:
    """Judge the claimed run to its end, to `stop`, or until it is no longer this owner's.

    `halt` is set as soon as no further example is begun.
    """
    halt = halt or threading.Event()
    try:
        judge = _same_judge(claim, make)
    except RecallError as error:
        fail_run(engine, claim, str(error), clock())
        return
    judging: JudgingThread
    where: AbstractContextManager[None] = nullcontext()
    if isinstance(judge, ModelJudge):
        judging = ModelJudging(engine, claim, judge, halt, clock=clock, models=models or Models())
        where = on_one_processor(claim.run_id)
    else:
        judging = LocalJudging(engine, claim, judge, halt)
    recorder = Recorder(engine, claim, judge, clock, pace)
    with where:
        judging.start()
        try:
            recorder.record_until_end(judging, stop)
        finally:
            halt.set()
    _let_go(engine, claim, judge, judging, clock)


def _let_go(
    engine: Engine, claim: Claim, judge: Judge, judging: JudgingThread, clock: Clock
) -> None:
    if judging.error is not None:
        fail_run(engine, claim, _broken(judge, judging.error), clock())
    elif judging.stopped is not None:
        stop_run(engine, claim, judging.stopped.state, judging.stopped.message, clock())
    else:
        finish_run(engine, claim, clock())


def _same_judge(claim: Claim, make: MakeJudge) -> Judge:
    """The judge as it was when the run was made; `InvalidSetting` where it no longer exists so."""
    judge = make(claim.judge, claim.settings)
    if judge.version != claim.judge_version:
        raise InvalidSetting(
            f"The run was made with version {claim.judge_version} of {claim.judge}, and this "
            f"program has version {judge.version}, whose scores cannot be compared with it. "
            "Clone the run to judge the dataset with the new version."
        )
    return judge


def _broken(judge: Judge, error: Exception) -> str:
    if isinstance(error, RecallError):
        return str(error)
    return f"Judging with {judge.name} broke off: {type(error).__name__}: {error}"

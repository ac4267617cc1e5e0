"""What a worker does: claim a run, judge what has no judgement yet, record it, take the next.

The judge runs in a thread of its own, the records are written here. So progress moves while a slow
judge thinks, the lease is renewed in time, and a pause is noticed within a second.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Engine, select

from db.claims import (
    LEASE,
    Claim,
    claim_run,
    fail_run,
    finish_run,
    is_mine,
    renew_lease,
    unjudged,
)
from db.engine import reading
from db.examples import examples_by_id
from db.outcomes import BATCH, Judged, record_outcomes
from db.tables import ExampleRow
from recall_core.errors import InvalidSetting, RecallError
from recall_core.judges import make_judge
from recall_core.judges.base import Judge
from recall_core.judging import judge_all
from recall_core.types import Example, Json

MakeJudge = Callable[[str, Mapping[str, Json]], Judge]
Clock = Callable[[], datetime]

READ_AHEAD = 20
"""How many examples are read from the database at once."""
TICK = 0.1
"""Seconds that the recorder waits for the next outcome before it looks round."""


@dataclass(frozen=True, slots=True)
class Pace:
    """All in seconds: how long an answer may wait to be written with others, how often the worker
    looks for a new run and for a pause, and how long it waits for its judge when told to stop.
    """

    record: float = 0.5
    look: float = 0.5
    renew: float = LEASE.total_seconds() / 3
    patience: float = 8.0


def work(
    engine: Engine,
    *,
    owner: str,
    stop: threading.Event,
    clock: Clock,
    make: MakeJudge = make_judge,
    pace: Pace | None = None,
) -> None:
    """Judge the runs that wait, one after another, until `stop` is set.

    On `stop` what the judge has begun is finished and recorded (within `pace.patience`) and the
    run is given back. `owner` is a name from `db.owners.new_owner`.
    """
    pace = pace or Pace()
    while not stop.is_set():
        claim = claim_run(engine, owner, clock())
        if claim is None:
            stop.wait(pace.look)
        else:
            judge_claimed(engine, claim, stop=stop, clock=clock, make=make, pace=pace)


def judge_claimed(
    engine: Engine,
    claim: Claim,
    *,
    stop: threading.Event,
    clock: Clock,
    make: MakeJudge,
    pace: Pace,
) -> None:
    """Judge the claimed run to its end, to `stop`, or until it is no longer this owner's."""
    try:
        judge = _same_judge(claim, make)
    except RecallError as error:
        fail_run(engine, claim, str(error), clock())
        return
    judging = Judging(engine, claim, judge)
    recorder = Recorder(engine, claim, judge, clock, pace)
    judging.start()
    try:
        recorder.record_until_end(judging, stop)
    finally:
        judging.halt.set()
    if judging.error is None:
        finish_run(engine, claim, clock())
    else:
        fail_run(engine, claim, _broken(judge, judging.error), clock())


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


class Judging(threading.Thread):
    """Judges the examples without a judgement and puts the outcomes into `outbox`, then `None`.

    When `halt` is set it reads no further example, and the outcomes of those begun still come.
    """

    def __init__(self, engine: Engine, claim: Claim, judge: Judge) -> None:
        super().__init__(name=f"judging run {claim.run_id}", daemon=True)
        self.outbox: queue.SimpleQueue[Judged | None] = queue.SimpleQueue()
        self.halt = threading.Event()
        self.error: Exception | None = None
        self._engine, self._claim, self._judge = engine, claim, judge
        self._begun: deque[tuple[int, int, Example]] = deque()
        self._room = threading.Semaphore(4 * BATCH)

    def run(self) -> None:
        try:
            for outcome in judge_all(self._judge, self._examples()):
                example_id, position, example = self._begun.popleft()
                self.outbox.put(Judged(example_id, position, example, outcome))
        except Exception as error:  # noqa: BLE001  # becomes the run's message, in the main thread
            self.error = error
        finally:
            self.outbox.put(None)

    def make_room(self, count: int) -> None:
        """So many have been recorded; a judge may only be so far ahead of that."""
        if count:
            self._room.release(count)

    def _examples(self) -> Iterator[Example]:
        for example_id, position, example in unjudged_examples(self._engine, self._claim):
            while not self._room.acquire(timeout=0.2):
                if self.halt.is_set():
                    return
            if self.halt.is_set():
                return
            self._begun.append((example_id, position, example))
            yield example


def unjudged_examples(engine: Engine, claim: Claim) -> Iterator[tuple[int, int, Example]]:
    """Row id, position and example, of each that the run has no judgement for, in order."""
    after = 0
    while True:
        with reading(engine) as session:
            query = unjudged(claim.run_id, claim.dataset_id, after=after).limit(READ_AHEAD)
            ids = session.scalars(query).all()
            examples = examples_by_id(session, ids, claim.statement_set_id)
            places = select(ExampleRow.id, ExampleRow.position).where(ExampleRow.id.in_(ids))
            positions = dict(session.execute(places).all())
        if not examples:
            return
        for example_id, example in examples.items():
            yield example_id, positions[example_id], example
        after = max(positions.values())


class Recorder:
    """Writes outcomes in small batches, by count and by time, and keeps the lease meanwhile."""

    def __init__(
        self, engine: Engine, claim: Claim, judge: Judge, clock: Clock, pace: Pace
    ) -> None:
        self._engine, self._claim, self._judge = engine, claim, judge
        self._clock, self._pace = clock, pace
        self._batch: list[Judged] = []
        self._written = self._renewed = self._looked = time.monotonic()

    def record_until_end(self, judging: Judging, stop: threading.Event) -> None:
        """Record what comes, until the judge is through or has been waited for long enough."""
        deadline: float | None = None
        while deadline is None or time.monotonic() < deadline:
            with contextlib.suppress(queue.Empty):
                judged = judging.outbox.get(timeout=TICK)
                if judged is None:
                    break
                self._batch.append(judged)
            if len(self._batch) >= BATCH or self._is_due(self._written, self._pace.record):
                self._write(judging)
            if deadline is None and (stop.is_set() or not self._is_still_mine()):
                judging.halt.set()
                deadline = time.monotonic() + self._pace.patience
        self._write(judging)

    def _write(self, judging: Judging) -> None:
        record_outcomes(self._engine, self._claim.run_id, self._judge, self._batch, self._clock())
        judging.make_room(len(self._batch))
        self._batch, self._written = [], time.monotonic()

    def _is_still_mine(self) -> bool:
        """Renews the lease and looks for a pause, each when its time has come."""
        if self._is_due(self._renewed, self._pace.renew):
            self._renewed = time.monotonic()
            return renew_lease(self._engine, self._claim, self._clock())
        if self._is_due(self._looked, self._pace.look):
            self._looked = time.monotonic()
            return is_mine(self._engine, self._claim)
        return True

    @staticmethod
    def _is_due(since: float, seconds: float) -> bool:
        return time.monotonic() - since >= seconds

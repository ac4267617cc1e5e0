"""Writing down what a judge says while it judges, and noticing when it should stop."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Engine

from db.claims import LEASE, Claim, is_mine, renew_lease
from db.judged import Judged
from db.judging import JudgingThread
from db.outcomes import BATCH, record_outcomes
from recall_core.judges.base import Judge

Clock = Callable[[], datetime]

TICK = 0.1
"""Seconds that the recorder waits for a full batch before it looks round."""


@dataclass(frozen=True, slots=True)
class Pace:
    """All in seconds: how long an answer may wait to be written with others, how often the worker
    looks for a new run and for a pause, and how long it waits for its judge when told to stop.
    """

    record: float = 0.5
    look: float = 0.5
    renew: float = LEASE.total_seconds() / 3
    patience: float = 8.0


class Recorder:
    """Writes outcomes in small batches, by count and by time, and keeps the lease meanwhile."""

    def __init__(
        self, engine: Engine, claim: Claim, judge: Judge, clock: Clock, pace: Pace
    ) -> None:
        self._engine, self._claim, self._judge = engine, claim, judge
        self._clock, self._pace = clock, pace
        self._batch: list[Judged] = []
        self._written = self._renewed = self._looked = time.monotonic()
        self._mine = True
        self._until = math.inf

    def record_until_end(self, judging: JudgingThread, stop: threading.Event) -> None:
        """Record what comes, until the judge is through or has been waited for long enough.

        Where the run is no longer this owner's, what has been begun is waited for as long as it may
        take; where the whole process must stop, only for `pace.patience`.
        """
        while time.monotonic() < self._until and not judging.outbox.is_over():
            self._batch += judging.outbox.take(BATCH - len(self._batch), TICK)
            if len(self._batch) >= BATCH or self._is_due(self._written, self._pace.record):
                self._write(judging)
            self._look_round(judging, stop)
        self._write(judging)

    def _look_round(self, judging: JudgingThread, stop: threading.Event) -> None:
        if stop.is_set():
            self._end_within(self._pace.patience, judging)
        elif self._mine and not self._is_still_mine():
            self._mine = False
            self._end_within(max(self._pace.patience, judging.patience), judging)

    def _end_within(self, seconds: float, judging: JudgingThread) -> None:
        judging.halt.set()
        self._until = min(self._until, time.monotonic() + seconds)

    def _write(self, judging: JudgingThread) -> None:
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

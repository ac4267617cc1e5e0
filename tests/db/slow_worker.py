"""A worker process with a slow judge, for tests that kill it: URL, log file, seconds an example.

Every example that the judge is asked about is written to the log first, with the process id.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from db.engine import open_engine
from db.owners import new_owner
from db.recording import Pace
from db.working import work
from recall_core.types import Example, Outcome
from tests.db.making import Found

URL, LOG, SECONDS = sys.argv[1], Path(sys.argv[2]), float(sys.argv[3])


class Slow(Found):
    """Takes its time."""

    def judge(self, example: Example) -> Outcome:
        with LOG.open("a") as log:
            log.write(f"{os.getpid()} {example.id}\n")
        time.sleep(SECONDS)
        return super().judge(example)


def make_slow(name: str, settings: Mapping[str, object]) -> Slow:
    assert name == "found"
    return Slow.model_validate(settings)


stop = threading.Event()
signal.signal(signal.SIGTERM, lambda _number, _frame: stop.set())
work(
    open_engine(URL),
    owner=new_owner(),
    stop=stop,
    clock=lambda: datetime.now(UTC),
    make=make_slow,
    pace=Pace(record=0.05, look=0.05),
)

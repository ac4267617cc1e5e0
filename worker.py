"""Judges the runs that wait in the database, until it is told to stop.

`app.py` starts it by itself as a child process; `python worker.py` runs it alone, for example on
another machine with the same database.
"""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
import threading
from datetime import UTC, datetime

from api.supervisor import end_with_parent
from db.deleting import sweep_unfinished
from db.engine import open_engine
from db.owners import new_owner
from db.working import work
from recall_core.errors import RecallError

POLITENESS = 10
"""Pages come first: the worker takes the processor time that they leave."""


def main() -> int:
    """Work until SIGTERM or SIGINT; 0 for a clean end, 1 if the database cannot be used."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: stop.set())
    end_with_parent()
    if hasattr(os, "nice"):
        os.nice(POLITENESS)
    try:
        engine = open_engine()
        sweep_unfinished(engine, now=_now())
        # What is imported by now stays; else the collector would look through it again and again,
        # a seventh of all that judging with a model takes of the processor.
        gc.freeze()
        gc.set_threshold(20_000, 50, 100)
        work(engine, owner=new_owner(), stop=stop, clock=_now)
    except RecallError as error:
        logging.getLogger("recall.worker").error("%s", error)
        return 1
    engine.dispose()
    return 0


def _now() -> datetime:
    return datetime.now(UTC)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    for chatty in ("alembic", "httpx2"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    status = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # A judge that hangs in a thread must not keep the process alive: all that counts is stored.
    os._exit(status)

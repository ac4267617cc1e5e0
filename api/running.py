"""Judging one run in this process, for programs that wait for it: no worker need be there."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime

from db.claims import Busy, claim_run
from db.engine import Engine
from db.owners import new_owner
from db.recording import Pace
from db.run_cards import list_runs
from db.runs import Progress, progress
from db.working import judge_claimed
from recall_core.judges import make_judge

LOOK = 0.1
"""Seconds between two looks at how far it is."""

Told = Callable[[Progress], None]


def utc_now() -> datetime:
    """This moment."""
    return datetime.now(UTC)


def judge_run(
    engine: Engine,
    run_id: int,
    told: Told = lambda _come: None,
    *,
    stop: threading.Event | None = None,
) -> Progress:
    """Judge the run, unless a worker does so already, until nobody judges it any more.

    `told` hears how far it is about ten times a second. Ends as soon as the run is done, failed,
    paused or cancelled. Whatever ends it before that, `stop` or Ctrl-C, leaves the run to the
    workers when what has been begun is recorded.
    """
    owner, stop = new_owner(), stop or threading.Event()
    judging: threading.Thread | None = None
    try:
        while True:
            if not stop.is_set() and (judging is None or not judging.is_alive()):
                judging = _begun(engine, run_id, owner, stop)
            come = progress(engine, run_id, utc_now())
            told(come)
            if stop.is_set() or not come.state.active:
                return come
            if judging is None:
                stop.wait(LOOK)
            else:
                judging.join(LOOK)
    finally:
        stop.set()
        if judging is not None:
            judging.join()


def _begun(
    engine: Engine, run_id: int, owner: str, stop: threading.Event
) -> threading.Thread | None:
    """A thread that judges the run; `None` while somebody else does, or it is over."""
    others = frozenset(run.id for run in list_runs(engine, archived=True)) - {run_id}
    claim = claim_run(engine, owner, utc_now(), Busy(runs=others))
    if claim is None:
        return None
    thread = threading.Thread(
        target=judge_claimed,
        args=(engine, claim),
        kwargs={"stop": stop, "clock": utc_now, "make": make_judge, "pace": Pace()},
        name=f"run {claim.run_id}",
        daemon=True,
    )
    thread.start()
    return thread

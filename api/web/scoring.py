"""Scoring: at once where it is short, in a process of its own where it would hold up the server.

A thread would not do: a judge in pure Python that runs beside the event loop takes the
interpreter from it, and every other request, and every page, waits (measured: 500 requests a
second fell to 191).
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from api.web.threads import Bounded
from recall_core.judges.base import LocalJudge
from recall_core.judging import judge_one
from recall_core.results import Result, result_of
from recall_core.types import Example

SHORT_PAIRS = 200
SHORT_CHARACTERS = 20_000
"""What is scored at once: comparing this much takes about a millisecond."""

WAITING = 32


def score(judge: LocalJudge, examples: Sequence[Example]) -> list[Result]:
    """One result an example, in order; a judge that breaks fails only that example."""
    return [result_of(example, judge, judge_one(judge, example)) for example in examples]


def is_short(judge: LocalJudge, examples: Sequence[Example]) -> bool:
    """Whether scoring takes no longer than answering does."""
    if judge.screen:
        return not examples
    pairs = sum(len(e.ground_truth or ()) * len(e.retrieved or ()) for e in examples)
    return pairs <= SHORT_PAIRS and _characters(examples) <= SHORT_CHARACTERS


def _characters(examples: Sequence[Example]) -> int:
    owed = sum(len(p.text) for e in examples for p in e.ground_truth or ())
    return owed + sum(len(p.text) for e in examples for p in e.retrieved or ())


class ScoringProcess:
    """One more process, started when it is first needed."""

    def __init__(self) -> None:
        self._place: Bounded | None = None

    async def score(self, judge: LocalJudge, examples: Sequence[Example]) -> list[Result]:
        """As `score`; a 503 when too many wait. A process that died is replaced, once."""
        if is_short(judge, examples):
            return score(judge, examples)
        try:
            return await self._started().run(score, judge, examples)
        except BrokenProcessPool:
            self.close()
            return await self._started().run(score, judge, examples)

    def close(self) -> None:
        """End the process."""
        if self._place is not None:
            self._place.close()
            self._place = None

    def _started(self) -> Bounded:
        if self._place is None:
            pool = ProcessPoolExecutor(
                1,
                # Forking a process with threads and a running event loop would copy held locks.
                mp_context=multiprocessing.get_context("spawn"),
                initializer=_begin,
            )
            self._place = Bounded(pool, waiting=WAITING, what="scoring")
        return self._place


def _begin() -> None:
    """In the child: Ctrl-C is the server's business, and without the server there is no work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, name="parent watch", daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(0)

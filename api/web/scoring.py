"""Scoring: at once where it is short, in a process of its own where it would hold up the server.

A thread would not do: a judge in pure Python that runs beside the event loop takes the
interpreter from it, and every other request, and every page, waits (measured: 500 requests a
second fell to 191).
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, cast

from api.scoring_process import receive, score, send
from api.web.threads import bounded_threads
from recall_core.judges.base import LocalJudge
from recall_core.results import Result
from recall_core.types import Example

ROOT = Path(__file__).resolve().parents[2]
COMMAND = (sys.executable, "-m", "api.scoring_process")

SHORT_PAIRS = 200
SHORT_CHARACTERS = 20_000
"""What is scored at once: comparing this much takes about a millisecond."""

WAITING = 32


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
    """One more process, started when it is first needed, and one thread that talks to it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = bounded_threads(1, waiting=WAITING, what="scoring")

    async def score(self, judge: LocalJudge, examples: Sequence[Example]) -> list[Result]:
        """One result an example, in order; a 503 when too many wait."""
        if is_short(judge, examples):
            return score(judge, examples)
        return await self._thread.run(self._elsewhere, judge, examples)

    def close(self) -> None:
        """End the process."""
        self._thread.close()
        self._end()

    def _elsewhere(self, judge: LocalJudge, examples: Sequence[Example]) -> list[Result]:
        """Ask the process; one that died is replaced, once."""
        try:
            return self._ask(judge, examples)
        except (EOFError, OSError):
            self._end()
            return self._ask(judge, examples)

    def _ask(self, judge: LocalJudge, examples: Sequence[Example]) -> list[Result]:
        process = self._process = self._process or subprocess.Popen(
            COMMAND, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        send(cast("IO[bytes]", process.stdin), (judge, examples))
        return cast("list[Result]", receive(cast("IO[bytes]", process.stdout)))

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.communicate()

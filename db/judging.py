"""Judging in a thread of its own, so that progress is written while a judge thinks."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Engine, select

from db.claims import Claim, unjudged
from db.engine import reading
from db.examples import examples_by_id
from db.judged import Judged
from db.outbox import Outbox
from db.outcomes import BATCH
from db.run_cards import RunState
from db.tables import ExampleRow, JudgementRow
from recall_core.judges.base import Judge
from recall_core.judging import judge_all
from recall_core.types import Example

READ_AHEAD = 100
"""How many examples are read from the database at once."""
ROOM = 4 * BATCH
"""How many outcomes a judge may be ahead of what is recorded."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """Why judging ended before the examples did, and the state that the run is left in."""

    state: RunState
    message: str


class JudgingThread(threading.Thread, ABC):
    """Judges the examples without a judgement and puts the outcomes into `outbox`, then closes it.

    When `halt` is set it begins no further example, and the outcomes of those begun still come,
    for a model within `patience` seconds (0: a judge that is slow to end is not waited for).
    """

    patience = 0.0

    def __init__(self, engine: Engine, claim: Claim, halt: threading.Event) -> None:
        super().__init__(name=f"judging run {claim.run_id}", daemon=True)
        self.outbox = Outbox()
        self.halt = halt
        self.error: Exception | None = None
        self.stopped: Stopped | None = None
        self.engine, self.claim = engine, claim

    def run(self) -> None:
        try:
            self.judge_everything()
        except Exception as error:  # noqa: BLE001  # becomes the run's message, in the main thread
            self.error = error
        finally:
            self.outbox.close()

    @abstractmethod
    def judge_everything(self) -> None:
        """Put an outcome into the outbox for each example, and return."""

    @abstractmethod
    def make_room(self, count: int) -> None:
        """So many have been recorded; a judge may only be `ROOM` ahead of that."""


class LocalJudging(JudgingThread):
    """Judges with a judge that needs nothing but the example."""

    def __init__(
        self, engine: Engine, claim: Claim, judge: Judge, halt: threading.Event | None = None
    ) -> None:
        super().__init__(engine, claim, halt or threading.Event())
        self._judge = judge
        self._begun: deque[Waiting] = deque()
        self._room = threading.Semaphore(ROOM)

    def judge_everything(self) -> None:
        for outcome in judge_all(self._judge, self._examples()):
            begun = self._begun.popleft()
            self.outbox.put(Judged(begun.example_id, begun.position, begun.example, outcome))

    def make_room(self, count: int) -> None:
        if count:
            self._room.release(count)

    def _examples(self) -> Iterator[Example]:
        for waiting in unjudged_examples(self.engine, self.claim):
            while not self._room.acquire(timeout=0.2):
                if self.halt.is_set():
                    return
            if self.halt.is_set():
                return
            self._begun.append(waiting)
            yield waiting.example


@dataclass(frozen=True, slots=True)
class Waiting:
    """An example that the run has no judgement for. `calls_after`: only what the model has said
    since that call may answer, for its earlier replies were no good.
    """

    example_id: int
    position: int
    example: Example
    calls_after: int = 0


def unjudged_examples(engine: Engine, claim: Claim) -> Iterator[Waiting]:
    """Each example that the run has no judgement for, in order, read in small batches."""
    after = 0
    row, again = ExampleRow, JudgementRow
    while True:
        with reading(engine) as session:
            query = unjudged(claim.run_id, claim.dataset_id, after=after).limit(READ_AHEAD)
            ids = session.scalars(query).all()
            examples = examples_by_id(session, ids, claim.statement_set_id)
            places = select(row.id, row.position).where(row.id.in_(ids))
            positions = dict(session.execute(places).all())
            asked = select(again.example_id, again.calls_after)
            asked = asked.where(again.run_id == claim.run_id, again.example_id.in_(ids))
            calls_after = dict(session.execute(asked).all())
        if not examples:
            return
        for example_id, example in examples.items():
            position, calls = positions[example_id], calls_after.get(example_id, 0)
            yield Waiting(example_id, position, example, calls)
        after = max(positions.values())

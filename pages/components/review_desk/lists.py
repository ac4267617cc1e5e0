"""Which judgements the desk walks through, in which order, and what brought them there."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from db.audits import DONE, audit_draws
from db.engine import Engine
from db.queues import queue_ids
from db.run_cards import get_run
from recall_core.queues import Queue
from recall_core.second_look import ONE_IN


@dataclass(frozen=True)
class ReviewList:
    """The judgements to walk through, in their order; `name` is what people call the list.

    `queue` brought them all but `guest`, to which a link led though it is not in the queue.
    """

    ids: tuple[int, ...]
    name: str
    queue: Queue = Queue.CHOSEN
    behind: int = 0
    """So many at the front the person has done already."""
    guest: int | None = None
    hint: str | None = None
    """In what order they stand, where that needs saying."""

    @cached_property
    def key(self) -> str:
        """By which the desk knows that it has this list in this order."""
        return hashlib.sha256(repr(self.ids).encode()).hexdigest()[:16]

    @cached_property
    def places(self) -> Mapping[int, int]:
        """Where each judgement stands, from 0."""
        return {judgement_id: place for place, judgement_id in enumerate(self.ids)}

    @property
    def first(self) -> int:
        """Where the person begins, or goes on; there is at least one judgement."""
        return self.ids[min(self.behind, len(self.ids) - 1)]

    @property
    def empty(self) -> bool:
        """Whether nothing is left to review in it."""
        return len(self.ids) <= self.behind

    def with_second_looks(self, ids: Sequence[int]) -> ReviewList:
        """The same list, in which examples that come back stand among the others, one in twenty.

        The audit's order is drawn, and settling a difference is no scoring, so not in these.
        """
        back = [i for i in ids if i != self.guest]
        if not back or self.queue in (Queue.AUDIT, Queue.RESOLVE):
            return self
        mixed = [i for i in self.ids if i not in set(back)]
        for number, judgement_id in enumerate(back, 1):
            mixed.insert(self.behind + number * ONE_IN - 1, judgement_id)
        return ReviewList(tuple(mixed), self.name, self.queue, self.behind, self.guest)

    def with_guest(self, judgement_id: int | None) -> ReviewList:
        """The same list, in which a judgement that a link names comes first if it lacks it."""
        if judgement_id is None or judgement_id in self.places:
            return self
        ids = (*self.ids[: self.behind], judgement_id, *self.ids[self.behind :])
        return replace(self, ids=ids, guest=judgement_id)


def queue_list(engine: Engine, run_id: int, queue: Queue, reviewer: str) -> ReviewList:
    """A queue as it stands for this person; an audit begins with what they have done of it."""
    ids = queue_ids(engine, run_id, queue, reviewer)
    if queue is not Queue.AUDIT:
        return ReviewList(ids, queue.label, queue, hint=_ORDERS.get(queue))
    draws = [d for d in audit_draws(engine, run_id) if d.drawn_by == reviewer and d.state == DONE]
    done = [d.judgement_id for d in draws if d.judgement_id not in set(ids)]
    seed = get_run(engine, run_id).options.audit_seed
    hint = f"random order, seed {seed}"
    return ReviewList((*done, *ids), queue.label, queue, len(done), hint=hint)


_ORDERS = {
    Queue.DISAGREEMENT: "widest apart first",
    Queue.STAKE: "most at stake first",
    Queue.FLAGGED: "oldest flag first",
}

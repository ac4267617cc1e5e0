"""How far the run's reviewing has come: how much each queue holds, and what could still move."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from db.engine import Engine
from db.estimating import headline
from db.queues import next_valuable, queue_counts
from db.reviews import hides_judge
from db.stopping import stop_rule
from recall_core.headline import Headline
from recall_core.queues import Queue

log = logging.getLogger(__name__)

AT_MOST_EVERY = timedelta(seconds=1)
"""Counting a long run's queues takes a tenth of a second, so not with every decision."""
AT_LEAST_EVERY = timedelta(seconds=30)
"""What other people do changes the counts too."""
BLIND = "Run hidden while blind"
ALWAYS_THERE = (Queue.AUDIT, Queue.DISAGREEMENT, Queue.STAKE)
ON_THE_DESK = (
    Queue.AUDIT,
    Queue.DISAGREEMENT,
    Queue.STAKE,
    Queue.FAILURES,
    Queue.FLAGGED,
    Queue.MINE,
    Queue.RESOLVE,
)
"""The queues in the order in which they stand on the desk; the list is not one of them."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What the strip shows, as of `at`; `old` if somebody has decided something since."""

    at: datetime
    body: Mapping[str, Any]
    old: bool = False


def standing(
    engine: Engine,
    run_id: int,
    reviewer: str,
    *,
    before: Standing | None,
    stored: bool,
    now: datetime,
) -> Standing | None:
    """The standing now, counted anew if that is due: after `stored` acts at most once a second.

    `None` if the database has not answered so far.
    """
    if before is not None and not _due(before, stored, now):
        return replace(before, old=before.old or stored)
    try:
        return Standing(now, read_standing(engine, run_id, reviewer))
    except Exception:
        # The strip keeps what it shows; the desk says itself when its acts are not stored.
        log.exception("The queues of run %d could not be counted.", run_id)
        return before


def _due(before: Standing, stored: bool, now: datetime) -> bool:
    age = now - before.at
    return age >= (AT_MOST_EVERY if stored or before.old else AT_LEAST_EVERY)


def read_standing(engine: Engine, run_id: int, reviewer: str) -> dict[str, Any]:
    """Counts of the queues, the run's recall and the stop rule in words."""
    counts = queue_counts(engine, run_id, reviewer)
    return {
        "queues": [
            {
                "name": q.value,
                "label": q.label,
                "help": q.help,
                "count": counts[q],
                "place": place,
            }
            for place, q in enumerate(ON_THE_DESK)
            if counts[q] or q in ALWAYS_THERE
        ],
        **_how_it_stands(engine, run_id, reviewer),
    }


def _how_it_stands(engine: Engine, run_id: int, reviewer: str) -> dict[str, Any]:
    """The run's recall and the stop rule in words; who scores blind is told neither."""
    if hides_judge(engine, run_id, reviewer):
        return {"recall": "", "stop": {"words": BLIND, "decided": None}}
    rule = stop_rule(engine, run_id)
    return {
        "recall": recall_words(headline(engine, run_id)),
        "stop": {"words": rule.sentence, "decided": rule.decided},
    }


def recall_words(found: Headline) -> str:
    """`4.12 (3.93 to 4.31)`, and what more reviews would buy; empty without an interval."""
    if found.estimate is None:
        return ""
    if not found.interval:
        return found.number
    needed = found.reviews_for()
    more = "" if needed is None or not needed.more else f", {needed.sentence.rstrip('.')}"
    return f"{found.number} ({found.interval}){more}"


def next_queue(counts: Mapping[Queue, int], done: Queue) -> Queue | None:
    """Where to go on when a queue is done: the first other one that holds anything."""
    return next((q for q in ON_THE_DESK if q is not done and counts[q]), None)


def valuable(engine: Engine, run_id: int, reviewer: str, after: int | None) -> dict[str, Any]:
    """What to review next if nothing else is said: `{after, id, queue}`, `id` `None` if nothing."""
    found = next_valuable(engine, run_id, reviewer, after=after)
    if found is None:
        return {"after": after, "id": None}
    judgement_id, queue = found
    return {"after": after, "id": judgement_id, "queue": queue.value}

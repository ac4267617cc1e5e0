"""Stores that an example was shown, and which queue brought it; and flags."""

from __future__ import annotations

from datetime import datetime

from db.audits import draw_audit
from db.engine import Engine
from db.flags import flag, unflag
from db.reviews import open_review
from recall_core.queues import Queue


def show(
    engine: Engine, judgement_id: int, run_id: int, queue: Queue, *, reviewer: str, now: datetime
) -> int | None:
    """The example stands on screen. In the audit that is when it is drawn: the judgement that was
    drawn, which is another one if somebody drew this one first; else, and when nothing is left to
    draw, `None`.
    """
    if queue is Queue.AUDIT:
        draw = draw_audit(engine, run_id, reviewer=reviewer, now=now, expected=judgement_id)
        if draw is not None:
            return draw.judgement_id
        queue = Queue.CHOSEN
    open_review(engine, judgement_id, reviewer=reviewer, queue=queue, now=now)
    return None


def set_flag(
    engine: Engine, judgement_id: int, wanted: bool, *, reviewer: str, now: datetime
) -> None:
    """Ask for another look at the example, or say that it is not needed any more."""
    (flag if wanted else unflag)(engine, judgement_id, by=reviewer, now=now)

"""What goes over the wire between the review desk and its page, for tests of both ends."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from db.comments import comment
from pages.components.review_desk.answering import (
    Asked,
    ReviewList,
    Settled,
    asked_of,
    items_for,
    settle,
)
from pages.components.review_desk.panels import PanelAsked, panel_of
from tests.db.making import NOW
from tests.db.reviewing import Desk

NOTHING_DONE = Settled((), frozenset())


def sent(run: Desk, viewer: str = "Mara", example: str = "a") -> dict[str, Any]:
    """The one item that goes to the browser, as the browser gets it."""
    (item,) = all_sent(run, viewer, run.judgements[example])
    return item


def all_sent(run: Desk, viewer: str, *ids: int) -> list[dict[str, Any]]:
    items = items_for(run.engine, Asked(), NOTHING_DONE, ReviewList(ids, "All"), ids[0], viewer)
    return json.loads(json.dumps(items))


def acts(run: Desk, now: datetime, *entries: dict[str, Any], by: str = "Mara") -> Settled:
    base = {"client": f"{by}'s tab", "judgement": run.judgements["a"]}
    asked = asked_of({"entries": [base | {"seq": i} | e for i, e in enumerate(entries, 1)]})
    assert len(asked.entries) == len(entries)
    return settle(run.engine, asked.entries, reviewer=by, now=now, known={})


def opened(run: Desk, kind: str, viewer: str = "Mara", **more: Any) -> dict[str, Any]:
    """A panel as the browser gets it."""
    asked = PanelAsked.model_validate({"kind": kind, "judgement": run.judgements["a"]} | more)
    panel = panel_of(run.engine, asked, viewer, NOW)
    assert panel is not None
    return json.loads(json.dumps(panel))


def said(run: Desk, text: str, author: str, seq: int = 1) -> None:
    comment(
        run.engine,
        run.judgements["a"],
        text,
        author=author,
        now=NOW,
        client_id=f"{author}'s tab",
        client_seq=seq,
    )

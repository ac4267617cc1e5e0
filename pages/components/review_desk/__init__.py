"""The review desk: one component that goes through a run's examples by keyboard.

It holds a window of examples, draws each act at once and sends it until it is answered; see
`js/outbox.js` for the browser's side of that and `answering.py` for this side.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from db.engine import Engine
from db.runs import rerun_judgement
from db.sights import person, set_blind
from pages.components.review_desk.answering import (
    Settled,
    asked_of,
    items_or_trouble,
    settle,
)
from pages.components.review_desk.bundle import javascript, style_sheet
from pages.components.review_desk.items import desk_item, desk_run
from pages.components.review_desk.lists import ReviewList
from pages.components.review_desk.panels import panel_of
from pages.components.review_desk.standing import Standing, standing, valuable
from pages.components.session import now
from recall_core.details import RunFacts
from recall_core.errors import RecallError

__all__ = ["ReviewList", "desk_item", "review_desk"]

_mount = st.components.v2.component("recall_review_desk", js=javascript(), css=style_sheet())


def review_desk(
    engine: Engine,
    run: RunFacts,
    listed: ReviewList,
    opened: int,
    *,
    reviewer: str,
    on_leave: Callable[[Mapping[str, Any]], None],
    key: str,
) -> None:
    """Draw the desk over a list of the run's judgements, first showing `opened`.

    Call it in a fragment: each of its messages runs the calling function again. `on_leave` is
    called before the page is drawn when the person wants to go elsewhere: `{to: "list"}`, or
    `{to: "queue", queue}`.
    """
    settled = _Settling(engine, reviewer, key)
    again = _Again(engine, key)
    asked = asked_of(settled.state())
    outcome = settled.outcome()
    found = valuable(engine, run.id, reviewer, asked.at) if asked.valuable else None
    if found is not None:
        asked = asked.bringing(found["id"])
    items, trouble = items_or_trouble(engine, asked, outcome, listed, opened, reviewer)
    _mount(
        key=key,
        data={
            "name": key,
            "turn": asked.turn,
            "reviewer": reviewer,
            "person": {"blind": person(engine, reviewer).blind},
            "run": desk_run(run, listed.name) | {"queue": listed.queue.value, "hint": listed.hint},
            "open": opened,
            "order_key": listed.key,
            "order": None if asked.order_key == listed.key else list(listed.ids),
            "guest": listed.guest,
            "standing": _standing(engine, run.id, reviewer, outcome),
            "valuable": found,
            "items": items,
            "answers": list(outcome.answers),
            "trouble": outcome.trouble or trouble,
            "panel": panel_of(engine, asked.panel, reviewer, now()),
            "said": again.said(),
        },
        on_desk_change=settled.store,
        on_again_change=again.ask,
        on_blind_change=lambda: _choose_blind(engine, reviewer, key),
        on_go_change=lambda: on_leave(st.session_state.get(key, {}).get("go") or {}),
    )


def _standing(
    engine: Engine, run_id: int, reviewer: str, outcome: Settled
) -> Mapping[str, Any] | None:
    """What the strip shows, kept in the session between two counts."""
    place = f"desk-standing:{run_id}:{reviewer}"
    before: Standing | None = st.session_state.get(place)
    fresh = standing(engine, run_id, reviewer, before=before, stored=outcome.moved, now=now())
    st.session_state[place] = fresh
    return None if fresh is None else {**fresh.body, "old": fresh.old}


def _choose_blind(engine: Engine, reviewer: str, key: str) -> None:
    """As a callback: the person reviews blind from now on, or stops to."""
    wish = st.session_state.get(key, {}).get("blind") or {}
    set_blind(engine, reviewer, bool(wish.get("on")))


class _Settling:
    """Stores the desk's acts once a message: as a callback, before anything of the page is drawn
    (a click on another page must not outrun them), else when the desk is drawn.
    """

    def __init__(self, engine: Engine, reviewer: str, key: str) -> None:
        self.engine = engine
        self.reviewer = reviewer
        self.key = key
        self.place = f"{key}:settled"

    def store(self) -> None:
        """As a callback: the outcome is kept for the drawing."""
        self.outcome()

    def state(self) -> Any:
        return st.session_state.get(self.key, {}).get("desk")

    def outcome(self) -> Settled:
        asked = asked_of(self.state())
        mark = (asked.turn, tuple(e.name for e in asked.entries))
        kept = st.session_state.get(self.place)
        if kept is not None and kept[0] == mark and kept[1].trouble is None:
            settled: Settled = kept[1]
            return settled
        known = {} if kept is None else kept[1].saved
        settled = settle(self.engine, asked.entries, reviewer=self.reviewer, now=now(), known=known)
        st.session_state[self.place] = (mark, settled)
        return settled


class _Again:
    """Has the judge asked again where it failed, when the person says so."""

    def __init__(self, engine: Engine, key: str) -> None:
        self.engine = engine
        self.key = key
        self.place = f"{key}:again"

    def ask(self) -> None:
        """As a callback of the desk's button; what stands in the way is kept for the drawing."""
        trigger = st.session_state.get(self.key, {}).get("again") or {}
        judgement_id = int(trigger.get("judgement", 0))
        try:
            rerun_judgement(self.engine, judgement_id)
            self._keep(None)
        except RecallError as error:
            self._keep({"judgement": judgement_id, "trouble": str(error)})

    def said(self) -> dict[str, Any] | None:
        """Why the newest wish could not be met, if so."""
        said: dict[str, Any] | None = st.session_state.get(self.place)
        return said

    def _keep(self, said: dict[str, Any] | None) -> None:
        st.session_state[self.place] = said

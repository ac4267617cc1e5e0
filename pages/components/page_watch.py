"""Sees to it that a page that was chosen is drawn.

In Streamlit 1.67 a fragment that refreshes itself (a list with `run_every`, the review desk) names
the page that the browser shows when it asks. If that happens in the moment in which a person
leaves the page, the browser empties the new page, or the server forgets the click; one in fifteen
changes of page did so while a run was going on. This asks for the page again.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

_watch = st.components.v2.component(
    "recall_page_watch", js=Path(__file__).with_suffix(".js").read_text("utf-8")
)


def watch_page() -> None:
    """The frame draws this last, so that an empty page is one with nothing below it."""
    _watch(key="rd-page-watch", on_empty_change=_draw_again)


def _draw_again() -> None:
    """Streamlit reports a trigger only where a callback is given; the new run draws the page."""

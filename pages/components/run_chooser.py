"""Screens that need a run and were opened without one offer the runs there are."""

from __future__ import annotations

from typing import NoReturn

import streamlit as st

from db.runs import list_runs
from pages.components.page_parts import head, nothing_here
from pages.components.rows import rows
from pages.components.run_rows import RUN_COLUMNS, listed, run_row
from pages.components.session import engine, now


def choose_run(title: str, page: str) -> NoReturn:
    """Draw the runs that have something to show; the one that is opened opens on `page`."""
    cards = [card for card in list_runs(engine()) if card.processed or card.failed]
    if not cards:
        sentence = "This shows a run, and none has judged an example so far."
        nothing_here(title, sentence, "To all runs", "overview.py")
    with head(title, "Of which run?"):
        pass
    lines = [run_row(run, now()) for run in listed(cards)]
    opened = rows(RUN_COLUMNS, lines, key="choose_run")
    if opened is not None:
        st.switch_page(page, query_params={"run": opened})
    st.stop()

"""The buttons that load ready-made data and start its runs."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from pages.components.session import author, engine, now
from pages.components.starters import start_demo, start_labelled


def starter_buttons(*, primary: bool = False) -> None:
    """The demo, and the examples with human labels; both lead to the list of runs."""
    kind: Literal["primary", "secondary"] = "primary" if primary else "secondary"
    start = None
    if st.button("Open the demo", type=kind, key="open_demo"):
        start = start_demo
    if st.button("Load 60 examples with human labels", key="load_labelled"):
        start = start_labelled
    if start is not None:
        start(engine(), author=author(), now=now())
        st.switch_page("overview.py")

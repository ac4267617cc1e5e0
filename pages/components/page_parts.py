"""What screens share: a number in the address, the head, and what to say when nothing is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NoReturn

import streamlit as st

from db.errors import NotKept
from db.run_figures import LastStop
from pages.components.style import plain
from recall_core.queues import Queue


def number_in_address(name: str) -> int | None:
    """The number that the address gives for `name` (`?run=7`), `None` without one."""
    text = st.query_params.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None


def stop_in_address(stop: LastStop) -> dict[str, str]:
    """The words that open the desk where somebody stopped, in the queue that they were in."""
    where = {"run": str(stop.run_id), "judgement": str(stop.judgement_id)}
    return where if stop.queue is Queue.CHOSEN else where | {"queue": stop.queue.value}


@contextmanager
def head(title: str, caption: str) -> Iterator[None]:
    """Title and caption on the left; what is drawn inside stands in a row on the right."""
    left, right = st.columns([5, 4], vertical_alignment="center")
    with left, st.container(gap=None):
        st.title(plain(title), anchor=False)
        st.caption(plain(caption))
    with right, st.container(horizontal=True, horizontal_alignment="right"):
        yield


def nothing_here(
    title: str, sentence: str, label: str, page: str, query: Mapping[str, str] | None = None
) -> NoReturn:
    """A page that cannot show what it was asked for says why, and where to go (`page`?`query`)."""
    st.title(plain(title), anchor=False)
    st.markdown(plain(sentence))
    if st.button(label, type="primary"):
        st.switch_page(page, query_params=dict(query or {}))
    st.stop()


def gone(error: NotKept) -> NoReturn:
    """The address names something that is not kept (any more)."""
    nothing_here("Not here any more", str(error), "To all runs", "overview.py")

"""Comments by others on examples that one works on, in the header of every page."""

from __future__ import annotations

import streamlit as st

from db.comments import Notice, mark_read, notices, unread
from pages.components.session import engine, now, reviewer
from pages.components.style import ago, count, plain, shortened

_POPOVER = "rd-notices-popover"
_WISH = "rd-notices-wish"
SHOWN = 12


def notices_control() -> None:
    """How many comments wait to be read, and a list that opens their examples; drawn by the frame.

    Nothing for somebody who has not said their name: no comment can be for them.
    """
    name = reviewer()
    if name is None:
        return
    wish = st.session_state.pop(_WISH, None)
    if wish is not None:
        st.switch_page("review.py", query_params=wish)
    waiting = unread(engine(), name)
    label = count(waiting, "new comment") if waiting else "Comments"
    place = st.popover(label, icon=":material/chat:", key=_POPOVER, on_change="rerun")
    if place.open:
        with place, st.container(width=420):
            _list(name, waiting)


def _list(name: str, waiting: int) -> None:
    found = notices(engine(), name, at_most=SHOWN)
    if not found:
        st.caption(
            "Nobody has commented on an example that you review, are asked to review, have flagged "
            "or have commented on."
        )
        return
    for notice in found:
        _line(notice, name)
    st.button(
        "Mark all as read",
        key="notices_read",
        type="tertiary",
        disabled=not waiting,
        on_click=_read_all,
        args=(name,),
    )


def _line(notice: Notice, name: str) -> None:
    """One comment, without its words: they may have to wait until the person has decided."""
    with st.container(horizontal=True, vertical_alignment="center"):
        said = f"{plain(shortened(notice.author))} on {plain(shortened(notice.example))}"
        new = "" if notice.read else "● "
        where = plain(f"{shortened(notice.run)}, {ago(notice.at, now())}")
        st.markdown(f"{new}{said if notice.read else f'**{said}**'}  \n{where}", width="stretch")
        key = f"notice-{notice.comment_id}"
        st.button("Open", key=key, on_click=_open, args=(notice, name))


def _open(notice: Notice, name: str) -> None:
    """Have the next script run go there; the list is closed by then."""
    mark_read(engine(), name, now=now(), judgement_id=notice.judgement_id)
    st.session_state[_POPOVER] = False
    here = {"run": str(notice.run_id), "judgement": str(notice.judgement_id)}
    st.session_state[_WISH] = here


def _read_all(name: str) -> None:
    mark_read(engine(), name, now=now())

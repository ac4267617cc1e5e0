"""Who is here, which database, what time it is: what every page needs before it draws.

This is the place of the sign-in check: each page calls `reviewer()`, `author()` or
`require_reviewer()` itself, so that no page depends on having been reached through the frame.
A name is attribution, not security, and the question says so.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote, unquote

import streamlit as st

from db.engine import Engine, open_engine
from db.sights import NOBODY
from pages.components.style import plain

NAME_KEY = "reviewer_name"
"""Where session state keeps the name; a test sets it to be somebody."""
NAME_COOKIE = "recall_reviewer"
NAME_LENGTH = 80
UNNAMED = "unnamed"
"""Who did something when nobody has said their name."""

_POPOVER = "rd-name-popover"
_NO_NAME = "rd-no-name"
_TO_PAGE = "rd-to-own-page"

_keep_name = st.components.v2.component(
    "recall_reviewer_name", js=Path(__file__).with_name("reviewer_name.js").read_text("utf-8")
)


@st.cache_resource(show_spinner=False)
def engine() -> Engine:
    """The one database of this process (`RECALL_DATABASE_URL`, else `data/recall.db`)."""
    return open_engine()


def now() -> datetime:
    """This moment in UTC; the only clock that pages read, to pass it on."""
    return datetime.now(UTC)


def reviewer() -> str | None:
    """The name this person gave, in this session or in an earlier one of this browser."""
    name = st.session_state.get(NAME_KEY) or tidy_name(
        unquote(st.context.cookies.get(NAME_COOKIE, ""))
    )
    if name:
        st.session_state[NAME_KEY] = name
    return name or None


def viewer() -> str:
    """For whom a page reads what may be hidden from somebody: the reviewer, or nobody known."""
    return reviewer() or NOBODY


def author() -> str:
    """Who to write beside a dataset or a run: the reviewer's name, or "unnamed"."""
    return reviewer() or UNNAMED


def require_reviewer() -> str:
    """The reviewer's name; a page that records decisions goes no further without one."""
    name = reviewer()
    if name is None:
        with st.container(width=480):
            st.title("Who is reviewing?", anchor=False)
            _ask_name("page", "Start reviewing")
        st.stop()
    return name


def name_control() -> None:
    """The reviewer's name in the header, where it can be given or changed; drawn by the frame."""
    name = reviewer()
    if st.session_state.pop(_TO_PAGE, False):
        st.switch_page("person.py")
    label = plain(name) if name else "Your name"
    place = st.popover(label, icon=":material/person:", key=_POPOVER, on_change="rerun")
    if place.open:
        with place, st.container(width=420):
            _ask_name("header", "Keep this name")
            if name:
                st.button("Your page", key="rd-your-page", on_click=_want_page)
    if name:
        _keep_name(key="rd-keep-name", data={"cookie": NAME_COOKIE, "value": quote(name)})


def _want_page() -> None:
    """Have the next script run go there; the popover is closed by then."""
    st.session_state[_POPOVER] = False
    st.session_state[_TO_PAGE] = True


def tidy_name(text: str) -> str:
    """A name on one line, without control characters and odd blanks, at most 80 characters."""
    shown = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(shown.split())[:NAME_LENGTH].strip()


def _ask_name(where: str, label: str) -> None:
    with st.form(f"rd-name-form-{where}", border=False):
        st.text_input(
            "Your name",
            value=reviewer() or "",
            key=f"rd-name-{where}",
            max_chars=NAME_LENGTH,
        )
        st.caption(
            "It stands beside every score you change, and this browser remembers it. "
            "It tells people apart; it does not keep anybody out."
        )
        st.form_submit_button(label, type="primary", on_click=_take_name, args=(where,))
    if st.session_state.pop(_NO_NAME, False):
        st.error("Please type a name: a decision without one could not be told from another's.")


def _take_name(where: str) -> None:
    name = tidy_name(st.session_state[f"rd-name-{where}"])
    if name:
        st.session_state[NAME_KEY] = name
        st.session_state[_POPOVER] = False
    else:
        st.session_state[_NO_NAME] = True

"""The numbers of a page's writes, so that one which is sent again is stored once."""

from __future__ import annotations

from typing import NamedTuple
from uuid import uuid4

import streamlit as st

_CLIENT = "writes.client"
_LAST = "writes.last"


class WriteNumber(NamedTuple):
    """What a write is known by."""

    client_id: str
    client_seq: int


def write_number(purpose: str) -> WriteNumber:
    """The number of what is about to be stored: the same for the same purpose until it is done."""
    client: str = st.session_state.setdefault(_CLIENT, f"page-{uuid4().hex}")
    place = f"writes.{purpose}"
    if place not in st.session_state:
        st.session_state[_LAST] = st.session_state.get(_LAST, 0) + 1
        st.session_state[place] = st.session_state[_LAST]
    return WriteNumber(client, st.session_state[place])


def write_done(purpose: str) -> None:
    """It has been stored: the next one of this purpose is another one."""
    st.session_state.pop(f"writes.{purpose}", None)

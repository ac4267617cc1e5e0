"""Controls whose choice stands in the address, so that a link shows what its sender saw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st


def segments(label: str, name: str, options: Mapping[str, str]) -> str:
    """Buttons in a row for the word `name` of the address; the first option needs no word.

    `options` maps each value of the address to what its button says.
    """
    st.segmented_control(
        label,
        list(options),
        required=True,
        format_func=lambda value: options[value],
        label_visibility="collapsed",
        **_follow(name, options),
    )
    return _chosen(name)


def selection(label: str, name: str, options: Mapping[str, str], *, width: int = 260) -> str:
    """The same as a list to choose from, for names and for more than a few options."""
    st.selectbox(
        label,
        list(options),
        format_func=lambda value: options[value],
        label_visibility="collapsed",
        width=width,
        **_follow(name, options),
    )
    return _chosen(name)


def _follow(name: str, options: Mapping[str, str]) -> dict[str, Any]:
    """What the address asks for, where it is offered, else the first option."""
    first = next(iter(options))
    asked = st.query_params.get(name, first)
    st.session_state[_key(name)] = asked if asked in options else first
    return {"key": _key(name), "on_change": _changed, "args": (name, first)}


def _changed(name: str, first: str) -> None:
    value = st.session_state[_key(name)]
    if value == first:
        st.query_params.pop(name, None)
    else:
        st.query_params[name] = value


def _chosen(name: str) -> str:
    chosen: str = st.session_state[_key(name)]
    return chosen


def _key(name: str) -> str:
    return f"address.{name}"

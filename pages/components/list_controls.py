"""The controls of a run's list of examples; the address is what they say, and the other way round.

They are not bound to the address by Streamlit, because a bound word cannot be handed on to the
review desk. Each control writes its own word when it is changed; when the address changes in
another way (a link, the browser's back button), the controls follow it.
"""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from db.results import metadata_fields, slices
from db.review_progress import known_people
from pages.components.list_query import (
    ANY_STATE,
    IN_FILE_ORDER,
    NAMES,
    NOBODY_YET,
    STATES,
    list_params,
    orders_for,
)
from pages.components.session import engine
from pages.components.style import plain
from recall_core.details import RunFacts
from recall_core.scoring import FINAL_RANGE
from recall_core.types import Formula

ANY: Final = "any"
EMPTY_VALUE: Final = "(empty text)"
OFFERED_VALUES: Final = 200
"""A field with more values than this is asked by typing one."""
PAGE: Final = "page"
FOLLOWED: Final = "list.address"
"""Which words of the address the controls show."""


def list_controls(run: RunFacts) -> dict[str, str]:
    """Draw the controls; the words of the address that make the list."""
    fields = [field.name for field in metadata_fields(engine(), run.id)]
    _follow_address(run.formula)
    find, state, order, low, high = st.columns(
        [2.4, 1.3, 1.6, 0.9, 0.9], vertical_alignment="bottom"
    )
    with find:
        st.text_input("Find in ids, questions and passages", type="search", **_control("q"))
    with state:
        st.selectbox("State", STATES, **_control("state"))
    with order:
        st.selectbox("Order", orders_for(run.formula), **_control("sort"))
    with low:
        _score("Score from", "low", run.formula)
    with high:
        _score("Score to", "high", run.formula)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _metadata(run.id, fields)
        st.toggle("With warnings only", **_control("warned"))
        st.toggle(
            "Judges disagree",
            help="The judge is far from another judge of the same texts, or from the text itself.",
            **_control("differs"),
        )
        st.toggle("Flagged", **_control("flagged"))
        _assigned()
    return list_params(st.query_params.to_dict())


def _follow_address(formula: Formula) -> None:
    words = list_params(st.query_params.to_dict())
    if st.session_state.get(FOLLOWED) == words and "list.q" in st.session_state:
        return
    st.session_state[FOLLOWED] = words
    state, order = words.get("state", ""), words.get("sort", "")
    absent = words.get("absent") == "true"
    shown = {
        "q": words.get("q", ""),
        "state": state if state in STATES else ANY_STATE,
        "sort": order if order in orders_for(formula) else IN_FILE_ORDER,
        "low": _on_scale(words.get("low", ""), formula),
        "high": _on_scale(words.get("high", ""), formula),
        "field": words.get("field"),
        "value": None if absent else words.get("value"),
        "absent": absent,
        "warned": words.get("warned") == "true",
        "differs": words.get("differs") == "true",
        "flagged": words.get("flagged") == "true",
        "assigned": words.get("assigned"),
    }
    for name in NAMES:
        st.session_state[f"list.{name}"] = shown[name]


def _on_scale(text: str, formula: Formula) -> float | None:
    lowest, highest = FINAL_RANGE[formula]
    try:
        number = float(text)
    except ValueError:
        return None
    return number if lowest <= number <= highest else None


def _control(name: str) -> dict[str, Any]:
    return {"key": f"list.{name}", "on_change": _changed, "args": (name,)}


def _changed(name: str) -> None:
    """Write what a control says into the address, and go to the list's first page."""
    _write(name, st.session_state[f"list.{name}"])
    if name in ("field", "absent"):
        _forget("value", None)
    if name == "field":
        _forget("absent", False)
    st.session_state[FOLLOWED] = list_params(st.query_params.to_dict())
    st.query_params.pop(PAGE, None)


def _forget(name: str, nothing: bool | None) -> None:
    st.query_params.pop(name, None)
    st.session_state[f"list.{name}"] = nothing


def page_control(page: int, pages: int) -> None:
    """The numbers of the list's pages; the chosen one goes into the address."""
    key = f"list.page.{st.session_state[FOLLOWED]}"
    if st.session_state.get(key, page) != page:
        st.session_state[key] = page
    st.pagination(pages, default=page, key=key, on_change=_turned, args=(key,))


def _turned(key: str) -> None:
    number = st.session_state[key]
    _write(PAGE, None if number == 1 else number)


def _write(name: str, value: object) -> None:
    if name == "value" and isinstance(value, str):
        st.query_params[name] = value
    elif value in (None, False, "", ANY_STATE, IN_FILE_ORDER):
        st.query_params.pop(name, None)
    elif isinstance(value, float):
        st.query_params[name] = f"{value:g}"
    else:
        st.query_params[name] = "true" if value is True else str(value)


def _score(label: str, name: str, formula: Formula) -> None:
    lowest, highest = (float(end) for end in FINAL_RANGE[formula])
    st.number_input(
        label,
        min_value=lowest,
        max_value=highest,
        value=None,
        step=0.25 if formula is Formula.PASSAGE else 0.05,
        format="%g",
        placeholder=ANY,
        **_control(name),
    )


def _assigned() -> None:
    """By whom it is to be reviewed; offered as soon as there is anybody to choose."""
    asked = st.session_state.get("list.assigned")
    people = list(known_people(engine()))
    if not people and asked is None:
        return
    offered = dict.fromkeys([NOBODY_YET, *people, *([asked] if asked else [])])
    st.selectbox(
        "Assigned to", offered, index=None, placeholder=ANY, width=180, **_control("assigned")
    )


def _metadata(run_id: int, fields: list[str]) -> None:
    """A field, and its value or that it is absent; a field of the address that no example has is
    offered as well, so that it can be cleared."""
    asked = st.session_state.get("list.field")
    offered = fields if asked is None or asked in fields else [*fields, asked]
    if not offered:
        return
    field = st.selectbox(
        "Metadata field",
        offered,
        index=None,
        placeholder=ANY,
        format_func=lambda name: name if name in fields else f"{name} (no example has it)",
        width=220,
        **_control("field"),
    )
    if field is None:
        return
    values = [s.value for s in slices(engine(), run_id, field) if s.value is not None]
    st.selectbox(
        f"Value of {plain(field)}",
        values[:OFFERED_VALUES],
        index=None,
        placeholder=ANY,
        format_func=lambda value: value or EMPTY_VALUE,
        width=260,
        accept_new_options=True,
        disabled=st.session_state.get("list.absent", False),
        **_control("value"),
    )
    st.toggle(f"{plain(field)} not given", **_control("absent"))

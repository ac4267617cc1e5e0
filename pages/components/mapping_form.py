"""What each column of a file is, as a form: proposed from the names, changed by a person.

The mapping lives in session state under the file's own key; every control changes it in its
callback, before the page is drawn again, so that the rows beside it show the change at once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import streamlit as st

from pages.components.style import plain, section
from recall_core.ingest import (
    SPLITS,
    ColumnMapping,
    Preview,
    References,
    Role,
    Table,
    suggest_mapping,
)

ROLES: Final = (
    Role.QUESTION,
    Role.ESSENTIAL,
    Role.BONUS,
    Role.GROUND_TRUTH,
    Role.RETRIEVED,
    Role.ACTUAL_OUTPUT,
    Role.EXPECTED_OUTPUT,
    Role.ID,
    Role.METADATA,
)
ABSENT: Final = "not in this file"
WHOLE: Final = "do not split"
AS_METADATA: Final = "metadata"
CONTEXT_ROLES: Final = {"retrieved": Role.RETRIEVED, "expected": Role.ESSENTIAL}
LABEL_WIDTH: Final = (1, 1.15)


def mapping_form(table: Table, key: str) -> ColumnMapping:
    """Draw the form; the mapping as it is now."""
    place = f"{key}.mapping"
    if place not in st.session_state:
        st.session_state[place] = suggest_mapping(table.columns, table.sample())
    mapping: ColumnMapping = st.session_state[place]
    section("Columns", "Mapped from their names. Change what is wrong.")
    for column in mapping.ambiguous:
        _ask(column, key)
    for role in ROLES:
        _role(role, table, mapping, key)
    _split(mapping, key)
    kept = ", ".join(mapping.metadata_columns(table.columns))
    if kept:
        st.caption(f"Kept as metadata: {plain(kept)}.")
    for notice in mapping.notices:
        st.caption(plain(notice.text))
    return mapping


def choices_form(mapping: ColumnMapping, found: Preview, key: str) -> None:
    """The choices that only some files ask for: lists of references, text without markers."""
    place = f"{key}.mapping"
    fields = {problem.field for problem in found.problems}
    if mapping.references is not None or Role.EXPECTED_OUTPUT.label in fields:
        control = f"{key}.references"
        st.session_state.setdefault(control, mapping.references)
        st.selectbox(
            "Several expected outputs in one row are",
            list(References),
            index=None,
            format_func=lambda choice: choice.value,
            placeholder="not decided",
            key=control,
            on_change=lambda: _change(place, references=st.session_state[control]),
        )
    if mapping.whole_text_essential or Role.GROUND_TRUTH.label in fields:
        control = f"{key}.whole"
        st.session_state.setdefault(control, mapping.whole_text_essential)
        st.toggle(
            "Take text without a marker as one essential passage",
            key=control,
            on_change=lambda: _change(place, whole_text_essential=st.session_state[control]),
        )


def _ask(column: str, key: str) -> None:
    """A column whose name could mean two things waits for an answer."""
    place, control = f"{key}.mapping", f"{key}.ask.{column}"

    def answer() -> None:
        mapping: ColumnMapping = st.session_state[place]
        said = st.session_state[control]
        if said == AS_METADATA:
            st.session_state[place] = mapping.as_metadata(column)
        elif said is not None:
            st.session_state[place] = mapping.with_column(CONTEXT_ROLES[said], column)
        _show_columns(key)

    with st.container(border=True):
        st.markdown(f"**What is {plain(column)}?** Nothing is saved before you say.")
        st.segmented_control(
            f"What is {plain(column)}?",
            [*CONTEXT_ROLES, AS_METADATA],
            key=control,
            on_change=answer,
            label_visibility="collapsed",
        )


def _role(role: Role, table: Table, mapping: ColumnMapping, key: str) -> None:
    place, control = f"{key}.mapping", f"{key}.role.{role.value}"
    st.session_state.setdefault(control, mapping.column(role))

    def chosen() -> None:
        before: ColumnMapping = st.session_state[place]
        st.session_state[place] = before.with_column(role, st.session_state[control])
        _show_columns(key)

    label, choice = st.columns(LABEL_WIDTH, vertical_alignment="center")
    label.markdown(role.label)
    choice.selectbox(
        role.label,
        table.columns,
        index=None,
        placeholder=ABSENT,
        key=control,
        on_change=chosen,
        label_visibility="collapsed",
    )


def _split(mapping: ColumnMapping, key: str) -> None:
    place, control = f"{key}.mapping", f"{key}.split"
    names = {text: name for name, text in SPLITS.items()}
    st.session_state.setdefault(control, names.get(mapping.split_at or "", WHOLE))

    def chosen() -> None:
        _change(place, split_at=SPLITS.get(st.session_state[control]))

    label, choice = st.columns(LABEL_WIDTH, vertical_alignment="center")
    label.markdown("Split cells at")
    choice.selectbox(
        "Split cells at",
        [WHOLE, *SPLITS],
        key=control,
        on_change=chosen,
        label_visibility="collapsed",
    )


def _show_columns(key: str) -> None:
    """One column plays one role: the other controls follow what was taken from them."""
    mapping: ColumnMapping = st.session_state[f"{key}.mapping"]
    for role in ROLES:
        st.session_state[f"{key}.role.{role.value}"] = mapping.column(role)


def _change(place: str, **choices: object) -> None:
    st.session_state[place] = replace(st.session_state[place], **choices)

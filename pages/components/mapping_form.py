"""What each column of a file is, as a form: proposed from the names, changed by a person.

The mapping lives in session state under the file's own key; every control changes it in its
callback, before the page is drawn again, so that the rows beside it show the change at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

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
            on_change=_answer(key, control, lambda was, said: replace(was, references=said)),
        )
    if mapping.whole_text_essential or Role.GROUND_TRUTH.label in fields:
        control = f"{key}.whole"
        st.session_state.setdefault(control, mapping.whole_text_essential)
        st.toggle(
            "Take text without a marker as one essential passage",
            key=control,
            on_change=_answer(
                key, control, lambda was, said: replace(was, whole_text_essential=said)
            ),
        )


def _ask(column: str, key: str) -> None:
    """A column whose name could mean two things waits for an answer."""
    control = f"{key}.ask.{column}"

    def take(was: ColumnMapping, said: str | None) -> ColumnMapping:
        if said is None:
            return was
        if said == AS_METADATA:
            return was.as_metadata(column)
        return was.with_column(CONTEXT_ROLES[said], column)

    with st.container(border=True):
        st.markdown(f"**What is {plain(column)}?** Nothing is saved before you say.")
        st.segmented_control(
            f"What is {plain(column)}?",
            [*CONTEXT_ROLES, AS_METADATA],
            key=control,
            on_change=_answer(key, control, take),
            label_visibility="collapsed",
        )


def _role(role: Role, table: Table, mapping: ColumnMapping, key: str) -> None:
    control = f"{key}.role.{role.value}"
    st.session_state.setdefault(control, mapping.column(role))
    label, choice = st.columns(LABEL_WIDTH, vertical_alignment="center")
    label.markdown(role.label)
    choice.selectbox(
        role.label,
        table.columns,
        index=None,
        placeholder=ABSENT,
        key=control,
        on_change=_answer(key, control, lambda was, said: was.with_column(role, said)),
        label_visibility="collapsed",
    )


def _split(mapping: ColumnMapping, key: str) -> None:
    control = f"{key}.split"
    names = {text: name for name, text in SPLITS.items()}
    st.session_state.setdefault(control, names.get(mapping.split_at or "", WHOLE))
    label, choice = st.columns(LABEL_WIDTH, vertical_alignment="center")
    label.markdown("Split cells at")
    choice.selectbox(
        "Split cells at",
        [WHOLE, *SPLITS],
        key=control,
        on_change=_answer(key, control, lambda was, said: replace(was, split_at=SPLITS.get(said))),
        label_visibility="collapsed",
    )


def _answer(
    key: str, control: str, take: Callable[[ColumnMapping, Any], ColumnMapping]
) -> Callable[[], None]:
    """A callback that puts what was chosen into the mapping.

    One column plays one role, so the other controls follow what was taken from them.
    """
    place = f"{key}.mapping"

    def answered() -> None:
        # Once a file is saved its state is let go of, and the browser reports the controls of the
        # form that it still shows once more: there is nothing left to change then.
        if place not in st.session_state or control not in st.session_state:
            return
        mapping = take(st.session_state[place], st.session_state[control])
        st.session_state[place] = mapping
        for role in ROLES:
            st.session_state[f"{key}.role.{role.value}"] = mapping.column(role)

    return answered

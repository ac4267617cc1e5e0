"""Adding one example by hand, as a dataset of its own."""

from __future__ import annotations

from typing import Final

import streamlit as st

from db.datasets import save_dataset
from pages.components.page_parts import head
from pages.components.session import author, engine, now
from pages.components.style import plain
from recall_core.errors import RecallError
from recall_core.ingest import ParsedRow, Role, content_hash, parse_form

APART: Final = {"a blank line": "\n\n", "a line break": "\n", "nothing: one passage": None}
PASSAGES: Final = (
    (Role.ESSENTIAL, "Essential passages", "What ought to be found."),
    (Role.BONUS, "Bonus passages", "What is welcome besides."),
    (Role.RETRIEVED, "Retrieved passages", "What came back, in its order."),
)


def add_example() -> None:
    """The whole screen."""
    top = st.container()
    left, right = st.columns(2, gap="large")
    fields: dict[Role, object] = {}
    with left:
        name = st.text_input("Dataset name", "One example", max_chars=200, key="one.name")
        fields[Role.QUESTION] = st.text_area("Question", height=68, key="one.question")
        fields[Role.ACTUAL_OUTPUT] = st.text_area(
            "Actual output (optional)", height=100, key="one.actual"
        )
        fields[Role.EXPECTED_OUTPUT] = st.text_area(
            "Expected output (optional)", height=100, key="one.expected"
        )
        apart = st.selectbox("Between two passages stands", list(APART), key="one.apart")
    with right:
        for role, label, hint in PASSAGES:
            fields[role] = st.text_area(
                label, height=130, key=f"one.{role.value}", placeholder=hint
            )
        st.caption(
            "Ground truth with [ESSENTIAL PASSAGE] and [BONUS PASSAGE] markers on lines of their "
            "own can be pasted whole into Essential passages."
        )
    with top, head("Paste one example", "Every field is optional; each judge says what it needs"):
        if st.button("Discard", type="tertiary", key="discard"):
            st.switch_page("data.py")
        save = st.button("Save 1 example", type="primary", key="save")
    if save:
        with top:
            _save(name, parse_form(fields, split_at=APART[apart]))


def _save(name: str, row: ParsedRow) -> None:
    if row.example is None:
        for problem in row.problems:
            st.error(
                plain(f"{problem.field}: {problem.reason}" if problem.field else problem.reason)
            )
        return
    try:
        dataset_id = save_dataset(
            engine(),
            name,
            [row.example],
            content_hash=content_hash([row.example]),
            source="typed in",
            author=author(),
            now=now(),
        )
    except RecallError as error:
        st.error(plain(str(error)))
        return
    st.switch_page("data.py", query_params={"dataset": str(dataset_id)})

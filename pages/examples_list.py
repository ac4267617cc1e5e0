"""The list of a run's examples: sorted, filtered, 50 a page, all of it in the address."""

from __future__ import annotations

from typing import Any

import streamlit as st

from db.details import read_run_facts
from db.errors import NotKept
from db.results import JudgementPage, list_judgements, metadata_fields, slices
from pages.components.judge_words import judge_kind, judge_line
from pages.components.judgement_rows import judgement_columns, judgement_row
from pages.components.list_query import (
    ANY_STATE,
    IN_FILE_ORDER,
    NAMES,
    STATES,
    list_params,
    list_query,
    orders_for,
)
from pages.components.page_parts import gone, head, number_in_address
from pages.components.rows import rows
from pages.components.run_chooser import choose_run
from pages.components.session import engine
from pages.components.style import count, plain
from recall_core.details import RunFacts
from recall_core.scoring import FINAL_RANGE
from recall_core.types import Formula

ANY = "any"


def main() -> None:
    run_id = number_in_address("run")
    if run_id is None:
        choose_run("Examples", "examples_list.py")
    try:
        run = read_run_facts(engine(), run_id)
    except NotKept as error:
        gone(error)
    caption = f"{run.name}, {judge_line(run.judge, run.judge_version)}, {judge_kind(run.judge)}"
    with head("Examples", f"{caption}, {run.dataset}"):
        if st.button("Results", key="to_results"):
            st.switch_page("results.py", query_params={"run": str(run_id)})
        review = st.button("Review these", key="review_these", type="primary")
    words = _controls(run)
    query = list_query(words)
    number = st.session_state.get("page") or number_in_address("page") or 1
    page = list_judgements(engine(), run_id, where=query.where, order=query.order, page=number)
    if number > page.pages:
        page = list_judgements(engine(), run_id, where=query.where, order=query.order)
    opened = _list(run, page)
    if review and page.rows:
        opened = str(page.rows[0].id)
    if opened is not None:
        here = {"run": str(run_id), "judgement": opened}
        st.switch_page("review.py", query_params=here | words)


def _controls(run: RunFacts) -> dict[str, str]:
    """Draw the controls; what they say, as the words of the address."""
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
        _bound("Score from", "low", run.formula)
    with high:
        _bound("Score to", "high", run.formula)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _metadata_controls(run.id)
        st.toggle("With warnings only", **_control("warned"))
    said = {name: _word(st.session_state.get(name)) for name in NAMES}
    return list_params(said)


def _metadata_controls(run_id: int) -> None:
    fields = [field.name for field in metadata_fields(engine(), run_id)]
    if not fields:
        return
    field = st.selectbox(
        "Metadata field", fields, index=None, placeholder=ANY, width=220, **_control("field")
    )
    if field is None:
        return
    values = [s.value for s in slices(engine(), run_id, field) if s.value is not None]
    st.selectbox(
        f"Value of {plain(field)}",
        values,
        index=None,
        placeholder=ANY,
        width=260,
        **_control("value"),
    )


def _control(name: str) -> dict[str, Any]:
    """What every control of the list has: its word in the address; a change goes to page 1."""
    return {"key": name, "bind": "query-params", "on_change": _first_page}


def _word(value: object) -> str:
    if value in (None, False, ANY_STATE, IN_FILE_ORDER):
        return ""
    return "true" if value is True else f"{value:g}" if isinstance(value, float) else str(value)


def _bound(label: str, key: str, formula: Formula) -> None:
    lowest, highest = (float(end) for end in FINAL_RANGE[formula])
    st.number_input(
        label,
        min_value=lowest,
        max_value=highest,
        value=None,
        step=0.25 if formula is Formula.PASSAGE else 0.05,
        format="%g",
        placeholder=ANY,
        **_control(key),
    )


def _list(run: RunFacts, page: JudgementPage) -> str | None:
    """Draw the page of the list; the judgement that was opened just now."""
    if page.total == 0:
        st.markdown("No example of this run fits. Widen the search, or wait if the run goes on.")
        return None
    opened = rows(
        judgement_columns(run.formula),
        [judgement_row(line, run.formula) for line in page.rows],
        key=f"list-{page.page}",
    )
    place = f", page {page.page} of {page.pages}" if page.pages > 1 else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(count(page.total, "example") + place, width="content")
        if page.pages > 1:
            st.pagination(page.pages, key="page", bind="query-params")
    return opened


def _first_page() -> None:
    st.session_state["page"] = 1


main()

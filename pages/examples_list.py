"""The list of a run's examples: sorted, filtered, 50 a page, all of it in the address."""

from __future__ import annotations

import streamlit as st

from db.details import read_run_facts
from db.errors import NotKept
from db.results import JudgementPage, list_judgements
from pages.components.judge_words import judge_line_and_kind
from pages.components.judgement_rows import judgement_columns, judgement_row
from pages.components.list_controls import PAGE, list_controls, page_control
from pages.components.list_query import list_query
from pages.components.page_parts import gone, head, number_in_address
from pages.components.rows import rows
from pages.components.run_chooser import choose_run
from pages.components.session import engine
from pages.components.style import count
from recall_core.details import RunFacts


def main() -> None:
    run_id = number_in_address("run")
    if run_id is None:
        choose_run("Examples", "examples_list.py")
    try:
        run = read_run_facts(engine(), run_id)
    except NotKept as error:
        gone(error)
    caption = f"{run.name}, {judge_line_and_kind(run.judge, run.judge_version)}"
    with head("Examples", f"{caption}, {run.dataset}"):
        if st.button("Results", key="to_results"):
            st.switch_page("results.py", query_params={"run": str(run_id)})
        review = st.button("Review these", key="review_these", type="primary")
    words = list_controls(run)
    query = list_query(words)
    number = number_in_address(PAGE) or 1
    page = list_judgements(engine(), run_id, where=query.where, order=query.order, page=number)
    if number > page.pages:
        page = list_judgements(engine(), run_id, where=query.where, order=query.order)
    opened = _list(run, page)
    if review and page.rows:
        opened = str(page.rows[0].id)
    if opened is not None:
        here = {"run": str(run_id), "judgement": opened}
        st.switch_page("review.py", query_params=here | words)


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
            page_control(page.page, page.pages)
    return opened


main()

"""The list of a run's examples: sorted, filtered, 50 a page, all of it in the address."""

from __future__ import annotations

from functools import partial

import streamlit as st

from db.assignments import assignments_of
from db.details import read_run_facts
from db.errors import NotKept
from db.flags import flags_of
from db.results import JudgementPage, list_judgements
from pages.components.bulk_dialog import PICKS
from pages.components.judge_words import judge_line_and_kind
from pages.components.judgement_rows import Asked, judgement_columns, judgement_row
from pages.components.list_controls import PAGE, list_controls, page_control
from pages.components.list_query import ListQuery, list_query
from pages.components.page_parts import gone, head, number_in_address
from pages.components.rows import rows
from pages.components.run_chooser import choose_run
from pages.components.selection import keep_picks_of, selection_bar
from pages.components.session import engine, viewer
from pages.components.style import count
from recall_core.details import RunFacts

BLIND = (
    "You review examples of this run blind: until you have committed your own scores, the judge's "
    "are not shown here, and the list cannot be ordered or filtered by them."
)


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
    page = _page(run_id, query)
    keep_picks_of(run_id, words)
    opened = _list(run, page, query)
    if review and page.rows:
        opened = str(page.rows[0].id)
    if opened is not None:
        here = {"run": str(run_id), "judgement": opened}
        st.switch_page("review.py", query_params=here | words)


def _page(run_id: int, query: ListQuery) -> JudgementPage:
    """The page that the address asks for, or the first where the list has become shorter."""
    number = number_in_address(PAGE) or 1
    ask = partial(
        list_judgements, engine(), run_id, where=query.where, order=query.order, viewer=viewer()
    )
    page = ask(page=number)
    return page if number <= page.pages else ask()


def _list(run: RunFacts, page: JudgementPage, query: ListQuery) -> str | None:
    """Draw the page of the list; the judgement that was opened just now."""
    if page.total == 0:
        st.markdown("No example of this run fits. Widen the search, or wait if the run goes on.")
        return None
    selection_bar(run, page, query)
    if page.blind:
        st.caption(BLIND)
    opened = _rows(run, page)
    place = f", page {page.page} of {page.pages}" if page.pages > 1 else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(count(page.total, "example") + place, width="content")
        if page.pages > 1:
            page_control(page.page, page.pages)
    return opened


def _rows(run: RunFacts, page: JudgementPage) -> str | None:
    ids = [line.id for line in page.rows]
    people, flags = assignments_of(engine(), ids), flags_of(engine(), ids)
    assigned = bool(people)
    lines = [
        judgement_row(
            line,
            run.formula,
            asked=Asked(people.get(line.id, ()), flags.get(line.id)),
            assigned=assigned,
        )
        for line in page.rows
    ]
    columns = judgement_columns(run.formula, assigned=assigned)
    return rows(columns, lines, key=f"list-{page.page}", picks=PICKS)


main()

"""A run's results: the headline and the stop rule, then one of four views (`?view=`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import streamlit as st

from db.errors import NotKept
from db.results import run_summary
from db.run_figures import last_stop
from db.runs import RunCard, RunState, get_run
from db.stopping import stop_rule
from pages.components.blind_notice import shown_anyway
from pages.components.export_menu import export_menu
from pages.components.headline import choose_target, headline_facts, headline_words
from pages.components.judge_words import SCREEN_LIMITS, is_screen, judge_line_and_kind
from pages.components.kept_figures import headline_for
from pages.components.list_query import LOWEST_JUDGED_FIRST
from pages.components.page_parts import gone, head, number_in_address, stop_in_address
from pages.components.people_view import people_view
from pages.components.results_summary import results_summary
from pages.components.run_chooser import choose_run
from pages.components.run_ledger import run_ledger_view
from pages.components.run_menu import run_menu
from pages.components.session import engine, reviewer, viewer
from pages.components.style import count
from pages.components.what_if_view import what_if_view
from recall_core.stop_rule import StopRule
from recall_core.summary import JudgementState, RunSummary

VIEWS: Final[Mapping[str, tuple[str, Callable[[RunSummary], None]]]] = {
    "summary": ("Summary", results_summary),
    "ledger": ("Ledger", run_ledger_view),
    "whatif": ("What if", what_if_view),
    "people": ("People", people_view),
}
VIEW: Final = "results.view"


def main() -> None:
    run_id = number_in_address("run")
    if run_id is None:
        choose_run("Results", "results.py")
    try:
        summary, card = run_summary(engine(), run_id, viewer()), get_run(engine(), run_id)
        rule = stop_rule(engine(), run_id)
    except NotKept as error:
        gone(error)
    _head(summary, card)
    anyway = f"results.anyway.{run_id}"
    if summary.withheld and not shown_anyway(summary.withheld, "how the run stands", anyway):
        people_view(summary)
        return
    _headline(summary, rule)
    VIEWS[_view()][1](summary)


def _view() -> str:
    """Which view the address asks for, with the control that changes it."""
    asked = st.query_params.get("view", "")
    st.session_state[VIEW] = asked if asked in VIEWS else "summary"
    st.segmented_control(
        "View",
        list(VIEWS),
        required=True,
        format_func=lambda name: VIEWS[name][0],
        key=VIEW,
        on_change=_changed,
        label_visibility="collapsed",
    )
    chosen: str = st.session_state[VIEW]
    return chosen


def _changed() -> None:
    view = st.session_state[VIEW]
    if view == "summary":
        st.query_params.pop("view", None)
    else:
        st.query_params["view"] = view


def _head(summary: RunSummary, card: RunCard) -> None:
    run = summary.run
    judge = judge_line_and_kind(run.judge, run.judge_version)
    with head(run.name, f"{judge}, {run.dataset}"):
        run_menu(card)
        if card.state is not RunState.DONE and st.button("Progress", key="to_progress"):
            st.switch_page("run.py", query_params={"run": str(run.id)})
        if st.button("Compare", key="to_compare"):
            st.switch_page("compare.py", query_params={"a": str(run.id)})
        export_menu(run.id, run.name)
        _review(summary)


def _review(summary: RunSummary) -> None:
    """To where this person stopped, while something is left; else to what comes next."""
    name = reviewer()
    stop = last_stop(engine(), name, run_id=summary.run.id) if name else None
    left = summary.review.units_reviewed < summary.review.units
    if stop is not None and left:
        if st.button("Continue", type="primary", key="continue"):
            st.switch_page("review.py", query_params=stop_in_address(stop))
    elif st.button("Review next", type="primary", key="review_next"):
        st.switch_page("review.py", query_params=_next_to_review(summary))


def _next_to_review(summary: RunSummary) -> dict[str, str]:
    """The judge's lowest that nobody has looked at; of all when people have seen them all."""
    where = {"run": str(summary.run.id), "sort": LOWEST_JUDGED_FIRST}
    left = summary.review.examples + summary.review.examples_started < summary.counts.total
    return where | {"state": JudgementState.JUDGE_ONLY.value} if left else where


def _headline(summary: RunSummary, rule: StopRule) -> None:
    counts, review = summary.counts, summary.review
    screen = is_screen(summary.run.judge)
    reviewed = f"{review.examples:,} of {counts.total:,}"
    units = f"{review.units_reviewed:,} of {review.units:,} units"
    place = st.container()  # the number stands above the switch that decides what it speaks of
    found = headline_for(summary.run.id, choose_target(headline_for(summary.run.id)))
    with place:
        headline_facts(
            found,
            rule,
            judge="Lexical screen" if screen else "Judge",
            more=(
                ("Reviewed", f"{reviewed}, {units}"),
                ("Changed", count(review.units_changed, "unit")),
                *((("Not in the mean", counts.left_out),) if counts.left_out else ()),
            ),
        )
    headline_words(found, rule, summary.run.id)
    if screen:
        st.caption(SCREEN_LIMITS)


main()

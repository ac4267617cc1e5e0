"""A run while it is judged and after: how far, how fast, what failed and what becomes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from db.errors import NotKept
from db.progress import Progress, progress
from db.results import JudgementFilter, list_judgements
from db.runs import (
    RunCard,
    RunState,
    cancel_run,
    pause_run,
    rerun_failed,
    resume_run,
)
from pages.components.failure_words import failure_name, failure_sentence
from pages.components.rows import Column, Figure, Row, Text, rows
from pages.components.run_spending import budget_control, draw_comparison, draw_spending
from pages.components.session import engine, now
from pages.components.style import count, facts, plain
from recall_core.errors import RecallError
from recall_core.summary import JudgementState

SHOWN_FAILURES = 10
STATE_SENTENCES: Mapping[RunState, str] = {
    RunState.QUEUED: "Waiting for the worker. You may close this page.",
    RunState.RUNNING: "You may close this page. The run goes on, also after a restart.",
    RunState.PAUSED: "Paused. What is judged stays; resume when you like.",
    RunState.DONE: "Done. Nothing more will be judged.",
    RunState.CANCELLED: "Cancelled. What was judged stays; resume to judge the rest.",
    RunState.FAILED: "Stopped. What was judged stays; resume when the reason is gone.",
}


def run_progress(run: RunCard) -> None:
    """Draw it, again every second while a worker is at it."""
    st.fragment(_live, run_every=1.0 if run.state.active else None)(run)


def _live(run: RunCard) -> None:
    try:
        at = progress(engine(), run.id, now())
    except NotKept:
        st.rerun()  # Somebody deleted it meanwhile; the page as a whole says so.
    if at.state is not run.state:
        st.rerun()
    _numbers(at)
    draw_spending(at)
    if at.message:
        st.markdown(f":red[! {plain(at.message)}]")
    _buttons(run, at)
    st.caption(STATE_SENTENCES[at.state])
    _failures(run, at)
    if at.spending is not None and not at.state.active:
        draw_comparison(run, at.spending)


def _numbers(at: Progress) -> None:
    share = at.judged / at.total if at.total else 0.0
    st.progress(share, text=f"{at.judged:,} of {at.total:,} judged")
    pairs = [
        ("Scored", f"{at.processed:,}"),
        ("Failed", f"{at.failed:,}"),
        ("Skipped", f"{at.skipped:,}"),
        ("Left", f"{at.left:,}"),
    ]
    if at.state is RunState.RUNNING:
        rate = "…" if at.per_minute is None else f"{at.per_minute:,.0f}"
        pairs += [("A minute", rate), ("Time left", time_words(at.seconds_left))]
    st.html(facts(pairs))


def time_words(seconds: float | None) -> str:
    """`3 min`, `under a minute`, `2 h`; an ellipsis while nobody can tell."""
    if seconds is None:
        return "…"
    if seconds < 60:
        return "under a minute"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h"


def _buttons(run: RunCard, at: Progress) -> None:
    with st.container(horizontal=True):
        if at.state.active and st.button("Pause", key="pause"):
            _try(lambda: pause_run(engine(), run.id))
        if (at.state.active or at.state is RunState.PAUSED) and st.button("Cancel", key="cancel"):
            _try(lambda: cancel_run(engine(), run.id, now=now()))
        stopped = at.state in (RunState.PAUSED, RunState.CANCELLED, RunState.FAILED)
        if stopped and st.button("Resume", key="resume"):
            _try(lambda: resume_run(engine(), run.id))
        if at.failed and st.button(
            f"Re-run the {at.failed:,} failed", key="rerun", disabled=at.state.active
        ):
            _try(lambda: rerun_failed(engine(), run.id))
        if at.spending is not None and at.left and not at.state.active:
            budget_control(run)


def _try(act: Callable[[], object]) -> None:
    try:
        act()
    except RecallError as error:
        st.error(plain(str(error)))
        return
    st.rerun()


def _failures(run: RunCard, at: Progress) -> None:
    if not at.by_kind:
        return
    rows(
        (Column("Failed", 0.7, right=True), Column("Kind", 1.4), Column("What happens", 5)),
        [
            Row(
                kind,
                (
                    Figure(f"{number:,}"),
                    Text(failure_name(kind), bad=True),
                    Text(failure_sentence(kind), muted=True),
                ),
            )
            for kind, number in at.by_kind.items()
        ],
        key="kinds",
        opens=False,
    )
    _failed_examples(run)


def _failed_examples(run: RunCard) -> None:
    """Those without any answer, then those with gaps; lists keep them as two states."""
    for state in (JudgementState.FAILED, JudgementState.INCOMPLETE):
        _failed_in(run, state)
    st.caption(
        "Open one to read what was replied, to score it by hand, or to have it judged again."
    )


def _failed_in(run: RunCard, state: JudgementState) -> None:
    where = JudgementFilter(states=(state,))
    page = list_judgements(engine(), run.id, where=where, size=SHOWN_FAILURES)
    if not page.rows:
        return
    opened = rows(
        (Column("Example", 1.4), Column("Kind", 1.2), Column("What the judge said", 4)),
        [
            Row(
                str(line.id),
                (
                    Text(line.example_id, mono=True),
                    Text(failure_name(line.error_type or ""), bad=True),
                    Text(line.details),
                ),
            )
            for line in page.rows
        ],
        key=str(state),
    )
    here = {"run": str(run.id), "state": state}
    if page.pages > 1 and st.button(
        f"All {count(page.total, f'{state} example')}", key=f"all_{state}"
    ):
        st.switch_page("examples_list.py", query_params=here)
    if opened is not None:
        st.switch_page("review.py", query_params={**here, "judgement": opened})

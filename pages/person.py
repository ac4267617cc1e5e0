"""One's own page: how one likes to review, and what one has to do and has done in each run."""

from __future__ import annotations

import streamlit as st

from db.review_progress import RunProgress, own_progress
from db.second_looks import self_agreement, set_second_looks, wants_second_looks
from db.sights import person, set_blind
from pages.components.page_parts import head
from pages.components.rows import Bar, Cell, Column, Figure, Row, Text, rows
from pages.components.session import engine, now, require_reviewer
from pages.components.style import MISSING, ago, count, plain, section
from recall_core.second_look import SelfAgreement

_BLIND = "person.blind"
_TWICE = "person.twice"
_COLUMNS = (
    Column("Run", 2.2),
    Column("Assigned, done", 1.8),
    Column("Opened, finished", 1.8),
    Column("By queue: finished of opened", 3),
    Column("Decisions", 0.9, right=True),
    Column("Changes", 0.9, right=True),
    Column("Last decision", 1.2),
)


def main() -> None:
    name = require_reviewer()
    found = own_progress(engine(), name)
    with head(name, f"You have a part in {count(len(found), 'run')}"):
        pass
    _settings(name)
    section("Your part in each run")
    if not found:
        st.markdown("You have not been asked to review anything, and have not begun.")
        return
    opened = rows(_COLUMNS, [_row(part) for part in found], key="own_runs")
    st.caption("A row opens what is assigned to you and not done, or the run where nothing is.")
    for part in found:
        if str(part.run_id) == opened:
            _open(part)


def _settings(name: str) -> None:
    section("How you review")
    st.session_state[_BLIND] = person(engine(), name).blind
    st.toggle(
        "Blind in every run",
        key=_BLIND,
        on_change=_changed,
        args=(name,),
        help="A run can ask for it too; then it holds for everybody.",
    )
    st.caption(
        "Blind: the judge's score, reasoning and evidence come to your browser only after you have "
        "committed your own scores. It holds for examples that you open from now on; both your "
        "first and your revised value are kept."
    )
    st.session_state[_TWICE] = wants_second_looks(engine(), name)
    st.toggle("Let a few of my examples come back", key=_TWICE, on_change=_twice, args=(name,))
    st.caption(
        "About one in twenty of the examples that you have finished stands among the others once "
        "more, as if it were new. What you say then changes no score; it tells how steady your own "
        "scores are."
    )
    st.markdown(plain(_steadiness(self_agreement(engine(), name))))


def _steadiness(found: SelfAgreement) -> str:
    """How well the person agrees with themselves, in a sentence."""
    if not found.units:
        return "You have not scored an example a second time yet."
    again = f"{found.same:,} of {count(found.units, 'unit')}"
    return (
        f"Scored a second time: {count(found.examples, 'example')}. You gave {again} the same "
        f"value again, and {found.near:,} one that is at most a point away."
    )


def _twice(name: str) -> None:
    set_second_looks(engine(), name, bool(st.session_state[_TWICE]))


def _changed(name: str) -> None:
    set_blind(engine(), name, bool(st.session_state[_BLIND]))


def _row(part: RunProgress) -> Row:
    mine = part.progress
    queues = ", ".join(
        f"{queue.label} {passes.finished} of {passes.opened}"
        for queue, passes in mine.by_queue.items()
    )
    nothing = Text("none", muted=True)
    cells: tuple[Cell, ...] = (
        Text(part.run, part.dataset, strong=True),
        Bar(mine.assigned_done, mine.assigned) if mine.assigned else nothing,
        Bar(mine.passes.finished, mine.passes.opened) if mine.passes.opened else nothing,
        Text(queues or MISSING, muted=True, wrap=True),
        Figure(f"{mine.decisions:,}"),
        Figure(f"{mine.changes:,}"),
        Text(MISSING if mine.last_at is None else ago(mine.last_at, now()), muted=True),
    )
    return Row(str(part.run_id), cells)


def _open(part: RunProgress) -> None:
    run = {"run": str(part.run_id)}
    if part.progress.assigned > part.progress.assigned_done:
        st.switch_page("review.py", query_params=run | {"queue": "mine"})
    st.switch_page("results.py", query_params=run)


main()

"""Who reviews the run: what is assigned and done by whom and by which queue, shared out and handed
over."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from db.assignments import hand_over, split_evenly
from db.queues import queue_counts
from db.review_progress import PersonProgress, known_people, review_progress
from pages.components.rows import Bar, Cell, Column, Figure, Row, Text, rows
from pages.components.session import engine, now, reviewer
from pages.components.style import MISSING, ago, count, plain, section
from recall_core.details import RunFacts
from recall_core.errors import RecallError
from recall_core.queues import Queue
from recall_core.summary import RunSummary

DONE = "people.done"
_COLUMNS = (
    Column("Person", 1.6),
    Column("Assigned, done", 1.8),
    Column("Opened, finished", 1.8),
    Column("By queue: finished of opened", 3),
    Column("Decisions", 0.9, right=True),
    Column("Changes", 0.9, right=True),
    Column("Last decision", 1.2),
)


def people_view(summary: RunSummary) -> None:
    """The table of people, and the two ways to move work between them."""
    run = summary.run
    people = review_progress(engine(), run.id)
    section("People and queues", _how_reviewed(run))
    done = st.session_state.pop(DONE, None)
    if done:
        st.markdown(f"✓ {plain(done)}")
    if people:
        opened = rows(_COLUMNS, [_row(person) for person in people], key="people")
        st.caption("A row opens the examples that are assigned to that person.")
        if opened is not None:
            where = {"run": str(run.id), "assigned": opened}
            st.switch_page("examples_list.py", query_params=where)
    else:
        st.markdown(
            "Nobody has been asked to review this run, and nobody has begun. Share it out below, "
            "or pick examples in the list and assign those."
        )
    _queues(run)
    left, right = st.columns(2, gap="large")
    with left:
        _split(run, [person.reviewer for person in people])
    with right:
        _hand_over(run, [person.reviewer for person in people])


def _how_reviewed(run: RunFacts) -> str:
    who = "One person reviews each example; everybody sees what others have decided."
    if run.independent:
        who = (
            f"{run.reviewers_needed} people review each example without seeing each other; where "
            "they differ it comes into the queue “To resolve”."
        )
    return who + (" The judge's score is hidden until they have given theirs." * run.blind)


def _row(person: PersonProgress) -> Row:
    queues = ", ".join(
        f"{queue.label} {passes.finished} of {passes.opened}"
        for queue, passes in person.by_queue.items()
    )
    cells: tuple[Cell, ...] = (
        Text(person.reviewer, strong=True),
        Bar(person.assigned_done, person.assigned) if person.assigned else Text("none", muted=True),
        Bar(person.passes.finished, person.passes.opened)
        if person.passes.opened
        else Text("not begun", muted=True),
        Text(queues or MISSING, muted=True, wrap=True),
        Figure(f"{person.decisions:,}"),
        Figure(f"{person.changes:,}"),
        Text(MISSING if person.last_at is None else ago(person.last_at, now()), muted=True),
    )
    return Row(person.reviewer, cells)


def _queues(run: RunFacts) -> None:
    """What waits for this person, by queue; a row opens the desk in that queue."""
    name = reviewer()
    if name is None:
        return
    section("What waits for you")
    counts = queue_counts(engine(), run.id, name)
    columns = (Column("Queue", 1), Column("Examples", 0.6, right=True), Column("What it is", 5))
    lines = [
        Row(
            queue.value,
            (Text(queue.label, strong=True), Figure(f"{counts[queue]:,}"), Text(queue.help)),
        )
        for queue in Queue
        if counts[queue]
    ]
    if not lines:
        st.markdown("Nothing: this run has no example that a person could review.")
        return
    opened = rows(columns, lines, key="queues")
    if opened is not None:
        st.switch_page("review.py", query_params={"run": str(run.id), "queue": opened})


def _split(run: RunFacts, people: Sequence[str]) -> None:
    section("Share out evenly")
    st.caption(
        "What is unreviewed and lacks people goes to these, as evenly as it goes: "
        f"{count(run.needed, 'person', 'people')} an example. Nothing assigned is taken away."
    )
    chosen = _choose("Among whom", people, key="split_people")
    if st.button("Share out", disabled=not chosen or reviewer() is None, key="split_go"):
        try:
            given = split_evenly(engine(), run.id, chosen, by=reviewer() or "", now=now())
        except RecallError as error:
            st.caption(f":red[! {plain(str(error))}]")
            return
        said = ", ".join(f"{name} {number:,}" for name, number in given.items())
        _say(f"Shared out anew: {said}.")


def _hand_over(run: RunFacts, people: Sequence[str]) -> None:
    section("Hand over")
    st.caption(
        "What one person has not finished, assigned or begun, goes to another. What they have "
        "decided stays theirs."
    )
    from_, to = st.columns(2)
    with from_:
        giver = st.selectbox("From", people, index=None, placeholder="Whose", key="hand_from")
    with to:
        heir = st.selectbox(
            "To",
            [name for name in dict.fromkeys([*people, *known_people(engine())]) if name != giver],
            index=None,
            placeholder="To whom",
            accept_new_options=True,
            key="hand_to",
        )
    off = giver is None or not heir or reviewer() is None
    if st.button("Hand over", disabled=off, key="hand_go") and giver is not None and heir:
        try:
            number = hand_over(
                engine(), run.id, from_=giver, to=heir, by=reviewer() or "", now=now()
            )
        except RecallError as error:
            st.caption(f":red[! {plain(str(error))}]")
            return
        _say(f"{count(number, 'example')} went from {giver} to {heir}.")


def _choose(label: str, people: Sequence[str], *, key: str) -> list[str]:
    own = reviewer()
    offered = dict.fromkeys([*people, *([own] if own else []), *known_people(engine())])
    return st.multiselect(
        label,
        list(offered),
        accept_new_options=True,
        placeholder="Choose, or type a name",
        key=key,
    )


def _say(done: str) -> None:
    st.session_state[DONE] = done
    st.rerun()

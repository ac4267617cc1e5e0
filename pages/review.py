"""One example at a time: the judge's word, what people decided, and the final it makes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, NoReturn

import streamlit as st

from db.details import read_run_facts
from db.errors import NotKept
from db.estimating import headline
from db.queues import queue_counts
from db.results import ordered_ids
from db.reviews import hides_judge, read_judgement
from db.run_cards import RunState, get_run
from db.second_looks import second_looks_due
from pages.components.list_query import list_params, list_query
from pages.components.page_parts import gone, nothing_here, number_in_address
from pages.components.review_desk import review_desk
from pages.components.review_desk.lists import ReviewList, queue_list
from pages.components.review_desk.standing import next_queue, recall_words
from pages.components.session import engine, now, require_reviewer
from recall_core.details import RunFacts
from recall_core.queues import Queue

STILL_JUDGING = (RunState.QUEUED, RunState.RUNNING, RunState.PAUSED)
WISH = "review:wish"
"""Where session state keeps, for a moment, where the person wants to go."""


def main() -> None:
    reviewer = require_reviewer()
    try:
        run, opened = _asked_for(reviewer)
    except NotKept as error:
        gone(error)
    words = list_params(st.query_params.to_dict())
    queue = _queue_in_address()
    key = _desk_key(run.id, words, queue)
    listed = _list(run.id, words, queue, opened, reviewer, key)
    if not listed.ids or (listed.empty and opened is None):
        _nothing_to_review(run, words, listed, reviewer)
    _desk(run, words, listed, opened or listed.first, reviewer, key)


def _asked_for(reviewer: str) -> tuple[RunFacts, int | None]:
    """The run and the judgement that the address names; the judgement alone names its run too."""
    judgement_id = number_in_address("judgement")
    if judgement_id is not None:
        return read_judgement(engine(), judgement_id, reviewer).run, judgement_id
    run_id = number_in_address("run")
    if run_id is None:
        nothing_here(
            "Review",
            "A review belongs to a run. Choose one first, and its examples come one by one.",
            "To all runs",
            "overview.py",
        )
    return read_run_facts(engine(), run_id), None


def _queue_in_address() -> Queue:
    """The queue that the address names; without one the person chooses from the list."""
    word = st.query_params.get("queue", "")
    return Queue(word) if word in set(Queue) else Queue.CHOSEN


def _list(
    run_id: int,
    words: dict[str, str],
    queue: Queue,
    opened: int | None,
    reviewer: str,
    key: str,
) -> ReviewList:
    """The list as it was when the person came: what they decide must not move it under them."""
    place = f"{key}:list"
    if place not in st.session_state or key not in st.session_state:
        fresh = _fresh_list(run_id, words, queue, reviewer).with_guest(opened)
        back = second_looks_due(engine(), run_id, reviewer, now=now())
        st.session_state[place] = fresh.with_second_looks(back)
    listed: ReviewList = st.session_state[place]
    return listed


def _fresh_list(run_id: int, words: dict[str, str], queue: Queue, reviewer: str) -> ReviewList:
    if queue is not Queue.CHOSEN:
        return queue_list(engine(), run_id, queue, reviewer)
    query = list_query(words)
    ids = ordered_ids(engine(), run_id, query.where, query.order, viewer=reviewer)
    return ReviewList(tuple(ids), "Filtered examples" if words else "All examples")


def _nothing_to_review(
    run: RunFacts, words: dict[str, str], listed: ReviewList, reviewer: str
) -> NoReturn:
    if listed.queue is not Queue.CHOSEN:
        _queue_done(run, listed, reviewer)
    if words:
        nothing_here(
            "Nothing fits this list",
            f"No example of {run.name} is in the list that the address describes. "
            "It may have been reviewed out of it.",
            "To all examples",
            "examples_list.py",
        )
    nothing_here(
        "Nothing to review yet",
        f"{run.name} has not judged an example so far. Come back when the first ones are done.",
        "To the run",
        "run.py",
    )


def _queue_done(run: RunFacts, listed: ReviewList, reviewer: str) -> NoReturn:
    """A queue that holds nothing: what was done, and what to go on with."""
    label, done = listed.queue.label, listed.behind
    address = {"run": str(run.id)}
    if listed.queue is Queue.AUDIT and get_run(engine(), run.id).state in STILL_JUDGING:
        nothing_here(
            "Audit",
            f"{run.name} is still judging. The audit draws from all of its examples, so it begins "
            "when the run is done.",
            "To the run",
            "run.py",
            address,
        )
    title = f"{label} done: {done} of {done}" if done else f"{label}: nothing waits for you"
    found = _found_out(run.id, reviewer) if listed.queue is Queue.AUDIT else ""
    counts = queue_counts(engine(), run.id, reviewer)
    following = next_queue(counts, listed.queue)
    if following is None:
        nothing_here(
            title,
            f"{found}No other queue of {run.name} holds anything for you either.",
            "To the results",
            "results.py",
            address,
        )
    words = f"{following.label}, {counts[following]:,}"
    nothing_here(
        title,
        f"{found}Next: {words}. {following.help}",
        f"To {words}",
        "review.py",
        address | {"queue": following.value},
    )


def _found_out(run_id: int, reviewer: str) -> str:
    """What the audit has come to, for who may know."""
    if hides_judge(engine(), run_id, reviewer):
        return ""
    recall = recall_words(headline(engine(), run_id))
    return f"The recall is {recall}. " if recall else ""


@st.fragment
def _desk(
    run: RunFacts, words: dict[str, str], listed: ReviewList, opened: int, reviewer: str, key: str
) -> None:
    """The desk. Each of its messages runs this alone, not the page."""
    review_desk(
        engine(),
        run,
        listed,
        opened,
        reviewer=reviewer,
        on_leave=_keep_wish,
        key=key,
    )
    wish: Mapping[str, Any] | None = st.session_state.pop(WISH, None)
    if wish is not None:
        _leave(run, words, wish)


def _keep_wish(wish: Mapping[str, Any]) -> None:
    """As a callback of the desk: where the person wants to go is done once the desk is drawn."""
    st.session_state[WISH] = wish


def _leave(run: RunFacts, words: dict[str, str], wish: Mapping[str, Any]) -> None:
    address = {"run": str(run.id)}
    if wish.get("queue") in set(Queue):
        st.switch_page("review.py", query_params=address | {"queue": wish["queue"]})
    st.switch_page("examples_list.py", query_params=address | words)


def _desk_key(run_id: int, words: dict[str, str], queue: Queue) -> str:
    """One desk for each list, so that another list starts at its own place."""
    name = repr((run_id, sorted(words.items()), queue.value))
    return f"desk-{hashlib.sha256(name.encode()).hexdigest()[:12]}"


main()

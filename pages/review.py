"""One example at a time: the judge's word, what people decided, and the final it makes."""

from __future__ import annotations

import hashlib
from typing import NoReturn

import streamlit as st

from db.details import read_run_facts
from db.errors import NotKept
from db.results import ordered_ids
from db.reviews import read_judgement
from pages.components.list_query import list_params, list_query
from pages.components.page_parts import gone, nothing_here, number_in_address
from pages.components.review_desk import ReviewList, review_desk
from pages.components.session import engine, require_reviewer
from recall_core.details import RunFacts


def main() -> None:
    reviewer = require_reviewer()
    try:
        run, opened = _asked_for()
    except NotKept as error:
        gone(error)
    words = list_params(st.query_params.to_dict())
    key = _desk_key(run.id, words)
    listed = _list(run.id, words, opened, key)
    if not listed.ids:
        _nothing_to_review(run, words)
    _desk(run, words, listed, opened or listed.ids[0], reviewer, key)


def _asked_for() -> tuple[RunFacts, int | None]:
    """The run and the judgement that the address names; the judgement alone names its run too."""
    judgement_id = number_in_address("judgement")
    if judgement_id is not None:
        return read_judgement(engine(), judgement_id).run, judgement_id
    run_id = number_in_address("run")
    if run_id is None:
        nothing_here(
            "Review",
            "A review belongs to a run. Choose one first, and its examples come one by one.",
            "To all runs",
            "overview.py",
        )
    return read_run_facts(engine(), run_id), None


def _list(run_id: int, words: dict[str, str], opened: int | None, key: str) -> ReviewList:
    """The list as it was when the person came: what they decide must not move it under them.

    An example that a link names but the list leaves out comes first.
    """
    place = f"{key}:list"
    if place not in st.session_state or key not in st.session_state:
        query = list_query(words)
        ids = ordered_ids(engine(), run_id, query.where, query.order)
        if opened is not None and opened not in ids:
            ids = [opened, *ids]
        name = "Filtered examples" if words else "All examples"
        st.session_state[place] = ReviewList(tuple(ids), name)
    listed: ReviewList = st.session_state[place]
    return listed


def _nothing_to_review(run: RunFacts, words: dict[str, str]) -> NoReturn:
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
        on_leave=_want_list,
        key=key,
    )
    if st.session_state.pop("review:to_list", False):
        st.switch_page("examples_list.py", query_params={"run": str(run.id), **words})


def _want_list() -> None:
    st.session_state["review:to_list"] = True


def _desk_key(run_id: int, words: dict[str, str]) -> str:
    """One desk for each list, so that another list starts at its own place."""
    name = repr((run_id, sorted(words.items())))
    return f"desk-{hashlib.sha256(name.encode()).hexdigest()[:12]}"


main()

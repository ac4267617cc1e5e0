"""The first screen: where to go on, and every run with its state, recall and review."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from db.datasets import list_datasets
from db.review_progress import own_progress
from db.run_figures import last_stop
from db.runs import list_runs
from pages.components.headline import BAR_AND_RING
from pages.components.list_query import LOWEST_JUDGED_FIRST
from pages.components.page_parts import head, stop_in_address
from pages.components.rows import rows
from pages.components.run_rows import (
    RUN_COLUMNS,
    Group,
    ListedRun,
    listed,
    open_run,
    run_row,
    runs_in_words,
)
from pages.components.session import engine, now, reviewer
from pages.components.starter_buttons import starter_buttons
from pages.components.style import count, plain
from recall_core.queues import Queue

ALL = "All"
ARCHIVED = "Archived"


def main() -> None:
    everything = _listed()
    if not everything:
        _empty()
        return
    kept = [run for run in everything if run.card.archived_at is None]
    datasets = {run.card.dataset_id for run in kept}
    with head("Runs", runs_in_words(len(kept), len(datasets))):
        if len(kept) > 1 and st.button("Compare", key="compare"):
            st.switch_page("compare.py")
        if st.button("New run", type="primary", key="new_run"):
            st.switch_page("run.py")
    _go_on(kept)
    active = any(run.card.state.active for run in kept)
    st.fragment(_list, run_every=1.0 if active else None)(active)


def _listed() -> list[ListedRun]:
    return listed(list_runs(engine(), archived=True))


def _go_on(runs: Sequence[ListedRun]) -> None:
    """Where this person decided last, if there is something left to decide there."""
    name = reviewer()
    stop = last_stop(engine(), name) if name else None
    run = next((r for r in runs if stop is not None and r.card.id == stop.run_id), None)
    if stop is None or run is None or run.figures.all_reviewed:
        if not (name and _assigned(name)):
            _next_step(runs)
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        done = f"{run.figures.reviewed:,} of {run.card.examples:,} examples reviewed."
        if stop.queue is Queue.AUDIT and (needed := run.headline.reviews_for()) is not None:
            done += f" {needed.sentence.rstrip('.')}."
        queue = "" if stop.queue is Queue.CHOSEN else f"queue {stop.queue.label}, "
        said = plain(f"{run.card.name}, {queue}{done}")
        st.markdown(f"**Go on where you stopped:** {said}", width="stretch")
        if st.button("Continue", key="continue"):
            st.switch_page("review.py", query_params=stop_in_address(stop))


def _assigned(name: str) -> bool:
    """What this person has been asked to review and has not begun; whether there is anything."""
    for part in own_progress(engine(), name):
        left = part.progress.assigned - part.progress.assigned_done
        if left > 0:
            with st.container(border=True, horizontal=True, vertical_alignment="center"):
                said = plain(f"{part.run}, {count(left, 'example')} assigned to you.")
                st.markdown(f"**Waiting for you:** {said}", width="stretch")
                if st.button("Begin", key="begin_assigned"):
                    where = {"run": str(part.run_id), "queue": Queue.MINE.value}
                    st.switch_page("review.py", query_params=where)
            return True
    return False


def _next_step(runs: Sequence[ListedRun]) -> None:
    """What to do while nobody has reviewed anything yet."""
    if any(not run.figures.judge_only for run in runs):
        return
    ready = [run for run in runs if run.group is Group.TO_REVIEW and run.figures.reviewable]
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        if not ready:
            st.markdown("**Next:** the judges are at work. Their scores appear here by themselves.")
            return
        run = ready[0].card
        words = "read the lowest examples and correct what is wrong. The mean follows."
        st.markdown(f"**Next:** open {plain(run.name)}, {words}", width="stretch")
        if st.button("Review the lowest", key="first_review"):
            where = {"run": str(run.id), "sort": LOWEST_JUDGED_FIRST}
            st.switch_page("review.py", query_params=where)


def _list(was_active: bool) -> None:
    """The runs themselves; drawn again every second while one is being judged."""
    everything = _listed()
    chosen, text = _controls(everything)
    shown = [run for run in everything if _is_shown(run, chosen) and run.fits(text)]
    if shown:
        lines = [run_row(run, now()) for run in shown]
        opened = rows(RUN_COLUMNS, lines, key="runs")
        st.caption(BAR_AND_RING)
        for run in shown:
            if str(run.card.id) == opened:
                open_run(run)
    else:
        st.markdown("No run fits. Choose All, or search for something else.")
    if was_active and not any(run.card.state.active for run in everything):
        st.rerun()


def _controls(runs: Sequence[ListedRun]) -> tuple[str, str]:
    counts = Counter(name for run in runs for name in _groups(run))
    names = [ALL, *Group] + ([ARCHIVED] if counts[ARCHIVED] else [])
    asked = st.query_params.get("show", "")
    st.session_state["runs_shown"] = asked if asked in names else ALL
    st.session_state["runs_found"] = st.query_params.get("find", "")
    with st.container(horizontal=True, vertical_alignment="center"):
        chosen = st.segmented_control(
            "Which runs",
            names,
            required=True,
            format_func=lambda name: f"{name} {counts[name]}",
            label_visibility="collapsed",
            key="runs_shown",
            on_change=_show,
        )
        text = st.text_input(
            "Find a run, dataset or judge",
            placeholder="Find a run, dataset or judge",
            type="search",
            label_visibility="collapsed",
            width=260,
            key="runs_found",
            on_change=_find,
        )
    return chosen or ALL, text or ""


def _show() -> None:
    chosen = st.session_state["runs_shown"]
    _put_in_address("show", "" if chosen == ALL else str(chosen))


def _find() -> None:
    _put_in_address("find", st.session_state["runs_found"])


def _put_in_address(name: str, word: str) -> None:
    if word:
        st.query_params[name] = word
    else:
        st.query_params.pop(name, None)


def _groups(run: ListedRun) -> tuple[str, ...]:
    return (ARCHIVED,) if run.card.archived_at is not None else (ALL, run.group)


def _is_shown(run: ListedRun, chosen: str) -> bool:
    return chosen in _groups(run)


def _empty() -> None:
    with head("Runs", ""):
        pass
    _, middle, _ = st.columns([1, 2.9, 1])
    with middle, st.container(border=True):
        _welcome()


def _welcome() -> None:
    st.markdown("**Nothing to review yet**")
    st.markdown(
        "Recall Desk needs questions, the passages that should come back, and the passages that "
        "did. Twelve ready-made examples show the whole way in five minutes."
    )
    with st.container(horizontal=True):
        starter_buttons(primary=True)
        if st.button("Upload a file", key="upload_file"):
            st.switch_page("data.py", query_params={"add": "file"})
    st.caption(
        "The demo is judged at once by three judges that need no key: two lexical screens and "
        "string distance. CSV, TSV, JSON, JSONL, XLSX and Parquet; files of ragas, DeepEval, "
        "LangWatch, judgeval and RAGChecker load without mapping."
    )
    steps = (
        ("1 Bring data", "Questions, ground truth, what was retrieved."),
        ("2 Let judges score", "Each passage gets a score, a reason and evidence."),
        ("3 Review", "Correct what is wrong. The number follows."),
    )
    for place, (title, text) in zip(st.columns(3), steps, strict=True):
        with place:
            st.markdown(f"**{title}**")
            st.caption(text)
    if list_datasets(engine()):
        st.caption("There are datasets already: start a run on one under Run.")


main()

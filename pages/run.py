"""Starting runs, one run while it is judged (`?run=`) or made again (`?clone=`), and judge output
that exists already (`?import=`, a dataset)."""

from __future__ import annotations

import streamlit as st

from db.datasets import DatasetCard, get_dataset, list_datasets
from db.errors import NotKept
from db.runs import RunCard, RunState, RunTemplate, clone_settings, get_run, list_runs
from db.stopping import stop_rule
from pages.components.frozen_settings import frozen_settings
from pages.components.import_replies import import_replies_page
from pages.components.judge_words import judge_line, judge_line_and_kind
from pages.components.new_run import (
    choose_judges,
    dataset_line,
    draw_plan,
    draw_settings,
    known_servers,
    start_runs,
)
from pages.components.page_parts import gone, head, nothing_here, number_in_address
from pages.components.review_options import draw_review_options
from pages.components.rows import rows
from pages.components.run_menu import run_menu
from pages.components.run_progress import run_progress
from pages.components.run_rows import RUN_COLUMNS, listed, open_run, run_row
from pages.components.session import engine, now
from pages.components.style import count, plain, section


def main() -> None:
    run_id, clone_id = number_in_address("run"), number_in_address("clone")
    import_into = number_in_address("import")
    try:
        if run_id is not None:
            _one_run(get_run(engine(), run_id))
        elif import_into is not None:
            import_replies_page(get_dataset(engine(), import_into))
        else:
            _new_run(None if clone_id is None else clone_settings(engine(), clone_id))
    except NotKept as error:
        gone(error)


def _one_run(run: RunCard) -> None:
    judge = (
        judge_line_and_kind(run.judge, run.judge_version)
        if run.model is None
        else f"{judge_line(run.judge, run.judge_version)}, {run.model} at {run.endpoint}"
    )
    with head(run.name, f"{judge}, {run.dataset}"):
        run_menu(run)
        done = run.state is RunState.DONE
        if done:
            _to_its_examples(run)
        if st.button("Results", type="primary" if done else "secondary", key="to_results"):
            st.switch_page("results.py", query_params={"run": str(run.id)})
    st.caption(plain(stop_rule(engine(), run.id).sentence))
    left, right = st.columns([1.6, 1], gap="large")
    with left:
        section("Progress")
        run_progress(run)
    with right:
        frozen_settings(run)
    _others(run.id)


def _to_its_examples(run: RunCard) -> None:
    if st.button("Examples", key="to_examples"):
        st.switch_page("examples_list.py", query_params={"run": str(run.id)})
    if st.button("Review", key="to_review"):
        here = {"run": str(run.id), "sort": "lowest first"}
        st.switch_page("review.py", query_params=here)


def _others(run_id: int | None) -> None:
    """The runs that are being judged now, besides this one."""
    cards = [c for c in list_runs(engine()) if c.state.active and c.id != run_id]
    if not cards:
        return
    shown = listed(cards)
    section("Also running" if run_id is not None else "Running now")
    opened = rows(RUN_COLUMNS, [run_row(run, now()) for run in shown], key="running")
    for run in shown:
        if str(run.card.id) == opened:
            open_run(run)


def _new_run(start: RunTemplate | None) -> None:
    datasets = {dataset.id: dataset for dataset in list_datasets(engine())}
    wanted = number_in_address("dataset") if start is None else start.dataset_id
    if wanted is not None and wanted not in datasets:
        # An archived one may be judged again; one that is gone must not become another one.
        datasets[wanted] = get_dataset(engine(), wanted)
    if not datasets:
        nothing_here(
            "New run",
            "A run judges a dataset, and there is none yet. Bring data first.",
            "Add data",
            "data.py",
            {"add": "file"},
        )
    top = st.container()
    servers = known_servers()
    key = "new" if start is None else f"clone-{start.dataset_id}-{start.name}"
    judges, settings, plan = st.columns([1, 1, 1.05], gap="large")
    with judges:
        dataset, replaced = _choose_dataset(datasets, wanted, key)
        chosen = choose_judges(dataset, servers, start, key)
    with settings:
        said = draw_settings(chosen, servers, start, key)
        options = draw_review_options(start, key)
    with plan:
        planned = draw_plan(dataset, chosen, said, servers, start, key)
    ready = bool(planned) and not any(plan.blocked for plan in planned)
    label = f"Start {count(len(planned), 'run')}" if len(planned) > 1 else "Start run"
    with top, head("New run", dataset_line(dataset)):
        if st.button("Import judge output", type="tertiary", key="to_import"):
            st.switch_page("run.py", query_params={"import": str(dataset.id)})
        go = st.button(label, type="primary", disabled=not ready, key="start")
    if go and replaced:
        with top:
            st.error(
                "The dataset that you had chosen has been deleted or archived, so nothing was "
                "started. The form now shows another one."
            )
    elif go:
        with top:
            ids = start_runs(dataset, planned, options)
        if len(ids) > 1:
            st.switch_page("overview.py")
        if ids:
            st.switch_page("run.py", query_params={"run": str(ids[0])})
    _others(None)


def _choose_dataset(
    datasets: dict[int, DatasetCard], wanted: int | None, key: str
) -> tuple[DatasetCard, bool]:
    """The chosen dataset, and whether it took the place of one that is not offered any more."""
    ids = list(datasets)
    shown: int | None = st.session_state.get(f"{key}.shown")
    chosen = st.selectbox(
        "Dataset",
        ids,
        index=ids.index(wanted) if wanted in datasets else 0,
        format_func=lambda i: f"{datasets[i].name}, {count(datasets[i].examples, 'example')}",
        key=f"{key}.dataset",
    )
    st.session_state[f"{key}.shown"] = chosen
    return datasets[chosen], shown is not None and shown not in datasets


main()

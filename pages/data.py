"""Datasets: the list, adding one (`?add=file`, `?add=paste`), and one of them (`?dataset=`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import streamlit as st

from db.datasets import DatasetCard, Version, get_dataset, list_datasets, versions
from db.errors import NotKept
from db.runs import list_runs
from pages.components.add_example import add_example
from pages.components.add_file import add_file, forget_uploads
from pages.components.dataset_page import dataset_page
from pages.components.page_parts import gone, head, number_in_address
from pages.components.rows import Column, Figure, Row, Text, rows
from pages.components.session import engine, now
from pages.components.style import ago, count


def main() -> None:
    dataset_id = number_in_address("dataset")
    if st.query_params.get("add") != "file":
        forget_uploads()
    if dataset_id is not None:
        try:
            dataset = get_dataset(engine(), dataset_id)
        except NotKept as error:
            gone(error)
        dataset_page(dataset)
    elif st.query_params.get("add") == "paste":
        add_example()
    elif st.query_params.get("add") == "file":
        add_file()
    else:
        _list()


def _list() -> None:
    everything = list_datasets(engine(), archived=True)
    kept = [d for d in everything if d.archived_at is None]
    caption = f"{count(len(kept), 'dataset')}. A dataset never changes once it is saved."
    with head("Data", caption):
        if st.button("Paste one example", key="paste"):
            st.switch_page("data.py", query_params={"add": "paste"})
        if st.button("Add data", type="primary", key="add_data"):
            st.switch_page("data.py", query_params={"add": "file"})
    shown = kept
    if len(kept) < len(everything) and st.toggle("Show archived ones too", key="with_archived"):
        shown = everything
    if not shown:
        _empty()
        return
    _rows(shown, versions(everything))


def _rows(datasets: Sequence[DatasetCard], numbered: Mapping[int, Version]) -> None:
    columns = (
        Column("Dataset", 2.4),
        Column("Examples", 0.8, right=True),
        Column("Essential", 0.8, right=True),
        Column("Bonus", 0.7, right=True),
        Column("Used by", 2.6),
        Column("Source", 1.7),
        Column("Saved", 1.3),
    )
    names: dict[int, list[str]] = defaultdict(list)
    for run in list_runs(engine(), archived=True):
        names[run.dataset_id].append(run.name)
    lines = [_row(d, numbered[d.id], names[d.id]) for d in datasets]
    opened = rows(columns, lines, key="datasets")
    if opened is not None:
        st.switch_page("data.py", query_params={"dataset": opened})


def _row(dataset: DatasetCard, version: Version, runs: Sequence[str]) -> Row:
    away = "archived" if dataset.archived_at is not None else ""
    below = ", ".join(said for said in (str(version), away) if said)
    used = Text(count(len(runs), "run"), ", ".join(runs)) if runs else Text("no run", muted=True)
    return Row(
        str(dataset.id),
        (
            Text(dataset.name, below, strong=True),
            Figure(f"{dataset.examples:,}"),
            Figure(f"{dataset.essential:,}"),
            Figure(f"{dataset.bonus:,}"),
            used,
            Text(dataset.source, muted=True),
            Text(dataset.created_by, ago(dataset.created_at, now())),
        ),
    )


def _empty() -> None:
    _, middle, _ = st.columns([1, 2.9, 1])
    with middle, st.container(border=True):
        st.markdown("**No data yet**")
        st.markdown(
            "A dataset is a list of questions, each with the passages that ought to come back and "
            "the passages that did. Add a file, paste one example, or start with the demo on the "
            "first page."
        )
        if st.button("To the demo", key="to_demo"):
            st.switch_page("overview.py")


main()

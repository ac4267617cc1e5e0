"""One dataset: its examples 50 a page, the runs on it, and what can be done with it."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from typing import Final

import streamlit as st

from db.datasets import (
    DatasetCard,
    list_datasets,
    read_examples,
    stream_examples,
    versions,
)
from db.runs import list_runs
from pages.components.export_menu import file_stem
from pages.components.page_parts import head, number_in_address
from pages.components.rows import Column, Figure, Row, Text, rows
from pages.components.run_menu import dataset_menu
from pages.components.run_rows import RUN_COLUMNS, listed, open_run, run_row
from pages.components.session import engine, now
from pages.components.style import MISSING, ago, count, plain, section, text_block
from recall_core.export.dataset_files import dataset_csv, dataset_jsonl, write_dataset_parquet
from recall_core.types import Example

SIZE: Final = 50


def dataset_page(dataset: DatasetCard) -> None:
    """The whole screen."""
    passages = f"{dataset.essential:,} essential and {dataset.bonus:,} bonus passages"
    made = f"by {dataset.created_by}, {dataset.created_at:%Y-%m-%d}"
    facts = [count(dataset.examples, "example"), passages, dataset.source, made]
    with head(dataset.name, ", ".join(fact for fact in facts if fact)):
        if st.button("All data", type="tertiary", key="all_data"):
            st.switch_page("data.py")
        _download(dataset)
        if st.button("Import judge output", type="tertiary", key="to_import"):
            st.switch_page("run.py", query_params={"import": str(dataset.id)})
        dataset_menu(dataset)
        if st.button("Start a run", type="primary", key="start_run"):
            st.switch_page("run.py", query_params={"dataset": str(dataset.id)})
    _versions(dataset)
    _runs(dataset)
    _examples(dataset)


def _download(dataset: DatasetCard) -> None:
    """Files that load back exactly, made when they are asked for."""
    stem = file_stem(dataset.name)
    with st.popover("Download", icon=":material/download:"):
        for kind, mime, make in (
            ("JSONL", "application/x-ndjson", _text(dataset.id, dataset_jsonl)),
            ("CSV", "text/csv", _text(dataset.id, dataset_csv)),
            ("Parquet", "application/vnd.apache.parquet", _parquet(dataset.id)),
        ):
            st.download_button(
                kind,
                make,
                file_name=f"{stem}.{kind.lower()}",
                mime=mime,
                on_click="ignore",
                key=f"download-{kind}",
                width="stretch",
            )
        st.caption("Each of them loads back here exactly as it is.")


def _text(
    dataset_id: int, write: Callable[[Iterable[Example]], Iterator[str]]
) -> Callable[[], bytes]:
    to = engine()
    return lambda: "".join(write(stream_examples(to, dataset_id))).encode()


def _parquet(dataset_id: int) -> Callable[[], bytes]:
    to = engine()

    def make() -> bytes:
        file = io.BytesIO()
        write_dataset_parquet(stream_examples(to, dataset_id), file)
        return file.getvalue()

    return make


def _versions(dataset: DatasetCard) -> None:
    """The datasets of the same name, to go from one to the other."""
    everything = list_datasets(engine(), archived=True)
    numbered = versions(everything)
    if numbered[dataset.id].of < 2:
        return
    section("Versions", "Datasets of the same name; each stays as it was saved.")
    columns = (
        Column("Version", 2),
        Column("Examples", 1, right=True),
        Column("Runs", 0.8, right=True),
        Column("Source", 2.4),
        Column("Saved", 2),
    )
    same = [d for d in everything if d.name.casefold() == dataset.name.casefold()]
    lines = [
        Row(
            str(d.id),
            (
                Text(
                    f"v{numbered[d.id].number}" + (", this one" if d.id == dataset.id else ""),
                    strong=d.id == dataset.id,
                ),
                Figure(f"{d.examples:,}"),
                Figure(f"{d.runs:,}"),
                Text(d.source, muted=True),
                Text(f"{d.created_by}, {ago(d.created_at, now())}", muted=True),
            ),
        )
        for d in same
    ]
    opened = rows(columns, lines, key="versions")
    if opened is not None:
        st.switch_page("data.py", query_params={"dataset": opened})


def _runs(dataset: DatasetCard) -> None:
    cards = list_runs(engine(), dataset_id=dataset.id)
    if not cards:
        return
    shown = listed(cards)
    section("Runs")
    opened = rows(RUN_COLUMNS, [run_row(run, now()) for run in shown], key="dataset_runs")
    for run in shown:
        if str(run.card.id) == opened:
            open_run(run)


def _examples(dataset: DatasetCard) -> None:
    section("Examples")
    pages = max(1, -(-dataset.examples // SIZE))
    page = min(pages, st.session_state.get("page") or number_in_address("page") or 1)
    examples = read_examples(engine(), dataset.id, offset=(page - 1) * SIZE, limit=SIZE)
    columns = (
        Column("Example", 1.4),
        Column("Question", 4),
        Column("Essential", 0.8, right=True),
        Column("Bonus", 0.7, right=True),
        Column("Retrieved", 0.8, right=True),
        Column("Metadata", 2.2),
    )
    lines = [_line(place, example) for place, example in enumerate(examples)]
    opened = rows(columns, lines, key=f"examples-{dataset.id}-{page}")
    with st.container(horizontal=True, vertical_alignment="center"):
        place = f", page {page} of {pages}" if pages > 1 else ""
        st.caption(count(dataset.examples, "example") + place, width="content")
        if pages > 1:
            st.pagination(pages, key="page", bind="query-params")
    if opened is not None:
        _whole(examples[int(opened)])


def _line(place: int, example: Example) -> Row:
    truth, retrieved = example.ground_truth, example.retrieved
    metadata = ", ".join(f"{name}: {value}" for name, value in example.metadata.items())
    return Row(
        str(place),
        (
            Text(example.id, mono=True),
            Text(example.question or MISSING, muted=example.question is None),
            Figure(MISSING if truth is None else f"{len(example.essential):,}"),
            Figure(MISSING if truth is None else f"{len(example.bonus):,}"),
            Figure(MISSING if retrieved is None else f"{len(retrieved):,}"),
            Text(metadata, muted=True),
        ),
    )


@st.dialog("Example", width="large")
def _whole(example: Example) -> None:
    """Every text of one example, as it was saved."""
    st.caption(plain(example.id))
    _texts("Question", [example.question] if example.question else [])
    _texts("Essential passages", [p.text for p in example.essential])
    _texts("Bonus passages", [p.text for p in example.bonus])
    _texts("Retrieved passages", [p.text for p in example.retrieved or ()])
    _texts("Actual output", [example.actual_output] if example.actual_output else [])
    _texts("Expected output", [example.expected_output] if example.expected_output else [])
    for name, value in example.metadata.items():
        st.caption(plain(f"{name}: {value}"))


def _texts(title: str, texts: list[str]) -> None:
    if not texts:
        return
    st.markdown(f"**{title}**")
    for text in texts:
        st.html(text_block(text))

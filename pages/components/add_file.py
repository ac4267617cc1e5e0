"""Adding a dataset from a file: upload, what its columns mean, what is wrong with its rows, save.

Session state holds the file and its mapping while a person works on them; nothing is stored
before Save.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final, TypeVar

import streamlit as st

from db.datasets import find_by_hash, save_dataset
from pages.components.mapping_form import choices_form, mapping_form
from pages.components.page_parts import head
from pages.components.preview_rows import nobody_takes, preview_rows
from pages.components.session import author, engine, now
from pages.components.starter_buttons import starter_buttons
from pages.components.style import count, plain
from recall_core.errors import RecallError, UnreadableFile
from recall_core.ingest import (
    ColumnMapping,
    ContentHash,
    FileFormat,
    Preview,
    Table,
    parse_examples,
    preview,
    read_file,
    template_csv,
    template_jsonl,
)
from recall_core.types import Example

KINDS: Final = ["csv", "tsv", "tab", "json", "jsonl", "ndjson", "xlsx", "parquet", "txt", "md"]
ENCODINGS: Final = ("utf-8", "utf-16", "cp1252", "cp1250", "cp1251", "shift_jis", "gb18030")
DELIMITERS: Final = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
DETECTED: Final = "as detected"
UPLOAD: Final = "add.file"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reading:
    """How a person wants the file read; `None` as detected."""

    encoding: str | None
    delimiter: str | None
    sheet: str | None


def add_file() -> None:
    """The whole screen."""
    upload = st.session_state.get(UPLOAD)
    top = st.container()
    if upload is None:
        _ask_for_file(top)
        return
    key = f"add.{upload.file_id}"
    forget_uploads(but=upload.file_id)
    reading = Reading(*(st.session_state.get(f"{key}.{n}") for n in Reading.__slots__))
    left, right = st.columns([1, 2.3], gap="large")
    try:
        table = _kept(f"{key}.table", reading, lambda: _read(upload, reading))
    except UnreadableFile as error:
        _unreadable(top, left, right, key, upload.name, error)
        return
    with left:
        stem = PurePath(upload.name).stem
        name = st.text_input("Dataset name", stem, max_chars=200, key=f"{key}.name")
        questions = st.container()
        mapping = mapping_form(table, f"{key}.{hash(reading)}")
    with right, st.spinner("Reading every row …", show_time=True):
        found = _kept(f"{key}.preview", (reading, mapping), lambda: preview(table, mapping))
    with questions:
        choices_form(mapping, found, f"{key}.{hash(reading)}")
    with left:
        _reading_controls(table, key)
        _uploader()
    with right:
        _same_again(found)
        preview_rows(table, mapping, found, key)
    with top:
        _head_and_save(table, mapping, found, name)


def forget_uploads(but: str | None = None) -> None:
    """Let go of files that nobody works on any more, since each is held in memory whole."""
    kept = UPLOAD if but is None else f"add.{but}"
    for name in [str(name) for name in st.session_state]:
        if name.startswith("add.") and name != UPLOAD and not name.startswith(kept):
            del st.session_state[name]


def _read(upload: Any, reading: Reading) -> Table:
    return read_file(
        upload.getvalue(),
        upload.name,
        encoding=reading.encoding,
        delimiter=reading.delimiter,
        sheet=reading.sheet,
    )


def _kept(place: str, made_from: object, make: Callable[[], T]) -> T:
    """What `make` gives, made again only when `made_from` has changed."""
    kept = st.session_state.get(place)
    if kept is None or kept[0] != made_from:
        kept = (made_from, make())
        st.session_state[place] = kept
    made: T = kept[1]
    return made


def _uploader(label: str = "Another file") -> None:
    st.file_uploader(label, type=KINDS, key=UPLOAD)


def _ask_for_file(top: Any) -> None:
    with top, head("Add data", "CSV, TSV, JSON, JSONL, XLSX, Parquet, or tagged ground-truth text"):
        _back()
    _, middle, _ = st.columns([1, 2.9, 1])
    with middle, st.container(border=True):
        _uploader("A file with questions, ground truth and what was retrieved")
        st.caption(
            "Columns are recognised by the names that ragas, DeepEval, LangWatch, judgeval and "
            "RAGChecker use, and you see every row before anything is saved."
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption("No file yet? Fill in a template:", width="content")
            st.download_button(
                "CSV", template_csv(), "template.csv", "text/csv", key="t_csv", on_click="ignore"
            )
            st.download_button(
                "JSONL",
                template_jsonl(),
                "template.jsonl",
                "application/x-ndjson",
                key="t_jsonl",
                on_click="ignore",
            )
            if st.button("Paste one example", key="paste", type="tertiary"):
                st.switch_page("data.py", query_params={"add": "paste"})
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption("Or look around with ready-made data:", width="content")
            starter_buttons()


def _back() -> None:
    if st.button("Discard", type="tertiary", key="discard"):
        st.switch_page("data.py")


def _unreadable(
    top: Any, left: Any, right: Any, key: str, name: str, error: UnreadableFile
) -> None:
    with top, head("Add data", name):
        _back()
    with left:
        _encoding_control(key)
        _uploader()
    with right:
        st.markdown(f"**This file cannot be read.** {plain(str(error))}")
        st.caption("Nothing was saved. Choose another encoding or another file.")


def _reading_controls(table: Table, key: str) -> None:
    if len(table.sheets) > 1:
        st.session_state.setdefault(f"{key}.sheet", table.sheet)
        st.selectbox("Sheet", table.sheets, key=f"{key}.sheet")
    if table.encoding is None:
        return
    with st.popover("Read it differently", type="tertiary"):
        _encoding_control(key)
        if table.format in (FileFormat.CSV, FileFormat.TSV):
            st.selectbox(
                "Delimiter",
                DELIMITERS,
                index=None,
                placeholder=DETECTED,
                format_func=DELIMITERS.__getitem__,
                key=f"{key}.delimiter",
            )


def _encoding_control(key: str) -> None:
    st.selectbox(
        "Encoding",
        ENCODINGS,
        index=None,
        placeholder=DETECTED,
        key=f"{key}.encoding",
    )


def _same_again(found: Preview) -> None:
    """The same rows may be here already, whatever the file is called."""
    there = find_by_hash(engine(), found.content_hash) if found.saved else None
    if there is None:
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        words = f"**These examples are here already:** {plain(there.name)}."
        st.markdown(f"{words} Saving makes a second dataset.", width="stretch")
        if st.button("Open it", key="open_same"):
            st.switch_page("data.py", query_params={"dataset": str(there.id)})


def _head_and_save(table: Table, mapping: ColumnMapping, found: Preview, name: str) -> None:
    label = f"Save {count(found.saved, 'example')}"
    if found.errors:
        label += f", leave out {found.errors:,}"
    caption = ", ".join(part for part in (table.filename, table.description) if part)
    with head("Add data", caption):
        _back()
        unready = not found.saved or bool(mapping.ambiguous)
        save = st.button(label, type="primary", disabled=unready, key="save")
    if warning := nobody_takes(mapping, found):
        with st.container(horizontal_alignment="right"):
            st.caption(f":red[! {plain(warning)}]", width="content")
    for notice in table.notices:
        st.caption(plain(notice))
    if save:
        _save(table, mapping, name)


def _save(table: Table, mapping: ColumnMapping, name: str) -> None:
    """Save the good rows, all of them or none, then open the dataset."""
    running = ContentHash()

    def good() -> Iterator[Example]:
        for row in parse_examples(table, mapping):
            if row.example is not None:
                running.add(row.example)
                yield row.example

    try:
        with st.spinner("Saving …", show_time=True):
            dataset_id = save_dataset(
                engine(),
                name,
                good(),
                content_hash=running.hexdigest,
                source=table.filename,
                author=author(),
                now=now(),
            )
    except RecallError as error:
        st.error(f"Nothing was saved. {plain(str(error))}")
        return
    st.switch_page("data.py", query_params={"dataset": str(dataset_id)})

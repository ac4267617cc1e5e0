"""Taking a run away as a file; each file is made when it is asked for."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import streamlit as st

from db.exporting import MEDIA_TYPES, ExportFormat, export_run
from pages.components.session import engine, now

FILES: Final = (
    (ExportFormat.XLSX, "Excel, a row a unit"),
    (ExportFormat.CSV, "CSV, a row a unit"),
    (ExportFormat.JSONL, "JSON lines, an example a line"),
    (ExportFormat.TEXT, "RECALL text"),
)


def file_stem(name: str) -> str:
    """A name that every system takes as that of a file."""
    kept = "".join(c if c.isalnum() or c in "-_." else "-" for c in name)
    return re.sub("-+", "-", kept).strip("-.")[:80] or "recall"


def export_menu(run_id: int, name: str) -> None:
    """The buttons Export and Report, for the head of a run's results."""
    stem = file_stem(name)
    with st.popover("Export", icon=":material/download:"):
        for kind, label in FILES:
            _button(label, _export(run_id, kind), f"{stem}.{kind.value}", MEDIA_TYPES[kind])
        st.caption("With who changed what, when and why.")
    st.download_button(
        "Report",
        _export(run_id, ExportFormat.REPORT),
        f"{stem}.html",
        MEDIA_TYPES[ExportFormat.REPORT],
        on_click="ignore",
        key="export-report",
        help="One page of HTML that anybody can read and print without this tool.",
    )


def _button(label: str, make: Callable[[], bytes], file_name: str, mime: str) -> None:
    st.download_button(
        label, make, file_name, mime, on_click="ignore", key=f"export-{label}", width="stretch"
    )


def _export(run_id: int, kind: ExportFormat) -> Callable[[], bytes]:
    # The files are made outside a script run, so nothing of the page may be asked for in there.
    to = engine()
    return lambda: export_run(to, run_id, kind, now=now()).content

"""Taking a run away as a file; each file is made when it is asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

import streamlit as st

from db.exporting import MEDIA_TYPES, ExportFormat, export_run
from db.policies import policies
from db.sealing import why_not_sealed
from pages.components.session import engine, now, viewer

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
    saved = {card.id: card.name for card in policies(engine(), run_id)}
    with st.popover("Export", icon=":material/download:"):
        policy = _choose_policy(saved)
        for kind, label in FILES:
            _button(
                label, _export(run_id, kind, policy), f"{stem}.{kind.suffix}", MEDIA_TYPES[kind]
            )
        st.caption("With who changed what, when and why.")
        _sealed(run_id, stem)
    st.download_button(
        "Report",
        _export(run_id, ExportFormat.REPORT, policy),
        f"{stem}.html",
        MEDIA_TYPES[ExportFormat.REPORT],
        on_click="ignore",
        key="export-report",
        help="One page of HTML that anybody can read and print without this tool.",
    )


def _sealed(run_id: int, stem: str) -> None:
    """The button of the package, with the reason where it cannot be made yet."""
    blocked = why_not_sealed(engine(), run_id, viewer())
    st.download_button(
        "Sealed package",
        _export(run_id, ExportFormat.SEALED, None),
        f"{stem}-sealed.{ExportFormat.SEALED.suffix}",
        MEDIA_TYPES[ExportFormat.SEALED],
        on_click="ignore",
        key="export-sealed",
        width="stretch",
        disabled=bool(blocked),
        help=blocked
        or "Verdicts, ledger and numbers with their hashes. `python -m api verify` computes "
        "everything again on another machine and says “equal”, or where it breaks.",
    )


def _choose_policy(saved: Mapping[int, str]) -> int | None:
    """Which saved policy the files carry beside the finals that count."""
    if not saved:
        return None
    chosen = st.selectbox(
        "Also counted by",
        [0, *saved],  # Streamlit shows None as a choice that is still to be made.
        format_func=lambda i: saved[i] if i else "no policy",
        help="Policies are saved under “What if”. The file and the report say what it makes of "
        "each final.",
        key="export-policy",
    )
    return chosen or None


def _button(label: str, make: Callable[[], bytes], file_name: str, mime: str) -> None:
    st.download_button(
        label, make, file_name, mime, on_click="ignore", key=f"export-{label}", width="stretch"
    )


def _export(run_id: int, kind: ExportFormat, policy: int | None) -> Callable[[], bytes]:
    # The files are made outside a script run, so nothing of the page may be asked for in there.
    to, name = engine(), viewer()
    return lambda: export_run(to, run_id, kind, now=now(), viewer=name, policy=policy).content

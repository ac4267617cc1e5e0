"""A table of coloured cells that open: a confusion matrix, or examples by runs.

Text is set as text in the browser. `grid` returns the id of the cell that was opened just now.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import streamlit as st

_HERE = Path(__file__).parent
_component = st.components.v2.component(
    "recall_grid",
    html='<div class="grid"></div>',
    css=(_HERE / "grid.css").read_text("utf-8"),
    js=(_HERE / "grid.js").read_text("utf-8"),
)


@dataclass(frozen=True, slots=True)
class GridCell:
    """`depth` from 0 to 1 deepens the colour of a count; `step` is the colour of a score instead.

    `label` says the cell in words. An empty `id` does not open.
    """

    text: str
    label: str = ""
    id: str = ""
    depth: float | None = None
    step: int | None = None
    strong: bool = False


@dataclass(frozen=True, slots=True)
class GridRow:
    title: str
    cells: tuple[GridCell, ...]


def grid(
    columns: Sequence[str],
    lines: Sequence[GridRow],
    *,
    key: str,
    across: str = "",
    down: str = "",
    wide: bool = False,
) -> str | None:
    """Draw the table; `across` names what its columns are, `down` what its rows are.

    `wide` gives the rows' titles the room that names need; else cells are large squares.
    """
    data = {
        "columns": list(columns),
        "rows": [{"title": r.title, "cells": [asdict(c) for c in r.cells]} for r in lines],
        "across": across,
        "down": down,
        "wide": wide,
    }
    result: Any = _component(key=key, data=data, on_opened_change=_nothing_more_to_do)
    known = {cell.id for line in lines for cell in line.cells if cell.id}
    return result.opened if result.opened in known else None


def _nothing_more_to_do() -> None:
    """Streamlit reports a trigger only where a callback is given; `grid` returns the value."""

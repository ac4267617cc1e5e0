"""How many retrieved passages are enough: recall at each depth, and where each essential stood."""

from __future__ import annotations

import streamlit as st

from pages.components.kept_figures import ranks_for
from pages.components.rows import Cell, Column, Figure, Row, Text, rows
from pages.components.style import MISSING, percent, plain, section
from recall_core.comparison import Comparison
from recall_core.ranks import CUTS, FirstHeld, Way, WayRanks, first_held
from recall_core.types import Example

_COLUMNS = (
    Column("Found by", 1.6),
    Column("Run", 1.8),
    *(Column(f"First {k}" if k > 1 else "First", 0.7, right=True) for k in CUTS),
    Column("How deep", 3.2),
)


def rank_view(found: Comparison) -> None:
    """Recall at 1, 3, 5 and 10 in both runs, by both ways that need no model."""
    section("How many passages are enough")
    if not st.toggle("Work out recall by rank", key="compare.ranks"):
        st.caption(
            "At which rank each essential passage first came back, by string distance and by the "
            "lexical screen: what a smaller or larger top k would hold."
        )
        return
    sides = [(f"A  {found.a.name}", found.a.id), (f"B  {found.b.name}", found.b.id)]
    runs = [(name, ranks_for(run_id)) for name, run_id in sides]
    lines = [_row(name, run.ranks.by(way), run.ranks.deepest) for way in Way for name, run in runs]
    rows(_COLUMNS, lines, key="ranks", opens=False)
    for name, run in runs:
        st.caption(plain(f"{name}: {run.sentence}"))
    st.caption(
        "The mean share of an example's essential passages that the first k retrieved ones hold. "
        "String distance wants one similar passage, the lexical screen the words in any of the "
        "first k; neither sees a paraphrase, so compare the columns, not the rows."
    )


def first_rank_words(example: Example) -> str:
    """`E1 first at 2, E2 at none (lexical screen); E1 first at 2, … (string distance)`."""
    found = first_held(example)
    if not found:
        return ""
    ways = (Way.LEXICAL, Way.DISTANCE)
    return "; ".join(f"{', '.join(_held(one, way) for one in found)} ({way.value})" for way in ways)


def _held(one: FirstHeld, way: Way) -> str:
    rank = one.ranks[way]
    return f"{one.ref.label} {'at none' if rank is None else f'first at {rank}'}"


def _row(run: str, found: WayRanks, deepest: int) -> Row:
    at = {one.k: one.recall for one in found.recall if one.k <= deepest}
    cells: tuple[Cell, ...] = (
        Text(f"{found.way.value[0].upper()}{found.way.value[1:]}", strong=True),
        Text(run),
        *(Figure(percent(at[k]) if k in at else MISSING) for k in CUTS),
        Text(found.sentence, muted=True, wrap=True),
    )
    return Row(f"{found.way.value}/{run}", cells)

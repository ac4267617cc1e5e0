"""How many retrieved passages are enough: recall at each depth, and where each essential stood."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from db.ranks import ranks_of
from pages.components.kept_figures import ranks_for
from pages.components.rows import Cell, Column, Figure, Row, Text, rows
from pages.components.session import engine
from pages.components.style import MISSING, count, percent, section
from recall_core.comparison import Comparison
from recall_core.ranks import DEPTHS, Method, RankRecall, Ranks, rank_recall

MOST = 400
"""Of more shared examples the first ones are read: the share of so many says enough."""
_COLUMNS = (
    Column("Found by", 2),
    Column("Run", 2),
    *(Column(f"First {k}" if k > 1 else "First", 0.8, right=True) for k in DEPTHS),
    Column("All", 1, right=True),
)


def rank_view(found: Comparison) -> None:
    """Recall at 1, 3, 5 and 10 in both runs, by both judges that need no model."""
    section("How many passages are enough")
    if not st.toggle("Work out recall by rank", key="compare.ranks"):
        st.caption(
            "At which rank each essential passage first came back, by string distance and by the "
            "lexical screen: what a smaller or larger top k would hold."
        )
        return
    shown = found.rows[:MOST]
    sides = (
        ("A", found.a.name, [row.judgement_a for row in shown]),
        ("B", found.b.name, [row.judgement_b for row in shown]),
    )
    lines = [
        _row(method, f"{side}  {name}", rank_recall(ranks_for(ids, method).values()))
        for method in Method
        for side, name, ids in sides
    ]
    rows(_COLUMNS, lines, key="ranks", opens=False)
    few = f"the first {MOST} shared examples" if len(found.rows) > MOST else "all shared examples"
    st.caption(
        "The share of an example's essential passages that the first k retrieved ones hold, as a "
        f"mean over {few}. String distance wants one similar passage, the lexical screen the words "
        "in any of the first k; neither sees a paraphrase, so compare the columns, not the rows."
    )


def first_rank_words(judgement_id: int) -> str:
    """`E1 first at 2, E2 at none (lexical screen); E1 first at 2, … (string distance)`."""
    said = []
    for method in (Method.SCREEN, Method.DISTANCE):
        ranks, _ = ranks_of(engine(), [judgement_id], method).get(judgement_id, ((), 0))
        if ranks:
            said.append(f"{rank_words(ranks)} ({method.value})")
    return "; ".join(said)


def rank_words(ranks: Ranks) -> str:
    """`E1 first at 2, E2 at none`."""
    return ", ".join(
        f"E{place} {'at none' if rank is None else f'first at {rank}'}"
        for place, rank in enumerate(ranks, 1)
    )


def _row(method: Method, run: str, found: RankRecall) -> Row:
    cells: Sequence[Cell] = (
        Text(f"{method.value[0].upper()}{method.value[1:]}", strong=True),
        Text(run, count(found.examples, "example")),
        *(Figure(percent(found.at[k]) if k in found.at else MISSING) for k in DEPTHS),
        Figure(percent(found.all), f"up to {found.deepest}"),
    )
    return Row(f"{method.value}/{run}", tuple(cells))

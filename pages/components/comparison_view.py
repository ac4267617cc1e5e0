"""Two runs side by side: the sentence, what changed by how much, and the examples, worst first."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import plotly.graph_objects as go
import streamlit as st

from pages.components.charts import palette, show
from pages.components.grid import GridCell, GridRow, grid
from pages.components.result_charts import FEW
from pages.components.rows import Cell, Column, Figure, Row, Text, change, chip
from pages.components.style import (
    MISSING,
    count,
    facts,
    plain,
    score_step,
    section,
    signed,
    two_decimals,
)
from recall_core.comparison import ComparedExample, Comparison, PassageChange, PassageMove
from recall_core.estimation import Difference, NoEstimate
from recall_core.types import Formula

LETTERS = "ABCDEFGH"
"""What the runs are called on the page; the others are held against the first."""
ROWS_IN_HEAT_MAP = 30
EXAMPLE_COLUMNS = (
    Column("Question", 3),
    Column("A", 0.6, right=True),
    Column("B", 0.6, right=True),
    Column("Change", 0.9, right=True),
    Column("Retrieved passages", 2.2),
    Column("Scored by", 0.8),
)
RUN_COLUMNS = (
    Column("Run", 2.4),
    Column("Against A", 4),
    Column("Worse, same, better", 1.6),
    Column("Audited in both", 1.2, right=True),
)
_BIN = {Formula.PASSAGE: Fraction(1, 4), Formula.SHARE: Fraction(1, 20)}


def comparison_facts(found: Comparison) -> None:
    """The sentence as the headline, then the parts, then the judge alone."""
    words, beside = _split(found.final)
    pairs = []
    if found.essential is not None:
        pairs.append(("Essential", _part(found.essential)))
    if found.bonus is not None:
        pairs.append(("Bonus part", _part(found.bonus)))
    pairs.append(("Judge alone says", signed(found.final.judge)))
    shared = f"{found.audited_in_both:,} of {found.shared:,}"
    pairs.append(("Audited in both", shared))
    st.html(
        facts(pairs, headline=("B against A", words, beside), judge_only=not found.final.decided)
    )
    st.caption(plain(_about(found)))


def left_out(found: Comparison) -> str:
    """`4 left out because one of the runs has no final`: what the comparison does not speak of."""
    said = []
    if found.without_final:
        said.append(f"{found.without_final:,} left out because a run has no final for them")
    if found.only_a:
        said.append(f"{found.only_a:,} only in A")
    if found.only_b:
        said.append(f"{found.only_b:,} only in B")
    if found.withheld:
        said.append(f"{found.withheld:,} not listed while you score them blind")
    return ", ".join(said)


def changes_chart(found: Comparison) -> None:
    """How many examples changed by how much, and how many got worse and better."""
    section("Change per example")
    bins = found.changes(_BIN[found.a.formula])
    colours = palette()
    figure = go.Figure()
    figure.add_bar(
        x=[float(middle) for middle, _ in bins],
        y=[number for _, number in bins],
        marker_color=[
            colours.judge if not middle else colours.up if middle > 0 else colours.down
            for middle, _ in bins
        ],
        customdata=[signed(middle) for middle, _ in bins],
        hovertemplate="%{customdata}: %{y}<extra></extra>",
    )
    figure.update_layout(showlegend=False, bargap=0.2, margin={"r": 8, "l": 4})
    figure.update_xaxes(title_text="B − A", tickformat="~f", nticks=7)
    few = max((number for _, number in bins), default=0) <= FEW
    figure.update_yaxes(rangemode="tozero", tickformat=",d", dtick=1 if few else None, nticks=FEW)
    show(figure, key="changes", height=250)
    st.caption(f"▼ {found.worse:,} worse · {found.same:,} same · ▲ {found.better:,} better")


def example_row(row: ComparedExample, formula: Formula, moves: Sequence[PassageChange]) -> Row:
    """One example in both runs; it opens by the judgement of A."""
    cells: tuple[Cell, ...] = (
        Text(row.question or row.example_id, row.example_id if row.question else ""),
        chip(row.a, formula),
        chip(row.b, formula),
        change(row.change),
        Text(*passage_words(moves)),
        Text(row.scored_by.value, muted=True),
    )
    return Row(str(row.judgement_a), cells)


def passage_words(moves: Sequence[PassageChange]) -> tuple[str, str]:
    """`− billing/versions.md (was 1)` over `+ sync/offline.md at 2`: what came back differently."""
    out = [m for m in moves if m.move is PassageMove.DROPPED_OUT]
    new = [m for m in moves if m.move is PassageMove.CAME_IN]
    moved = [m for m in moves if m.move is PassageMove.MOVED]
    said = [f"− {name_of(m)} (was {m.rank_a})" for m in out]
    came = [f"+ {name_of(m)} at {m.rank_b}" for m in new]
    if not said and not came:
        ranks = ", ".join(f"{m.rank_a} → {m.rank_b}" for m in moved[:3])
        return "same passages", f"order {ranks}" if ranks else ""
    lines = [_shortened(said), _shortened(came)]
    first, *rest = [line for line in lines if line]
    return first, " ".join(rest)


def name_of(passage: PassageChange) -> str:
    """Its id, or how its text begins."""
    return passage.id or " ".join(passage.text.split())[:40] or "(empty text)"


def run_row(letter: str, found: Comparison) -> Row:
    """One of several runs against A, by Holm's standard for all of them."""
    cells: tuple[Cell, ...] = (
        Text(f"{letter}  {found.b.name}", found.b.dataset, strong=True),
        Text(found.final.sentence(b=letter), wrap=True),
        Text(f"▼ {found.worse:,} · {found.same:,} · ▲ {found.better:,}"),
        Figure(f"{found.audited_in_both:,}", f"of {found.shared:,}"),
    )
    return Row(str(found.b.id), cells)


def heat_map(found: Sequence[Comparison]) -> str | None:
    """Examples by runs, the largest change first; the judgement that was opened just now."""
    section("Examples by runs, largest change first")
    rows_of = [{row.judgement_a: row for row in one.rows} for one in found]
    shared = [
        [rows[first] for rows in rows_of]
        for first in rows_of[0]
        if all(first in r for r in rows_of)
    ]
    shared.sort(key=_largest_change, reverse=True)
    formula = found[0].a.formula
    opened = grid(
        [f"{letter}  {name}" for letter, name in _names(found)],
        [_heat_row(line, formula) for line in shared[:ROWS_IN_HEAT_MAP]],
        key="heat",
        down="Question",
        wide=True,
    )
    more = len(shared) - ROWS_IN_HEAT_MAP
    st.caption(
        f"Finals that count now. {f'{more:,} more examples changed less. ' if more > 0 else ''}"
        "A cell opens the example in that run."
    )
    return opened


def _names(found: Sequence[Comparison]) -> list[tuple[str, str]]:
    runs = [found[0].a, *(one.b for one in found)]
    return [(LETTERS[place], run.name) for place, run in enumerate(runs)]


def _largest_change(line: Sequence[ComparedExample]) -> Fraction:
    finals = [line[0].a, *(row.b for row in line)]
    return max(finals) - min(finals)


def _heat_row(line: Sequence[ComparedExample], formula: Formula) -> GridRow:
    first = line[0]
    finals = [(first.judgement_a, first.a), *((row.judgement_b, row.b) for row in line)]
    name = first.question or first.example_id
    return GridRow(
        name,
        tuple(
            GridCell(
                two_decimals(final),
                label=f"{name}, {LETTERS[place]}: {two_decimals(final)}",
                id=str(judgement),
                step=score_step(final, formula),
            )
            for place, (judgement, final) in enumerate(finals)
        ),
    )


def _split(found: Difference) -> tuple[str, str]:
    """The difference's sentence in two: what is said, and its interval or what it would take."""
    sentence = found.sentence().rstrip(".")
    if found.decided:
        words, _, interval = sentence.partition(" (")
        return words, interval.rstrip(")")
    if sentence.startswith(NO_WORD):
        return NO_WORD, sentence.removeprefix(NO_WORD).lstrip(": ")
    exact = not isinstance(found.estimated, NoEstimate)
    return (sentence, "") if exact else (NO_WORD, sentence if len(sentence) <= BESIDE else "")


NO_WORD = "Cannot tell yet"
BESIDE = 60
"""What is longer stands below the headline."""


def _about(found: Comparison) -> str:
    """What the headline leaves out of the sentence, and how the interval is meant."""
    estimated = found.final.estimated
    if isinstance(estimated, NoEstimate):
        reason = f"{found.sentence} " if len(found.sentence) > BESIDE else ""
        return (
            f"{reason}The judge alone cannot decide it: one that favours a run makes equal runs "
            "look different."
        )
    if estimated.exact:
        return "People have reviewed every shared example in both runs."
    many = ""
    if found.final.comparisons > 1:
        many = (
            f" With {found.final.comparisons} runs compared at once the bar is higher (Holm), and "
            "the interval holds for all of them together (Bonferroni)."
        )
    return (
        "An interval made like this holds the true difference on these examples "
        f"{100 * estimated.confidence:.3g} times in 100.{many}"
    )


def _part(found: Difference) -> str:
    estimate = found.estimated
    if isinstance(estimate, NoEstimate):
        return MISSING
    ends = f"({signed(estimate.low)} to {signed(estimate.high)})"
    cannot = "" if found.decided else ", cannot tell yet"
    return f"{signed(estimate.point)} {ends}{cannot}"


def _shortened(lines: Sequence[str]) -> str:
    more = f" and {len(lines) - 1} more" if len(lines) > 1 else ""
    return f"{lines[0]}{more}" if lines else ""


def counted_examples(found: Comparison) -> str:
    """`236 shared examples`, with what is left out."""
    return ", ".join(
        part for part in (count(found.shared, "shared example"), left_out(found)) if part
    )

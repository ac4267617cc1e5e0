"""The first view of a run's results: how scores are spread, what moved, where it is low."""

from __future__ import annotations

import streamlit as st

from db.results import JudgementFilter, list_judgements, metadata_fields, slices
from pages.components.judgement_rows import judgement_columns, judgement_row
from pages.components.kept_figures import headline_for, ledger_for
from pages.components.list_controls import EMPTY_VALUE
from pages.components.list_query import metadata_words
from pages.components.result_charts import finals_chart, movement_chart, unit_scores_chart
from pages.components.rows import Cell, Column, Figure, Row, Text, interval, rows
from pages.components.session import engine
from pages.components.style import count, plain, section, two_decimals
from recall_core.movement import Movement
from recall_core.scoring import FINAL_RANGE
from recall_core.summary import RunSummary, Slice
from recall_core.types import Formula

SHOWN_SLICES = 50
GROUPS = range(2, SHOWN_SLICES)  # A field with so many values makes groups; those come first.


def results_summary(summary: RunSummary) -> None:
    """Warnings, charts, the lowest examples, and the means by metadata."""
    if not summary.withheld:
        _warnings(summary.run.id)
    _charts(summary)
    if not summary.withheld:  # A group may be one example, whose score is not to be seen yet.
        _lowest(summary)
        _slices(summary)


def _warnings(run_id: int) -> None:
    """How many examples carry a warning, and what the first one says."""
    warned = list_judgements(engine(), run_id, where=JudgementFilter(has_warnings=True), size=1)
    if not warned.rows:
        return
    with st.container(horizontal=True, vertical_alignment="center", wrap=False):
        number = count(warned.total, "example carries a warning", "examples carry warnings")
        first = warned.rows[0]
        said = f"{first.example_id}: {first.warnings[0]}"
        st.markdown(f"**{number}**, for example {plain(said)}", width="stretch")
        if st.button("Show them", key="show_warned"):
            where = {"run": str(run_id), "warned": "true"}
            st.switch_page("examples_list.py", query_params=where)


def _charts(summary: RunSummary) -> None:
    run = summary.run
    movement = None if summary.judge_only else ledger_for(run.id).by_cause
    left, middle, *rest = st.columns(2 if movement is None else 3, gap="medium")
    with left:
        section(f"Finals, {count(summary.counts.scored, 'example')}")
        finals_chart(summary.finals, judge_only=summary.judge_only)
    with middle:
        passages = run.formula is Formula.PASSAGE
        section("Passage scores, share" if passages else "Found or not, share")
        unit_scores_chart(summary.unit_scores, judge_only=summary.judge_only)
    for place in rest:
        with place:
            _way(summary, movement)


def _way(summary: RunSummary, movement: Movement | None) -> None:
    """How the judge's mean became the number of the headline."""
    found = headline_for(summary.run.id)
    estimated = found.estimate is not None
    section("From judge to recall" if estimated else "From judge to now")
    way = found.way_to(movement)
    if way is not None:
        movement_chart(way, end="recall" if estimated else "mean now")


def _lowest(summary: RunSummary) -> None:
    run = summary.run
    with st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        section("Lowest first")
        everything = st.button(f"All {count(summary.counts.total, 'example')}", key="all_examples")
    opened = rows(
        judgement_columns(run.formula, warnings=False),
        [judgement_row(line, run.formula, warnings=False) for line in summary.lowest],
        key="lowest",
    )
    here = {"run": str(run.id), "sort": "lowest first"}
    if everything:
        st.switch_page("examples_list.py", query_params=here)
    if opened is not None:
        st.switch_page("review.py", query_params=here | {"judgement": opened})


def _slices(summary: RunSummary) -> None:
    run = summary.run
    fields = sorted(metadata_fields(engine(), run.id), key=lambda f: f.values not in GROUPS)
    if not fields:
        return
    with st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        section("By metadata")
        field = st.selectbox(
            "Field",
            [f.name for f in fields],
            key="by",
            bind="query-params",
            width=220,
            label_visibility="collapsed",
        )
    found = slices(engine(), run.id, field)
    lowest, highest = FINAL_RANGE[run.formula]
    columns = (
        Column(field, 2.4),
        Column("Mean now", 0.9, right=True),
        Column("Covers", 1.1, right=True),
        Column(f"{lowest} to {highest}", 2),
        Column("Judge alone", 1, right=True),
    )
    shown = found[:SHOWN_SLICES]
    lines = [_slice_row(str(place), piece, run.formula) for place, piece in enumerate(shown)]
    opened = rows(columns, lines, key=f"slices-{field}")
    if len(found) > SHOWN_SLICES:
        st.caption(f"The first {SHOWN_SLICES} of {len(found):,} values.")
    if opened is not None:
        where = metadata_words(field, shown[int(opened)].value)
        st.switch_page("examples_list.py", query_params={"run": str(run.id)} | where)


def _slice_row(row_id: str, piece: Slice, formula: Formula) -> Row:
    name = "not given" if piece.value is None else piece.value or EMPTY_VALUE
    cells: tuple[Cell, ...] = (
        Text(name, strong=piece.value is not None, muted=piece.value is None),
        Figure(two_decimals(piece.mean.value), strong=True),
        Figure(f"{piece.mean.n:,} of {piece.mean.of:,}"),
        Text("") if piece.mean.value is None else interval(piece.mean.value, FINAL_RANGE[formula]),
        Figure(two_decimals(piece.judge_mean.value), judge_only=True),
    )
    return Row(row_id, cells)

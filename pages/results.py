"""A run's results: the headline, how scores are spread, what people changed, where it is low."""

from __future__ import annotations

import streamlit as st

from db.errors import NotKept
from db.movement import run_movement
from db.results import JudgementFilter, list_judgements, metadata_fields, run_summary, slices
from db.runs import RunCard, RunState, get_run
from pages.components.export_menu import export_menu
from pages.components.judge_words import SCREEN_LIMITS, is_screen, judge_line_and_kind
from pages.components.judgement_rows import judgement_columns, judgement_row
from pages.components.list_controls import EMPTY_VALUE
from pages.components.list_query import LOWEST_JUDGED_FIRST, metadata_words
from pages.components.page_parts import gone, head, number_in_address
from pages.components.result_charts import finals_chart, movement_chart, unit_scores_chart
from pages.components.rows import Cell, Column, Figure, Row, Text, interval, rows
from pages.components.run_chooser import choose_run
from pages.components.run_menu import run_menu
from pages.components.session import engine
from pages.components.style import count, facts, plain, section, two_decimals
from recall_core.scoring import FINAL_RANGE
from recall_core.summary import JudgementState, RunSummary, Slice
from recall_core.types import Formula

SHOWN_SLICES = 50
GROUPS = range(2, SHOWN_SLICES)  # A field with so many values makes groups; those come first.


def main() -> None:
    run_id = number_in_address("run")
    if run_id is None:
        choose_run("Results", "results.py")
    try:
        summary, card = run_summary(engine(), run_id), get_run(engine(), run_id)
    except NotKept as error:
        gone(error)
    _head(summary, card)
    _headline(summary)
    _charts(summary)
    _lowest(summary)
    _slices(summary)


def _head(summary: RunSummary, card: RunCard) -> None:
    run = summary.run
    judge = judge_line_and_kind(run.judge, run.judge_version)
    with head(run.name, f"{judge}, {run.dataset}"):
        run_menu(card)
        if card.state is not RunState.DONE and st.button("Progress", key="to_progress"):
            st.switch_page("run.py", query_params={"run": str(run.id)})
        export_menu(run.id, run.name)
        if st.button("Review next", type="primary", key="review_next"):
            st.switch_page("review.py", query_params=_next_to_review(summary))


def _next_to_review(summary: RunSummary) -> dict[str, str]:
    """The judge's lowest that nobody has looked at; of all when people have seen them all."""
    where = {"run": str(summary.run.id), "sort": LOWEST_JUDGED_FIRST}
    left = summary.review.examples + summary.review.examples_started < summary.counts.total
    return where | {"state": JudgementState.JUDGE_ONLY.value} if left else where


def _headline(summary: RunSummary) -> None:
    counts, review = summary.counts, summary.review
    whose = "Lexical screen" if is_screen(summary.run.judge) else "Judge"
    label = "Recall of these examples, now"
    if summary.judge_only:
        label = f"{whose} only, unreviewed"
    if counts.left:
        label += ", so far"
    covers = f"{counts.scored:,} of {counts.total:,}"
    examples = f"{review.examples:,} of {counts.total:,} examples"
    units = f"{review.units_reviewed:,} of {review.units:,} units"
    changed = count(review.units_changed, "unit")
    pairs = [
        ("Reviewed", f"{examples}, {units}"),
        ("Changed", f"{changed} in {count(review.examples_changed, 'example')}"),
        ("Not in the mean", counts.left_out or "none"),
    ]
    if not summary.judge_only:  # Until then the headline says it.
        judged = summary.judge_mean
        alone = f"{two_decimals(judged.value)}, {judged.n:,} of {judged.of:,}"
        pairs.insert(0, (f"{whose} alone", alone))
    st.html(
        facts(
            pairs,
            headline=(label, two_decimals(summary.mean.value), covers),
            judge_only=summary.judge_only,
        )
    )
    if is_screen(summary.run.judge):
        st.caption(SCREEN_LIMITS)
    _warnings(summary.run.id)


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
    run, movement = summary.run, run_movement(engine(), summary)
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
            section("From judge to now")
            if movement is not None:
                movement_chart(movement)


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


main()

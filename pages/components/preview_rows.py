"""The rows of a file before they are saved: how many are good, and what is wrong with the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import streamlit as st

from pages.components.rows import Column, Figure, Row, Text, rows
from pages.components.style import MISSING, section
from recall_core.ingest import (
    ColumnMapping,
    Preview,
    PreviewRow,
    Role,
    RowNotice,
    RowProblem,
    Table,
    bad_rows_csv,
    bad_rows_jsonl,
    parse_examples,
)

ALL, GOOD, WARNINGS, ERRORS = TABS = ("All", "Good", "Warnings", "Errors")
SHOWN: Final = 50
SHOWN_GOOD: Final = 15
FIRST_ROWS: Final = 4


def preview_rows(table: Table, mapping: ColumnMapping, found: Preview, key: str) -> None:
    """Tabs with counts, opening on the errors if there are any; then how it will look."""
    counts = dict(zip(TABS, (found.all, found.good, found.warnings, found.errors), strict=True))
    with st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        shown = st.segmented_control(
            "Which rows",
            TABS,
            default=ERRORS if found.errors else ALL,
            required=True,
            format_func=lambda tab: f"{tab} {counts[tab]:,}",
            label_visibility="collapsed",
            key=f"{key}.tab",
        )
        if found.errors:
            _download(table, mapping, found.errors)
    if shown == ERRORS:
        _remarks(found.problems, found.errors, "Reason", bad=True)
        st.caption("Rows with errors are left out; nothing is guessed.")
    elif shown == WARNINGS:
        _remarks(found.notices, found.warnings, "What was done", bad=False)
        st.caption("These rows are saved too.")
    else:
        good = [row for row in found.rows if shown == ALL or not row.notices]
        _examples(good[:SHOWN_GOOD], f"{key}.all")
        if found.saved > SHOWN_GOOD:
            st.caption(f"The first {SHOWN_GOOD} of them.")
        if shown == ALL and found.errors:
            left_out = "1 row is" if found.errors == 1 else f"{found.errors:,} rows are"
            st.caption(f"{left_out} left out: see {ERRORS}.")
    if shown in (ERRORS, WARNINGS) and found.rows:
        section("Preview")
        _examples(found.rows[:FIRST_ROWS], f"{key}.first")
    _takes(found)


def _download(table: Table, mapping: ColumnMapping, errors: int) -> None:
    """The bad rows with their reasons, in the file's own manner, made when it is asked for."""
    typed = table.format.typed
    label = "the row with its reason" if errors == 1 else f"the {errors:,} rows with reasons"
    st.download_button(
        f"Download {label}",
        _bad_jsonl(table, mapping) if typed else _bad_csv(table, mapping),
        file_name=f"errors-{table.filename.rsplit('.', 1)[0]}.{'jsonl' if typed else 'csv'}",
        mime="application/x-ndjson" if typed else "text/csv",
        icon=":material/download:",
        on_click="ignore",
        key="bad_rows",
    )


def _bad_csv(table: Table, mapping: ColumnMapping) -> Callable[[], bytes]:
    return lambda: "".join(bad_rows_csv(parse_examples(table, mapping), table)).encode()


def _bad_jsonl(table: Table, mapping: ColumnMapping) -> Callable[[], bytes]:
    return lambda: "".join(bad_rows_jsonl(parse_examples(table, mapping))).encode()


def _remarks(
    remarks: Sequence[RowProblem | RowNotice], total: int, heading: str, *, bad: bool
) -> None:
    if not remarks:
        st.markdown("None.")
        return
    columns = (
        Column("Row", 0.5, right=True),
        Column("Field", 1.4),
        Column(heading, 3.6),
        Column("What the file says", 2.2),
    )
    lines = [
        Row(
            str(place),
            (
                Figure(f"{remark.row:,}"),
                Text(remark.field),
                Text(*_first_sentence(remark.reason), bad=bad, wrap=True),
                Text(remark.said, muted=not bad),
            ),
        )
        for place, remark in enumerate(remarks[:SHOWN])
    ]
    rows(columns, lines, key=f"remarks-{heading}", opens=False)
    if len(remarks) > SHOWN:
        st.caption(f"The first {SHOWN} remarks on {total:,} rows. The download has all of them.")


def _first_sentence(reason: str) -> tuple[str, str]:
    """What is wrong, and below it what to do."""
    wrong, _, remedy = reason.partition(". ")
    return (f"{wrong}.", remedy) if remedy else (reason, "")


def _examples(examples: Sequence[PreviewRow], key: str) -> None:
    if not examples:
        st.markdown("None.")
        return
    columns = (
        Column("Row", 0.5, right=True),
        Column("Question", 4),
        Column("Essential", 0.8, right=True),
        Column("Bonus", 0.7, right=True),
        Column("Retrieved", 0.8, right=True),
        Column("Notice", 2),
    )
    rows(columns, [_example(row) for row in examples], key=key, opens=False)


def _example(row: PreviewRow) -> Row:
    notices = "; ".join(f"{n.field}: {n.reason}" if n.field else n.reason for n in row.notices)
    return Row(
        str(row.number),
        (
            Figure(f"{row.number:,}"),
            Text(row.question or MISSING, muted=not row.question),
            *(Figure(MISSING if n is None else f"{n:,}") for n in _sizes(row)),
            Text(notices, muted=True, wrap=True),
        ),
    )


def _sizes(row: PreviewRow) -> tuple[int | None, ...]:
    return (row.essential, row.bonus, row.retrieved)


def nobody_takes(mapping: ColumnMapping, found: Preview) -> str | None:
    """Why no judge can take any of the rows that would be saved, and what to do, if so."""
    if not found.saved or any(judge.takes for judge in found.judges):
        return None
    mapped = set(mapping.columns)
    unmapped = []
    if not mapped & {Role.ESSENTIAL, Role.GROUND_TRUTH, Role.EXPECTED_OUTPUT}:
        unmapped.append(f"{Role.ESSENTIAL.label} or {Role.EXPECTED_OUTPUT.label}")
    if not mapped & {Role.RETRIEVED, Role.ACTUAL_OUTPUT}:
        unmapped.append(Role.RETRIEVED.label)
    remedy = f"map {', and '.join(unmapped)}" if unmapped else "below stands what each one lacks"
    return f"No judge can take these rows yet: {remedy}."


def _takes(found: Preview) -> None:
    """How many of the saved rows each judge can take, and what the others lack."""
    if not found.saved:
        return
    section("What the judges can take")
    columns = (Column("Judge", 2.6), Column("Rows", 1.2, right=True), Column("The others lack", 4))
    lines = [
        Row(
            judge.name,
            (
                Text(judge.title),
                Figure(f"{judge.takes:,} of {found.saved:,}"),
                Text(judge.lacks, muted=True, wrap=True),
            ),
        )
        for judge in found.judges
    ]
    rows(columns, lines, key="takes", opens=False)

"""One judge against people on one kind of unit: matrix, figures, and where it goes wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from pages.components.agreement_rows import (
    MEASURE_COLUMNS,
    SIDE_COLUMNS,
    UNIT_NOUNS,
    measure_row,
    side_row,
    value_words,
)
from pages.components.grid import GridCell, GridRow, grid
from pages.components.headline import EXPLAINED
from pages.components.rows import Cell, Column, Figure, Row, Text, change, chip, rows
from pages.components.style import MISSING, count, plain, score_words, section, two_decimals
from recall_core.agreement import Agreement, Confusion
from recall_core.calibration import (
    Calibration,
    CausePattern,
    JudgeKey,
    Period,
    ScoredUnit,
    Side,
)
from recall_core.nearer import Nearer, nearer
from recall_core.types import UnitKind

CELL = "cell"
"""The word of the address for an opened cell of the matrix: `person-judge`."""
LARGEST = 12
SHOWN = 50
"""At most so many units are listed at once."""

_UNIT_COLUMNS = (
    Column("Example", 1.2),
    Column("Unit", 3),
    Column("Judge", 0.7, right=True),
    Column("Person", 0.7, right=True),
    Column("Difference", 0.9, right=True),
    Column("Why, and who", 2.2),
)
_CAUSE_COLUMNS = (
    Column("Pattern", 3),
    Column("Units", 0.8, right=True),
    Column("Mean difference", 1.3, right=True),
)
_NEARER_COLUMNS = (
    Column("Beside", 2),
    Column("This judge is", 3.4),
    Column("Units", 1, right=True),
    Column("Its error", 0.8, right=True),
    Column("The other's", 0.9, right=True),
)
_PERIOD_COLUMNS = (
    Column("Judged in", 2.4),
    Column("Units", 0.8, right=True),
    Column("Bias", 1.6, right=True),
)


def matrix(found: Calibration, side: Side) -> None:
    """The table of both scores; a click lists the units of a cell below it."""
    agreed = found.agreement(side)
    units = count(agreed.units, UNIT_NOUNS[found.kind])
    section(f"Judge against people, {units} in {count(agreed.examples, 'example')}")
    opened = grid(
        [_level(level, found.kind) for level in agreed.confusion.levels],
        _matrix_rows(agreed, found.kind),
        key="matrix",
        across="judge",
        down="person",
    )
    if opened is not None:
        st.query_params[CELL] = opened
    st.caption(_about_matrix(agreed.confusion))


def cell_units(found: Calibration, side: Side) -> None:
    """The units of the cell that the address names, if it names one."""
    human, _, judge = st.query_params.get(CELL, "").partition("-")
    levels = {str(level) for level in found.agreement(side).confusion.levels}
    if human not in levels or judge not in levels:
        return
    units = found.cell(side, human=int(human), judge=int(judge))
    words = (_level(int(level), found.kind) for level in (human, judge))
    with st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        section("Person {}, judge {}: {}".format(*words, count(len(units), "unit")))
        if st.button("Close the list", key="close_cell"):
            del st.query_params[CELL]
            st.rerun()
    _list(units[:SHOWN], "cell_units")
    if len(units) > SHOWN:
        st.caption(f"The first {SHOWN} of {len(units):,}.")


def measures(agreed: Agreement) -> None:
    """Every figure with its interval and a sentence; a row opens how it is worked out."""
    section("How good is the judge")
    opened = rows(MEASURE_COLUMNS, [measure_row(m) for m in agreed.measures], key="measures")
    rare = "Yes or no is rare here, so kappa says little: read AC1 instead. " if agreed.rare else ""
    st.caption(
        f"{rare}A row opens how its figure is worked out. Below 10 examples nothing is said; below "
        "30 a figure is grey: enough for a look, not for a decision."
    )
    if opened is not None:
        st.switch_page(EXPLAINED, query_params={"about": opened})


def sides(found: Calibration, side: Side) -> None:
    """Audit and chosen reviews, blind and not blind, and each reviewer, in lines of their own."""
    section("The same by how it was reviewed")
    views = [
        ("Audit reviews", Side(True)),
        ("Chosen reviews", Side(False)),
        ("Score seen first", Side(side.audit, False)),
        ("Scored blind", Side(side.audit, True)),
    ]
    lines = [side_row(name, found.agreement(view)) for name, view in views if found.on(view)]
    people = found.by_reviewer(Side(side.audit, side.blind))
    lines += [side_row(name, agreed) for name, agreed in people.items()]
    rows(SIDE_COLUMNS, lines, key="sides", opens=False)
    st.caption(
        "Only audit reviews say how good the judge is: what people choose to read is chosen for a "
        "reason. People who see a score first come nearer to it."
    )


def where_wrong(found: Calibration, side: Side) -> None:
    """By cause, and the units on which judge and people are furthest apart."""
    section("Where it goes wrong")
    patterns = found.causes(side)
    if not patterns:
        st.markdown("On these reviews judge and people have given the same scores throughout.")
        return
    lines = [_pattern_row(pattern, found.kind) for pattern in patterns]
    rows(_CAUSE_COLUMNS, lines, key="causes", opens=False)


def largest(found: Calibration, side: Side) -> None:
    """The units with the largest difference; a row opens the desk there."""
    units = found.largest(side, LARGEST)
    if units:
        section("Furthest apart")
        _list(units, "largest")


def drift(found: Calibration, side: Side) -> None:
    """The bias month by month, by when the judge judged."""
    periods = found.drift(side)
    if len(periods) > 1:
        section("Over time")
        rows(_PERIOD_COLUMNS, list(map(_period_row, periods)), key="drift", opens=False)


def other_judges(
    found: Calibration, others: Mapping[JudgeKey, Sequence[ScoredUnit]], side: Side
) -> None:
    """Other judges, versions, prompts and models on the very units that people reviewed here."""
    if not others:
        return
    section("Beside other judges, versions and prompts, on the same reviews")
    own = found.on(side)
    against = {key: nearer(own, units) for key, units in others.items()}
    lines = [_nearer_row(key, one) for key, one in against.items()]
    rows(_NEARER_COLUMNS, lines, key="nearer", opens=False)
    seen = max((one.seen for one in against.values()), default=0)
    favoured = (
        f" On {count(seen, 'unit')} people had seen this judge's score first, which favours it: "
        "only blind reviews compare judges fairly."
        if seen
        else ""
    )
    st.caption(
        "One decision of a person serves every judge of the same text. To test a new prompt, write "
        "it by the units to learn from and read this table on those held out: no text is in both."
        + favoured
    )


def _nearer_row(key: JudgeKey, found: Nearer) -> Row:
    cells: tuple[Cell, ...] = (
        Text(key.label, f"prompt {key.prompt_hash[:8]}" if key.prompt_hash else ""),
        Text(found.sentence, wrap=True, strong=found.decided),
        Figure(f"{found.units:,}", f"in {count(found.examples, 'example')}"),
        Figure(two_decimals(found.error)),
        Figure(two_decimals(found.other_error)),
    )
    return Row(f"{key}", cells)


def left_out(found: Calibration) -> None:
    """What is in none of the figures, and why."""
    said = []
    if found.excluded:
        said.append(f"{count(found.excluded, 'value')} on units that people took out")
    if found.moved:
        said.append(f"{count(found.moved, 'value')} on units that they put on another scale")
    if said:
        st.caption(f"Not counted: {' and '.join(said)}.")


def _matrix_rows(agreed: Agreement, kind: UnitKind) -> list[GridRow]:
    table = agreed.confusion
    most = max((number for line in table.counts for number in line), default=0) or 1
    return [
        GridRow(
            _level(human, kind),
            tuple(
                GridCell(
                    text=str(number) if number else "",
                    label=f"person {_level(human, kind)}, judge {_level(judge, kind)}: "
                    f"{count(number, 'unit')}",
                    id=f"{human}-{judge}" if number else "",
                    depth=0.12 + 0.88 * number / most if number else None,
                    strong=human == judge,
                )
                for judge, number in zip(table.levels, line, strict=True)
            ),
        )
        for human, line in zip(table.levels, table.counts, strict=True)
    ]


def _about_matrix(table: Confusion) -> str:
    return (
        f"Right of the diagonal the judge is kinder than people: {count(table.kinder, 'unit')}. "
        f"Left of it, stricter: {table.stricter:,}. Open a cell to read its units."
    )


def _level(level: int, kind: UnitKind) -> str:
    return score_words(level, kind)


def _list(units: Sequence[ScoredUnit], key: str) -> None:
    lines = [_unit_row(str(place), unit) for place, unit in enumerate(units)]
    opened = rows(_UNIT_COLUMNS, lines, key=key)
    if opened is not None:
        unit = units[int(opened)]
        where = {"run": str(unit.run_id), "judgement": str(unit.judgement_id)}
        st.switch_page("review.py", query_params=where)


def _unit_row(row_id: str, unit: ScoredUnit) -> Row:
    cause = "" if unit.cause is None else unit.cause.value
    why = ": ".join(part for part in (cause, unit.note) if part)
    cells: tuple[Cell, ...] = (
        Text(unit.example_id, mono=True),
        Text(unit.text, unit.unit.label),
        chip(unit.judge, unit.unit.kind),
        chip(unit.human, unit.unit.kind),
        change(unit.off),
        Text(why or MISSING, unit.reviewer + (", blind" if unit.blind else "")),
    )
    return Row(row_id, cells)


def _pattern_row(pattern: CausePattern, kind: UnitKind) -> Row:
    name = "no cause given" if pattern.cause is None else pattern.cause.value
    judge, human = (score_words(score, kind) for score in pattern.usual)
    cells: tuple[Cell, ...] = (
        Text(
            f"{name[0].upper()}{name[1:]}",
            f"most often the judge gives {judge} where people give {human}",
            strong=True,
        ),
        Figure(f"{pattern.units:,}"),
        change(pattern.mean_off),
    )
    return Row(name, cells)


def _period_row(period: Period) -> Row:
    bias = period.bias
    ends = bias.interval
    cells: tuple[Cell, ...] = (
        Text(f"{period.month:%B %Y}", bias.sentence, strong=True),
        Figure(f"{bias.units:,}"),
        Figure(
            value_words(bias),
            "" if ends is None else f"{ends[0]:+.2f} to {ends[1]:+.2f}",
            judge_only=bias.faint,
        ),
    )
    return Row(f"{period.month}", cells)


def sentence(found: Calibration) -> None:
    """In which way the judge errs, for somebody who reads no table."""
    if found.sentence:
        st.markdown(f"**{plain(found.sentence)}**")

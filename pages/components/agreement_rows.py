"""Figures of agreement as rows of lists: value, interval, and one sentence a figure."""

from __future__ import annotations

from dataclasses import replace

from pages.components.rows import Cell, Column, Figure, Interval, Row, Text, interval
from pages.components.style import MISSING, count, percent, signed
from recall_core.agreement import (
    FEWEST,
    Agreement,
    Measure,
    Name,
    PairOfPeople,
    PeopleAgreement,
    SelfAgreement,
)
from recall_core.types import UnitKind

MEASURE_COLUMNS = (
    Column("Measure", 3.6),
    Column("Value", 1.5, right=True),
    Column("95 % interval", 1.4),
)
SIDE_COLUMNS = (
    Column("Reviews", 2.1),
    Column("Units", 0.7, right=True),
    Column("Bias", 1.4, right=True),
    Column("The same", 1.3, right=True),
    Column("Kappa", 1.3, right=True),
)
PAIR_COLUMNS = (
    Column("Two people", 2.6),
    Column("Units", 1.2, right=True),
    Column("The same", 1, right=True),
    Column("Kappa", 1, right=True),
)
UNIT_NOUNS = {
    UnitKind.ESSENTIAL: "essential passage",
    UnitKind.BONUS: "bonus passage",
    UnitKind.STATEMENT: "statement",
    UnitKind.EXPECTED_CONTEXT: "expected context",
}
TOO_FEW = "too few to say"
_SHARES = frozenset({Name.EXACT, Name.WITHIN_ONE, Name.SENSITIVITY, Name.SPECIFICITY})
_MOST_BIAS = 2
"""How much bias the drawn scale shows to either side, in grades."""


def measure_row(measure: Measure) -> Row:
    """One figure; the row's id is the name under which the methods explain it."""
    cells: tuple[Cell, ...] = (
        Text(measure.title, measure.sentence, strong=True, wrap=True),
        Figure(
            value_words(measure),
            _below(measure),
            strong=measure.value is not None,
            judge_only=measure.faint or measure.value is None,
        ),
        _drawn(measure),
    )
    return Row(measure.name.value, cells)


def value_words(measure: Measure | None) -> str:
    """`+0.24`, `64 %`, `0.85`, or why there is no number."""
    if measure is None:
        return MISSING
    if measure.value is None:
        return TOO_FEW if measure.examples < FEWEST else "not defined"
    return _said(measure.name, measure.value)


def interval_words(measure: Measure) -> str:
    """`0.10 to 0.38`; empty where there is none."""
    if measure.interval is None:
        return ""
    return " to ".join(_said(measure.name, end) for end in measure.interval)


def side_row(label: str, found: Agreement) -> Row:
    """One group of reviews in a line, beside others."""
    cells: tuple[Cell, ...] = (
        Text(label, f"in {count(found.examples, 'example')}", strong=True),
        Figure(f"{found.units:,}"),
        *(_short(found.measure(name)) for name in (Name.BIAS, Name.EXACT, Name.KAPPA)),
    )
    return Row(label, cells)


def alpha_row(kind: str, people: PeopleAgreement) -> Row:
    """Everybody against everybody, as one figure."""
    faint = people.alpha is None
    value = "too few to say" if people.examples < FEWEST else "not defined"
    ends = people.interval
    cells: tuple[Cell, ...] = (
        Text(f"Alpha, {kind}", people.sentence, strong=True, wrap=True),
        Figure(
            value if people.alpha is None else f"{people.alpha:.2f}",
            count(people.units, "unit") if ends is None else f"{ends[0]:.2f} to {ends[1]:.2f}",
            strong=not faint,
            judge_only=faint,
        ),
        Text("") if people.alpha is None else interval(people.alpha, (0, 1), ends),
    )
    return Row(f"alpha-{people.kind.value}", cells)


def pair_row(pair: PairOfPeople) -> Row:
    """Two people in a line."""
    cells: tuple[Cell, ...] = (
        Text(f"{pair.first} and {pair.second}", pair.sentence, strong=True, wrap=True),
        Figure(f"{pair.units:,}", f"in {count(pair.examples, 'example')}"),
        Figure(percent(pair.same), judge_only=pair.same is None),
        Figure(MISSING if pair.kappa is None else f"{pair.kappa:.2f}"),
    )
    return Row(f"{pair.first}/{pair.second}", cells)


def self_facts(found: SelfAgreement) -> list[tuple[str, str]]:
    """The judge asked again, as labelled facts; empty where nothing can be said."""
    if found.same is None or found.spread is None:
        return []
    return [
        ("The very same final", percent(found.same)),
        ("Spread within an example", f"{found.spread:.2f}"),
        ("ICC(1)", "not defined" if found.icc is None else f"{found.icc:.2f}"),
        ("Asked", f"{found.repeats:.1f} times, {count(found.examples, 'example')}"),
    ]


def _below(measure: Measure) -> str:
    if measure.value is None and measure.examples < FEWEST:
        return f"{FEWEST - measure.examples} more"
    return interval_words(measure) or count(measure.units, "unit")


def _said(name: Name, value: float) -> str:
    if name is Name.BIAS:
        return signed(value)
    return percent(value) if name in _SHARES else f"{value:.2f}"


def _short(measure: Measure | None) -> Figure:
    words = value_words(measure)
    below = "" if measure is None or measure.value is None else interval_words(measure)
    faint = measure is None or measure.faint or measure.value is None
    return Figure(words, below, judge_only=faint)


def _drawn(measure: Measure) -> Interval | Text:
    if measure.value is None or measure.interval is None or measure.name is Name.ERROR:
        return Text("")
    scale = (-_MOST_BIAS, _MOST_BIAS) if measure.name is Name.BIAS else (0, 1)
    drawn = interval(measure.value, scale, measure.interval)
    if not isinstance(drawn, Interval):
        return drawn
    return replace(drawn, faint=measure.faint, zero=0.5 if measure.name is Name.BIAS else None)

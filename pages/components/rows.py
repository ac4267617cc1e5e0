"""A short list of things: one or two lines a row, chips, changes, intervals, bars.

For long lists use `st.dataframe`; this one draws every row. Text is set as text in the browser and
never read as HTML. A row opens by click or Enter, and `rows` returns its id in that one script run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import streamlit as st

from pages.components.style import (
    MISSING,
    Mark,
    Number,
    score_step,
    score_words,
    signed,
)
from recall_core.types import Formula, UnitKind

_HERE = Path(__file__).parent
_component = st.components.v2.component(
    "recall_rows",
    html='<div class="rows"></div>',
    css=(_HERE / "rows.css").read_text("utf-8"),
    js=(_HERE / "rows.js").read_text("utf-8"),
)


@dataclass(frozen=True, slots=True)
class Column:
    """A heading; `share` is its part of the width, `right` aligns numbers."""

    title: str
    share: float = 1.0
    right: bool = False


@dataclass(frozen=True, slots=True)
class Text:
    """Words on one line, with a muted second line below.

    `strong` names the row, `muted` steps back, `bad` is a reason for trouble, `mono` an id;
    `wrap` shows all of it, on as many lines as it takes.
    """

    main: str
    below: str = ""
    strong: bool = False
    muted: bool = False
    bad: bool = False
    mono: bool = False
    wrap: bool = False
    type: str = field(default="text", init=False)


@dataclass(frozen=True, slots=True)
class Figure:
    """A number as text, already formatted; `judge_only` greys what no person has looked at."""

    main: str
    below: str = ""
    strong: bool = False
    judge_only: bool = False
    type: str = field(default="figure", init=False)


@dataclass(frozen=True, slots=True)
class Chip:
    """A score in its colour; make it with `chip`."""

    main: str
    step: int | None
    type: str = field(default="chip", init=False)


@dataclass(frozen=True, slots=True)
class Change:
    """A signed difference with its arrow; make it with `change`."""

    main: str
    direction: int
    type: str = field(default="change", init=False)


@dataclass(frozen=True, slots=True)
class Interval:
    """A value on a scale shared by all rows, all from 0 to 1; make it with `interval`.

    `zero` is where a line marks that nothing differs; `faint` greys what rests on little.
    """

    at: float
    low: float | None
    high: float | None
    label: str
    zero: float | None = None
    faint: bool = False
    type: str = field(default="interval", init=False)


@dataclass(frozen=True, slots=True)
class Bar:
    """How many of how many: a bar and "52 of 240"."""

    done: int
    total: int
    type: str = field(default="bar", init=False)


@dataclass(frozen=True, slots=True)
class State:
    """A glyph with words, and a muted second line."""

    mark: Mark
    main: str
    below: str = ""
    type: str = field(default="state", init=False)


Cell: TypeAlias = Text | Figure | Chip | Change | Interval | Bar | State


@dataclass(frozen=True, slots=True)
class Row:
    """One row; `id` is what `rows` returns when a person opens it."""

    id: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Picks:
    """The rows that a person has ticked, over all pages of a list; session state keeps their ids.

    `place` is where it keeps them. `version` tells the browser that the picks were changed here.
    """

    place: str

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(st.session_state.get(self.place, ()))

    @property
    def version(self) -> int:
        return int(st.session_state.get(f"{self.place}.version", 0))

    def put(self, ids: Iterable[str]) -> None:
        """Tick these and no others."""
        st.session_state[self.place] = frozenset(ids)
        st.session_state[f"{self.place}.version"] = self.version + 1

    def take(self, key: str, shown: frozenset[str]) -> None:
        """What the browser says of the rows that it shows; those of other pages stay ticked."""
        said = st.session_state[key].get("picked") or ()
        st.session_state[self.place] = (self.ids - shown) | (shown & frozenset(said))


def rows(
    columns: Sequence[Column],
    lines: Sequence[Row],
    *,
    key: str,
    opens: bool = True,
    picks: Picks | None = None,
) -> str | None:
    """Draw the list; the id of the row that was opened just now, else `None`.

    With `picks` each row can be ticked as well.
    """
    known = frozenset(r.id for r in lines)
    data = {
        "columns": [asdict(c) for c in columns],
        "rows": [{"id": r.id, "cells": [asdict(c) for c in r.cells]} for r in lines],
        "opens": opens,
    }
    heard: dict[str, Any] = {"on_opened_change": _nothing_more_to_do}
    if picks is not None:
        data["picks"] = {"ids": sorted(picks.ids & known), "version": picks.version}
        heard["on_picked_change"] = partial(picks.take, key, known)
    result: Any = _component(key=key, data=data, **heard)
    opened = result.opened
    return opened if opens and opened in known else None


def _nothing_more_to_do() -> None:
    """Streamlit reports a trigger only where a callback is given; `rows` returns the value."""


def chip(score: Number | None, kind: UnitKind | Formula = Formula.PASSAGE) -> Chip:
    """A unit's score (pass its `UnitKind`) or a final (pass its `Formula`)."""
    return Chip(score_words(score, kind), None if score is None else score_step(score, kind))


def change(value: Number | None) -> Change:
    """From the judge's value to the one that counts now."""
    text = signed(value)
    direction = 0 if value is None or text == "0.00" else (1 if value > 0 else -1)
    return Change(text, direction)


def interval(
    value: Number | None,
    scale: tuple[Number, Number],
    bounds: tuple[Number, Number] | None = None,
) -> Interval | Text:
    """A value on `scale`: a bar with `bounds` where people audited, a ring for the judge alone."""
    if value is None:
        return Text(MISSING, muted=True)
    low, high = (_share(b, scale) for b in bounds) if bounds else (None, None)
    said = f"{float(value):.2f}"
    if bounds:
        said += f", {float(bounds[0]):.2f} to {float(bounds[1]):.2f}"
    return Interval(_share(value, scale), low, high, said)


def _share(value: Number, scale: tuple[Number, Number]) -> float:
    start, end = Fraction(scale[0]), Fraction(scale[1])
    return float(max(Fraction(0), min(Fraction(1), (Fraction(value) - start) / (end - start))))

"""The small pieces of the report: every text of a person, a file or a model passes `text` here."""

from __future__ import annotations

import html
from collections.abc import Iterable
from fractions import Fraction

from recall_core.export.safe_cells import without_controls
from recall_core.scoring import printed, rounded
from recall_core.types import Formula, UnitKind, UnitState

Cells = tuple[tuple[str, str], ...]
"""A row of a table; each cell is (class, content)."""

_WORDED = {
    UnitKind.STATEMENT: ("No ✕", "Yes ✓"),
    UnitKind.EXPECTED_CONTEXT: ("Not found ✕", "Found ✓"),
}


def text(value: str) -> str:
    """The value as characters of a page, whatever it holds."""
    return html.escape(without_controls(value))


def block(value: str, *, most: int | None = None) -> str:
    """A text in its own direction, its line breaks kept; cut at `most` characters, visibly."""
    cut = most is not None and len(value) > most
    shown = f"{value[:most].rstrip()}…" if cut else value
    rest = f' <span class="muted">({len(value):,} characters)</span>' if cut else ""
    return f'<span class="text" dir="auto">{text(shown)}</span>{rest}'


def two(value: Fraction | None) -> str:
    """Two decimals, always; a dash where there is no number."""
    return "–" if value is None else f"{float(rounded(value)):.2f}"


def signed(value: Fraction | None) -> str:
    """`▲ +0.25`, `▼ −0.50`, `0`: a change with its direction; a dash where there is none."""
    if value is None:
        return "–"
    if value == 0:
        return "0"
    arrow, sign = ("▲", "+") if value > 0 else ("▼", "−")
    return f'<span class="{"up" if value > 0 else "down"}">{arrow} {sign}{two(abs(value))}</span>'


def unit_chip(state: UnitState, *, by_person: bool = False) -> str:
    """A unit's score as people read it, in the colour of its height."""
    if state.excluded:
        return _chip("excluded", "none", by_person)
    if state.score is None:
        return _chip("no score", "none", by_person)
    if state.kind in _WORDED:
        found = state.score >= Fraction(1, 2)
        return _chip(_WORDED[state.kind][found], "s5" if found else "s1", by_person)
    return _chip(printed(state.score), f"s{_height(state.score)}", by_person)


def word_chip(word: str, *, by_person: bool = False) -> str:
    """The word for why there is no score."""
    return _chip(word, "none", by_person)


def number_chip(formula: Formula, final: Fraction, *, by_person: bool = False) -> str:
    """A final score in the colour of its height."""
    height = _height(final if formula is Formula.PASSAGE else 1 + 4 * final)
    return _chip(two(final), f"s{height}", by_person)


def height_of(kind: UnitKind, score: Fraction | None) -> str:
    """The colour class of a bar's part: `b0` to `b5`, `bn` for no score."""
    if score is None:
        return "bn"
    return f"b{_height(1 + 4 * score if kind in _WORDED else score)}"


def _height(score: Fraction) -> int:
    return min(5, max(0, int(score + Fraction(1, 2))))


def _chip(label: str, tone: str, by_person: bool) -> str:
    mark = " by-person" if by_person else ""
    return f'<span class="chip {tone}{mark}">{text(label)}</span>'


def table(heads: Cells, rows: Iterable[Cells]) -> str:
    """A table of ready HTML under heads of plain text."""
    head = "".join(f"<th{_class(c)}>{text(name)}</th>" for c, name in heads)
    body = "".join(
        f"<tr>{''.join(f'<td{_class(c)}>{content}</td>' for c, content in row)}</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _class(name: str) -> str:
    return f' class="{name}"' if name else ""


def counted(count: int, noun: str) -> str:
    """`1 example`, `3 examples`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"

"""How things look everywhere: the style sheet, the head of a page, chips, states and numbers.

Every function that returns HTML escapes what it is given; draw the result with `st.html`. Colours
come from the custom properties in `style.css` (`--rd-…`), which follow light and dark.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from html import escape
from pathlib import Path

import streamlit as st

from recall_core.scoring import rounded
from recall_core.types import Formula, UnitKind

STYLE_SHEET = Path(__file__).with_name("style.css")
MISSING = "–"
"""What stands where there is no number."""

Number = Fraction | float | int


def inject_style() -> None:
    """Add the style sheet to the page; `frame.py` does this once a script run.

    Streamlit says dark or light only to the app itself; popovers and dialogs stand beside it.
    """
    st.html(STYLE_SHEET)
    if st.context.theme.type in ("light", "dark"):
        st.html(f"<style>:root {{ color-scheme: {st.context.theme.type}; }}</style>")


@dataclass(frozen=True, slots=True)
class PageAction:
    """A button at the head of a page; its label names its effect ("Save 312 examples")."""

    label: str
    key: str
    primary: bool = False
    disabled: bool = False
    help: str | None = None
    icon: str | None = None
    on_click: Callable[[], None] | None = None


def page_header(
    title: str, caption: str = "", actions: Sequence[PageAction] = ()
) -> dict[str, bool]:
    """Title and caption on the left, buttons on the right; says per key which one was clicked.

    At most one action is primary, and it stands last (rightmost).
    """
    left, right = st.columns([3, 2], vertical_alignment="center")
    with left, st.container(gap=None):
        st.title(plain(title), anchor=False)
        if caption:
            st.caption(plain(caption))
    with right, st.container(horizontal=True, horizontal_alignment="right"):
        return {action.key: _button(action) for action in actions}


def _button(action: PageAction) -> bool:
    return st.button(
        action.label,
        key=action.key,
        type="primary" if action.primary else "secondary",
        disabled=action.disabled,
        help=action.help,
        icon=action.icon,
        on_click=action.on_click,
    )


def section(title: str, caption: str = "") -> None:
    """A section heading, with an optional muted line below it."""
    st.header(plain(title), anchor=False)
    if caption:
        st.caption(plain(caption))


def plain(text: str) -> str:
    r"""Text for Streamlit elements that read Markdown (titles, captions, labels), made inert.

    Addresses, icons and arrows are found by Streamlit after it has taken the backslashes away; a
    word joiner, which has no width, parts them.
    """
    parted = _FOUND_LATER.sub(_JOINER, _LINE_START.sub("", text))
    inert = "".join(f"\\{c}" if c in _MARKDOWN else c for c in parted)
    return _NUMBERED.sub(r"\1\\.", inert)


_MARKDOWN = frozenset("\\`*_{}[]()<>#+-!|~:$^&=")
_JOINER = "\u2060"
_LINE_START = re.compile(r"^[ \t]+", re.MULTILINE)
_NUMBERED = re.compile(r"^(\d+)\.", re.MULTILINE)
_FOUND_LATER = re.compile(
    r"(?<=:)(?=//|material|streamlit)|(?<=\bwww)(?=\.)|(?<=@)(?=\w)"
    r"|(?<=-)(?=[->])|(?<=[<>~])(?==)|(?<=<)(?=-)",
    re.IGNORECASE,
)
"""Between what Streamlit turns into links, icons, its logo, arrows and signs."""


def shortened(text: str, to: int = 40) -> str:
    """The beginning of a name that is too long for its place."""
    return text if len(text) <= to else f"{text[: to - 1]}…"


# Numbers


def two_decimals(value: Number | None) -> str:
    """`4.12` for lists and headlines; a dash where there is no number."""
    if value is None:
        return MISSING
    number = rounded(value) if isinstance(value, Fraction) else value
    return f"{float(number):.2f}"


def signed(value: Number | None) -> str:
    """`+0.50`, `−1.25` (with a real minus) or `0.00`."""
    if value is None:
        return MISSING
    text = two_decimals(-value if value < 0 else value)
    if text == "0.00":
        return text
    return f"{'+' if value > 0 else '−'}{text}"


def percent(value: Number | None) -> str:
    """A share as `62 %`."""
    return MISSING if value is None else f"{float(value) * 100:.0f} %"


def count(number: int, one: str, many: str | None = None) -> str:
    """`1 example`, `1,204 examples`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def dollars(amount: Decimal | None) -> str:
    """`$0.61`, `$0.0042`, `$0`; an amount that nobody knows is "unknown", never 0."""
    if amount is None:
        return "unknown"
    if not amount:
        return "$0"
    if amount >= Decimal("0.1"):
        return f"${amount:,.2f}"
    places = 1 - amount.adjusted()
    return f"${amount:.{places}f}".rstrip("0") if places <= 6 else "under $0.00001"


def short_number(number: int) -> str:
    """`940`, `8,190`, `819 k`, `1.2 m`: large counts, to be compared at a glance."""
    if number < 10_000:
        return f"{number:,}"
    return f"{number / 1000:,.0f} k" if number < 1_000_000 else f"{number / 1_000_000:,.1f} m"


def ago(then: datetime, now: datetime) -> str:
    """`now`, `4 minutes ago`, `yesterday`, `3 days ago`, then the date."""
    seconds = (now - then).total_seconds()
    if seconds < 60:
        return "now"
    if seconds < 3600:
        return f"{count(int(seconds // 60), 'minute')} ago"
    days = (now.date() - then.date()).days
    if days == 0:
        return f"{count(int(seconds // 3600), 'hour')} ago"
    if days == 1:
        return "yesterday"
    return f"{days} days ago" if days < 14 else f"{then:%Y-%m-%d}"


# Scores


def score_step(score: Number, kind: UnitKind | Formula = Formula.PASSAGE) -> int:
    """The step 0 to 5 of the one colour scale; yes and no and shares are stretched over it.

    No is 1 and yes is 5, as for a passage that is absent and one that is complete.
    """
    if kind in (UnitKind.STATEMENT, UnitKind.EXPECTED_CONTEXT):
        return 5 if score >= 1 else 1
    value = Fraction(score)
    if kind is Formula.SHARE:
        value = 1 + 4 * value
    return max(0, min(5, int(value + Fraction(1, 2))))


def score_words(score: Number | None, kind: UnitKind | Formula = Formula.PASSAGE) -> str:
    """What stands in the chip: `4`, `Yes ✓`, `No ✕`; finals have two decimals."""
    if score is None:
        return MISSING
    if kind is UnitKind.STATEMENT:
        return "Yes ✓" if score >= 1 else "No ✕"
    if kind is UnitKind.EXPECTED_CONTEXT:
        return "Found ✓" if score >= 1 else "Not found ✕"
    if isinstance(kind, Formula):
        return two_decimals(score)
    return two_decimals(score).rstrip("0").rstrip(".")


def score_chip(score: Number | None, kind: UnitKind | Formula = Formula.PASSAGE) -> str:
    """HTML of a coloured chip: a unit's score (pass its `UnitKind`) or a final (its `Formula`)."""
    style = "none" if score is None else f"s{score_step(score, kind)}"
    return f'<span class="rd-chip {style}">{score_words(score, kind)}</span>'


# States


class Mark(StrEnum):
    """The glyph of a state; it never stands without words."""

    OPEN = "○"
    HALF = "◐"
    DONE = "✓"
    CHANGED = "◆"
    TROUBLE = "!"
    PAUSED = "‖"
    DIFFERS = "±"
    ESSENTIAL = "■"
    BONUS = "□"


def state_words(mark: Mark, words: str) -> str:
    """HTML of a state: glyph and words."""
    return f'<span aria-hidden="true">{mark}</span> {escape(words)}'


def facts(
    pairs: Sequence[tuple[str, str]],
    *,
    headline: tuple[str, str, str] | None = None,
    judge_only: bool = False,
    big: bool = False,
) -> str:
    """HTML of labelled facts in a row; `headline` is (label, big number, what stands beside it).

    `judge_only` greys the headline: no person has looked at it yet. `big`: the facts are what the
    eye should meet first.
    """
    parts = []
    if headline is not None:
        label, number, beside = (escape(text) for text in headline)
        style = "head judge" if judge_only else "head"
        small = f"<small>{beside}</small>" if beside else ""
        parts.append(f'<div class="{style}"><dt>{label}</dt><dd>{number}{small}</dd></div>')
    parts += [f"<div><dt>{escape(k)}</dt><dd>{escape(v)}</dd></div>" for k, v in pairs]
    return f'<dl class="rd-facts{" big" if big else ""}">{"".join(parts)}</dl>'


def number_table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """HTML of a small table: names on the left, figures to the right of them."""
    head = "".join(
        f'<th scope="col">{escape(text)}</th>' if text else "<td></td>" for text in heads
    )
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th>'
        f"{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
        for name, *cells in lines
    )
    return f'<table class="rd-table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def text_block(text: str, *, muted: bool = False) -> str:
    """HTML of text that came from data: escaped, in its own direction, with its line breaks."""
    style = "rd-text rd-muted" if muted else "rd-text"
    return f'<div class="{style}" dir="auto">{escape(text)}</div>'


def trouble(what: str) -> str:
    """HTML of a reason why something is wrong, in the colour of low scores."""
    return f'<span class="rd-bad">{escape(what)}</span>'

"""The report's two charts, as inline SVG and plain boxes: they print, and need no script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from recall_core.export.report_parts import counted, height_of, text
from recall_core.scoring import printed
from recall_core.summary import Bin, UnitScoreCount
from recall_core.types import UnitKind

_WIDTH, _HEIGHT, _BASE, _TOP = 430, 190, 160, 18

KIND_NAMES = {
    UnitKind.ESSENTIAL: "Essential passages",
    UnitKind.BONUS: "Bonus passages",
    UnitKind.STATEMENT: "Statements",
    UnitKind.EXPECTED_CONTEXT: "Expected contexts",
}


def finals_chart(bins: Sequence[Bin], *, judge_only: bool) -> str:
    """How many examples end in each part of the scale: the judge grey, what counts now green."""
    most = max((max(b.judge, b.now) for b in bins), default=0) or 1
    step = _WIDTH / len(bins)
    columns = "".join(
        _columns(b, place * step, step, most, judge_only=judge_only) for place, b in enumerate(bins)
    )
    edges = [*(b.low for b in bins), bins[-1].high] if bins else []
    axis = "".join(
        f'<text x="{_inside(place * step)}" y="{_BASE + 16}" text-anchor="{_anchor(place, edges)}">'
        f"{printed(edge)}</text>"
        for place, edge in enumerate(edges)
    )
    said = "; ".join(
        f"{printed(b.low)} to {printed(b.high)}: judge {b.judge}, now {b.now}" for b in bins
    )
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{text(said)}">'
        f'<line x1="0" y1="{_BASE}" x2="{_WIDTH}" y2="{_BASE}" stroke="#191d22"/>'
        f"{columns}{axis}</svg>" + _key(judge_only)
    )


def _key(judge_only: bool) -> str:
    judge = '<span><i style="background:#8a939d"></i>judge</span>'
    now = '<span><i style="background:#0b6b57"></i>now, with people’s decisions</span>'
    return f'<div class="key">{judge}{"" if judge_only else now}</div>'


def _columns(b: Bin, left: float, step: float, most: int, *, judge_only: bool) -> str:
    gap = step * 0.12
    if judge_only:
        return _column(left + gap, step - 2 * gap, b.judge, most, "#8a939d")
    width = (step - 2 * gap) / 2
    return _column(left + gap, width - 0.5, b.judge, most, "#8a939d") + _column(
        left + gap + width, width, b.now, most, "#0b6b57"
    )


def _column(x: float, width: float, count: int, most: int, colour: str) -> str:
    if not count:
        return ""
    tall = max(1.0, (_BASE - _TOP) * count / most)
    y = _BASE - tall
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{tall:.1f}" fill="{colour}"/>'
        f'<text x="{x + width / 2:.1f}" y="{y - 4:.1f}" text-anchor="middle">{count}</text>'
    )


def _inside(x: float) -> str:
    return f"{min(x, _WIDTH):.1f}"


def _anchor(place: int, edges: Sequence[Fraction]) -> str:
    return "start" if place == 0 else "end" if place == len(edges) - 1 else "middle"


def unit_score_bars(counts: Iterable[UnitScoreCount], *, judge_only: bool) -> str:
    """For each kind of unit, which share got which score: a bar for the judge and one for now."""
    by_kind: dict[UnitKind, list[UnitScoreCount]] = {}
    for count in counts:
        by_kind.setdefault(count.kind, []).append(count)
    return "".join(_stack(kind, rows, judge_only) for kind, rows in by_kind.items())


def _stack(kind: UnitKind, rows: list[UnitScoreCount], judge_only: bool) -> str:
    judge = _bar("judge", kind, [(row.score, row.judge) for row in rows])
    now = "" if judge_only else _bar("now", kind, [(row.score, row.now) for row in rows])
    total = sum(row.judge for row in rows)
    return f'<div class="stack"><b>{KIND_NAMES[kind]}</b>, {total:,}{judge}{now}</div>'


def _bar(who: str, kind: UnitKind, parts: list[tuple[Fraction | None, int]]) -> str:
    total = sum(count for _, count in parts) or 1
    spans = "".join(
        f'<span class="{height_of(kind, score)}" style="width:{100 * count / total:.2f}%">'
        f"{_name(kind, score) if count / total > 0.07 else ''}</span>"
        for score, count in parts
        if count
    )
    said = ", ".join(f"{_name(kind, s)}: {counted(n, 'unit')}" for s, n in parts if n)
    return (
        f'<div class="bar"><span>{who}</span>'
        f'<div class="parts" role="img" aria-label="{text(said)}">{spans}</div></div>'
    )


def _name(kind: UnitKind, score: Fraction | None) -> str:
    if score is None:
        return "none"
    if kind is UnitKind.STATEMENT:
        return "yes" if score else "no"
    if kind is UnitKind.EXPECTED_CONTEXT:
        return "found" if score else "not found"
    return printed(score)

"""The charts of a run's results: finals, unit scores, and the way from the judge's mean to now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

import plotly.graph_objects as go

from pages.components.charts import Palette, palette, show
from pages.components.style import score_step, signed, two_decimals
from recall_core.movement import Movement
from recall_core.policy import Point
from recall_core.scoring import printed
from recall_core.summary import Bin, UnitScoreCount
from recall_core.types import UnitKind

KIND_NAMES = {
    UnitKind.ESSENTIAL: "Essential",
    UnitKind.BONUS: "Bonus",
    UnitKind.STATEMENT: "Statements",
    UnitKind.EXPECTED_CONTEXT: "Expected contexts",
}
FEW = 5
"""A chart that counts no higher has a line for each count."""
NO_SCORE = "no score"
_SCORES = (*((step, str(step)) for step in range(6)), (None, NO_SCORE))
_WORDS: Mapping[UnitKind, tuple[tuple[int | None, str], ...]] = {
    UnitKind.ESSENTIAL: _SCORES,
    UnitKind.BONUS: _SCORES,
    UnitKind.STATEMENT: ((1, "no"), (5, "yes"), (None, NO_SCORE)),
    UnitKind.EXPECTED_CONTEXT: ((1, "not found"), (5, "found"), (None, NO_SCORE)),
}
"""For each kind of unit its steps on the colour scale, lowest first, and what they are called."""


def finals_chart(bins: Sequence[Bin], *, judge_only: bool) -> None:
    """How many examples have which final: the judge's in grey, what counts now in green."""
    colours = palette()
    figure = go.Figure()
    figure.add_bar(name="judge", y=[b.judge for b in bins], marker_color=colours.judge)
    if not judge_only:
        figure.add_bar(name="now", y=[b.now for b in bins], marker_color=colours.now)
    names = [f"{printed(b.low)} to {printed(b.high)}" for b in bins]
    figure.update_traces(
        x=list(range(len(bins))),
        customdata=names,
        hovertemplate="%{customdata}: %{y} (%{fullData.name})<extra></extra>",
    )
    figure.update_layout(
        showlegend=not judge_only, barmode="group", bargap=0.25, margin={"r": 12, "l": 4}
    )
    edges = [printed(b.low) for b in bins] + [printed(bins[-1].high)]
    every = 1 if len(edges) <= 9 else 2
    figure.update_xaxes(
        tickvals=[place - 0.5 for place in range(len(edges))][::every],
        ticktext=edges[::every],
        range=[-0.5, len(bins) - 0.5],
        tickangle=0,
        ticklabelstandoff=5,  # Both axes begin with a 0; so they keep apart in the corner.
        showgrid=False,
    )
    few = max(max(b.judge, b.now) for b in bins) <= FEW
    figure.update_yaxes(
        rangemode="tozero",
        tickformat=",d",
        dtick=1 if few else None,
        nticks=FEW,
        ticklabelstandoff=5,
    )
    show(figure, key="finals", height=250)


def unit_scores_chart(counts: Sequence[UnitScoreCount], *, judge_only: bool) -> None:
    """The share of each score, a line a kind of unit, the judge's above what counts now."""
    colours = palette()
    figure = go.Figure()
    lines = _lines(counts, judge_only)
    tally = _tally(counts)
    for words in dict.fromkeys(_WORDS[kind] for kind, _ in lines):
        own = [line for line in lines if _WORDS[line[0]] == words]
        for step, word in words:
            sizes = [tally[kind, who, step] for kind, who in own]
            if any(sizes):
                names = [f"{KIND_NAMES[kind]}, {who}" for kind, who in own]
                totals = [_total(tally, line) for line in own]
                said = _written(word, sizes, totals)
                _add_segment(figure, names, sizes, step, word, said, colours)
    figure.update_layout(
        barmode="stack", barnorm="percent", showlegend=False, bargap=0.22, margin={"r": 24}
    )
    figure.update_xaxes(tickvals=[0, 50, 100], ticktext=["0 %", "50 %", "100 %"], showgrid=False)
    figure.update_yaxes(autorange="reversed", showgrid=False)
    show(figure, key="unit_scores", height=70 + 45 * len(lines))


def movement_chart(movement: Movement, *, end: str = "mean now") -> None:
    """The way from the judge's mean to its `end`, lying down: a bar a reason, both as ticks.

    The axis is cut to where something happens, so only differences are bars.
    """
    colours = palette()
    names = [f"{step.reason}, {step.count}" for step in movement.steps]
    order = ["judge mean", *names, end]
    figure = go.Figure()
    _add_steps(figure, movement, names, colours)
    _add_tick(figure, order[0], movement.judge, colours.muted, colours)
    _add_tick(figure, order[-1], movement.now, colours.now, colours)
    figure.update_layout(showlegend=False, bargap=0.5, margin={"r": 48})
    figure.update_yaxes(categoryorder="array", categoryarray=order[::-1], showgrid=False)
    figure.update_xaxes(nticks=4, showgrid=False, tickformat=".2~f")
    show(figure, key="movement", height=70 + 30 * len(order))


def _add_steps(
    figure: go.Figure, movement: Movement, names: Sequence[str], colours: Palette
) -> None:
    steps = movement.steps
    figure.add_bar(
        orientation="h",
        y=names,
        x=[float(step.delta) for step in steps],
        base=[float(step.start) for step in steps],
        marker_color=[colours.up if step.delta > 0 else colours.down for step in steps],
        hoverinfo="skip",
    )
    figure.add_scatter(
        y=names,
        x=[float(max(step.start, step.start + step.delta)) for step in steps],
        mode="text",
        text=[f" {signed(delta)}" for delta in movement.printed_deltas()],
        textposition="middle right",
        cliponaxis=False,
        hoverinfo="skip",
    )


def _add_tick(figure: go.Figure, name: str, value: Fraction, colour: str, colours: Palette) -> None:
    figure.add_scatter(
        x=[float(value)],
        y=[name],
        mode="markers+text",
        marker={"symbol": "line-ns", "size": 20, "line": {"width": 3, "color": colour}},
        text=[f"  <b>{two_decimals(value)}</b>"],
        textposition="middle right",
        textfont={"size": 13, "color": colours.text},
        cliponaxis=False,
        hoverinfo="skip",
    )


def _lines(counts: Sequence[UnitScoreCount], judge_only: bool) -> list[tuple[UnitKind, str]]:
    kinds = dict.fromkeys(c.kind for c in counts)
    whose = ("judge",) if judge_only else ("judge", "now")
    return [(kind, who) for kind in kinds for who in whose]


def _add_segment(
    figure: go.Figure,
    names: Sequence[str],
    sizes: Sequence[int],
    step: int | None,
    word: str,
    said: Sequence[str],
    colours: Palette,
) -> None:
    figure.add_bar(
        name=word,
        orientation="h",
        y=names,
        x=sizes,
        customdata=sizes,
        text=list(said),
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        constraintext="none",
        textfont={"color": colours.text if step is None else colours.score_text[step]},
        marker={
            "color": colours.line if step is None else colours.score_fill[step],
        },
        hovertemplate="%{y}: " + word + ", %{customdata} units (%{x:.0f} %)<extra></extra>",
    )


def _total(tally: Counter[tuple[UnitKind, str, int | None]], line: tuple[UnitKind, str]) -> int:
    return sum(size for (*key, _), size in tally.items() if tuple(key) == line)


def _written(word: str, sizes: Sequence[int], totals: Sequence[int]) -> list[str]:
    """The word where its segment is wide enough for it, at the width that three charts leave."""
    least = Fraction(len(word) + 1, 40)
    return [
        word if total and Fraction(size, total) >= least else ""
        for size, total in zip(sizes, totals, strict=True)
    ]


def _tally(counts: Sequence[UnitScoreCount]) -> Counter[tuple[UnitKind, str, int | None]]:
    tally: Counter[tuple[UnitKind, str, int | None]] = Counter()
    for c in counts:
        step = None if c.score is None else score_step(c.score, c.kind)
        tally[c.kind, "judge", step] += c.judge
        tally[c.kind, "now", step] += c.now
    return tally


def curve_chart(
    points: Sequence[Point],
    *,
    at: Fraction | None,
    key: str,
    share: bool = False,
    scale: tuple[Fraction, Fraction] = (Fraction(0), Fraction(1)),
) -> None:
    """A what-if's curve, with a line where its slider stands; `share`: the values are shares."""
    colours = palette()
    figure = go.Figure()
    known = [p for p in points if p.y is not None]
    figure.add_scatter(
        x=[float(p.x) for p in known],
        y=[float(p.y or 0) for p in known],
        mode="lines",
        line={"color": colours.now, "width": 2},
        hovertemplate="%{x:.2f}: %{y:.0%}<extra></extra>"
        if share
        else "%{x:.2f}: %{y:.2f}<extra></extra>",
    )
    if at is not None:
        figure.add_vline(x=float(at), line={"color": colours.muted, "width": 1, "dash": "dot"})
    figure.update_layout(showlegend=False, margin={"r": 12, "l": 4})
    figure.update_xaxes(nticks=6, ticklabelstandoff=5)
    figure.update_yaxes(
        range=[float(end) for end in scale],
        tickformat=".0%" if share else "~f",
        nticks=5,
        ticklabelstandoff=5,
    )
    show(figure, key=key, height=220)

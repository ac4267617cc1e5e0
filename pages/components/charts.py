"""How every chart looks: colours of the present theme, no frame, no mode bar, quiet grid.

Grey is the judge, green is what counts now, orange is down, blue is up; scores have one fill each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import plotly.graph_objects as go
import streamlit as st


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of one theme; `score_fill[n]` and `score_text[n]` belong to score n (0 to 5)."""

    text: str
    muted: str
    line: str
    judge: str
    now: str
    down: str
    up: str
    score_fill: tuple[str, ...]
    score_text: tuple[str, ...]


LIGHT: Final = Palette(
    text="#191D22",
    muted="#565F6A",
    line="#DFE3E7",
    judge="#B9C1C9",
    now="#0B6B57",
    down="#B4540F",
    up="#2A6BA9",
    score_fill=("#A63A0E", "#EBA584", "#F6D3B0", "#D9DDE1", "#BBD7F0", "#6BA3D6"),
    score_text=("#FFFFFF", "#191D22", "#191D22", "#191D22", "#191D22", "#191D22"),
)
DARK: Final = Palette(
    text="#E6E9EC",
    muted="#9DA7B1",
    line="#2C3238",
    judge="#5C646D",
    now="#4CC6A4",
    down="#E8A25F",
    up="#7DB7F0",
    score_fill=("#F28A5C", "#6E2A18", "#80672F", "#3A4149", "#1B3F60", "#2F6CA6"),
    score_text=("#101316", "#FFFFFF", "#FFFFFF", "#FFFFFF", "#FFFFFF", "#FFFFFF"),
)

FONT: Final = "Inter Variable, system-ui, sans-serif"


def palette() -> Palette:
    """The colours of the theme that this browser shows."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def show(figure: go.Figure, *, key: str, height: int = 260) -> None:
    """Draw a figure in the house style, `height` pixels high and as wide as its place.

    What the figure says itself (a visible grid, a range, ticks) wins over the style.
    """
    style = go.layout.Template(layout=layout(palette()))
    figure.update_layout(template=style, height=height)
    st.plotly_chart(
        figure,
        key=key,
        theme=None,
        width="stretch",
        config={"displayModeBar": False, "responsive": True},
    )


def layout(colours: Palette) -> dict[str, Any]:
    """The Plotly layout that all charts share."""
    axis = {
        "gridcolor": colours.line,
        "linecolor": colours.line,
        "zeroline": False,
        "automargin": True,
        "fixedrange": True,
        "tickfont": {"size": 12, "color": colours.muted},
        "title": {"font": {"size": 12, "color": colours.muted}},
    }
    return {
        "margin": {"l": 0, "r": 0, "t": 8, "b": 0},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": FONT, "size": 12, "color": colours.text},
        "xaxis": axis | {"showgrid": False},
        "yaxis": axis,
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        "hoverlabel": {"font": {"family": FONT, "size": 12}},
        "dragmode": False,
        "bargap": 0.3,
    }

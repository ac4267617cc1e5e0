"""The methods behind every figure, as the docs tell them; `?about=kappa` begins with that part."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.components.guide import Part, parts_of, with_its_own
from pages.components.page_parts import head

GUIDE = Path(__file__).resolve().parent.parent / "docs" / "how-far-to-trust-a-score.md"

MEASURE = 860  # pixels: lines are read well, and the tables fit


def main() -> None:
    title, *parts = parts_of(GUIDE.read_text(encoding="utf-8"))
    with head(title.title, "What each number means, how it is made, and when it may be believed"):
        pass
    about = with_its_own(parts, st.query_params.get("about", ""))
    with st.container(width=MEASURE):
        if about:
            with st.container(border=True, key="about"):
                _draw(about)
            st.caption("All of it follows.")
        st.markdown(title.body)
        _draw(parts)


def _draw(parts: list[Part]) -> None:
    for part in parts:
        st.markdown(f"{'#' * part.level} {part.title}\n\n{part.body}")


main()

"""How a run stands says something of what its judge gave: who scores blind decides to see it."""

from __future__ import annotations

import streamlit as st

from pages.components.style import count


def shown_anyway(withheld: int, what: str, key: str) -> bool:
    """Whether somebody who may still score `withheld` examples blind wants to see `what`."""
    number = count(withheld, "example")
    st.markdown(f"**{number} still to be scored blind.** No score of theirs is shown to you yet.")
    st.caption(
        "How a run stands says something of what the judge gave, so it is not shown either. If "
        "you are not going to review these, it does no harm."
    )
    return st.toggle(f"Show {what}", key=key)

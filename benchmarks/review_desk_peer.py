"""The peer of the review desk: the same example by plain Streamlit, one rerun a key.

Started by `review_desk.py`, with the examples' JSON as `$PEER_EXAMPLES`. It reads no database and
stores nothing, so it does less than the desk.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import streamlit as st


@st.cache_resource
def examples() -> list[dict[str, Any]]:
    """All examples, in memory."""
    rows: list[dict[str, Any]] = json.loads(Path(os.environ["PEER_EXAMPLES"]).read_text("utf-8"))
    return rows


def go_on() -> None:
    st.session_state.at += 1


st.session_state.setdefault("at", 0)
st.set_page_config(layout="wide")
example = examples()[st.session_state.at]
st.button("Next", shortcut="Right", on_click=go_on)
st.subheader(example["question"], anchor=False)
left, right = st.columns(2)
for passage in example["ground_truth"]:
    left.text(passage)
    left.segmented_control("Score", range(1, 6), key=f"{st.session_state.at}-{passage}")
for passage in example["retrieved"]:
    right.text(passage)

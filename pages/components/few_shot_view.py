"""Reviewed units to be put into a judge's prompt, and the way to a run with that prompt."""

from __future__ import annotations

import streamlit as st

from db.reviews import read_judgement
from pages.components.session import engine, viewer
from recall_core.calibration import Calibration
from recall_core.few_shot import few_shot_text, few_shot_units


def few_shot(found: Calibration) -> None:
    """A button that shows the text; nobody is given what they have still to score blind."""
    with st.popover("Reviewed examples for the prompt"):
        units = few_shot_units(found.units)
        if not units:
            st.markdown("No reviewed unit is among those to learn from so far.")
            return
        details = [read_judgement(engine(), unit.judgement_id, viewer()) for unit in units]
        retrieved = {d.id: [p.text for p in d.example.retrieved or ()] for d in details}
        st.caption(
            "Copy this into the prompt of a clone of the run (Results, More, Clone with changed "
            "settings). None of it is held out, so whether it helps can be read above on the "
            "units held out, once the new run is judged."
        )
        st.code(few_shot_text(units, retrieved), language=None, wrap_lines=True)
        run = str(units[0].run_id)
        if st.button("Clone the run", key="few_shot_clone"):
            st.switch_page("run.py", query_params={"clone": run})

"""The script that Streamlit runs for every page: style, navigation, who is here."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.components.notices import notices_control
from pages.components.page_watch import watch_page
from pages.components.screens import SCREENS
from pages.components.session import name_control
from pages.components.style import inject_style

COMPONENTS = Path(__file__).parent / "components"


def main() -> None:
    """Draw what all screens share, then the chosen screen."""
    st.set_page_config(
        page_title="Recall Desk", page_icon=str(COMPONENTS / "icon.svg"), layout="wide"
    )
    inject_style()
    st.logo(str(COMPONENTS / "logo.svg"))
    screen = st.navigation(
        [
            st.Page(
                s.file,
                title=s.title,
                url_path=s.address,
                default=not s.address,
                visibility="hidden" if s.hidden else "visible",
            )
            for s in SCREENS
        ],
        position="top",
    )
    with st.container(key="rd-reviewer", horizontal=True):
        notices_control()
        name_control()
    watch_page()
    screen.run()


main()

"""The script that Streamlit runs for every page: style, navigation, who is here."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.components.session import name_control
from pages.components.style import inject_style

COMPONENTS = Path(__file__).parent / "components"


def screens() -> list[st.Page]:
    """The screens in the order of the navigation; the first has the address `/`."""
    files = {
        "overview.py": "Overview",
        "data.py": "Data",
        "run.py": "Run",
        "examples_list.py": "Examples",
        "review.py": "Review",
        "results.py": "Results",
    }
    here = Path(__file__).parent
    return [
        st.Page(
            file,
            title=title,
            url_path="" if file == "overview.py" else title.lower(),
            default=file == "overview.py",
        )
        for file, title in files.items()
        if (here / file).exists()
    ]


def main() -> None:
    """Draw what all screens share, then the chosen screen."""
    st.set_page_config(
        page_title="Recall Desk", page_icon=str(COMPONENTS / "icon.svg"), layout="wide"
    )
    inject_style()
    st.logo(str(COMPONENTS / "logo.svg"))
    screen = st.navigation(screens(), position="top")
    name_control()
    screen.run()


main()

"""What can be done with a run or a dataset as a whole: rename, put away, delete, clone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import streamlit as st

from db.datasets import (
    DatasetCard,
    archive_dataset,
    delete_dataset,
    rename_dataset,
    unarchive_dataset,
)
from db.engine import Engine
from db.run_figures import run_figures
from db.runs import RunCard, archive_run, delete_run, rename_run, unarchive_run
from pages.components.session import author, engine, now
from pages.components.style import count, plain
from recall_core.errors import RecallError

RENAME, ARCHIVE, UNARCHIVE, DELETE = "Rename", "Archive", "Bring back", "Delete"
CLONE = "Clone with changed settings"


def run_menu(run: RunCard) -> None:
    """The menu of a run, for the head of its pages."""
    away = run.archived_at is not None
    chosen = _menu([CLONE, RENAME, UNARCHIVE if away else ARCHIVE, DELETE], f"run-menu-{run.id}")
    if chosen == CLONE:
        st.switch_page("run.py", query_params={"clone": str(run.id)})
    elif chosen == RENAME:
        _rename(run.name, lambda name: rename_run(engine(), run.id, name))
    elif chosen == ARCHIVE:
        archive_run(engine(), run.id, now=now())
        st.switch_page("overview.py")
    elif chosen == UNARCHIVE:
        unarchive_run(engine(), run.id)
        st.rerun()
    elif chosen == DELETE:
        figures = run_figures(engine(), [run.id])[run.id]
        people = count(figures.touched, "example") + " that people have worked on"
        lost = f"What goes with it: {count(run.examples, 'judgement')}, {people}."
        _delete(run.name, lost, lambda: delete_run(engine(), run.id, author=author(), now=now()))


def dataset_menu(dataset: DatasetCard) -> None:
    """The menu of a dataset, for the head of its page."""
    away = dataset.archived_at is not None
    chosen = _menu([RENAME, UNARCHIVE if away else ARCHIVE, DELETE], f"data-menu-{dataset.id}")
    if chosen == RENAME:
        _rename(dataset.name, lambda name: rename_dataset(engine(), dataset.id, name))
    elif chosen == ARCHIVE:
        archive_dataset(engine(), dataset.id, now=now())
        st.switch_page("data.py")
    elif chosen == UNARCHIVE:
        unarchive_dataset(engine(), dataset.id)
        st.rerun()
    elif chosen == DELETE:
        runs = f" and {count(dataset.runs, 'run')} with every review in them" * (dataset.runs > 0)
        lost = f"What goes with it: {count(dataset.examples, 'example')}{runs}."
        _delete(dataset.name, lost, lambda: _delete_dataset(engine(), dataset.id, now()))


def _delete_dataset(to: Engine, dataset_id: int, at: datetime) -> None:
    delete_dataset(to, dataset_id, author=author(), now=at, with_runs=True)


def _menu(options: list[str], key: str) -> str | None:
    return st.menu_button("More", options, key=key)


@st.dialog("Rename")
def _rename(name: str, rename: Callable[[str], None]) -> None:
    with st.form("rename", border=False):
        typed = st.text_input("Name", name, max_chars=200)
        if st.form_submit_button("Rename", type="primary"):
            try:
                rename(typed)
            except RecallError as error:
                st.error(plain(str(error)))
                return
            st.rerun()


@st.dialog("Delete for good?")
def _delete(name: str, lost: str, delete: Callable[[], None]) -> None:
    st.markdown(f"**{plain(name)}** cannot be brought back. {lost}")
    st.caption("A note stays of who deleted it, when, and which content it had.")
    if st.button("Delete for good", type="primary", key="delete_for_good"):
        delete()
        st.switch_page("overview.py")

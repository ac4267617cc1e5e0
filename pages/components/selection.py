"""What a person has picked in a run's list, and what can be done to all of it as one."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from db.assignments import assign, unassign
from db.batches import BatchCard, bulk_batches, undo_bulk
from db.flags import flag_all, unflag_all
from db.results import JudgementPage, ordered_ids
from db.review_progress import known_people
from pages.components.bulk_dialog import (
    DONE,
    OPEN,
    PICKS,
    close_dialog,
    decide_dialog,
    open_dialog,
    say_done,
)
from pages.components.list_query import ListQuery
from pages.components.session import engine, now, reviewer
from pages.components.style import ago, count, plain
from pages.components.writes import write_done, write_number
from recall_core.details import RunFacts
from recall_core.errors import RecallError

OF = "list.picked.of"
"""Of which run and filter the picks are: another one has none."""
NEEDS_NAME = "Say your name first, at the top right: it stands beside every decision."


def picked() -> tuple[int, ...]:
    """The judgements that are picked, in the order of their numbers."""
    return tuple(sorted(int(name) for name in PICKS.ids))


def keep_picks_of(run_id: int, words: Mapping[str, str]) -> None:
    """Forget the picks of another run or filter: one could not see what is picked."""
    these = (run_id, {name: value for name, value in words.items() if name != "sort"})
    if st.session_state.get(OF) != these:
        st.session_state[OF] = these
        st.session_state.pop(DONE, None)
        close_dialog()
        PICKS.put(())


def selection_bar(run: RunFacts, page: JudgementPage, query: ListQuery) -> None:
    """How many are picked, how to pick all, and the acts, above the list."""
    ids = picked()
    with st.container(horizontal=True, vertical_alignment="center", key="rd-selection"):
        said = f"**{count(len(ids), 'example')} selected**" if ids else "Nothing selected"
        st.markdown(said, width="content")
        every = f"Select all {page.total:,}" + (" that fit" if _narrowed(query) else "")
        all_of_them = len(ids) == page.total
        st.button(
            every,
            key="pick_all",
            type="tertiary",
            disabled=all_of_them,
            on_click=_pick_all,
            args=(run.id, query),
        )
        st.button(
            "Clear",
            key="pick_none",
            type="tertiary",
            disabled=not ids,
            on_click=PICKS.put,
            args=((),),
        )
        _acts(run, ids)
    _say_done()


def _narrowed(query: ListQuery) -> bool:
    return query.where != type(query.where)()


def _pick_all(run_id: int, query: ListQuery) -> None:
    ids = ordered_ids(engine(), run_id, query.where, viewer=reviewer() or "")
    PICKS.put(str(i) for i in ids)


def _acts(run: RunFacts, ids: tuple[int, ...]) -> None:
    name = reviewer()
    off = not ids or name is None
    why = NEEDS_NAME if name is None else None
    dialogs = {"Decide …": "decide", "Assign …": "assign", "Flag …": "flag"}
    with st.container(horizontal=True, horizontal_alignment="right", width="stretch"):
        for label, dialog in dialogs.items():
            st.button(
                label,
                key=f"bulk_{dialog}",
                disabled=off,
                help=why,
                on_click=open_dialog,
                args=(dialog,),
            )
        if name is not None:
            _earlier(run.id, name)
    if not off and name is not None:
        _dialog(run, ids, name)


def _dialog(run: RunFacts, ids: tuple[int, ...], name: str) -> None:
    match st.session_state.get(OPEN):
        case "decide":
            decide_dialog(run, ids, name)
        case "assign":
            _assign(ids, name)
        case "flag":
            _flag(ids, name)


def _say_done() -> None:
    """What the last act did; it stays until the next one, or until the list is another one."""
    done = st.session_state.get(DONE)
    if done is not None:
        st.markdown(f"✓ {plain(done)}")


def _earlier(run_id: int, name: str) -> None:
    """The person's decisions on selections, each to be taken back as one."""
    place = st.popover("Undo …", key="bulk_undo", on_change="rerun")
    if not place.open:
        return
    batches = bulk_batches(engine(), run_id, name)
    with place:
        if not batches:
            st.caption("You have not decided on a selection in this run.")
        for batch in batches:
            with st.container(horizontal=True, vertical_alignment="center", width=420):
                st.markdown(_batch_words(batch), width="stretch")
                st.button(
                    "Undo",
                    key=f"undo-{batch.batch}",
                    disabled=not batch.standing,
                    on_click=_undo,
                    args=(run_id, batch, name),
                )


def _batch_words(batch: BatchCard) -> str:
    done = f"{count(batch.units, 'unit')} of {count(batch.examples, 'example')}"
    left = "" if batch.standing == batch.units else f", {batch.standing:,} of them still stand"
    if not batch.standing:
        left = ", taken back"
    return f"{done}, {ago(batch.at, now())}{left}"


def _undo(run_id: int, batch: BatchCard, name: str) -> None:
    purpose = f"undo {batch.batch}"
    try:
        number = write_number(purpose)
        done = undo_bulk(
            engine(),
            run_id,
            batch.batch,
            reviewer=name,
            now=now(),
            client_id=number.client_id,
            client_seq=number.client_seq,
        )
    except RecallError as error:
        st.session_state[DONE] = str(error)
        return
    write_done(purpose)
    st.session_state["bulk_undo"] = False
    units = f"{count(done.units, 'decision')} on {count(done.examples, 'example')}"
    st.session_state[DONE] = f"Took back {units}. What counted before counts again."


@st.dialog("Assign", on_dismiss=close_dialog)
def _assign(ids: tuple[int, ...], name: str) -> None:
    """Ask people to review the picked examples, or ask them no longer."""
    st.markdown(f"**{count(len(ids), 'example')}** of this run.")
    away = (
        st.segmented_control(
            "What",
            ["Assign to", "Take off"],
            default="Assign to",
            required=True,
            key="assign_what",
            label_visibility="collapsed",
        )
        == "Take off"
    )
    people = st.multiselect(
        "People",
        dict.fromkeys([name, *known_people(engine())]),
        accept_new_options=True,
        placeholder="Choose, or type a name",
        key="assign_people",
    )
    st.caption(
        "What they have decided stays."
        if away
        else "Each of them finds each of these in their queue “Mine”."
    )
    label = "Take off" if away else "Assign"
    if not st.button(label, type="primary", disabled=not people, key="assign_go"):
        return
    if away:
        for person in people:
            unassign(engine(), ids, person)
    else:
        assign(engine(), ids, people, by=name, now=now())
    done = "are not assigned any more to" if away else "are assigned to"
    say_done(f"{count(len(ids), 'example')} {done} {', '.join(people)}.")


@st.dialog("Flag", on_dismiss=close_dialog)
def _flag(ids: tuple[int, ...], name: str) -> None:
    """Ask for another look at the picked examples, or say that none is needed any more."""
    st.markdown(f"**{count(len(ids), 'example')}** of this run.")
    note = st.text_input("Why another look?", key="flag_note", placeholder="optional")
    with st.container(horizontal=True):
        if st.button("Flag them", type="primary", key="flag_go"):
            flag_all(engine(), ids, by=name, now=now(), note=note)
            say_done(f"{count(len(ids), 'example is', 'examples are')} in the queue “Flagged”.")
        if st.button("Take their flags off", key="unflag_go"):
            unflag_all(engine(), ids, by=name, now=now())
            say_done(f"{count(len(ids), 'example has', 'examples have')} no flag any more.")

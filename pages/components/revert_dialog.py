"""What taking decisions back would do, shown before it is done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from db.ledgers import RunLine
from db.reverting import ExampleReverting, ManyReverting, revert, what_reverting_would_do
from pages.components.rows import Column, Picks, Row, Text, change, chip, rows
from pages.components.session import engine, now
from pages.components.style import count, facts, plain, two_decimals
from pages.components.writes import write_done, write_number
from recall_core.errors import RecallError
from recall_core.types import Action, Formula, TraceState

PICKS: Final = Picks("ledger.picked")
REVERTED: Final = "ledger.done"
"""Where session state keeps the sentence about what was taken back last."""
SHOWN: Final = 50
_OPEN: Final = "ledger.dialog"
_PURPOSE: Final = "revert"
_COLUMNS: Final = (
    Column("Example", 1.6),
    Column("Final now", 1, right=True),
    Column("Without", 1, right=True),
    Column("Change", 1, right=True),
    Column("Then it is", 1.4),
)
_STATES: Final = {
    TraceState.SCORED: "scored",
    TraceState.VOID: "void",
    TraceState.INCOMPLETE: "without a final",
    TraceState.VACUOUS: "vacuous",
}


def open_revert() -> None:
    """Show the dialog from the next script run on, until it is done or closed."""
    st.session_state[_OPEN] = True


def _close() -> None:
    st.session_state.pop(_OPEN, None)


def revert_dialog(run_id: int, formula: Formula, picked: Sequence[RunLine], name: str) -> None:
    """The dialog over these lines, if it is open."""
    if st.session_state.get(_OPEN):
        _dialog(run_id, formula, picked, name)


@st.dialog("Without these decisions", width="medium", on_dismiss=_close)
def _dialog(run_id: int, formula: Formula, picked: Sequence[RunLine], name: str) -> None:
    ids = [line.line.decision.id for line in picked]
    try:
        without = what_reverting_would_do(engine(), run_id, ids)
    except RecallError as error:
        st.markdown(plain(str(error)))
        return
    _show(without, formula)
    own = [line for line in picked if _is_own(line, name)]
    if len(own) < without.decisions:
        others = count(without.decisions - len(own), "of them is", "of them are")
        st.caption(
            f"{others} not yours. A decision is taken back by the person who made it; anybody can "
            "decide anew on the desk, and both stay in the ledger."
        )
    if st.button(
        f"Take back {count(len(own), 'decision')}",
        type="primary",
        disabled=not own,
        key="revert_go",
    ):
        _revert(run_id, [line.line.decision.id for line in own], name)


def _is_own(line: RunLine, name: str) -> bool:
    decision = line.line.decision
    own = decision.reviewer == name and decision.action is not Action.UNDO
    return own and line.line.standing


def _show(without: ManyReverting, formula: Formula) -> None:
    before, after = without.mean_now, without.mean_without
    pairs = [
        ("Decisions that stand", f"{without.decisions:,}"),
        ("Mean", f"{two_decimals(before.value)} → {two_decimals(after.value)}"),
        ("It covers", f"{before.n:,} → {after.n:,} of {after.of:,}"),
    ]
    st.html(facts(pairs))
    lines = [_row(example, formula) for example in without.examples[:SHOWN]]
    rows(_COLUMNS, lines, key="reverting", opens=False)
    if len(without.examples) > SHOWN:
        st.caption(f"The first {SHOWN} of {count(len(without.examples), 'example')}.")


def _row(example: ExampleReverting, formula: Formula) -> Row:
    without = example.reverting
    return Row(
        str(example.judgement_id),
        (
            Text(example.example_id, mono=True),
            chip(without.final_now, formula),
            chip(without.final_without, formula),
            change(without.effect),
            Text(_STATES[without.state_without], muted=True),
        ),
    )


def _revert(run_id: int, ids: Sequence[int], name: str) -> None:
    number = write_number(_PURPOSE)
    try:
        done = revert(
            engine(),
            run_id,
            ids,
            reviewer=name,
            client_id=number.client_id,
            client_seq=number.client_seq,
            now=now(),
        )
    except RecallError as error:
        st.error(plain(str(error)))
        return
    write_done(_PURPOSE)
    _close()
    PICKS.put(())
    st.session_state[REVERTED] = (
        f"Took back {count(done.units, 'decision')} on {count(done.examples, 'example')}"
        f"{', reasons given later among them' if done.units > len(ids) else ''}."
    )
    st.rerun()

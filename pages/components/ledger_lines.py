"""The decisions of a run as rows: unit, from and to, who and when, why, and what each did."""

from __future__ import annotations

from fractions import Fraction

from db.ledgers import RunLine
from pages.components.rows import Cell, Change, Column, Figure, Row, State, Text, change
from pages.components.style import MISSING, Mark, count, score_words
from recall_core.types import Action, Decision, UnitState

SHOWN_NOTE = 300
"""Characters of a note that a row shows; the desk has all of it."""
LEDGER_COLUMNS = (
    Column("Example", 1.2),
    Column("Unit", 0.6),
    Column("From and to", 1.6),
    Column("Cause and note", 3),
    Column("Who, when (UTC)", 1.6),
    Column("Moves final", 0.9, right=True),
    Column("Moves mean", 1, right=True),
    Column("State", 1.2),
)


def ledger_row(line: RunLine) -> Row:
    """One decision; the row's id is the decision's number."""
    ledger, decision = line.line, line.line.decision
    cause = "" if decision.cause is None else decision.cause.value
    note = decision.note
    if len(note) > SHOWN_NOTE:
        note = f"{note[:SHOWN_NOTE]} …"
    cells: tuple[Cell, ...] = (
        Text(line.example_id, mono=True),
        Text(decision.unit.label),
        Text(step_words(decision)),
        Text(cause or note, note if cause else "", muted=not cause, wrap=True),
        Text(decision.reviewer, f"{decision.at:%d %b %Y, %H:%M}"),
        _effect(ledger.effect),
        Figure(_fine(line.on_mean)),
        _state(decision, ledger.standing),
    )
    return Row(str(decision.id), cells)


def step_words(decision: Decision) -> str:
    """`5 → 4`, `4 → excluded`, `essential 2 → bonus 4`, `4, confirmed`, `4 → 5, taken back`."""
    before, after = decision.before, decision.after
    if before == after:
        ends = {Action.CONFIRM: "confirmed", Action.UNDO: "taken back"}
        return f"{_value(after)}, {ends.get(decision.action, 'as it was')}"
    moved = before.kind is not after.kind
    step = f"{_value(before, named=moved)} → {_value(after, named=moved)}"
    ends = {Action.UNDO: ", taken back", Action.RESOLVE: ", settled"}
    return step + ends.get(decision.action, "")


def _value(state: UnitState, *, named: bool = False) -> str:
    said = "no score" if state.score is None else score_words(state.score, state.kind)
    if state.excluded:
        said = "excluded"
    return f"{state.kind.value.replace('_', ' ')} {said}" if named else said


def _effect(effect: Fraction | None) -> Change | Text:
    return Text("no final", muted=True) if effect is None else change(effect)


def _fine(value: Fraction | None) -> str:
    """Four decimals: one example of many moves the mean by little."""
    if value is None:
        return MISSING
    text = f"{abs(float(value)):.4f}"
    return text if float(text) == 0 else f"{'+' if value > 0 else '−'}{text}"


def _state(decision: Decision, standing: bool) -> State:
    if decision.action is Action.UNDO:
        return State(Mark.DONE, "undo")
    if not standing:
        return State(Mark.PAUSED, "taken back")
    return State(Mark.CHANGED if decision.before != decision.after else Mark.DONE, "stands")


def lines_in_words(shown: int, of: int) -> str:
    """`12 of 68 decisions`."""
    return count(of, "decision") if shown == of else f"{shown:,} of {count(of, 'decision')}"

"""Judgements as rows of a list: the judge's final, the one that counts now, and how it stands."""

from __future__ import annotations

from dataclasses import dataclass

from db.flags import Flag
from pages.components.rows import Cell, Column, Figure, Row, State, Text, change, chip
from pages.components.style import Mark, count, two_decimals
from recall_core.disagreement import DISAGREES
from recall_core.summary import JudgementLine, JudgementState
from recall_core.types import Formula

_MARKS = {
    JudgementState.JUDGE_ONLY: Mark.OPEN,
    JudgementState.STARTED: Mark.HALF,
    JudgementState.REVIEWED: Mark.DONE,
    JudgementState.CHANGED: Mark.CHANGED,
    JudgementState.FAILED: Mark.TROUBLE,
    JudgementState.SKIPPED: Mark.PAUSED,
    JudgementState.VOID: Mark.PAUSED,
    JudgementState.INCOMPLETE: Mark.TROUBLE,
}


@dataclass(frozen=True, slots=True)
class Asked:
    """Whom people have asked to look at an example: who is assigned, and the flag on it."""

    people: tuple[str, ...] = ()
    flag: Flag | None = None


def judgement_columns(
    formula: Formula, *, warnings: bool = True, assigned: bool = False
) -> tuple[Column, ...]:
    """The headings; only the passage formula has an essential and a bonus part."""
    parts: tuple[Column, ...] = ()
    if formula is Formula.PASSAGE:
        parts = (Column("Essential", 0.9, right=True), Column("Bonus", 0.8, right=True))
    return (
        Column("Example", 1.3),
        Column("Question", 4),
        Column("Judge", 0.8, right=True),
        Column("Now", 0.8, right=True),
        Column("Change", 1, right=True),
        *parts,
        Column("State", 1.8),
        *((Column("Assigned to", 1.2),) if assigned else ()),
        *((Column("Remarks", 1.8),) if warnings else ()),
    )


def judgement_row(
    line: JudgementLine,
    formula: Formula,
    *,
    warnings: bool = True,
    asked: Asked | None = None,
    assigned: bool = False,
) -> Row:
    """One line of the list; it opens by the judgement's number."""
    asked = asked or Asked()
    parts: tuple[Cell, ...] = ()
    if formula is Formula.PASSAGE:
        parts = (Figure(two_decimals(line.essential)), Figure(two_decimals(line.bonus)))
    repeat = f" · repeat {line.repeat}" if line.repeat > 1 else ""
    cells: tuple[Cell, ...] = (
        Text(line.example_id + repeat, mono=True),
        Text(line.question or line.details, muted=line.question is None),
        chip(line.judge_final, formula),
        chip(line.final, formula),
        change(line.change),
        *parts,
        State(_MARKS[line.state], state_text(line)),
    )
    if assigned:
        cells = (*cells, Text(", ".join(asked.people), muted=True))
    return Row(str(line.id), (*cells, _remarks(line, asked.flag)) if warnings else cells)


def state_text(line: JudgementLine) -> str:
    """`confirmed`, `failed: timeout`, `2 of 3 reviewed`: the state with what explains it."""
    match line.state:
        case JudgementState.STARTED:
            return f"{line.reviewed_units} of {line.units} reviewed"
        case JudgementState.REVIEWED:
            return "confirmed"
        case JudgementState.FAILED if line.error_type is not None:
            return f"failed: {line.error_type.value.replace('_', ' ')}"
        case state:
            return state.value


def _remarks(line: JudgementLine, flag: Flag | None) -> Text:
    said = ["⇄ judges disagree"] if (line.disagreement or 0) >= DISAGREES else []
    if len(line.warnings) > 1:
        said.append(count(len(line.warnings), "warning"))
    first = line.warnings[0] if line.warnings else ""
    if flag is not None:
        said.insert(0, f"⚑ {flag.by}: {flag.note}" if flag.note else f"⚑ flagged by {flag.by}")
    if not said:
        return Text(first, muted=True)
    return Text(", ".join(said), first)

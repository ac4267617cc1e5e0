"""Which judgements a list holds and in which order, as the database is asked for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any

from sqlalchemy import ColumnElement, and_, exists, func, or_
from sqlalchemy.orm import InstrumentedAttribute

from db.tables import (
    AssignmentRow,
    ExampleRow,
    FlagRow,
    GroundTruthRow,
    JudgementRow,
    RetrievedRow,
)
from recall_core.disagreement import DISAGREES
from recall_core.results import Status
from recall_core.summary import GAPS, JudgementState
from recall_core.types import TraceState


class OrderBy(StrEnum):
    """What a list is sorted by."""

    POSITION = "position"
    FINAL = "final"
    JUDGE_FINAL = "judge final"
    CHANGE = "change"
    ESSENTIAL = "essential"
    BONUS = "bonus"
    DISAGREEMENT = "disagreement"


@dataclass(frozen=True, slots=True)
class JudgementOrder:
    """Sorted how; judgements without the number come last both ways."""

    by: OrderBy = OrderBy.POSITION
    descending: bool = False


@dataclass(frozen=True, slots=True)
class JudgementFilter:
    """Which judgements; what is left empty does not restrict.

    `states`: any of them. `lowest` and `highest`: the final that counts, ends included. `text`: in
    the example's id, question, answers or passages. `metadata`: each field has this value, written
    as `slices` writes it; `None`: the field is absent or null.
    `disagrees`: the judge is far from another judge or from the text itself. `assigned_to`: this
    person has been asked to review it; empty: nobody has. `flagged`: somebody asks for another
    look.
    """

    states: tuple[JudgementState, ...] = ()
    lowest: Fraction | None = None
    highest: Fraction | None = None
    text: str = ""
    has_warnings: bool | None = None
    scored: bool | None = None
    disagrees: bool | None = None
    assigned_to: str | None = None
    flagged: bool | None = None
    metadata: Mapping[str, str | None] = field(default_factory=dict)


EVERYTHING = JudgementFilter()
IN_ORDER = JudgementOrder()


def unrevealing(
    where: JudgementFilter, order: JudgementOrder
) -> tuple[JudgementFilter, JudgementOrder]:
    """Filter and order without what would tell somebody who reviews blind a judge's score."""
    told = (JudgementState.CHANGED, JudgementState.INCOMPLETE)
    states = tuple(state for state in where.states if state not in told)
    kept = replace(
        EVERYTHING,
        states=states,
        text=where.text,
        assigned_to=where.assigned_to,
        flagged=where.flagged,
        metadata=where.metadata,
    )
    return kept, JudgementOrder(OrderBy.POSITION, order.by is OrderBy.POSITION and order.descending)


_NUMBERS: Mapping[OrderBy, InstrumentedAttribute[Any]] = {
    OrderBy.FINAL: JudgementRow.final_number,
    OrderBy.JUDGE_FINAL: JudgementRow.judge_final_number,
    OrderBy.CHANGE: JudgementRow.change,
    OrderBy.ESSENTIAL: JudgementRow.essential_number,
    OrderBy.BONUS: JudgementRow.bonus_number,
    OrderBy.DISAGREEMENT: JudgementRow.disagreement,
}


def sorting(order: JudgementOrder) -> list[ColumnElement[Any]]:
    """The ORDER BY of the list, which one index of the run carries as it is."""
    row = JudgementRow
    if order.by is OrderBy.POSITION:
        columns: Sequence[InstrumentedAttribute[Any]] = (row.position, row.repeat, row.id)
        return [c.desc() if order.descending else c.asc() for c in columns]
    number = _NUMBERS[order.by]
    if order.descending:
        return [number.desc().nulls_last(), row.id.desc()]
    return [number.asc().nulls_last(), row.id.asc()]


def conditions(run_id: int, where: JudgementFilter) -> list[ColumnElement[bool]]:
    """The WHERE of the list, all but metadata, whose values are compared as people read them."""
    row = JudgementRow
    wanted: list[ColumnElement[bool]] = [row.run_id == run_id]
    if where.states:
        wanted.append(or_(*(_in_state(state) for state in where.states)))
    if where.lowest is not None:
        wanted.append(row.final_number >= float(where.lowest))
    if where.highest is not None:
        wanted.append(row.final_number <= float(where.highest))
    if where.scored is not None:
        has_final = row.trace_state == TraceState.SCORED.value
        wanted.append(has_final if where.scored else ~has_final)
    if where.has_warnings is not None:
        wanted.append(row.warning_count > 0 if where.has_warnings else row.warning_count == 0)
    if where.disagrees is not None:
        far = func.coalesce(row.disagreement, 0.0) >= DISAGREES
        wanted.append(far if where.disagrees else ~far)
    if where.text.strip():
        wanted.append(_has_text(where.text.strip()))
    return wanted + _by_people(where)


def _by_people(where: JudgementFilter) -> list[ColumnElement[bool]]:
    """What people have said about who is to look at it."""
    wanted: list[ColumnElement[bool]] = []
    assigned = AssignmentRow.judgement_id == JudgementRow.id
    if where.assigned_to:
        wanted.append(exists().where(assigned, AssignmentRow.reviewer == where.assigned_to))
    elif where.assigned_to is not None:
        wanted.append(~exists().where(assigned))
    if where.flagged is not None:
        flag = exists().where(FlagRow.judgement_id == JudgementRow.id, FlagRow.cleared_at.is_(None))
        wanted.append(flag if where.flagged else ~flag)
    return wanted


def _in_state(state: JudgementState) -> ColumnElement[bool]:
    row = JudgementRow
    unreviewed = and_(row.status == Status.PROCESSED.value, row.reviewed_units == 0)
    every_unit = and_(row.units > 0, row.reviewed_units >= row.units)
    has_gaps = row.error_type.in_([kind.value for kind in GAPS])
    without_score = row.trace_state == TraceState.INCOMPLETE.value
    conditions: Mapping[JudgementState, ColumnElement[bool]] = {
        JudgementState.JUDGE_ONLY: unreviewed,
        JudgementState.STARTED: and_(row.reviewed_units > 0, row.reviewed_units < row.units),
        JudgementState.REVIEWED: every_unit,
        JudgementState.CHANGED: row.changed_units > 0,
        JudgementState.FAILED: and_(row.status == Status.ERROR.value, ~has_gaps),
        JudgementState.SKIPPED: row.status == Status.SKIPPED.value,
        JudgementState.VOID: row.trace_state == TraceState.VOID.value,
        JudgementState.INCOMPLETE: and_(without_score, has_gaps),
    }
    return conditions[state]


def _has_text(text: str) -> ColumnElement[bool]:
    """Whether the text occurs; LIKE folds the case of ASCII alone, so other spellings are tried."""
    spellings = {text, text.lower(), text.upper(), text.capitalize()}
    if text.isascii():
        spellings = {text}

    def found(column: InstrumentedAttribute[Any]) -> ColumnElement[bool]:
        return or_(*(column.icontains(s, autoescape=True) for s in sorted(spellings)))

    e, truth, retrieved = ExampleRow, GroundTruthRow, RetrievedRow
    fields = or_(*map(found, (e.external_id, e.question, e.actual_output, e.expected_output)))
    in_example = exists().where(e.id == JudgementRow.example_id, fields)
    in_truth = exists().where(truth.example_id == JudgementRow.example_id, found(truth.text))
    in_retrieved = exists().where(
        retrieved.example_id == JudgementRow.example_id, found(retrieved.text)
    )
    return or_(in_example, in_truth, in_retrieved)

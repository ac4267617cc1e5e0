"""The list of a run's judgements: filtered, sorted and paged by the database.

Every order ends with the row's number, which each index carries, so that a page is a range of one
index and two rows never swap places between pages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any

from sqlalchemy import ColumnElement, Engine, Select, and_, exists, func, or_, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from db.details import run_facts
from db.engine import reading
from db.metadata_values import value_text
from db.sights import hidden_judges
from db.tables import ExampleRow, GroundTruthRow, JudgementRow, RetrievedRow
from recall_core.disagreement import DISAGREES
from recall_core.results import Status
from recall_core.summary import GAPS, JudgementLine, JudgementState
from recall_core.types import FailureKind, TraceState
from recall_core.viewing import HIDDEN

PAGE = 50


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
    `disagrees`: the judge is far from another judge or from the text itself.
    """

    states: tuple[JudgementState, ...] = ()
    lowest: Fraction | None = None
    highest: Fraction | None = None
    text: str = ""
    has_warnings: bool | None = None
    scored: bool | None = None
    disagrees: bool | None = None
    metadata: Mapping[str, str | None] = field(default_factory=dict)


EVERYTHING = JudgementFilter()
IN_ORDER = JudgementOrder()


@dataclass(frozen=True, slots=True)
class JudgementPage:
    """One page of the list; `page` counts from 1, `total` is over all pages.

    `blind`: the reader may not see every judge's score yet, so filters and orders that would give
    one away were left out (`unrevealing`).
    """

    rows: tuple[JudgementLine, ...]
    total: int
    page: int
    size: int
    blind: bool = False

    @property
    def pages(self) -> int:
        return max(1, -(-self.total // self.size))


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The judgements before and after one in a list; `place` counts from 1, `None`: not in it."""

    previous: int | None
    next: int | None
    place: int | None
    total: int


def list_judgements(
    engine: Engine,
    run_id: int,
    *,
    where: JudgementFilter = EVERYTHING,
    order: JudgementOrder = IN_ORDER,
    page: int = 1,
    size: int = PAGE,
    viewer: str | None = None,
) -> JudgementPage:
    """One page; a page past the end is empty, with the true total.

    With a `viewer`, lines whose judge is hidden from that person come without any score.
    """
    with reading(engine) as session:
        hidden = _hidden(session, run_id, viewer)
        if hidden:
            where, order = unrevealing(where, order)
        found = _page(session, run_id, where, order, page, size)
    rows = tuple(_concealed(line) if line.id in hidden else line for line in found.rows)
    return replace(found, rows=rows, blind=bool(hidden))


def _page(
    session: Session,
    run_id: int,
    where: JudgementFilter,
    order: JudgementOrder,
    page: int,
    size: int,
) -> JudgementPage:
    start = (max(1, page) - 1) * size
    if where.text.strip() or where.metadata:
        # Such a search visits every row anyway: visit them once and count them as well.
        ids = _ids(session, run_id, where, order)
        rows = _lines_by_id(session, ids[start : start + size])
        return JudgementPage(rows, len(ids), page, size)
    count = select(func.count()).where(*conditions(run_id, where))
    total = session.scalar(count) or 0
    rows = lines_of(session, run_id, where, order, size, start)
    return JudgementPage(rows, total, page, size)


def _hidden(session: Session, run_id: int, viewer: str | None) -> set[int]:
    if viewer is None:
        return set()
    return hidden_judges(session, run_facts(session, run_id), viewer)


def unrevealing(
    where: JudgementFilter, order: JudgementOrder
) -> tuple[JudgementFilter, JudgementOrder]:
    """Filter and order without what would tell somebody who reviews blind a judge's score."""
    told = (JudgementState.CHANGED, JudgementState.INCOMPLETE)
    states = tuple(state for state in where.states if state not in told)
    kept = JudgementFilter(states=states, text=where.text, metadata=where.metadata)
    return kept, JudgementOrder(OrderBy.POSITION, order.by is OrderBy.POSITION and order.descending)


def _concealed(line: JudgementLine) -> JudgementLine:
    return replace(
        line,
        details=HIDDEN,
        warnings=(),
        judge_final=None,
        final=None,
        essential=None,
        bonus=None,
        changed_units=0,
        disagreement=None,
        hidden=True,
    )


def ordered_ids(
    engine: Engine,
    run_id: int,
    where: JudgementFilter = EVERYTHING,
    order: JudgementOrder = IN_ORDER,
    viewer: str | None = None,
) -> list[int]:
    """The ids of the whole list, for stepping; 20,000 take some hundredths of a second."""
    with reading(engine) as session:
        if _hidden(session, run_id, viewer):
            where, order = unrevealing(where, order)
        return _ids(session, run_id, where, order)


def neighbours(
    engine: Engine,
    run_id: int,
    judgement_id: int,
    where: JudgementFilter = EVERYTHING,
    order: JudgementOrder = IN_ORDER,
    viewer: str | None = None,
) -> Neighbours:
    """What comes before and after this judgement in the list."""
    ids = ordered_ids(engine, run_id, where, order, viewer)
    if judgement_id not in ids:
        return Neighbours(None, None, None, len(ids))
    place = ids.index(judgement_id)
    before = ids[place - 1] if place else None
    after = ids[place + 1] if place + 1 < len(ids) else None
    return Neighbours(before, after, place + 1, len(ids))


def lines_of(
    session: Session,
    run_id: int,
    where: JudgementFilter,
    order: JudgementOrder,
    size: int,
    start: int = 0,
) -> tuple[JudgementLine, ...]:
    """`size` lines from `start` on, within a transaction that is already open."""
    page = (
        select(JudgementRow.id)
        .where(*conditions(run_id, where))
        .order_by(*sorting(order))
        .limit(size)
        .offset(start)
    )
    return _lines_by_id(session, session.scalars(page).all())


def _ids(session: Session, run_id: int, where: JudgementFilter, order: JudgementOrder) -> list[int]:
    wanted = conditions(run_id, where)
    if not where.metadata:
        query = select(JudgementRow.id).where(*wanted).order_by(*sorting(order))
        return list(session.scalars(query))
    with_values = (
        select(JudgementRow.id, ExampleRow.details)
        .join(ExampleRow, ExampleRow.id == JudgementRow.example_id)
        .where(*wanted)
        .order_by(*sorting(order))
    )
    return [
        judgement_id
        for judgement_id, values in session.execute(with_values)
        if all(value_text(values.get(name)) == text for name, text in where.metadata.items())
    ]


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


def _lines_by_id(session: Session, ids: Sequence[int]) -> tuple[JudgementLine, ...]:
    found = {row.id: _line(row) for row in session.execute(_line_query(ids))}
    return tuple(found[i] for i in ids)


def _line_query(ids: Sequence[int]) -> Select[Any]:
    j, e = JudgementRow, ExampleRow
    columns = (
        *(j.id, j.position, j.repeat, j.status, j.error_type, j.trace_state, j.details),
        *(j.warnings, j.judge_final, j.final, j.essential, j.bonus),
        *(j.units, j.reviewed_units, j.changed_units, j.last_decision_at, j.disagreement),
    )
    query = select(*columns, e.external_id, e.question).join(e, e.id == j.example_id)
    return query.where(j.id.in_(ids))


def _line(row: Any) -> JudgementLine:
    return JudgementLine(
        id=row.id,
        position=row.position,
        repeat=row.repeat,
        example_id=row.external_id,
        question=row.question,
        status=Status(row.status),
        error_type=None if row.error_type is None else FailureKind(row.error_type),
        trace_state=TraceState(row.trace_state),
        details=row.details,
        warnings=tuple(row.warnings),
        judge_final=row.judge_final,
        final=row.final,
        essential=row.essential,
        bonus=row.bonus,
        units=row.units,
        reviewed_units=row.reviewed_units,
        changed_units=row.changed_units,
        last_decision_at=row.last_decision_at,
        disagreement=row.disagreement,
    )

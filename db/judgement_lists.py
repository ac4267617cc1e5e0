"""The list of a run's judgements: filtered, sorted and paged by the database.

Every order ends with the row's number, which each index carries, so that a page is a range of one
index and two rows never swap places between pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Engine, Select, func, select
from sqlalchemy.orm import Session

from db.details import run_facts
from db.engine import reading
from db.judgement_filters import (
    EVERYTHING,
    IN_ORDER,
    JudgementFilter,
    JudgementOrder,
    conditions,
    sorting,
    unrevealing,
)
from db.metadata_values import value_text
from db.sights import hidden_judges
from db.tables import ExampleRow, JudgementRow
from recall_core.results import Status
from recall_core.summary import JudgementLine
from recall_core.types import FailureKind, TraceState
from recall_core.viewing import HIDDEN

PAGE = 50


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

"""Many rows at once: kept as the mapped way keeps them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from sqlalchemy import Engine, event, select
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import IntegrityError

from db.engine import reading, transaction
from db.inserting import _statement, insert_rows
from db.tables import CommentRow, JudgementRow, PolicyRow, TombstoneRow, table_of
from tests.db.making import NOW, Found, example, judge_everything, kept_dataset, queued_run

TOMBSTONE = {"kind": "run", "name": "Über “uns”", "hash": "0" * 64, "deleted_by": "ann"}


def kept(engine: Engine) -> list[Any]:
    with reading(engine) as session:
        return [
            (row.name, row.deleted_at)
            for row in session.scalars(select(TombstoneRow).order_by(TombstoneRow.id))
        ]


def test_values_come_back_as_they_went_in(engine: Engine) -> None:
    with transaction(engine) as session:
        rows = [{**TOMBSTONE, "deleted_at": NOW}, {**TOMBSTONE, "name": "b", "deleted_at": NOW}]
        insert_rows(session, table_of(TombstoneRow), rows)

    assert kept(engine) == [("Über “uns”", NOW), ("b", NOW)]


def test_many_rows_are_few_statements(engine: Engine) -> None:
    sent: list[str] = []

    def note(_c: object, _cursor: object, sql: str, _p: object, _x: object, _many: bool) -> None:
        if sql.startswith("INSERT"):
            sent.append(sql)

    names = [f"run {number}" for number in range(201)]
    event.listen(engine, "before_cursor_execute", note)
    with transaction(engine) as session:
        rows = [{**TOMBSTONE, "name": name, "deleted_at": NOW} for name in names]
        insert_rows(session, table_of(TombstoneRow), rows)
    event.remove(engine, "before_cursor_execute", note)

    assert len(sent) <= 6
    assert kept(engine) == [(name, NOW) for name in names]


def test_no_rows_are_no_statement(engine: Engine) -> None:
    with transaction(engine) as session:
        insert_rows(session, table_of(TombstoneRow), [])

    assert kept(engine) == []


def test_a_column_that_no_row_names_gets_the_tables_default(engine: Engine) -> None:
    run_id = queued_run(engine, kept_dataset(engine, [example(1)]))
    judge_everything(engine, run_id, Found())
    with reading(engine) as session:
        row = session.scalars(select(JudgementRow)).one()

    assert (row.again, row.calls_after, row.reviewed_units) == (False, 0, 0)
    assert row.final == Fraction(row.final_number or 0)


def test_a_broken_rule_is_the_error_that_sqlalchemy_raises_elsewhere(engine: Engine) -> None:
    rows = [{"run_id": 99, "name": "n", "values": {}, "created_by": "ann", "created_at": NOW}]

    with pytest.raises(IntegrityError), transaction(engine) as session:
        insert_rows(session, table_of(PolicyRow), rows)


def test_a_driver_that_wants_names_gets_the_values_by_name() -> None:
    named = postgresql.dialect(paramstyle="pyformat")
    comment = {"judgement_id": 1, "author": "ann", "text": "why?", "at": NOW}
    statement = _statement(table_of(CommentRow), tuple(comment), named)

    assert statement.by_name(comment) == comment
    assert all(f"%({name})s" in statement.sql[1] for name in comment)

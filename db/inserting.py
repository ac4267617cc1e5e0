"""Many rows into one table, at what the driver takes for it.

SQLAlchemy works the same things out again for every row of an `insert`; for a run that keeps
thirteen rows an example that is a third of all that recording costs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnDefault, Dialect, Table, insert
from sqlalchemy.orm import Session

Bind = Callable[[Any], Any]


def insert_rows(session: Session, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert the rows, by column name; each has the keys of the first.

    Columns that no row names get the table's default. Objects of the session that stand for these
    rows are not told.
    """
    if not rows:
        return
    statement = _statement(table, tuple(rows[0]), session.get_bind().dialect)
    session.connection().exec_driver_sql(statement.sql, [statement.bound(row) for row in rows])


@dataclass(frozen=True, slots=True)
class _Statement:
    """The SQL, and for each of its parameters, in their order, how a value is bound."""

    sql: str
    binds: tuple[tuple[str, Bind | None], ...]
    defaults: Mapping[str, Any]
    positional: bool

    def bound(self, row: Mapping[str, Any]) -> Any:
        """The parameters of one row, as the driver takes them."""
        whole = {**self.defaults, **row} if self.defaults else row
        values = [whole[key] if bind is None else bind(whole[key]) for key, bind in self.binds]
        if self.positional:
            return tuple(values)
        return {key: value for (key, _), value in zip(self.binds, values, strict=True)}


@lru_cache(maxsize=64)
def _statement(table: Table, keys: tuple[str, ...], dialect: Dialect) -> _Statement:
    defaults = {
        column.name: column.default.arg
        for column in table.columns
        if column.name not in keys
        and isinstance(column.default, ColumnDefault)
        and column.default.is_scalar
    }
    compiled = insert(table).compile(dialect=dialect, column_keys=[*keys, *defaults])
    names = compiled.positiontup if compiled.positional else [*keys, *defaults]
    binds = tuple(
        (name, table.columns[name].type.dialect_impl(dialect).bind_processor(dialect))
        for name in names or ()
    )
    return _Statement(str(compiled), binds, defaults, bool(compiled.positional))

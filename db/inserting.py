"""Many rows into one table, at what the driver takes for it.

SQLAlchemy works the same things out again for every row of an `insert`, and SQLite's driver lets go
of the interpreter for every row that it is handed, to whichever thread waits for it. For a run that
keeps a dozen rows an example that is more than all the rest of recording. So how values are bound
is worked out once a table, and SQLite gets many rows in one statement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any

from sqlalchemy import ColumnDefault, Dialect, Table, insert
from sqlalchemy.orm import Session

Bind = Callable[[Any], Any]

SIZES = (64, 16, 4, 1)
"""How many rows one statement takes: few sizes, so that each is prepared once."""


def insert_rows(session: Session, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert the rows, by column name; each has the keys of the first.

    Columns that no row names get the table's default. Objects of the session that stand for these
    rows are not told.
    """
    if not rows:
        return
    statement = _statement(table, tuple(rows[0]), session.get_bind().dialect)
    connection = session.connection()
    if not statement.counts_places:
        connection.exec_driver_sql(statement.sql[1], [statement.by_name(row) for row in rows])
        return
    for some in _in_sizes([statement.in_places(row) for row in rows]):
        connection.exec_driver_sql(statement.sql[len(some)], tuple(chain.from_iterable(some)))


def _in_sizes(rows: Sequence[list[Any]]) -> Iterator[Sequence[list[Any]]]:
    at = 0
    for size in SIZES:
        while len(rows) - at >= size:
            yield rows[at : at + size]
            at += size


@dataclass(frozen=True, slots=True)
class _Statement:
    """The SQL by its number of rows, and for each parameter of a row, in order, how it is bound.
    `counts_places`: parameters are question marks, else they have the columns' names."""

    sql: Mapping[int, str]
    binds: tuple[tuple[str, Bind | None], ...]
    defaults: Mapping[str, Any]
    counts_places: bool

    def in_places(self, row: Mapping[str, Any]) -> list[Any]:
        """The parameters of one row."""
        whole = {**self.defaults, **row} if self.defaults else row
        return [whole[key] if bind is None else bind(whole[key]) for key, bind in self.binds]

    def by_name(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters of one row, by name."""
        values = self.in_places(row)
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
    counts_places = dialect.paramstyle == "qmark"
    names = compiled.positiontup if counts_places else [*keys, *defaults]
    binds = tuple(
        (name, table.columns[name].type.dialect_impl(dialect).bind_processor(dialect))
        for name in names or ()
    )
    one, more = str(compiled), f", ({', '.join('?' * len(binds))})"
    sizes = SIZES if counts_places else (1,)
    sql = {size: one + more * (size - 1) for size in sizes}
    return _Statement(sql, binds, defaults, counts_places)

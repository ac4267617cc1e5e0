"""Changing the database behind the program's back."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from sqlalchemy import Engine


@contextmanager
def tampering(engine: Engine) -> Iterator[sqlite3.Connection]:
    """The database file in the hands of somebody who has taken its guards off."""
    path = engine.url.database
    assert path is not None
    with closing(sqlite3.connect(path)) as connection, connection:
        guards = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        for (name,) in guards.fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        yield connection

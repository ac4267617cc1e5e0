"""Where the data lives, and how it is opened: once a process, migrated, ready for many readers.

SQLite's own driver starts transactions when it likes and runs DDL outside them, so we switch that
off and emit BEGIN ourselves: `reading` gives a snapshot, `transaction` takes the write lock at its
start, so that two writers queue up and never deadlock half-way.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.orm import Session

from db.errors import UnusableDatabase
from db.migrate import migrate

PROJECT_ROOT = Path(__file__).resolve().parent.parent
VARIABLE = "RECALL_DATABASE_URL"
BUSY_SECONDS = 15
"""How long a writer waits for another one; a recorded batch takes some hundredths of a second."""

_WRITES = "recall_writes"


def database_url() -> str:
    """The database that `RECALL_DATABASE_URL` names, else `data/recall.db` under the project."""
    default = f"sqlite:///{PROJECT_ROOT / 'data' / 'recall.db'}"
    return os.environ.get(VARIABLE, "").strip() or default


def open_engine(url: str | None = None) -> Engine:
    """An engine for `url` (`database_url()` by default), its tables made or migrated.

    A SQLite path that is not absolute counts from the project's root, whatever the current folder
    is; its folder is made. An existing SQLite file is copied before a migration changes it.
    `UnusableDatabase` says what is wrong with the file or the address.
    """
    address = _parsed(url or database_url())
    if address.get_backend_name() == "sqlite":
        address = _absolute(address)
    shown = address.database if _is_sqlite(address) else address.render_as_string()
    try:
        migrate(address, shown or "")
        return _engine(address)
    except (NoSuchModuleError, ModuleNotFoundError) as error:
        raise UnusableDatabase(
            f"The driver for {shown} is not installed: {error}. Install it with pip beside the "
            f"program, or name another database by {VARIABLE}."
        ) from error
    except (DBAPIError, sqlite3.Error) as error:
        reason = error.orig if isinstance(error, DBAPIError) else error
        raise UnusableDatabase(
            f"The database {shown} cannot be opened: {reason}. Check that it is there and may be "
            f"written, or name another one by {VARIABLE}."
        ) from error


def existing_engine() -> Engine | None:
    """An engine for the database that is there already; `None` where its file is not."""
    address = _parsed(database_url())
    if _is_sqlite(address) and not (PROJECT_ROOT / str(address.database or "")).is_file():
        return None
    return open_engine()


@contextmanager
def transaction(engine: Engine) -> Iterator[Session]:
    """One short write transaction: committed at the end of the block, rolled back on an error."""
    writing = engine.execution_options(**{_WRITES: True})
    with Session(writing, expire_on_commit=False) as session, session.begin():
        yield session


@contextmanager
def reading(engine: Engine) -> Iterator[Session]:
    """One consistent snapshot to read from; it neither blocks a writer nor waits for one."""
    with Session(engine, expire_on_commit=False, autoflush=False) as session, session.begin():
        yield session


def _parsed(url: str) -> URL:
    try:
        return make_url(url)
    except ArgumentError:
        raise UnusableDatabase(
            f"{url!r} is not a database address. {VARIABLE} takes one like "
            "sqlite:////home/me/recall.db or postgresql+psycopg://user@host/name."
        ) from None


def _is_sqlite(address: URL) -> bool:
    return address.get_backend_name() == "sqlite"


def _absolute(address: URL) -> URL:
    if address.database in (None, "", ":memory:"):
        raise UnusableDatabase(
            "A database in memory would be gone with the process, and the worker could not see "
            f"it. Name a file by {VARIABLE}, for example sqlite:////tmp/recall.db."
        )
    path = PROJECT_ROOT / str(address.database)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnusableDatabase(
            f"The folder {path.parent} for the database cannot be made: {error.strerror}. "
            f"Name another place by {VARIABLE}."
        ) from None
    return address.set(database=str(path))


def _engine(address: URL) -> Engine:
    engine = create_engine(address)
    if _is_sqlite(address):
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin)
    return engine


def _prepare_sqlite(dbapi_connection: Any, _record: object) -> None:
    dbapi_connection.isolation_level = None
    for pragma in (f"busy_timeout = {BUSY_SECONDS * 1000}", "foreign_keys = ON"):
        dbapi_connection.execute(f"PRAGMA {pragma}")
    # NORMAL would let a power cut take decisions that the desk has already called saved.
    dbapi_connection.execute("PRAGMA synchronous = FULL")


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

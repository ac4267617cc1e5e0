"""Brings a database to the schema that this code knows, once, whoever comes first.

The page server and its worker start at the same moment. Whoever takes the lock migrates in one
transaction; the other waits, looks again and finds nothing to do.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, Connection, NullPool, create_engine, event, inspect, text

from db.errors import UnusableDatabase

logger = logging.getLogger("recall.database")

FOLDER = Path(__file__).resolve().parent / "migrations"

LOCK_SECONDS = 600
"""How long a process waits while another one copies and migrates."""


def migrate(address: URL, shown: str, folder: Path = FOLDER) -> None:
    """Make or migrate the tables at `address`, which error sentences call `shown`, by the
    migrations in `folder`.

    An existing SQLite file is copied to `<name>.before-<revision>-<time>` first. `UnusableDatabase`
    if the database is not ours or newer than this code; nothing is changed in it then.
    """
    migrations = Migrations(folder)
    if address.get_backend_name() == "sqlite":
        path = Path(str(address.database))
        if path.exists() and _is_current(address, shown, migrations):
            return
        with _file_lock(path):
            _migrate_locked(address, shown, migrations, path)
            _use_write_ahead_log(path)
    else:
        _migrate_locked(address, shown, migrations, None)


class Migrations:
    """The migrations in a folder: what is known, what is newest, and how to run them."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._config = Config()
        self._config.set_main_option("script_location", str(folder).replace("%", "%%"))
        self._config.set_main_option("path_separator", "os")
        scripts = ScriptDirectory.from_config(self._config)
        self.head = str(scripts.get_current_head())
        self.known = frozenset(script.revision for script in scripts.walk_revisions())

    def run(self, connection: Connection) -> None:
        """Run those that are pending, inside the connection's own transaction."""
        self._config.attributes["connection"] = connection
        command.upgrade(self._config, "head")


def _is_current(address: URL, shown: str, migrations: Migrations) -> bool:
    with _connection(address, "BEGIN") as connection:
        pending = _pending(connection, shown, migrations)
        return pending is None and _uses_write_ahead_log(connection)


def _migrate_locked(address: URL, shown: str, migrations: Migrations, path: Path | None) -> None:
    with _connection(address, "BEGIN IMMEDIATE") as connection, connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(7325055)"))
        pending = _pending(connection, shown, migrations)
        if pending is None:
            return
        if path is not None and pending:
            _copy(path, pending)
        migrations.run(connection)
        _require_whole(connection, shown)


def _pending(connection: Connection, shown: str, migrations: Migrations) -> str | None:
    """The revision to migrate from ("" for an empty database), or `None` if there is nothing to do.

    `UnusableDatabase` if another program's tables are in there, or a newer schema.
    """
    current = MigrationContext.configure(connection).get_current_revision()
    tables = set(inspect(connection).get_table_names()) - {"alembic_version"}
    if current is None and not tables:
        return ""
    if current is None or not {"dataset", "decision"} <= tables:
        raise UnusableDatabase(
            f"{shown} is a database of another program, so nothing was changed in it. "
            "Name another file by RECALL_DATABASE_URL."
        )
    if current not in migrations.known:
        raise UnusableDatabase(
            f"{shown} was written by a newer version of Recall Desk (its schema is {current}, this "
            f"version knows up to {migrations.head}), so nothing was changed in it. Update the "
            "program, or name another database by RECALL_DATABASE_URL."
        )
    return None if current == migrations.head else current


def _require_whole(connection: Connection, shown: str) -> None:
    if connection.dialect.name != "sqlite":
        return
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchone()
    if broken is not None:
        raise UnusableDatabase(
            f"Migrating {shown} would leave rows of {broken[0]} without what they belong to, so it "
            "was left as it was. Please report this, with the version you came from."
        )


def _copy(path: Path, revision: str) -> None:
    """A copy of the last committed state, taken while readers and the lock's holder look on."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    target = path.with_name(f"{path.name}.before-{revision}-{stamp}")
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(target)) as copy:
        source.backup(copy)
    logger.info("%s is migrated from schema %s; a copy of it is %s.", path, revision, target)


@contextmanager
def _connection(address: URL, begin: str) -> Iterator[Connection]:
    """A connection of its own, without foreign key actions: a rebuilt table must not cascade."""
    engine = create_engine(address, poolclass=NullPool)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _explicit_transactions)
        event.listen(engine, "begin", lambda c: c.exec_driver_sql(begin))
    with engine.connect() as connection:
        yield connection


def _explicit_transactions(dbapi_connection: sqlite3.Connection, _record: object) -> None:
    dbapi_connection.isolation_level = None
    dbapi_connection.execute(f"PRAGMA busy_timeout = {LOCK_SECONDS * 1000}")


@contextmanager
def _file_lock(path: Path) -> Iterator[None]:
    """Only one process at a time, held in a file beside the database and gone with the process."""
    lock = sqlite3.connect(
        path.with_name(f"{path.name}.lock"), timeout=LOCK_SECONDS, isolation_level=None
    )
    with closing(lock):
        lock.execute("BEGIN EXCLUSIVE")
        yield


def _use_write_ahead_log(path: Path) -> None:
    with closing(sqlite3.connect(path, timeout=LOCK_SECONDS)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")


def _uses_write_ahead_log(connection: Connection) -> bool:
    return str(connection.exec_driver_sql("PRAGMA journal_mode").scalar_one()) == "wal"

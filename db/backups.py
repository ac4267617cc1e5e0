"""Copies of the whole database, made while it is used, and brought back when it is not.

Only for SQLite, where the database is one file; servers bring programs of their own for this.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from db.engine import PROJECT_ROOT
from db.errors import NotPossibleNow, UnusableDatabase
from db.migrate import Migrations

OURS = frozenset({"dataset", "decision", "alembic_version"})
"""Tables that every version of a database of Recall Desk has."""


def database_file(url: str) -> Path:
    """The file of a SQLite database, whether or not it is there; `UnusableDatabase` for others."""
    try:
        address = make_url(url)
    except ArgumentError:
        raise UnusableDatabase(f"{url!r} is not a database address.") from None
    if address.get_backend_name() != "sqlite" or address.database in (None, "", ":memory:"):
        raise UnusableDatabase(
            f"{address.render_as_string()} is no SQLite file. Use the server's own program, such "
            "as pg_dump."
        )
    return PROJECT_ROOT / str(address.database)


def back_up(database: Path, target: Path) -> int:
    """Write a consistent copy to `target`, which must not be there yet; its size in bytes.

    Readers and writers go on meanwhile. The copy appears under its name only when it is whole.
    """
    _require_file(database)
    if target.exists():
        raise NotPossibleNow(f"{target} is there already. Name another file, or delete it first.")
    if not target.parent.is_dir():
        raise NotPossibleNow(f"There is no folder {target.parent}.")
    unfinished = target.with_name(f"{target.name}.unfinished")
    unfinished.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(database)) as source:
            source.execute("VACUUM INTO ?", (str(unfinished),))
        _require_ours(unfinished)
        unfinished.rename(target)
    finally:
        unfinished.unlink(missing_ok=True)
    return target.stat().st_size


def restore(copy: Path, database: Path, *, now: datetime) -> Path | None:
    """Put the copy in the place of the database, which is kept beside it under another name.

    Returns where the old one is kept, `None` if there was none. `NotPossibleNow` while anybody has
    the database open; `UnusableDatabase` if the copy is not whole, not ours, or too new. Nothing is
    changed then.
    """
    _require_file(copy)
    _require_ours(copy)
    if database.exists() and copy.samefile(database):
        raise NotPossibleNow(f"{copy} is the database itself.")
    database.parent.mkdir(parents=True, exist_ok=True)
    unfinished = database.with_name(f"{database.name}.unfinished")
    unfinished.unlink(missing_ok=True)
    try:
        with closing(_read_only(copy)) as source, closing(sqlite3.connect(unfinished)) as made:
            source.backup(made)
        if not database.exists():
            unfinished.rename(database)
            return None
        kept = database.with_name(f"{database.name}.before-restore-{now:%Y%m%dT%H%M%SZ}")
        with _nobody_else(database):
            shutil.copy2(database, kept)
            unfinished.replace(database)
        return kept
    finally:
        unfinished.unlink(missing_ok=True)


@contextmanager
def _nobody_else(database: Path) -> Iterator[None]:
    """Hold the file for oneself, with everything that stood in the write-ahead log in it.

    A file leaves write-ahead logging only when no other connection is open, not even an idle one.
    """
    with closing(sqlite3.connect(database, timeout=2, isolation_level=None)) as connection:
        try:
            mode = connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0]
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            mode = "locked"
        if mode != "delete":
            raise NotPossibleNow(
                f"{database} is open: the app, a worker or a command is using it. Stop them, then "
                "restore."
            )
        yield
        connection.execute("ROLLBACK")


def _require_file(path: Path) -> None:
    if not path.is_file():
        raise UnusableDatabase(f"There is no file {path}.")


def _require_ours(path: Path) -> None:
    """Whole, of this program, and not newer than it."""
    try:
        with closing(_read_only(path)) as connection:
            whole = connection.execute("PRAGMA quick_check").fetchone()[0]
            names = {n for (n,) in connection.execute("SELECT name FROM sqlite_master")}
            query = "SELECT version_num FROM alembic_version"
            version = connection.execute(query).fetchone() if names >= OURS else None
    except sqlite3.DatabaseError as error:
        raise UnusableDatabase(f"{path} is not a database: {error}.") from None
    if whole != "ok":
        raise UnusableDatabase(f"{path} is damaged: {whole}.")
    if version is None:
        raise UnusableDatabase(f"{path} is not a database of Recall Desk.")
    if version[0] not in Migrations().known:
        raise UnusableDatabase(f"{path} was written by a newer version of Recall Desk.")


def _read_only(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)

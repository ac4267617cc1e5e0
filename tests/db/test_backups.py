"""A backup is whole whatever else goes on; a restore needs the database for itself."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from db.backups import back_up, database_file, restore
from db.datasets import list_datasets, save_dataset
from db.engine import Engine, open_engine
from db.errors import NotPossibleNow, UnusableDatabase
from recall_core.types import Example

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def save(engine: Engine, name: str) -> None:
    save_dataset(
        engine,
        name,
        [Example(str(n), question="q" * 2000) for n in range(50)],
        content_hash=name,
        source="test",
        author="Mara",
        now=NOW,
    )


def names(path: Path) -> list[str]:
    engine = open_engine(f"sqlite:///{path}")
    try:
        return [card.name for card in list_datasets(engine)]
    finally:
        engine.dispose()


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "recall.db"


def test_a_backup_holds_what_only_the_log_has_and_leaves_the_database_usable(
    engine: Engine, database: Path, tmp_path: Path
) -> None:
    save(engine, "one")
    copy = tmp_path / "copy.db"

    size = back_up(database, copy)

    save(engine, "two")
    assert size == copy.stat().st_size
    assert names(copy) == ["one"]


def test_a_backup_while_somebody_writes_has_whole_datasets_only(
    engine: Engine, database: Path, tmp_path: Path
) -> None:
    stop = threading.Event()
    saved = []

    def write() -> None:
        while not stop.is_set():
            save(engine, str(len(saved)))
            saved.append(len(saved))

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(3):
            back_up(database, tmp_path / f"copy{number}.db")
    finally:
        stop.set()
        writer.join()

    for number in range(3):
        with closing(sqlite3.connect(tmp_path / f"copy{number}.db")) as copy:
            query = (
                "SELECT d.examples, (SELECT count(*) FROM example e WHERE e.dataset_id = d.id)"
                " FROM dataset d WHERE d.state = 'ready'"
            )
            assert all(said == found == 50 for said, found in copy.execute(query))
            assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_backup_never_overwrites_a_file(engine: Engine, database: Path, tmp_path: Path) -> None:
    there = tmp_path / "there.db"
    there.write_text("mine")

    with pytest.raises(NotPossibleNow, match="is there already"):
        back_up(database, there)

    assert there.read_text() == "mine"


def test_a_restore_brings_the_copy_back_and_keeps_what_it_replaces(
    engine: Engine, database: Path, tmp_path: Path
) -> None:
    save(engine, "one")
    copy = tmp_path / "copy.db"
    back_up(database, copy)
    save(engine, "two")
    engine.dispose()

    kept = restore(copy, database, now=NOW)

    assert names(database) == ["one"]
    assert kept == tmp_path / "recall.db.before-restore-20261130T120000Z"
    assert names(kept) == ["two", "one"]


def test_a_restore_is_refused_while_anybody_has_the_database_open(
    engine: Engine, database: Path, tmp_path: Path
) -> None:
    save(engine, "one")
    copy = tmp_path / "copy.db"
    back_up(database, copy)
    save(engine, "two")

    with pytest.raises(NotPossibleNow, match="is open: the app, a worker or a command"):
        restore(copy, database, now=NOW)

    assert [card.name for card in list_datasets(engine)] == ["two", "one"]
    assert list(tmp_path.glob("*before-restore*")) == list(tmp_path.glob("*unfinished*")) == []


def test_a_restore_to_where_no_database_is_makes_one(
    engine: Engine, database: Path, tmp_path: Path
) -> None:
    save(engine, "one")
    copy = tmp_path / "copy.db"
    back_up(database, copy)

    assert restore(copy, tmp_path / "new" / "recall.db", now=NOW) is None

    assert names(tmp_path / "new" / "recall.db") == ["one"]


def test_what_is_no_database_of_ours_is_not_restored(
    engine: Engine, database: Path, tmp_path: Path
) -> None:
    text, other = tmp_path / "text.db", tmp_path / "other.db"
    text.write_text("no database " * 100)
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE dataset (id)")
    engine.dispose()

    for file, reason in ((text, "is not a database"), (other, "not a database of Recall Desk")):
        with pytest.raises(UnusableDatabase, match=reason):
            restore(file, database, now=NOW)
    assert names(database) == []


def test_a_copy_of_a_newer_version_is_not_restored(
    engine: Engine, database: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.db"
    back_up(database, copy)
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    engine.dispose()

    with pytest.raises(UnusableDatabase, match="newer version"):
        restore(copy, database, now=NOW)


def test_only_a_sqlite_file_is_backed_up_here() -> None:
    assert database_file("sqlite:////srv/recall.db") == Path("/srv/recall.db")
    with pytest.raises(UnusableDatabase, match="pg_dump"):
        database_file("postgresql://me@host/recall")

"""Opening a database: where it is, who may write when, and what is not ours."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine, select, text
from sqlalchemy.exc import IntegrityError

from db.engine import PROJECT_ROOT, database_url, open_engine, reading, transaction
from db.errors import UnusableDatabase
from db.tables import DatasetRow
from tests.db.making import NOW


def a_dataset(name: str = "facts", examples: int = 0) -> DatasetRow:
    return DatasetRow(
        name=name,
        state="ready",
        content_hash="",
        examples=examples,
        created_at=NOW,
        created_by="Ana",
    )


def pragma(engine: Engine, name: str) -> object:
    with engine.connect() as connection:
        return connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()


def test_the_variable_names_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECALL_DATABASE_URL", " sqlite:////tmp/other.db ")

    assert database_url() == "sqlite:////tmp/other.db"


def test_without_the_variable_it_lies_in_the_projects_data_folder_whatever_the_current_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("RECALL_DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)

    assert database_url() == f"sqlite:///{PROJECT_ROOT / 'data' / 'recall.db'}"


def test_the_folder_is_made_and_the_file_is_ready_for_many_readers(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'new' / 'folder' / 'recall.db'}")

    assert pragma(engine, "journal_mode") == "wal"
    assert pragma(engine, "foreign_keys") == 1
    assert pragma(engine, "synchronous") == 2, "what was called saved outlives a power cut"
    assert pragma(engine, "busy_timeout") == 15_000


def test_a_database_in_memory_is_refused_because_the_worker_could_not_see_it() -> None:
    with pytest.raises(UnusableDatabase, match="in memory"):
        open_engine("sqlite://")


def test_an_address_that_is_none_is_refused_with_an_example() -> None:
    with pytest.raises(UnusableDatabase, match="sqlite:////home"):
        open_engine("my database")


def test_a_missing_driver_is_a_sentence() -> None:
    with pytest.raises(UnusableDatabase, match="driver"):
        open_engine("postgresql+nosuchdriver://localhost/x")


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(UnusableDatabase, match="cannot be made"):
        open_engine(f"sqlite:///{tmp_path / 'file' / 'recall.db'}")


def test_a_folder_in_the_place_of_the_file_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UnusableDatabase, match="cannot be opened"):
        open_engine(f"sqlite:///{tmp_path}")


def test_a_text_file_is_no_database_and_stays_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "notes.db"
    file.write_text("Dear diary, this is not a database. " * 40)

    with pytest.raises(UnusableDatabase, match="not a database"):
        open_engine(f"sqlite:///{file}")

    assert file.read_text().startswith("Dear diary")


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "other.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE recipe (id INTEGER)")
    before = file.read_bytes()

    with pytest.raises(UnusableDatabase, match="another program"):
        open_engine(f"sqlite:///{file}")

    assert file.read_bytes() == before


def test_an_error_takes_everything_in_the_transaction_back(engine: Engine) -> None:
    def break_off() -> None:
        with transaction(engine) as session:
            session.add(a_dataset())
            session.flush()
            session.execute(text("CREATE TABLE extra (id INTEGER)"))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        break_off()

    with reading(engine) as session:
        assert session.scalars(select(DatasetRow)).all() == []
        tables = session.execute(text("SELECT name FROM sqlite_master")).scalars().all()
    assert "extra" not in tables


def test_a_row_without_what_it_belongs_to_is_refused(engine: Engine) -> None:
    with pytest.raises(IntegrityError), transaction(engine) as session:
        session.execute(text("INSERT INTO retrieved_passage VALUES (7, 1, 'text', NULL)"))


def test_a_reader_sees_one_moment_and_is_not_blocked_by_a_writer(engine: Engine) -> None:
    with transaction(engine) as writing:
        writing.add(a_dataset())
        writing.flush()
        with reading(engine) as session:
            during = session.scalars(select(DatasetRow)).all()

    with reading(engine) as session:
        after = session.scalars(select(DatasetRow)).all()
    assert (len(during), len(after)) == (0, 1)


def test_writers_that_read_first_take_turns_and_lose_nothing(engine: Engine) -> None:
    with transaction(engine) as session:
        session.add(a_dataset())

    def count_up() -> None:
        for _ in range(25):
            with transaction(engine) as session:
                session.scalars(select(DatasetRow)).one().examples += 1

    threads = [threading.Thread(target=count_up) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    with reading(engine) as session:
        assert session.scalars(select(DatasetRow.examples)).one() == 100


def test_only_one_process_at_a_time_makes_or_migrates_the_tables(tmp_path: Path) -> None:
    path = tmp_path / "recall.db"
    opening = threading.Thread(target=lambda: open_engine(f"sqlite:///{path}").dispose())

    with closing(sqlite3.connect(f"{path}.lock", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        opening.start()
        opening.join(1)
        untouched = not path.exists()

    opening.join(30)
    assert untouched
    assert path.exists()


def test_processes_that_start_at_once_make_the_tables_once(tmp_path: Path, root: Path) -> None:
    code = "import sys; from db.engine import open_engine; open_engine(sys.argv[1]).dispose()"
    url = f"sqlite:///{tmp_path / 'recall.db'}"

    processes = [
        subprocess.Popen([sys.executable, "-c", code, url], cwd=root, stderr=subprocess.PIPE)
        for _ in range(3)
    ]
    errors = [process.communicate(timeout=60)[1] for process in processes]

    assert [process.returncode for process in processes] == [0, 0, 0], errors
    with reading(open_engine(url)) as session:
        assert session.execute(text("SELECT version_num FROM alembic_version")).all() == [("0001",)]

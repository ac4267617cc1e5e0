"""The schema that migrations make is the schema that the code thinks it has."""

from __future__ import annotations

import re
import shutil
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Engine, create_engine, make_url, text
from sqlalchemy.exc import IntegrityError

from db.engine import open_engine, transaction
from db.errors import UnusableDatabase
from db.migrate import FOLDER, migrate
from db.reviews import decide
from db.tables import Base
from recall_core.types import Action, UnitKind, UnitRef
from tests.db.making import NOW, example, judge_everything, kept_dataset, queued_run


def schema(path: Path) -> dict[str, list[str]]:
    """The words of every table's and index's SQL by its name; the order of constraints is free."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(
            "SELECT name, sql FROM sqlite_master "
            "WHERE type IN ('table', 'index') AND sql IS NOT NULL AND name <> 'alembic_version'"
        ).fetchall()
    return {name: sorted(re.split(r"[\s,()]+", sql)) for name, sql in rows}


def test_models_and_migrations_agree_for_alembic(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'recall.db'}")

    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        differences = compare_metadata(context, Base.metadata)

    assert differences == []


def test_models_and_migrations_make_the_same_sql_with_every_check(tmp_path: Path) -> None:
    open_engine(f"sqlite:///{tmp_path / 'migrated.db'}").dispose()
    plain = create_engine(f"sqlite:///{tmp_path / 'plain.db'}")
    Base.metadata.create_all(plain)
    plain.dispose()

    assert schema(tmp_path / "migrated.db") == schema(tmp_path / "plain.db")


NEXT = """
import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("dataset", sa.Column("colour", sa.Text()))
    LAST_STEP
"""


def newer_migrations(tmp_path: Path, last_step: str = "") -> Path:
    """A copy of the project's migrations with one more."""
    folder = tmp_path / "migrations"
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions" / "0002_colour.py").write_text(NEXT.replace("LAST_STEP", last_step))
    return folder


def a_filled_database(tmp_path: Path) -> Path:
    path = tmp_path / "recall.db"
    engine = open_engine(f"sqlite:///{path}")
    kept_dataset(engine, [example(1)])
    engine.dispose()
    return path


def migrated(path: Path, folder: Path) -> None:
    migrate(make_url(f"sqlite:///{path}"), str(path), folder)


def rows(path: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def copies(tmp_path: Path) -> list[Path]:
    return sorted(tmp_path.glob("recall.db.before-*"))


def test_a_copy_is_made_before_a_migration_changes_an_existing_database(tmp_path: Path) -> None:
    path = a_filled_database(tmp_path)

    migrated(path, newer_migrations(tmp_path))

    assert rows(path, "SELECT name, colour FROM dataset") == [("facts", None)]
    (copy,) = copies(tmp_path)
    assert copy.name.startswith("recall.db.before-0001-")
    assert rows(copy, "SELECT version_num FROM alembic_version") == [("0001",)]
    assert rows(copy, "SELECT name FROM dataset") == [("facts",)]


def test_a_new_database_and_one_that_is_current_are_not_copied(tmp_path: Path) -> None:
    path = a_filled_database(tmp_path)
    open_engine(f"sqlite:///{path}").dispose()

    assert copies(tmp_path) == []


def test_a_migration_that_fails_leaves_the_database_as_it_was(tmp_path: Path) -> None:
    path = a_filled_database(tmp_path)
    folder = newer_migrations(tmp_path, last_step='raise ArithmeticError("half-way")')

    with pytest.raises(ArithmeticError):
        migrated(path, folder)

    assert rows(path, "SELECT version_num FROM alembic_version") == [("0001",)]
    columns = [row[1] for row in rows(path, "PRAGMA table_info(dataset)")]
    assert "colour" not in columns


def test_a_migration_that_would_leave_orphans_is_taken_back(tmp_path: Path) -> None:
    path = a_filled_database(tmp_path)
    folder = newer_migrations(tmp_path, last_step='op.execute("DELETE FROM example")')

    with pytest.raises(UnusableDatabase, match=r"ground_truth_passage|retrieved_passage"):
        migrated(path, folder)

    assert rows(path, "SELECT count(*) FROM example") == [(1,)]


def test_two_that_start_at_once_migrate_and_copy_once(tmp_path: Path) -> None:
    path = a_filled_database(tmp_path)
    folder = newer_migrations(tmp_path)

    threads = [threading.Thread(target=migrated, args=(path, folder)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert rows(path, "SELECT version_num FROM alembic_version") == [("0002",)]
    assert len(copies(tmp_path)) == 1


def test_a_database_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    path = a_filled_database(tmp_path)
    migrated(path, newer_migrations(tmp_path))

    with pytest.raises(UnusableDatabase, match=r"newer version.*0002.*0001"):
        open_engine(f"sqlite:///{path}")


def a_decision(engine: Engine) -> int:
    """The id of a decision on the one unit of a judged example."""
    run_id = queued_run(engine, kept_dataset(engine, [example(1, found=False)]))
    judge_everything(engine, run_id)
    unit = UnitRef(UnitKind.EXPECTED_CONTEXT, 1)
    decided = decide(
        engine,
        1,
        unit,
        Action.CONFIRM,
        reviewer="Ben",
        seen=0,
        client_id="c",
        client_seq=1,
        now=NOW,
    )
    return decided.decisions[0].id


def refused(engine: Engine, statement: str, **values: object) -> str:
    """The database's own sentence when it refuses the statement."""
    with pytest.raises(IntegrityError) as caught, transaction(engine) as session:
        session.execute(text(statement), values)
    return str(caught.value.orig)


def test_a_decision_is_never_updated(engine: Engine) -> None:
    decision_id = a_decision(engine)

    reason = refused(engine, "UPDATE decision SET note = 'x' WHERE id = :id", id=decision_id)

    assert reason == "A decision is never changed; add another one."


def test_a_decision_is_never_deleted_while_its_run_is_there(engine: Engine) -> None:
    decision_id = a_decision(engine)

    alone = refused(engine, "DELETE FROM decision WHERE id = :id", id=decision_id)
    with_its_judgement = refused(engine, "DELETE FROM judgement")

    assert alone == with_its_judgement == "A decision is never deleted, only its whole run."


COPY_WITH = """
INSERT INTO decision SELECT :id, run_id, judgement_id, review_id, unit_id, action, before_kind,
  before_score, before_excluded, :kind, :score, after_excluded, reviewer, cause, note, based_on,
  undoes, twin, recalled, batch, client_id, :id, part, at, previous_hash, hash FROM decision LIMIT 1
"""


@pytest.mark.parametrize(
    ("kind", "score"),
    [
        ("essential", "0"),
        ("essential", "5.5"),
        ("bonus", "-1"),
        ("bonus", "10"),
        ("statement", "2"),
        ("expected_context", "-0.5"),
        ("colour", "1"),
    ],
)
def test_a_score_out_of_range_is_refused_by_the_database(
    engine: Engine, kind: str, score: str
) -> None:
    a_decision(engine)

    reason = refused(engine, COPY_WITH, id=2, kind=kind, score=score)

    assert "after_in_range" in reason


@pytest.mark.parametrize(
    ("kind", "score"), [("essential", "1"), ("bonus", "0"), ("essential", "4.5"), ("bonus", None)]
)
def test_a_score_in_range_is_taken_by_the_database(
    engine: Engine, kind: str, score: str | None
) -> None:
    a_decision(engine)

    with transaction(engine) as session:
        session.execute(text(COPY_WITH), {"id": 2, "kind": kind, "score": score})

    with transaction(engine) as session:
        found = session.execute(text("SELECT after_score FROM decision WHERE id = 2")).scalar_one()
    assert found == score

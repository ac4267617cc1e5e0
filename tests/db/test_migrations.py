"""The schema that migrations make is the schema that the code thinks it has."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine

from db.engine import open_engine
from db.tables import Base


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

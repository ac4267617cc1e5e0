"""Fixtures that several folders of tests use."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import settings

from db.engine import Engine, open_engine

ROOT = Path(__file__).resolve().parent.parent

settings.register_profile("recall", deadline=None, derandomize=True, database=None, print_blob=True)
settings.load_profile("recall")


@pytest.fixture
def root() -> Path:
    """The folder of the project."""
    return ROOT


@pytest.fixture
def database_url(tmp_path: Path) -> str:
    """The address of a database that only this test uses."""
    return f"sqlite:///{tmp_path / 'recall.db'}"


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty database file, migrated once for all tests of this process: copies are cheap."""
    path = tmp_path_factory.mktemp("migrated") / "recall.db"
    open_engine(f"sqlite:///{path}").dispose()
    return path


@pytest.fixture
def engine(database_url: str, migrated: Path, tmp_path: Path) -> Iterator[Engine]:
    """An open, empty, migrated database."""
    shutil.copyfile(migrated, tmp_path / "recall.db")
    opened = open_engine(database_url)
    yield opened
    opened.dispose()


@pytest.fixture
def now() -> datetime:
    """A moment to pass on, always the same."""
    return datetime(2026, 11, 30, 12, 0, tzinfo=UTC)

"""The dashboard's screens without a browser, on a database that only the test uses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from db.engine import Engine
from pages.components import session
from tests.pages.screens import Screens


@pytest.fixture
def screens(
    root: Path, engine: Engine, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Screens]:
    """The dashboard, opened by somebody who has not said their name."""
    monkeypatch.setenv("RECALL_DATABASE_URL", database_url)
    session.engine.clear()
    yield Screens(str(root / "pages" / "frame.py"), engine)
    session.engine().dispose()
    session.engine.clear()

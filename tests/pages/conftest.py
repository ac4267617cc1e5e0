"""The dashboard's screens without a browser, on a database that only the test uses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from db.engine import Engine
from pages.components import session
from tests.pages.screens import Screens


@pytest.fixture
def endpoints_file(tmp_path: Path) -> Path:
    """The operator's `endpoints.toml`, with nothing in it."""
    file = tmp_path / "endpoints.toml"
    file.write_text("", "utf-8")
    return file


@pytest.fixture
def screens(
    root: Path,
    engine: Engine,
    database_url: str,
    endpoints_file: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Screens]:
    """The dashboard, opened by somebody who has not said their name."""
    monkeypatch.setenv("RECALL_DATABASE_URL", database_url)
    monkeypatch.setenv("RECALL_ENDPOINTS", str(endpoints_file))
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    session.engine.clear()
    yield Screens(str(root / "pages" / "frame.py"), engine)
    session.engine().dispose()
    session.engine.clear()

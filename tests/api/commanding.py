"""Running a command inside this process, on a database of the test's own."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from api.cli import main


@dataclass(frozen=True)
class Answer:
    """What a command left behind."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


Run = Callable[..., Answer]


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, database_url: str
) -> Run:
    """Runs one command on a database of this test's own."""
    monkeypatch.setenv("RECALL_DATABASE_URL", database_url)

    def command(*arguments: str | Path) -> Answer:
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return Answer(status, captured.out, captured.err)

    return command


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes rows as JSON lines; texts are written as they are."""

    def file(*rows: dict[str, Any] | str) -> Path:
        place = tmp_path / "rows.jsonl"
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        place.write_text("\n".join(lines), encoding="utf-8")
        return place

    return file

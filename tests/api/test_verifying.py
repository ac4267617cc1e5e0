"""The command that proves that scores and decisions are as they were made."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine

from api.cli import main
from tests.db.reviewing import E1, Desk, desk, told


@pytest.fixture
def reviewed(engine: Engine, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A run with two decisions, in the database that commands use."""
    monkeypatch.setenv("RECALL_DATABASE_URL", database_url)
    run = desk(engine, told("a", [3]), told("b", [4]))
    run.set("a", E1, 4)
    run.set("b", E1, 5, by="Ben")
    return run


def tampered(tmp_path: Path, *statements: str) -> None:
    """Somebody writes into the database past the program."""
    with closing(sqlite3.connect(tmp_path / "recall.db")) as connection:
        connection.execute("DROP TRIGGER decision_never_changes")
        connection.execute("DROP TRIGGER decision_never_goes_alone")
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def test_verify_says_equal_and_how_much_it_checked(
    reviewed: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify"]) == 0
    assert capsys.readouterr().out == (
        f"Run {reviewed.run_id}, first: equal, 2 judgements and 2 decisions checked.\nequal\n"
    )


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE decision SET after_score = '1' WHERE id = 2", "Decision 2 of Ben was changed"),
        ("DELETE FROM decision WHERE id = 1", "Decision 2 does not continue the one before it"),
        ("DELETE FROM decision WHERE id = 2", "reviewed_units is kept as 1"),
        ("UPDATE judgement SET final = '5/1' WHERE id = 1", "final is kept as 5"),
        ("UPDATE verdict SET score = '1' WHERE id = 1", "judge_final is kept as 3"),
        ("UPDATE judgement SET highest = '4/1' WHERE id = 2", "highest is kept as 4"),
    ],
)
def test_verify_says_where_it_breaks(
    reviewed: Desk,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    statement: str,
    said: str,
) -> None:
    tampered(tmp_path, statement)

    assert main(["verify", "--run", str(reviewed.run_id)]) == 1

    out = capsys.readouterr().out
    assert "not equal" in out
    assert said in out
    assert not out.endswith("\nequal\n")


def test_a_run_that_is_not_there_is_a_wrong_use(
    reviewed: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", "--run", "99"]) == 2
    assert "There is no run 99" in capsys.readouterr().err

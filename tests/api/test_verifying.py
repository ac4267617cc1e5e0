"""The command that proves that scores and decisions are as they were made."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine

from api.cli import main
from db.runs import RunOptions
from recall_core.sealing import verify_package
from tests.api.calling import Program
from tests.api.commanding import Run
from tests.db.reviewing import E1, Desk, desk, told
from tests.db.sealing import audited


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


@pytest.fixture
def package(engine: Engine, database_url: str, monkeypatch: pytest.MonkeyPatch, run: Run) -> Path:
    """A sealed package that the export command made; then the database is out of reach."""
    made = audited(engine, reviews=6)
    path = Path(str(engine.url.database)).with_name("package.zip")
    done = run("export", made.run_id, "--format", "sealed", "--output", path)
    assert (done.status, done.err) == (0, f"Wrote {path}.\n")
    monkeypatch.setenv("RECALL_DATABASE_URL", "nosuch://anywhere")
    return path


def test_a_package_is_computed_again_without_any_database(package: Path, run: Run) -> None:
    answer = run("verify", package)

    first, seal, word = answer.out.splitlines()
    assert answer.status == 0
    assert first == "12 judgements and 18 decisions computed again."
    assert seal.startswith("Seal: ")
    assert word == "equal"


def test_a_package_that_was_touched_is_not_equal(package: Path, run: Run) -> None:
    data = bytearray(package.read_bytes())
    data[data.index(b'"judge_final":"') + 15] ^= 1
    package.write_bytes(data)

    answer = run("verify", package, "--json")

    assert answer.status == 1
    assert answer.json["equal"] is False
    assert answer.json["problems"] == [
        "judgements.jsonl: its bytes are not those that were sealed."
    ]
    assert run("verify", package).out == f"{answer.json['problems'][0]}\n"


def test_a_package_of_hashes_alone_has_no_text(engine: Engine, tmp_path: Path, run: Run) -> None:
    made = audited(engine, reviews=1)

    run("export", made.run_id, "--format", "sealed", "--hashes-only", "-o", tmp_path / "p.zip")

    assert b"What of" not in (tmp_path / "p.zip").read_bytes()
    assert run("verify", tmp_path / "p.zip").status == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("verify", "nowhere.zip"), "nowhere.zip cannot be read: No such file"),
        (("verify", "nowhere.zip", "--run", "1"), "a package holds one"),
        (("export", "1", "--hashes-only"), "--hashes-only goes with --format sealed"),
    ],
)
def test_wrong_use_of_packages_is_said(run: Run, arguments: tuple[str, ...], said: str) -> None:
    answer = run(*arguments)

    assert answer.status == 2
    assert said in answer.err


def test_programs_take_a_package_away_when_nothing_is_kept_from_anybody(
    engine: Engine, program: Program
) -> None:
    open_one = audited(engine, reviews=1)
    blind = desk(engine, told("a", [3]), options=RunOptions(blind=True))

    sealed = program.get(f"/api/v1/runs/{open_one.run_id}/export", format="sealed")
    refused = program.get(f"/api/v1/runs/{blind.run_id}/export", format="sealed")

    assert verify_package(sealed.content).equal
    assert refused.status_code == 409

"""`python -m api token` on a database of its own."""

from __future__ import annotations

import json

import pytest

from api.cli import main
from db.tokens import PREFIX


@pytest.fixture(autouse=True)
def _own_database(monkeypatch: pytest.MonkeyPatch, database_url: str) -> None:
    monkeypatch.setenv("RECALL_DATABASE_URL", database_url)


def create(name: str, *scopes: str) -> int:
    options = [part for scope in scopes for part in ("--scope", scope)]
    return main(["token", "create", "--name", name, *options])


def test_a_new_token_stands_alone_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    status = create("ci", "evaluate", "read")

    out, err = capsys.readouterr()
    assert status == 0
    assert out.startswith(PREFIX)
    assert out == f"{out.strip()}\n"
    assert "only time" in err


def test_tokens_are_listed_without_themselves_and_can_be_revoked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    create("ci", "evaluate")
    token = capsys.readouterr().out.strip()

    assert main(["token", "revoke", "--name", "ci"]) == 0
    capsys.readouterr()
    assert main(["token", "list", "--json"]) == 0

    out = capsys.readouterr().out
    [listed] = json.loads(out)
    assert token not in out
    assert (listed["name"], listed["scopes"]) == ("ci", ["evaluate"])
    assert listed["revoked_at"] is not None


@pytest.mark.parametrize(
    "arguments",
    [
        ["token", "create", "--name", "ci"],
        ["token", "create", "--name", "ci", "--scope", "everything"],
        ["token", "create", "--name", " ", "--scope", "read"],
        ["token", "revoke", "--name", "nobody"],
    ],
)
def test_a_wrong_use_is_said_on_standard_error(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2

    out, err = capsys.readouterr()
    assert out == ""
    assert err.strip()

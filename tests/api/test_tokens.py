"""Tokens let programs in; without one nobody gets an answer."""

from __future__ import annotations

from datetime import timedelta

import pytest

from db.engine import Engine
from db.errors import NotKept, Unkeepable
from db.tokens import PREFIX, Scope, create_token, list_tokens, revoke_token
from tests.api.calling import NOW, Program, desk_of

BODY = {"data": {"contexts": [], "expected_contexts": []}}
EVALUATE = "/context_recall/evaluate"


def test_while_there_is_no_token_only_health_is_answered(stranger: Program) -> None:
    for path in ("/judges", "/openapi.json", "/docs", "/api/v1/datasets"):
        assert stranger.get(path).status_code == 401, path
    refused = stranger.post(EVALUATE, BODY)

    assert refused.status_code == 401
    assert "python -m api token create" in refused.json()["detail"]
    assert stranger.get("/healthz").status_code == 200
    assert stranger.get("/readyz").status_code == 200


def test_the_description_is_open_to_everybody_once_there_is_a_token(
    program: Program, stranger: Program
) -> None:
    assert stranger.get("/openapi.json").json()["info"]["title"] == "Recall Desk"
    assert "text/html" in stranger.get("/docs").headers["content-type"]
    assert stranger.get("/judges").status_code == 401


@pytest.mark.parametrize(
    "header", ["X-Auth-Token: {}", "Authorization: Bearer {}", "Authorization: bearer {}"]
)
def test_a_token_is_taken_from_either_header(program: Program, header: str) -> None:
    name, value = header.format(program.token).split(": ")

    assert program.with_token("")("GET", "/judges", headers={name: value}).status_code == 200


@pytest.mark.parametrize("token", ["wrong", PREFIX, "é", "a b"])
def test_a_wrong_token_is_told_so(program: Program, token: str) -> None:
    answer = program.with_token("")(
        "GET", "/judges", headers={"X-Auth-Token": token.encode("utf-8")}
    )

    assert answer.status_code == 401
    assert answer.json()["detail"] == "This token is unknown or revoked."
    assert answer.headers["www-authenticate"].startswith("Bearer")


def test_a_scope_that_is_missing_is_named(program: Program) -> None:
    reader = program.named("reader", Scope.READ)

    answer = reader.post(EVALUATE, BODY)

    assert answer.status_code == 403
    assert answer.json()["detail"] == (
        "The token reader has not the scope evaluate, which this request needs."
    )
    assert reader.get("/judges").status_code == 200


def test_a_revoked_token_lets_nobody_in_after_a_second(program: Program) -> None:
    clock = [NOW]
    program.lifecycle.desk.gate.now = lambda: clock[0]
    other = program.named("other", Scope.EVALUATE)
    assert other.post(EVALUATE, BODY).status_code == 200

    assert program.lifecycle.engine is not None
    revoke_token(program.lifecycle.engine, "other", now=NOW)
    clock[0] += timedelta(seconds=1.1)

    assert other.post(EVALUATE, BODY).status_code == 401


def test_a_token_is_kept_as_a_hash_and_shown_once(engine: Engine) -> None:
    token = create_token(engine, "ci", [Scope.EVALUATE, Scope.READ], now=NOW)

    (card,) = list_tokens(engine)
    assert card.scopes == (Scope.EVALUATE, Scope.READ)
    assert token.startswith(PREFIX)
    assert len(token) >= len(PREFIX) + 43
    with engine.connect() as connection:
        stored = str(connection.exec_driver_sql("SELECT * FROM api_token").fetchall())
    assert token not in stored


def test_a_name_has_one_token_in_force(engine: Engine) -> None:
    create_token(engine, "ci", [Scope.READ], now=NOW)
    with pytest.raises(Unkeepable, match="ci has a token"):
        create_token(engine, " ci ", [Scope.READ], now=NOW)

    revoke_token(engine, "ci", now=NOW)

    create_token(engine, "ci", [Scope.READ], now=NOW)
    with pytest.raises(NotKept, match="'nobody'"):
        revoke_token(engine, "nobody", now=NOW)


def test_the_last_use_is_written_at_most_once_a_minute(engine: Engine) -> None:
    clock = [NOW]
    with desk_of(engine) as lifecycle:
        lifecycle.desk.gate.now = lambda: clock[0]
        program = Program(lifecycle).named("ci", Scope.EVALUATE)
        seen = []
        for seconds in (0, 30, 29, 2):
            clock[0] += timedelta(seconds=seconds)
            assert program.post(EVALUATE, BODY).status_code == 200
            seen.append(list_tokens(engine)[0].last_used_at)

    assert seen == [NOW, NOW, NOW, NOW + timedelta(seconds=61)]

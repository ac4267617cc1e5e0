"""A write that is sent twice under one key is done once."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from db.datasets import list_datasets
from db.engine import Engine
from db.errors import NotPossibleNow
from db.idempotency import KEPT, begin_write
from db.tokens import Scope
from tests.api.calling import NOW, Program

CONTENT = json.dumps([{"id": "1", "expected_output": "One."}]).encode()
KEY = {"Idempotency-Key": "upload-1"}


def bring(program: Program, content: bytes = CONTENT, name: str = "facts", **headers: str):
    return program(
        "POST", "/api/v1/datasets", content=content, params={"name": name}, headers=headers
    )


def test_the_second_answer_is_the_first_one_s_and_nothing_is_done_again(
    program: Program, engine: Engine
) -> None:
    first = bring(program, **KEY)
    second = bring(program, **KEY)

    assert first.status_code == second.status_code == 201
    assert second.json() == first.json()
    assert second.headers["idempotency-replayed"] == "true"
    assert "idempotency-replayed" not in first.headers
    assert len(list_datasets(engine)) == 1


def test_without_a_key_it_is_done_twice(program: Program, engine: Engine) -> None:
    bring(program)
    bring(program)

    assert len(list_datasets(engine)) == 2


@pytest.mark.parametrize("change", [{"content": CONTENT + b" "}, {"name": "other"}])
def test_the_same_key_for_another_request_is_refused(program: Program, change: dict) -> None:
    bring(program, **KEY)

    answer = bring(program, **change, **KEY)

    assert answer.status_code == 422
    assert "another request" in answer.json()["detail"]


def test_a_refused_write_may_be_tried_again_under_its_key(program: Program, engine: Engine) -> None:
    assert bring(program, b"[", **KEY).status_code == 422

    assert bring(program, **KEY).status_code == 201


def test_a_key_is_the_token_s_own(program: Program, engine: Engine) -> None:
    bring(program, **KEY)
    bring(program.named("other", Scope.EVALUATE), **KEY)

    assert len(list_datasets(engine)) == 2


def test_a_request_that_is_under_way_is_not_begun_again(program: Program, engine: Engine) -> None:
    assert begin_write(engine, 1, "k", "h", now=NOW) is None

    with pytest.raises(NotPossibleNow, match="still being carried out"):
        begin_write(engine, 1, "k", "h", now=NOW)

    assert begin_write(engine, 1, "k", "h", now=NOW + KEPT + timedelta(seconds=1)) is None


def test_a_key_that_is_none_is_refused(program: Program) -> None:
    assert bring(program, **{"Idempotency-Key": " "}).status_code == 422
    assert bring(program, **{"Idempotency-Key": "k" * 300}).status_code == 422

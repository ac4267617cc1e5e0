"""Which models a server says that it has."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import pytest
from pydantic import SecretStr

from recall_core.llm.endpoints import Endpoint
from recall_core.llm.model_list import ModelList, list_models
from tests.llm_server import DROP, HANG, Answer, LlmServer, error

KEY = "sk-secret-of-the-lab"


@pytest.fixture
def server() -> Iterator[LlmServer]:
    with LlmServer() as running:
        yield running


def ask(server: LlmServer, *answers: Answer, **rest: object) -> ModelList:
    server.enqueue(*answers)
    endpoint = Endpoint("lab", server.url, **rest)  # type: ignore[arg-type]
    return asyncio.run(list_models(endpoint, timeout_seconds=0.5))


def listed(*ids: object) -> Answer:
    return Answer(json.dumps({"object": "list", "data": [{"id": name} for name in ids]}))


def test_names_come_in_order_and_the_key_goes_as_it_does_with_questions(server: LlmServer) -> None:
    found = ask(server, listed("zephyr", "llama"), key=SecretStr(KEY), query={"api-version": "1"})

    assert found == ModelList(("llama", "zephyr"))
    (asked,) = server.received
    assert (asked.method, asked.path) == ("GET", "/v1/models?api-version=1")
    assert asked.headers["authorization"] == f"Bearer {KEY}"


def test_a_server_with_a_key_header_of_its_own_gets_it_there(server: LlmServer) -> None:
    ask(server, listed("a"), key=SecretStr(KEY), key_header="api-key")

    (asked,) = server.received
    assert asked.headers["api-key"] == KEY
    assert "authorization" not in asked.headers


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (error(404, "no such path"), "gives no list of models (404)"),
        (Answer("", status=302, headers={"location": "/elsewhere"}), "no list of models (302)"),
        (Answer("<html>"), "something else than a list"),
        (Answer("[1, 2]"), "something else than a list"),
        (listed(), "something else than a list"),
        (listed(7, "", "x" * 300, "a\nb"), "something else than a list"),
        (DROP, "cannot be reached"),
        (HANG, "did not answer within 0.5 seconds"),
    ],
)
def test_a_server_without_a_list_is_told_in_a_sentence(
    server: LlmServer, answer: Answer, problem: str
) -> None:
    found = ask(server, answer)

    assert found.names == ()
    assert problem in (found.problem or "")


def test_an_endpoint_that_cannot_be_asked_is_not_asked(server: LlmServer) -> None:
    found = ask(server, problem="Endpoint lab: LAB_KEY is not set.")

    assert found.problem == "Endpoint lab: LAB_KEY is not set."
    assert not server.received


def test_a_server_that_echoes_the_key_does_not_get_it_shown(server: LlmServer) -> None:
    found = ask(server, listed(f"model of {KEY}"), key=SecretStr(KEY))

    assert KEY not in str(found)

"""Thousands of ways to call the desk that nobody would write down, made from its own document.

The examples come from a fixed seed (`derandomize` of the profile in tests/conftest.py). One check
is left out: that whatever fits the schema is accepted. A score can fit and be off its unit's scale.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance
from starlette.types import ASGIApp, Receive, Scope, Send

from api.http import operations
from api.web.endpoint import KEY_HEADER
from api.web.openapi import openapi
from tests.api.calling import Program
from tests.api.test_resources import judged_run

ANSWERING: list[ASGIApp] = []
"""The desk of the test that runs: the cases are made once, and sent to a new one each time."""


async def answering(scope: Scope, receive: Receive, send: Send) -> None:
    await ANSWERING[-1](scope, receive, send)


@schemathesis.serializer("application/x-ndjson")
def as_json_lines(_: Any, value: Any) -> bytes:
    """A list as one line each, anything else as one line."""
    lines = value if isinstance(value, list) else [value]
    return "".join(f"{json.dumps(line)}\n" for line in lines).encode()


schema = schemathesis.openapi.from_dict(openapi(operations(), "1"))
schema = schema.exclude(path_regex="/events$")  # A stream ends with its run, and this one waits.
schema.app = answering


@pytest.fixture
def desk_with_a_run(program: Program) -> Program:
    """A desk on which number 1 is a dataset, a run and a judgement."""
    assert judged_run(program) == 1
    return program


@schema.parametrize()
@settings(
    max_examples=8,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_whatever_is_sent_the_answer_is_as_the_document_says(
    case: Any, desk_with_a_run: Program
) -> None:
    headers = {"X-Auth-Token": desk_with_a_run.token}

    ANSWERING[:] = [desk_with_a_run.app]

    # Under one key all but the first would only be told that the key is taken.
    if case.headers:
        case.headers.pop(KEY_HEADER, None)
    case.call_and_validate(headers=headers, excluded_checks=[positive_data_acceptance])

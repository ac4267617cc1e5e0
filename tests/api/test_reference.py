"""docs/api.md says what the code does."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from api.http import operations
from api.web.openapi import openapi
from api.web.reference import reference
from db.tokens import Scope
from tests.api.calling import Program


def test_the_page_is_what_the_code_says(root: Path) -> None:
    page = (root / "docs" / "api.md").read_text("utf-8")

    assert page == reference(operations()), "python -m api.web.reference > docs/api.md"


def test_the_page_has_every_documented_address_and_no_other(root: Path) -> None:
    page = (root / "docs" / "api.md").read_text("utf-8")

    told = set(re.findall(r"^### `([A-Z]+) (\S+)`$", page, re.MULTILINE))

    assert told == {(o.method, o.path) for o in operations() if not o.hidden}


def test_the_call_on_the_page_works_as_it_stands(root: Path, program: Program) -> None:
    page = (root / "docs" / "api.md").read_text("utf-8")
    (body,) = re.findall(r"-d '(.+)'$", page, re.MULTILINE)

    answer = program.post("/ragas/context_recall/evaluate", json.loads(body))

    assert answer.json()[0]["score"] == 1


def test_what_the_document_refers_to_is_in_it() -> None:
    document = openapi(operations(), "1")
    known = set(document["components"]["schemas"])

    assert {ref.rsplit("/", 1)[-1] for ref in refs(document)} <= known


def refs(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return own + [ref for item in value.values() for ref in refs(item)]
    if isinstance(value, list):
        return [ref for item in value for ref in refs(item)]
    return []


def test_every_operation_says_who_may(root: Path) -> None:
    for operation in operations():
        assert operation.scope is None or operation.scope in set(Scope)
        assert operation.hidden or operation.summary


def test_the_page_for_people_needs_nothing_from_another_server(root: Path) -> None:
    page = (root / "api" / "web" / "docs.html").read_text("utf-8")

    assert re.findall(r"https?://", page) == []
    assert "innerHTML" not in page

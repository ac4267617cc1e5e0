"""`docs/api.md`, made from the operations: `python -m api.web.reference` prints it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

from api.web.openapi import INTRODUCTION, MEANINGS, openapi
from api.web.operations import Operation
from db.tokens import Scope

HEAD = """\
# The HTTP interface

<!-- Made by `python -m api.web.reference`; a test fails when it is not up to date. -->

The dashboard's server answers programs as well. This page is made from the code; `/docs` on a \
running desk shows the same with every field, without a network, and `/openapi.json` is for \
programs that read it. The packages langwatch and judgeval speak to it as they are: \
[evaluating from Python](clients.md).

INTRODUCTION

```console
$ TOKEN=$(.venv/bin/python -m api token create --name notebook --scope evaluate --scope read)
$ curl -H "X-Auth-Token: $TOKEN" http://127.0.0.1:8501/ragas/context_recall/evaluate \\
    -d '{"data": {"contexts": ["Open on Sundays."], "expected_contexts": ["Open on Sunday."]}}'
```

| scope | |
|---|---|
"""

AFTER_SCOPES = """
`/healthz` and `/readyz` need no token. Without any token on the desk nothing else is answered. A \
token is kept as a hash, lets nobody in a second after `token revoke` at the latest, and its last \
use is written at most once a minute.
"""

SCOPES = {
    Scope.EVALUATE: "score examples, bring datasets in, start and stop runs, rename them",
    Scope.READ: "read datasets, runs, results and reviews, export them",
    Scope.REVIEW: "read, and decide under the token's name",
    Scope.ADMIN: "everything: also delete, decide in another name, and see what is kept from blind "
    "reviewers",
}


def reference(operations: Sequence[Operation[Any, Any]]) -> str:
    """The page, in Markdown."""
    document = openapi(operations, "")
    pages = [HEAD.replace("INTRODUCTION", INTRODUCTION)]
    pages += [f"| `{scope}` | {told} |\n" for scope, told in SCOPES.items()]
    pages.append(AFTER_SCOPES)
    for tag in document["tags"]:
        pages.append(f"\n## {tag['name']}\n")
        for path, methods in document["paths"].items():
            for method, entry in methods.items():
                if tag["name"] in entry["tags"]:
                    pages.append(_operation(method, path, entry, document))
    pages += _objects(document)
    pages.append("\n## Errors\n\n| status | |\n|---|---|\n")
    pages += [f"| {status} | {told} |\n" for status, told in MEANINGS.items()]
    return "".join(pages)


def _operation(method: str, path: str, entry: dict[str, Any], document: dict[str, Any]) -> str:
    lines = [f"\n### `{method.upper()} {path}`\n\n{entry['summary']}. {_told(entry)}\n"]
    rows = [*_parameters(entry), *_body(entry, document)]
    if rows:
        lines.append("\n| field | in | kind | |\n|---|---|---|---|\n")
        lines += [f"| {' | '.join(_cell(cell) for cell in row)} |\n" for row in rows]
    return "".join(lines)


def _told(entry: dict[str, Any]) -> str:
    paragraphs = entry["description"].split("\n\n")
    return " ".join(_one_line(paragraph) for paragraph in paragraphs)


Row = tuple[str, str, str, str]


def _parameters(entry: dict[str, Any]) -> Iterable[Row]:
    for found in entry["parameters"]:
        told = f"{'Required. ' if found['required'] else ''}{found['description']}"
        yield f"`{found['name']}`", found["in"], _kind(found["schema"], {}), told.strip()


def _body(entry: dict[str, Any], document: dict[str, Any]) -> Iterable[Row]:
    content = entry.get("requestBody", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema", {})
    schemas = document["components"]["schemas"]
    found = _resolved(schema, schemas)
    for name, field in found.get("properties", {}).items():
        required = "Required. " if name in found.get("required", ()) else ""
        told = _resolved(field, schemas).get("description", "")
        yield f"`{name}`", "body", _kind(field, schemas), f"{required}{_one_line(told)}"


def _objects(document: dict[str, Any]) -> Iterable[str]:
    """The objects that stand in bodies, judges' settings aside: GET /judges has those."""
    schemas = document["components"]["schemas"]
    yield "\n## Objects in bodies\n"
    for name in _named_in_bodies(document):
        yield f"\n### {name}\n\n{_one_line(schemas[name].get('description', ''))}\n"
        yield "\n| field | kind | |\n|---|---|---|\n"
        for field, found in schemas[name]["properties"].items():
            required = "Required. " if field in schemas[name].get("required", ()) else ""
            told = f"{required}{_one_line(found.get('description', ''))}"
            yield f"| `{field}` | {_cell(_kind(found, schemas))} | {_cell(told)} |\n"


def _named_in_bodies(document: dict[str, Any]) -> list[str]:
    kinds = {
        word.strip(",")
        for methods in document["paths"].values()
        for entry in methods.values()
        for name, _, kind, _ in _body(entry, document)
        if name != "`settings`"
        for word in kind.split()
    }
    return sorted(kinds & set(document["components"]["schemas"]))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _resolved(schema: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in schema:
        return schema
    return {**schemas[schema["$ref"].rsplit("/", 1)[-1]], **schema}


def _kind(schema: dict[str, Any], schemas: dict[str, Any]) -> str:
    """What a value is, in a word or two."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        found = schemas.get(name, {})
        return _kind(found, schemas) if "enum" in found else name
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        return " or ".join(_kind(choice, schemas) for choice in choices)
    if "enum" in schema:
        return ", ".join(str(value) for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}), schemas)}"
    return str(schema.get("type", "any"))


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


if __name__ == "__main__":
    from api.http import operations

    sys.stdout.write(reference(operations()))

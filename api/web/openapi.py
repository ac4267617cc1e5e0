"""The OpenAPI document, made from the operations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from api.web.endpoint import KEY_HEADER, MAX_KEY
from api.web.operations import Gives, Operation, Takes

REF = "#/components/schemas/{model}"
Schema = dict[str, Any]

INTRODUCTION = """\
Everything that people do in the dashboard, for programs. What programs do appears there, and is \
reviewed there.

Send a token with every request, as `X-Auth-Token: TOKEN` or `Authorization: Bearer TOKEN`. \
`python -m api token create --name NAME --scope evaluate` makes one, where the desk runs. Scopes: \
`evaluate` scores examples, brings datasets in and starts runs; `read` reads; `review` reads and \
decides under the token's name; `admin` does everything. What is kept from a reviewer of the \
token's name (blind and independent reviewing) is kept from the token, unless it is an \
administrator's.

An error is always an object with `title`, `status`, `detail` (a sentence) and `errors` (the \
fields at fault, each with the `path` to it). A write may carry an `Idempotency-Key`: sent again \
with the same key within 24 hours it is answered as the first time, and done once."""


class ErrorField(BaseModel):
    """One field at fault."""

    path: str
    """The way to it: `data.0.contexts.2`."""
    message: str


class Error(BaseModel):
    """Why there is no answer."""

    title: str
    status: int
    detail: str
    """A sentence for people."""
    errors: list[ErrorField]


MEANINGS = {
    400: "The body is not JSON.",
    401: "No token, or one that is unknown or revoked.",
    403: "The token has not the scope.",
    404: "There is no such thing (any more).",
    409: "It cannot be done now, or somebody else was faster.",
    413: "The body is over the limit.",
    422: "A parameter or a field is wrong; `errors` says which.",
    503: "Too much is waiting; try again in a moment.",
}


def openapi(operations: Sequence[Operation[Any, Any]], version: str) -> Schema:
    """The document of these operations."""
    shown = [o for o in operations if not o.hidden]
    refs, schemas = _schemas(shown)
    paths: dict[str, Schema] = {}
    for operation in shown:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _entry(operation, refs)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Recall Desk", "version": version, "description": INTRODUCTION},
        "security": [{"token": []}, {"bearer": []}],
        "tags": [{"name": tag} for tag in dict.fromkeys(o.tag for o in shown)],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "token": {"type": "apiKey", "in": "header", "name": "X-Auth-Token"},
                "bearer": {"type": "http", "scheme": "bearer"},
            },
        },
    }


Refs = dict[tuple[Any, JsonSchemaMode], Schema]


def _schemas(operations: Iterable[Operation[Any, Any]]) -> tuple[Refs, Schema]:
    wanted: dict[tuple[type[BaseModel], JsonSchemaMode], None] = {(Error, "serialization"): None}
    for operation in operations:
        if operation.takes is not None and operation.takes.model is not None:
            wanted[operation.takes.model, "validation"] = None
        if operation.gives.model is not None:
            wanted[operation.gives.model, "serialization"] = None
    refs, definitions = models_json_schema(list(wanted), ref_template=REF)
    return dict(refs), definitions.get("$defs", {})


def _entry(operation: Operation[Any, Any], refs: Refs) -> Schema:
    entry: Schema = {
        "operationId": operation.id,
        "summary": operation.summary,
        "tags": [operation.tag],
        "description": _told(operation),
        "parameters": [*_parameters(operation), *_key_parameter(operation)],
        "responses": _responses(operation, refs),
    }
    if operation.takes is not None:
        entry["requestBody"] = _request_body(operation.takes, refs)
    return entry


def _told(operation: Operation[Any, Any]) -> str:
    scope = "any scope" if operation.scope is None else f"scope `{operation.scope}`"
    return f"{operation.description}\n\nNeeds a token with {scope}.".strip()


def _parameters(operation: Operation[Any, Any]) -> Iterable[Schema]:
    schema = operation.params.model_json_schema(ref_template=REF)
    definitions = schema.get("$defs", {})
    required = schema.get("required", [])
    for name, found in schema.get("properties", {}).items():
        in_path = f"{{{name}}}" in operation.path
        field = _without_refs(found, definitions)
        yield {
            "name": name,
            "in": "path" if in_path else "query",
            "required": in_path or name in required,
            "description": field.pop("description", ""),
            "schema": _given(field),
        }


def _given(field: Schema) -> Schema:
    """What may stand in an address: a parameter that is left out is `None`, but none says null."""
    field.pop("title", None)
    choices = [c for c in field.pop("anyOf", []) if c.get("type") != "null"]
    if len(choices) == 1:
        field |= choices[0]
    elif choices:
        field["anyOf"] = choices
    if field.get("default", ...) is None:
        del field["default"]
    return field


def _without_refs(value: Any, definitions: Schema) -> Any:
    """The schema with what it refers to in its place: parameters have no components."""
    if isinstance(value, dict):
        if "$ref" in value:
            name = value["$ref"].rsplit("/", 1)[-1]
            rest = {k: v for k, v in value.items() if k != "$ref"}
            return {**_without_refs(definitions[name], definitions), **rest}
        return {k: _without_refs(v, definitions) for k, v in value.items()}
    if isinstance(value, list):
        return [_without_refs(v, definitions) for v in value]
    return value


def _key_parameter(operation: Operation[Any, Any]) -> Iterable[Schema]:
    if operation.writes:
        yield {
            "name": KEY_HEADER,
            "in": "header",
            "required": False,
            "description": "The same for the same write, so that it may be sent again.",
            "schema": {"type": "string", "minLength": 1, "maxLength": MAX_KEY},
        }


def _request_body(takes: Takes, refs: Refs) -> Schema:
    schema: Schema = {} if takes.model is None else refs[takes.model, "validation"]
    content: Schema = {media: {"schema": schema} for media in takes.media}
    for media in takes.media:
        if takes.examples:
            content[media]["examples"] = {
                str(number): {"value": example} for number, example in enumerate(takes.examples, 1)
            }
    return {"required": True, "content": content}


def _responses(operation: Operation[Any, Any], refs: Refs) -> Schema:
    error = {"application/json": {"schema": refs[Error, "serialization"]}}
    statuses = {401, 403, 503, *operation.errors}
    if operation.takes is not None:
        statuses |= {400, 413, 422}
    if operation.params.model_fields:
        statuses |= {422}
    if operation.writes:
        statuses |= {409, 422}
    failures = {
        str(status): {"description": MEANINGS[status], "content": error}
        for status in sorted(statuses)
    }
    gives = operation.gives
    done: Schema = {"description": gives.description, "content": _given_content(gives, refs)}
    return {str(status): done for status in (gives.status, *gives.also)} | failures


def _given_content(gives: Gives, refs: Refs) -> Schema:
    schema = {} if gives.model is None else {"schema": refs[gives.model, "serialization"]}
    return dict.fromkeys(gives.media, schema)

"""`judges`: which judges there are and what can be set."""

from __future__ import annotations

import inspect
import json
from typing import Annotated, Any

import typer

from api.console import give, give_json
from recall_core.judges import Judge, judges
from recall_core.types import Json

_LONGEST = 60
"""How many characters of a default are printed in a line."""


def list_judges(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON array.")] = False,
) -> None:
    """List the judges and their settings."""
    kinds = judges().values()
    if as_json:
        give_json([_as_json(kind) for kind in kinds])
        return
    give("\n\n".join(_as_text(kind) for kind in kinds))


def _as_json(kind: type[Judge]) -> dict[str, Json]:
    return {
        "name": kind.name,
        "version": kind.version,
        "title": kind.title,
        "description": inspect.getdoc(kind) or "",
        "formula": kind.formula.value,
        "lexical_screen": kind.screen,
        "settings": [_setting(name, field, kind) for name, field in _properties(kind).items()],
    }


def _setting(name: str, field: dict[str, Any], kind: type[Judge]) -> Json:
    model_field = kind.model_fields[name]
    return {
        "name": name,
        "title": model_field.title or name,
        "description": model_field.description or "",
        "takes": _takes(field, kind),
        "default": field.get("default"),
        "schema": field,
    }


def _as_text(kind: type[Judge]) -> str:
    summary = (inspect.getdoc(kind) or "").split("\n\n", 1)[0].replace("\n", " ")
    lines = [f"{kind.name}  {kind.title}, version {kind.version}", f"  {summary}"]
    for name, field in _properties(kind).items():
        default = json.dumps(field.get("default"))
        if len(default) > _LONGEST:
            default = "a text of its own (see judges --json)"
        lines.append(f"  --set {name}=…  {_takes(field, kind)}; {default} unless set")
        if field.get("description"):
            lines.append(f"      {field['description']}")
    return "\n".join(lines)


def _properties(kind: type[Judge]) -> dict[str, dict[str, Any]]:
    """The settings as JSON schema, in the order of the class but the shared ones last."""
    properties: dict[str, dict[str, Any]] = kind.model_json_schema()["properties"]
    return dict(sorted(properties.items(), key=lambda item: item[0] in Judge.model_fields))


def _takes(field: dict[str, Any], kind: type[Judge]) -> str:
    """What a setting takes, in words: `levenshtein, hamming …`, `number from 0 to 1`."""
    if "$ref" in field:
        return _takes(kind.model_json_schema()["$defs"][field["$ref"].rsplit("/", 1)[1]], kind)
    if "anyOf" in field:
        return " or ".join(_takes(option, kind) for option in field["anyOf"])
    if "enum" in field:
        return ", ".join(map(str, field["enum"]))
    if field.get("type") == "null":
        return "nothing"
    if field.get("type") == "boolean":
        return "true or false"
    bounds = (("from", "minimum"), ("above", "exclusiveMinimum"), ("to", "maximum"))
    limits = "".join(f" {word} {field[key]:g}" for word, key in bounds if key in field)
    return f"{field.get('type', 'value')}{limits}"

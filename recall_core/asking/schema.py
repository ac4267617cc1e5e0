"""The shape that a reply is asked for: reasoning first, then quotes, then the score."""

from __future__ import annotations

from recall_core.types import Json


def reply_schema(entries: str, name: str, value: str, value_type: str) -> dict[str, Json]:
    """A JSON schema: a list `entries` of objects with `name`, reasoning, quotes and `value`.

    The value has a type and no bounds. A server that holds the model to bounds would turn the
    beginning of a 10 into a 1, and nobody would see that the answer made no sense.
    """
    quote = _object({"rank": {"type": "integer"}, "quote": {"type": "string"}})
    entry = _object(
        {
            name: {"type": "string"},
            "reasoning": {"type": "string"},
            "quotes": {"type": "array", "items": quote},
            value: {"type": value_type},
        }
    )
    return _object({entries: {"type": "array", "items": entry}})


def _object(properties: dict[str, Json]) -> dict[str, Json]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }

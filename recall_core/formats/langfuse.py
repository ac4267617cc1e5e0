"""Scores of Langfuse: what its score endpoint takes, and what it lists."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from recall_core.details import JudgementDetail
from recall_core.formats.giving import given_finals, trace_of
from recall_core.formats.outside import OutsideScore, Source, objects_in, text_of
from recall_core.types import Json

_SOURCES = {"ANNOTATION": Source.HUMAN, "EVAL": Source.JUDGE, "API": Source.UNKNOWN}
_NAMES = {Source.HUMAN: "ANNOTATION", Source.JUDGE: "EVAL", Source.CODE: "EVAL"}


def langfuse_jsonl(details: Iterable[JudgementDetail]) -> Iterator[str]:
    """One score a line, each a body for `POST /api/public/scores`.

    The judge's final and, where people decided, theirs: of the same name, told apart by `source`
    in the metadata. A judge without an answer gives no score, since a score there is a number. Ids
    stay the same, so that sending a file again changes what was there.
    """
    for detail in details:
        for given in given_finals(detail):
            if given.value is None:
                continue
            source = _NAMES[given.source]
            yield _line(
                {
                    "id": f"recall-{detail.run.id}-{detail.id}-{source.lower()}",
                    "traceId": trace_of(detail),
                    "name": detail.run.judge,
                    "value": given.value,
                    "dataType": "NUMERIC",
                    "comment": given.reason,
                    "metadata": {
                        "source": source,
                        "by": given.by,
                        "run": detail.run.name,
                        "at": given.at.isoformat(timespec="milliseconds"),
                    },
                }
            )


def read_langfuse(text: str) -> list[OutsideScore]:
    """The scores of a file: what the endpoint lists (`{"data": […]}`), a list, or one a line."""
    found = []
    for one in objects_in(text, "data"):
        metadata = one.get("metadata") if isinstance(one.get("metadata"), dict) else {}
        assert isinstance(metadata, dict)
        source = _SOURCES.get(str(metadata.get("source") or one.get("source")), Source.UNKNOWN)
        value = one.get("stringValue") if one.get("dataType") == "CATEGORICAL" else None
        value = one.get("value") if value is None else value
        boolean = one.get("dataType") == "BOOLEAN" and value in (0, 1)
        found.append(
            OutsideScore(
                text_of(one, "traceId", "score"),
                text_of(one, "name", "score"),
                bool(value) if boolean else value,
                source,
                str(metadata.get("by") or one.get("authorUserId") or ""),
                str(one.get("comment") or ""),
            )
        )
    return found


def _line(record: dict[str, Json]) -> str:
    return json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n"

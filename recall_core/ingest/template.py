"""A file to start from: the columns that load without touching the mapping, filled in twice."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping

_ROWS: tuple[Mapping[str, str | list[str]], ...] = (
    {
        "id": "1",
        "question": "When does the museum open on Sundays?",
        "essential": ["On Sundays the museum opens at eleven."],
        "bonus": ["Entrance is free on the first Sunday of a month."],
        "retrieved_contexts": [
            "The museum opens at nine from Tuesday to Saturday, and at eleven on Sundays.",
            "The café in the courtyard is open until six.",
        ],
        "answer": "At eleven.",
        "expected_output": "On Sundays the museum opens at eleven.",
        "topic": "opening hours",
    },
    {
        "id": "2",
        "question": "May I take photographs?",
        "essential": ["Photographs are allowed without a flash.", "Tripods need a permit."],
        "bonus": [],
        "retrieved_contexts": ["Photographs are allowed without a flash."],
        "answer": "Yes, without a flash.",
        "expected_output": "Photographs are allowed without a flash. Tripods need a permit.",
        "topic": "rules",
    },
)


def template_jsonl() -> str:
    """Two example rows as JSON lines; lists are lists."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in _ROWS)


def template_csv() -> str:
    """The same two rows as CSV; a cell with several passages holds them as a JSON list."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(_ROWS[0])
    for row in _ROWS:
        writer.writerow(
            json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
            for value in row.values()
        )
    return text.getvalue()

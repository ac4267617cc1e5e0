"""The sentences that code adds behind every prompt."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from recall_core.replies import Again
from recall_core.types import Unit

_WHICH = "Answer with one entry for each of these and no other: {labels}."
_LANGUAGE = "Write every reasoning in this language: {language}."
_AGAIN = {
    Again.TRUNCATED: "An earlier answer was cut off. Keep each reasoning to a few sentences.",
    Again.UNREADABLE: (
        "An earlier answer could not be read. Answer with one complete JSON object, nothing else."
    ),
    Again.AMBIGUOUS: "An earlier answer said two different things. Decide on one.",
    Again.MISSING: "An earlier answer left something out. Leave nothing out.",
    Again.FRACTION: "An earlier answer had a fraction for a score. Scores are whole numbers.",
}

FIXED_WORDS = (_WHICH, _LANGUAGE, *_AGAIN.values())


def closing_lines(units: Sequence[Unit], language: str, again: Collection[Again]) -> str:
    """Which units to answer, in which language, and what to do better than the last time."""
    lines = [_WHICH.format(labels=", ".join(unit.ref.label for unit in units))]
    if language.strip():
        lines.append(_LANGUAGE.format(language=" ".join(language.split())))
    lines += [sentence for reason, sentence in _AGAIN.items() if reason in again]
    return "\n".join(lines)

"""Reviewed units as text that can be put into a judge's prompt, as examples of how people score.

They never come from the texts that are held out to test the prompt (`recall_core.held_out`), so
whether they help can be read there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from textwrap import shorten

from recall_core.calibration import ScoredUnit
from recall_core.held_out import held_out
from recall_core.types import Cause

EXAMPLES = 6
LONGEST = 600
"""The most characters of one text; a prompt is paid for with every call."""
_THE_JUDGES = (None, Cause.JUDGE_WRONG, Cause.RETRIEVAL_MISSED)


def few_shot_units(units: Iterable[ScoredUnit], count: int = EXAMPLES) -> tuple[ScoredUnit, ...]:
    """The units to learn from: where judge and people are furthest apart first, no text twice.

    Where people blamed the ground truth, the judge has nothing to learn.
    """
    found: dict[str, ScoredUnit] = {}
    ordered = sorted(units, key=lambda u: (-abs(u.off), u.judgement_id, u.unit, u.reviewer))
    for unit in ordered:
        if not held_out(unit.text) and unit.cause in _THE_JUDGES:
            found.setdefault(" ".join(unit.text.split()), unit)
    return tuple(found.values())[:count]


def few_shot_text(units: Sequence[ScoredUnit], retrieved: Mapping[int, Sequence[str]]) -> str:
    """The units with what had come back (by judgement) and the score that people gave.

    Braces that would stand for data in a prompt are parted, so that texts stay texts.
    """
    parts = ["These were scored by people. Score as they do."]
    for number, unit in enumerate(units, 1):
        passages = "\n".join(
            f"{rank}. {_cut(text)}"
            for rank, text in enumerate(retrieved.get(unit.judgement_id, ()), 1)
        )
        why = "" if not unit.note else f" Why: {_cut(unit.note)}"
        parts.append(
            f"Example {number}\nTo be found: {_cut(unit.text)}\nRetrieved:\n"
            f"{passages or 'nothing'}\nScore: {unit.human}.{why}"
        )
    return "\n\n".join(parts).replace("{{", "{ {").replace("}}", "} }")


def _cut(text: str) -> str:
    return shorten(text, LONGEST, placeholder=" …")

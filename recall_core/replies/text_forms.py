"""Replies that are no JSON but lines of text: the document's form, and numbered verdicts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from recall_core.document import ReadUnit, read_document
from recall_core.document.labels import LABEL, NAMES
from recall_core.replies.entries import Entry
from recall_core.scoring import printed
from recall_core.types import FailureKind, Unit, UnitKind, UnitRef


@dataclass(frozen=True, slots=True)
class DocumentUnits:
    """What a reply in the document's form says about the units that were asked about."""

    units: tuple[ReadUnit, ...]
    warnings: tuple[str, ...]


def document_units(text: str, asked: Sequence[Unit]) -> DocumentUnits | None:
    """The units by their labels, or `None` if the text is not in the document's form.

    Where one unit was asked about, it needs no label: `Score: 4` is its score.
    """
    labelled = LABEL.search(text) is not None
    if not labelled:
        if len(asked) != 1:
            return None
        ref = asked[0].ref
        text = f"[{NAMES[ref.kind]}] {ref.index}: {text}"
    refs = {unit.ref for unit in asked}
    highest = {kind: max((r.index for r in refs if r.kind is kind), default=0) for kind in UnitKind}
    reply = read_document(
        text,
        essential=highest[UnitKind.ESSENTIAL],
        bonus=highest[UnitKind.BONUS],
        statements=highest[UnitKind.STATEMENT],
    )
    units = tuple(unit for unit in reply.units if unit.ref in refs)
    if not labelled and units[0].failure is FailureKind.INCOMPLETE:
        return None
    warnings = [w for w in reply.warnings if "no whole number" not in w]
    for wrong in reply.mismatches if len(units) == len(reply.units) else ():
        said, ours = printed(wrong.reported), printed(wrong.computed)
        warnings.append(
            f"The model calculated {wrong.label} as {said}; from its scores it is {ours}."
        )
    return DocumentUnits(units, tuple(warnings))


_NUMBERED = re.compile(
    r"^\W{0,6}(?P<number>\d{1,5})\s{0,2}[.):\]]\W{0,4}(?P<said>.*\S)", re.MULTILINE
)
_MARKED = re.compile(r"[\[(（【](?P<verdict>[^\])）】]{1,40})[\])）】]\W*$")
_TAIL = re.compile(r"(?:[:：\-–—=>]|\s)\W*(?P<verdict>[^\W\d_]{1,20})\W*$")


def verdict_lines(text: str) -> list[Entry] | None:
    """Numbered lines that end with a verdict: `1. The dam … [Attributed]`, `2: yes`.

    The words for yes and no are judged by the caller; lines without a number are not counted.
    """
    entries = []
    marked = False
    for line in _NUMBERED.finditer(text):
        said = line["said"]
        verdict = _MARKED.search(said) or _TAIL.search(f" {said}")
        marked = marked or bool(_MARKED.search(said)) or len(said.split()) < 4
        values = (verdict["verdict"],) if verdict else ()
        entries.append(Entry(UnitRef(UnitKind.STATEMENT, int(line["number"])), values, said))
    return entries if marked else None

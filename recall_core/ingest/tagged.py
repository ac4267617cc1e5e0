"""Ground truth as one text, where markers alone on their line start the passages.

[ESSENTIAL PASSAGE]
The key expires after 90 days.

[BONUS PASSAGE]
An administrator can extend it.
"""

from __future__ import annotations

import re
import unicodedata

from recall_core.ingest.trouble import CellError
from recall_core.types import GroundTruthPassage, PassageKind

_INVISIBLE = re.compile("[\u200b-\u200f\u2060\ufeff\u00ad]")
_DECORATION = r"[\s#>*_`•\-]*"
_NUMBER = r"(?:[\s#:*_]*(?:no\.?)?\s*\d+)?"
_MARKER = re.compile(
    rf"{_DECORATION}[\[【]{_DECORATION}(?P<kind>essential|bonus)[\s_-]+passage{_NUMBER}"
    rf"{_DECORATION}[\]】]{_DECORATION}{_NUMBER}{_DECORATION}[:.]?{_DECORATION}",
    re.IGNORECASE,
)
_LONGEST_MARKER = 80


def marker_kind(line: str) -> PassageKind | None:
    """Which kind of passage a line starts, or `None` for a line of text.

    Case, doubled and non-breaking spaces, bold and a number do not matter; anything else beside
    the marker makes the line text.
    """
    if len(line) > _LONGEST_MARKER or "passage" not in unicodedata.normalize("NFKC", line).lower():
        return None
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", line))
    match = _MARKER.fullmatch(plain.strip())
    return PassageKind(match["kind"].lower()) if match else None


def has_marker(text: str) -> bool:
    """Whether any line of the text is a marker."""
    if text.isascii() and "passage" not in text.lower():
        return False
    return any(marker_kind(line) is not None for line in text.splitlines())


def read_tagged(text: str, *, whole_is_essential: bool = False) -> tuple[GroundTruthPassage, ...]:
    """The passages of a tagged text, each as it is written, without the blanks around it.

    Text without a marker is a `CellError`, unless `whole_is_essential` says that it is one
    essential passage. So are a marker without text, which is named by its number, and text
    before the first marker, which would otherwise be lost.
    """
    before, sections = _sections(text)
    if not sections:
        if whole_is_essential:
            return (GroundTruthPassage(PassageKind.ESSENTIAL, text.strip()),)
        raise CellError(
            "No [ESSENTIAL PASSAGE] marker. "
            "Add one on a line of its own, or choose to take each text as one essential passage."
        )
    if before.strip():
        raise CellError("There is text before the first marker. Put a marker above it.")
    counts = {PassageKind.ESSENTIAL: 0, PassageKind.BONUS: 0}
    passages = []
    for kind, body in sections:
        counts[kind] += 1
        if not body.strip():
            raise CellError(
                f"{kind.value.upper()} {counts[kind]} is empty: its marker has no text."
            )
        passages.append(GroundTruthPassage(kind, body.strip()))
    return tuple(passages)


def write_tagged(passages: tuple[GroundTruthPassage, ...]) -> str:
    """The text that `read_tagged` reads back."""
    return "\n\n".join(f"[{p.kind.value.upper()} PASSAGE]\n{p.text}" for p in passages)


def _sections(text: str) -> tuple[str, list[tuple[PassageKind, str]]]:
    before: list[str] = []
    sections: list[tuple[PassageKind, list[str]]] = []
    for line in text.splitlines(keepends=True):
        kind = marker_kind(line)
        if kind is not None:
            sections.append((kind, []))
        else:
            (sections[-1][1] if sections else before).append(line)
    return "".join(before), [(kind, "".join(lines)) for kind, lines in sections]

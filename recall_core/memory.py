"""What an earlier human decision was about, held against what lies before the person now."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

from rapidfuzz import fuzz, process

from recall_core.types import Example, RetrievedPassage

LIKE = 60
"""From this similarity on (0 to 100) two passages are one that was changed, not two."""
LONGEST = 4_000
"""Of texts with more words than this, only the whole is compared."""

_TOKENS = re.compile(r"[\u2e80-\u9fff]|[^\W\u2e80-\u9fff]+|\s+|[^\w\s]")


class PieceKind(StrEnum):
    """Whether a piece of text stands in both texts, or only before, or only now."""

    SAME = "same"
    GONE = "gone"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class Piece:
    kind: PieceKind
    text: str


@dataclass(frozen=True, slots=True)
class TextChange:
    """How one text has changed: the unit's own (both ranks `None`), or a retrieved passage.

    Without `rank_now` the passage has dropped out, without `rank_before` it has come in.
    """

    rank_before: int | None
    rank_now: int | None
    pieces: tuple[Piece, ...]

    @property
    def of_unit(self) -> bool:
        return self.rank_before is None and self.rank_now is None


def text_changes(
    unit_before: str, before: Example, unit_now: str, now: Example
) -> tuple[TextChange, ...]:
    """What differs in the texts that a unit was judged by; passages that only moved do not."""
    changes = []
    if unit_before != unit_now:
        changes.append(TextChange(None, None, pieces_of(unit_before, unit_now)))
    return (*changes, *_passages(before.retrieved or (), now.retrieved or ()))


def _passages(
    before: Sequence[RetrievedPassage], now: Sequence[RetrievedPassage]
) -> Iterator[TextChange]:
    """Changed and new passages by their rank now, then those that have dropped out."""
    kept = {p.text for p in before} & {p.text for p in now}
    gone = {p.rank: p.text for p in before if p.text not in kept}
    for passage in now:
        if passage.text in kept:
            continue
        match = process.extractOne(passage.text, gone, scorer=fuzz.ratio, score_cutoff=LIKE)
        if match is None:
            yield TextChange(None, passage.rank, (Piece(PieceKind.NEW, passage.text),))
            continue
        text, _, rank = match
        del gone[rank]
        yield TextChange(rank, passage.rank, pieces_of(text, passage.text))
    for rank, text in gone.items():
        yield TextChange(rank, None, (Piece(PieceKind.GONE, text),))


def pieces_of(before: str, now: str) -> tuple[Piece, ...]:
    """Both texts woven into one, word by word; in scripts without word breaks sign by sign."""
    old, new = _TOKENS.findall(before), _TOKENS.findall(now)
    if max(len(old), len(new)) > LONGEST:
        return (Piece(PieceKind.GONE, before), Piece(PieceKind.NEW, now))
    pieces = []
    for tag, i, j, k, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            pieces.append(Piece(PieceKind.SAME, "".join(old[i:j])))
            continue
        if i < j:
            pieces.append(Piece(PieceKind.GONE, "".join(old[i:j])))
        if k < end:
            pieces.append(Piece(PieceKind.NEW, "".join(new[k:end])))
    return tuple(pieces)

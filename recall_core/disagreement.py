"""Where judges disagree about the same unit, as a number to sort by and in words.

Scores of different scales are compared as shares: 0 at the lowest score of the scale, 1 at the
highest. Besides other judges the text itself is asked: a unit that stands there word for word is
there, whatever a judge says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from recall_core.lexical import named_texts
from recall_core.scoring import SCALES, printed
from recall_core.types import UnitKind, UnitRef

DISAGREES = 0.5
"""From this distance on people are told: two points of five, or yes against no."""

_WORDS = 3
_SIGNS = 4
"""A unit of fewer words, or of fewer signs in a script without word breaks, may stand in a text by
chance."""
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af]")
_EDGES = " .,;:!?\"'“”‘’()[]*_`-–—。，！？、"
OUTPUT = 0
"""Stands for the actual output where otherwise a passage's rank stands."""


def share(kind: UnitKind, score: Fraction) -> Fraction:
    """Where the score lies on its scale, from 0 to 1."""
    scale = SCALES[kind]
    return (score - scale.lowest) / (scale.highest - scale.lowest)


class FoldedTexts:
    """The texts in which units are looked for word for word; folded once for all units."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = [_folded(text) for text in texts]

    def place_of(self, unit_text: str) -> int | None:
        """The place (from 0) of the first text in which the unit stands word for word, blanks, case
        and punctuation at its ends aside; `None` if in none, or if it is too short to tell."""
        wanted = _folded(unit_text).strip(_EDGES)
        if wanted.count(" ") < _WORDS - 1 and len(_UNSPACED.findall(wanted)) < _SIGNS:
            return None
        for place, text in enumerate(self._texts):
            if wanted in text and _stands_in(wanted, text):
                return place
        return None


def _folded(text: str) -> str:
    if text.isascii() and text.isprintable() and "  " not in text:
        return text.strip().casefold()  # the same, sooner: such a text has no other blanks
    return " ".join(text.split()).casefold()


def _stands_in(wanted: str, text: str) -> bool:
    """Whether it stands there as whole words."""
    at = text.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        begins = at == 0 or _apart(text[at - 1], wanted[0])
        if begins and (end == len(text) or _apart(wanted[-1], text[end])):
            return True
        at = text.find(wanted, at + 1)
    return False


def _apart(before: str, after: str) -> bool:
    """Whether a word may end between these two signs; scripts without word breaks end anywhere."""
    if not (before.isalnum() and after.isalnum()):
        return True
    return bool(_UNSPACED.match(before) or _UNSPACED.match(after))


@dataclass(frozen=True, slots=True)
class Said:
    """What one judge said of one unit. `who` is the subject of a sentence: "the model".
    `screen`: it sees neither paraphrase nor contradiction."""

    who: str
    score: Fraction
    screen: bool = False


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One sentence about one unit; `size` is the distance, 0 to 1."""

    ref: UnitRef
    size: float
    sentence: str


def distance(kind: UnitKind, score: Fraction, others: Iterable[Fraction], verbatim: bool) -> float:
    """How far the score is at most from what others gave, or from the text's own witness."""
    here = share(kind, score)
    far = [abs(here - share(kind, other)) for other in others]
    if verbatim and counts_verbatim(kind):
        far.append(1 - here)
    return float(max(far, default=Fraction(0)))


def counts_verbatim(kind: UnitKind) -> bool:
    """Whether standing in a text is an argument: string distance compares with a whole context, so
    there a sentence within a long one is rightly far away."""
    return kind is not UnitKind.EXPECTED_CONTEXT


def disagreements(
    ref: UnitRef, mine: Said, others: Sequence[Said], verbatim_rank: int | None
) -> Iterator[Disagreement]:
    """A sentence for each witness that is at least `DISAGREES` away, in their order."""
    kind = ref.kind
    size = float(1 - share(kind, mine.score))
    if verbatim_rank is not None and counts_verbatim(kind) and size >= DISAGREES:
        where = named_texts([None if verbatim_rank == OUTPUT else verbatim_rank])
        said = (
            f"{ref.label} stands word for word in {where}, but {mine.who} gave {_gave(ref, mine)}."
        )
        yield Disagreement(ref, size, said)
    for other in others:
        size = distance(kind, mine.score, [other.score], verbatim=False)
        if size >= DISAGREES:
            yield Disagreement(ref, size, _against(ref, mine, other))


def _against(ref: UnitRef, mine: Said, other: Said) -> str:
    first = f"{ref.label}: {mine.who} gave {_gave(ref, mine)}"
    if other.screen and not mine.screen and share(ref.kind, other.score) == 0:
        return f"{first}, but {other.who} sees nothing of it; it does not see paraphrase."
    return f"{first}, {other.who} gave {_gave(ref, other)}."


def _gave(ref: UnitRef, said: Said) -> str:
    if SCALES[ref.kind].whole:
        return "yes" if said.score == 1 else "no"
    return printed(said.score)

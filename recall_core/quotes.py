"""Finding the words that a model says it copied.

Word for word first, then with blanks, case and kinds of quotation marks aside, then with small
slips (`rapidfuzz`). Short quotes are only taken word for word: nearly everything is similar to two
words, and the library calls any one-word fragment a full match.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz import fuzz

from recall_core.scored_text import TextToScore
from recall_core.types import Evidence

ALIKE = 90.0
"""How alike a quote and its place must be, of 100."""
COVERED = 0.8
"""How much of the quote must lie in that place."""
FEWEST_WORDS = 4
"""Shorter quotes must stand in the text as they are."""
MOST_WORK = 20_000_000
"""Length of the quote times length of the text up to which slips are looked for; a text made to be
slow takes half a second there, a real one a few thousandths."""

_ELLIPSIS = re.compile(r"\s*(?:\.\s?\.\s?\.+|…|\[\s*(?:\.{3}|…)\s*\])\s*")
_AROUND = " \t\r\n\"'“”„«»‘’`*_"
_SAME = str.maketrans("“”„«»‘’‚`´–—−\u2011\u2010", "\"\"\"\"\"'''''-----")


@dataclass(frozen=True, slots=True)
class Place:
    """Start and end of a quote in a text, in code points."""

    start: int
    end: int


def locate(quote: str, text: str) -> Place | None:
    """Where the quote stands in the text, or `None` if it does not."""
    wanted = quote.strip(_AROUND)
    if not wanted:
        return None
    exact = _word_for_word(wanted, text)
    if exact is not None:
        return exact
    return _with_slips(wanted, text)


def evidence_of(
    text: str, rank: int | None, texts: Sequence[TextToScore]
) -> tuple[tuple[Evidence, ...], bool]:
    """The evidence that a quote gives, and whether it stands where the model said.

    A quote with "…" in it is several. One that stands in another passage is located there and
    still counts as not found. An unknown or unnamed passage means any.
    """
    parts = [part for part in _ELLIPSIS.split(text.strip(_AROUND)) if part.strip(_AROUND)]
    found = [_evidence(part, rank, texts) for part in parts]
    return tuple(evidence for evidence, _ in found), all(right for _, right in found)


def _evidence(quote: str, rank: int | None, texts: Sequence[TextToScore]) -> tuple[Evidence, bool]:
    if len(texts) == 1 and texts[0].rank is None:
        rank = None
    named = [t for t in texts if t.rank == rank]
    for candidate in (*named, *(t for t in texts if t.rank != rank)):
        place = locate(quote, candidate.text)
        if place is not None:
            words = candidate.text[place.start : place.end]
            right = candidate in named or rank is None
            return Evidence(candidate.rank, place.start, place.end, words, located=True), right
    return Evidence(rank, None, None, quote, located=False), False


def _word_for_word(wanted: str, text: str) -> Place | None:
    start = text.find(wanted)
    if start >= 0 and _stands_alone(text, start, start + len(wanted)):
        return Place(start, start + len(wanted))
    for match in _folded(wanted).finditer(_plain(text)):
        if _stands_alone(text, *match.span()):
            return Place(*match.span())
    return None


def _plain(text: str) -> str:
    """The text with one kind of quotation marks and dashes, in its own length."""
    return text if text.isascii() and "`" not in text else text.translate(_SAME)


@lru_cache(maxsize=64)
def _folded(wanted: str) -> re.Pattern[str]:
    """Finds a quote with blanks, case and kinds of quotation marks aside; kept for a moment, since
    it is looked for in every passage."""
    words = map(re.escape, _plain(wanted).split())
    return re.compile(r"\s+".join(words), re.IGNORECASE)


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether it is not a part of a longer word; scripts without blanks have no such parts."""
    before, after = text[max(0, start - 1) : start + 1], text[end - 1 : end + 1]
    return not _INSIDE.match(before) and not _INSIDE.match(after)


_LETTER = r"[0-9A-Za-z\u00c0-\u024f\u0370-\u052f]"
_INSIDE = re.compile(rf"{_LETTER}{{2}}")


def _with_slips(wanted: str, text: str) -> Place | None:
    """The stretch that is most like the quote, if it is like enough and long enough, and says
    neither another number nor the opposite."""
    short = len(wanted.split()) < FEWEST_WORDS and len(wanted) < 4 * FEWEST_WORDS
    if short or len(wanted) * len(text) > MOST_WORK:
        return None
    found = fuzz.partial_ratio_alignment(_small(wanted), _small(text), score_cutoff=ALIKE)
    if found is None or found.src_end - found.src_start < COVERED * len(wanted):
        return None
    start, end = _to_word_ends(text, found.dest_start, found.dest_end)
    return Place(start, end) if _says_the_same(wanted, text[start:end]) else None


def _says_the_same(wanted: str, stretch: str) -> bool:
    """Whether the numbers of the quote stand in the stretch, and as many negations."""
    new_numbers = set(_NUMBER.findall(wanted)) - set(_NUMBER.findall(stretch))
    return not new_numbers and len(_NOT.findall(wanted)) == len(_NOT.findall(stretch))


def _small(text: str) -> str:
    """Small letters, where that changes no offset."""
    small = text.casefold()
    return small if len(small) == len(text) else text


def _to_word_ends(text: str, start: int, end: int) -> tuple[int, int]:
    """The stretch without blanks around it, a torn word at either end taken in or left out by
    which of its parts is longer."""
    before, after = _torn(text, start)
    start = start - before if after >= before else start + after
    before, after = _torn(text, end)
    end = end - before if after > before else end + after
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())


def _torn(text: str, place: int) -> tuple[int, int]:
    """How many letters of one word stand before and after a place; zeros between two words."""
    before = _LETTERS_BEFORE.search(text, max(0, place - _LONGEST_WORD), place)
    after = _LETTERS.match(text, place)
    if before is None or after is None:
        return 0, 0
    return len(before[0]), len(after[0])


_LONGEST_WORD = 60
_LETTERS = re.compile(rf"{_LETTER}+")
_LETTERS_BEFORE = re.compile(rf"{_LETTER}+\Z")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NOT = re.compile(r"\b(?:not|no|never|nor|without|cannot)\b|n['’]t\b", re.IGNORECASE)

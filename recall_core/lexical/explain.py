"""Sentences and evidence for people, built from a screening."""

from __future__ import annotations

from collections.abc import Sequence

from recall_core.lexical.screening import Screening
from recall_core.types import Evidence

SHOWN = 8
"""How many missing words a sentence names before it counts the rest."""


def explain(screening: Screening, ranks: Sequence[int | None], noun: str) -> str:
    """One or two sentences: what was found and where, and which words and numbers are missing.

    `ranks` name the texts that were screened: a retrieved passage's rank, `None` the actual
    output. `noun` is what the unit is called ("passage").
    """
    sentences = screening.sentences
    if not sentences:
        return f"Lexical screen: this {noun} has no word or number that could be compared."
    where = named_texts([ranks[p.text] for p in screening.places])
    if where and all(s.verbatim for s in sentences):
        return f"Lexical screen: this {noun} stands word for word in {where}."
    found, content = sum(s.found for s in sentences), sum(s.content for s in sentences)
    terms = "words or character pairs" if any(s.pairs for s in sentences) else "content words"
    counted = f"{found} of this {noun}'s {content} {terms}"
    likely = f"probability {screening.probability:.2f}"
    if not where:
        return (
            f"Lexical screen: {counted} stand together in one place, too few to count ({likely})."
        )
    first = f"Lexical screen: {counted} stand in {where} ({likely})."
    missing = _missing(screening)
    if missing:
        return f"{first} Missing there: {missing}."
    return f"{first} Their order or the small words between them differ."


def evidence_of(
    screening: Screening, texts: Sequence[str], ranks: Sequence[int | None]
) -> tuple[Evidence, ...]:
    """The places that support the unit, quoted from the original text."""
    return tuple(
        Evidence(ranks[p.text], p.start, p.end, texts[p.text][p.start : p.end], located=True)
        for p in screening.places
    )


def _missing(screening: Screening) -> str:
    words = list(dict.fromkeys(w for s in screening.sentences for w in s.missing))
    numbers = list(dict.fromkeys(n for s in screening.sentences for n in s.missing_numbers))
    parts = []
    if words:
        parts.append(_listed([f"“{w}”" for w in words]))
    if numbers:
        parts.append(("the number " if len(numbers) == 1 else "the numbers ") + _listed(numbers))
    return "; ".join(parts)


def _listed(items: Sequence[str]) -> str:
    rest = len(items) - SHOWN
    return ", ".join(items[:SHOWN]) + (f" and {rest} more" if rest > 0 else "")


def named_texts(ranks: Sequence[int | None]) -> str:
    """What people call the texts: "retrieved passages 1 and 3", or "the actual output"."""
    numbers = sorted({rank for rank in ranks if rank is not None})
    if not numbers:
        return "the actual output" if ranks else ""
    *before, last = map(str, numbers)
    if not before:
        return f"retrieved passage {last}"
    return f"retrieved passages {', '.join(before)} and {last}"

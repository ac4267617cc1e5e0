"""The best match of each expected context by string distance: exact, and with little work.

Similarity is `1 - normalized distance` of rapidfuzz, over Unicode code points, without
lower-casing, stripping or normalising: the numbers equal those of a plain loop over all pairs.
What makes it fast is that a pair which cannot beat the best found so far is given up early.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from rapidfuzz.distance import Hamming, Jaro, JaroWinkler, Levenshtein

DistanceMeasure: TypeAlias = Literal["levenshtein", "hamming", "jaro", "jaro_winkler"]

_DISTANCES: Mapping[DistanceMeasure, Callable[..., float]] = {
    "levenshtein": Levenshtein.normalized_distance,
    "hamming": Hamming.normalized_distance,
    "jaro": Jaro.normalized_distance,
    "jaro_winkler": JaroWinkler.normalized_distance,
}


@dataclass(frozen=True, slots=True)
class BestMatch:
    """The context most similar to one expected context.

    `position` counts from 0 in the contexts as given; of equally similar ones it is the first.
    `similarity` is from 0 to 1 and exact, also where it is too low to count as a match.
    """

    position: int
    similarity: float


def best_matches(
    expected: Sequence[str], contexts: Sequence[str], measure: DistanceMeasure = "levenshtein"
) -> tuple[BestMatch, ...]:
    """One best match an expected text, in order; `contexts` must not be empty."""
    return tuple(_best_match(text, contexts, _DISTANCES[measure]) for text in expected)


def _best_match(text: str, contexts: Sequence[str], distance: Callable[..., float]) -> BestMatch:
    best, least = 0, 1.0
    for position in _likeliest_first(text, contexts):
        found = distance(text, contexts[position], score_cutoff=least)
        if found < least or (found == least and position < best):
            best, least = position, found
    return BestMatch(best, 1 - least)


def _likeliest_first(text: str, contexts: Sequence[str]) -> list[int]:
    length = len(text)
    return sorted(range(len(contexts)), key=lambda p: abs(len(contexts[p]) - length))

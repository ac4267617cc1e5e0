"""The best match of each expected context by string distance: exact, and with little work.

Similarity is `1 - normalized distance` of rapidfuzz, over Unicode code points, without
lower-casing, stripping or normalising: the numbers equal those of a plain loop over all pairs.
Two things make it fast. A pair that cannot reach the best found so far is given up early, and the
likeliest pairs come first so that this limit is tight soon. And the work happens in `cdist`, which
lets other threads run meanwhile, as rapidfuzz's single scorers do not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from rapidfuzz.distance import Hamming, Jaro, JaroWinkler, Levenshtein
from rapidfuzz.process import cdist

DistanceMeasure: TypeAlias = Literal["levenshtein", "hamming", "jaro", "jaro_winkler"]

_DISTANCES: Mapping[DistanceMeasure, Callable[..., float]] = {
    "levenshtein": Levenshtein.normalized_distance,
    "hamming": Hamming.normalized_distance,
    "jaro": Jaro.normalized_distance,
    "jaro_winkler": JaroWinkler.normalized_distance,
}

SLACK = 1e-6
"""rapidfuzz keeps a cut-off in single precision, so a distance equal to it may count as beyond."""

FIRST_BATCHES = (1, 2)
"""How many candidates are tried at once, the likeliest first; then all the others together."""


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
    texts = list(contexts)
    return tuple(_best_match(text, texts, _DISTANCES[measure]) for text in expected)


def first_similar(
    text: str, contexts: Sequence[str], measure: DistanceMeasure = "levenshtein", *, above: float
) -> int | None:
    """The position of the first context whose similarity is above this; `None` if none is."""
    if not contexts:
        return None
    distances = cdist(
        [text],
        list(contexts),
        scorer=_DISTANCES[measure],
        score_cutoff=min(1.0, 1 - above + SLACK),
        dtype=np.float64,
    )
    similar = (1 - found > above for found in distances[0].tolist())
    return next((position for position, is_so in enumerate(similar) if is_so), None)


def _best_match(text: str, contexts: list[str], distance: Callable[..., float]) -> BestMatch:
    if text in contexts:
        return BestMatch(contexts.index(text), 1.0)
    best, least = 0, 1.0
    for batch in _likeliest_first(text, contexts):
        distances = cdist(
            [text],
            [contexts[position] for position in batch],
            scorer=distance,
            score_cutoff=min(1.0, least + SLACK),
            dtype=np.float64,
        )
        for position, found in zip(batch, distances[0].tolist(), strict=True):
            if (found, position) < (least, best):
                best, least = position, found
    return BestMatch(best, 1 - least)


def _likeliest_first(text: str, contexts: list[str]) -> Iterator[list[int]]:
    """All positions in batches, those of about the same length as `text` first."""
    length = len(text)
    order = sorted(range(len(contexts)), key=lambda position: abs(len(contexts[position]) - length))
    for size in (*FIRST_BATCHES, len(order)):
        if order:
            yield order[:size]
        order = order[size:]

"""The logistic rule: how likely people are to call one sentence of a unit present in a window.

The weights were fitted to votes of people on single content units (REALSumm); they are constants,
and `SCREEN_VERSION` goes up with every change that moves a probability or a grade.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq

from recall_core.lexical.text import Sentence, Window

SCREEN_VERSION = 1

CONTENT_FOUND = 2.122
"""Share of the sentence's distinct content stems that stand in the window."""
ALL_FOUND = 1.282
"""Share of all its stems that do."""
IN_ORDER = 0.764
"""Longest common subsequence with any one sentence of the window, over the sentence's length."""
BIGRAMS_FOUND = 0.173
"""Share of its pairs of neighbouring stems that stand together in the window."""
NUMBERS_MISSING = -1.038
"""Share of its numbers that the window lacks; 0 without numbers."""
CAPITALISED_MISSING = -0.342
"""Share of its capitalised words, the first word aside, that the window lacks; 0 without."""
CONTENT_MISSING = -0.173
"""How many content stems the window lacks, scaled down as if there were at most eight."""
CONTENT_COUNT = -0.052
"""How many content stems there are, at most eight."""
INTERCEPT = -1.979
LONGEST_COUNTED = 8


@dataclass(frozen=True, slots=True)
class Best:
    """The window that supports a sentence best (an index), and how likely it is to count."""

    window: int
    probability: float


def best_window(sentence: Sentence, windows: Sequence[Window]) -> Best | None:
    """The window of highest probability, the first of equals; `None` without windows.

    Word order is the costly feature and never adds more than the share of stems found, so windows
    are tried from the most promising on, and those that cannot win any more are not compared.
    """
    ceilings = [_evidence(sentence, w, _most_in_order) for w in windows]
    best: Best | None = None
    for i in sorted(range(len(windows)), key=lambda i: (-ceilings[i], i)):
        if best and ceilings[i] < best.probability:
            break
        exact = _evidence(sentence, windows[i], _in_order)
        if best is None or (exact, -i) > (best.probability, -best.window):
            best = Best(i, exact)
    return best and Best(best.window, 1 / (1 + math.exp(-best.probability)))


def probability(sentence: Sentence, window: Window) -> float:
    """How likely people are to call the sentence present in the window, by the logistic rule."""
    return 1 / (1 + math.exp(-_evidence(sentence, window, _in_order)))


def _evidence(
    sentence: Sentence, window: Window, in_order: Callable[[Sentence, Window, float], float]
) -> float:
    """The logit of the probability."""
    stems = window.stems
    everything = _share(sentence.stems, stems, empty=0.0)
    content = sentence.content
    missing = sum(stem not in stems for stem in content)
    count = min(len(content), LONGEST_COUNTED)
    found = 1 - missing / len(content) if content else everything
    return (
        INTERCEPT
        + CONTENT_FOUND * found
        + ALL_FOUND * everything
        + in_order(sentence, window, everything)
        + NUMBERS_MISSING * (1 - _share(sentence.numbers, stems, empty=1.0))
        + CAPITALISED_MISSING * (1 - _share(sentence.capitalised, stems, empty=1.0))
        + CONTENT_MISSING * (missing * count / len(content) if content else 0)
        + CONTENT_COUNT * count
    )


def _most_in_order(sentence: Sentence, window: Window, everything: float) -> float:
    """The most that word order can add where this share of the stems was found."""
    return (IN_ORDER + BIGRAMS_FOUND) * everything if everything else 0.0


def _in_order(sentence: Sentence, window: Window, everything: float) -> float:
    if not everything:
        return 0.0
    longest = max(LCSseq.similarity(sentence.stems, other) for other in window.sentences)
    bigrams = sentence.bigrams
    pairs = sum(b in window.bigrams for b in bigrams) / len(bigrams) if bigrams else everything
    return IN_ORDER * longest / len(sentence.stems) + BIGRAMS_FOUND * pairs


def _share(wanted: Sequence[str], known: frozenset[str], *, empty: float) -> float:
    return sum(stem in known for stem in wanted) / len(wanted) if wanted else empty

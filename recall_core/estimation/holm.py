"""Several comparisons at once."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Each p value raised so that the chance of any false alarm stays the same (Holm, 1979)."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for place, i in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - place) * p_values[i]))
        adjusted[i] = highest
    return tuple(adjusted)


def bonferroni(confidence: float, comparisons: int) -> float:
    """The confidence of each of several intervals that are all to be right at once."""
    return 1 - (1 - confidence) / max(1, comparisons)

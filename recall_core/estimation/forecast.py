"""How many more audit reviews would buy how narrow an interval."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from recall_core.estimation.formulas import t_quantile
from recall_core.estimation.values import AUDIT_REVIEWS, Estimate, Spread

FEWEST_FOR_FORECAST = 10
_STEPS = (2, 1, 0.5, 0.4, 0.3, 0.25, 0.2, 0.15, 0.1, 0.05, 0.02)
"""Half-widths that people would ask for, in grades."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """`more` audit reviews bring the interval to `half_width` on each side, as far as one can tell
    from those so far. `more` is `None` where that cannot be told, or not be reached by them.
    """

    half_width: float
    more: int | None
    sentence: str


def forecast(estimate: Estimate, half_width: float, *, reviews: str = AUDIT_REVIEWS) -> Forecast:
    """What it takes to narrow the interval to `half_width` on each side."""
    aim = f"±{half_width:.2f}"
    spread = estimate.spread
    if estimate.half_width <= half_width or spread is None:
        return Forecast(half_width, 0, f"{aim} is reached.")
    if spread.n < FEWEST_FOR_FORECAST:
        missing = FEWEST_FOR_FORECAST - spread.n
        return Forecast(
            half_width, None, f"How many it takes to reach {aim} can be told after {missing} more."
        )
    n = _reviews_for(spread, half_width, estimate.confidence)
    if n is None:
        return Forecast(half_width, None, f"More {reviews}s alone cannot reach {aim}.")
    more = max(1, n - spread.n)
    return Forecast(half_width, more, f"{more} more {reviews}{'s' * (more > 1)} to reach {aim}")


def next_half_width(estimate: Estimate, grade: float) -> float:
    """The next narrower interval that is worth asking for."""
    steps = [step * grade for step in _STEPS]
    return next((s for s in steps if s < 0.9 * estimate.half_width), steps[-1])


def _reviews_for(spread: Spread, half_width: float, confidence: float) -> int | None:
    """The smallest number of reviews that gives the half-width, found by halving: t falls with it
    as well. It solves n = n0 / (1 + n0 / N) with n0 = (t * s / half_width)^2.
    """
    low, high = spread.n, spread.of
    if _half_width_at(high, spread, confidence) > half_width:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if _half_width_at(middle, spread, confidence) <= half_width:
            high = middle
        else:
            low = middle
    return high


def _half_width_at(n: int, spread: Spread, confidence: float) -> float:
    """With all of them reviewed, only what such reviews do not change is left."""
    sampling = (1 - n / spread.of if spread.finite else float(n < spread.of)) * spread.residual / n
    se = sqrt(spread.weight**2 * sampling + spread.other)
    return t_quantile(n - 1, confidence) * se + spread.width / 2

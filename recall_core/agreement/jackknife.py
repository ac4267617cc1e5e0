"""Intervals by leaving out one example at a time.

Units of one example are alike: the same text, the same reader, the same misunderstanding. An
interval that takes them for independent is far too narrow, so every interval of agreement comes
from how much a figure changes when one whole example is left out.

Figures are made from sums, and sums over all but one example are the whole less that one. So a
figure takes arrays whose last axes are the sums, and gives NaN where it is not defined.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt, tanh
from typing import TypeAlias

import numpy as np

from recall_core.estimation.formulas import Floats, t_quantile

Figure: TypeAlias = Callable[[Floats], Floats]
Interval: TypeAlias = tuple[float, float]


def value_of(figure: Figure, sums: Floats) -> float | None:
    """The figure over all examples (the first axis of `sums`); `None` where it is not defined."""
    value = float(figure(sums.sum(axis=0)))
    return None if np.isnan(value) else value


def jackknife_interval(
    figure: Figure,
    sums: Floats,
    *,
    confidence: float = 0.95,
    bounds: Interval | None = None,
    coefficient: bool = False,
) -> Interval | None:
    """The interval of the figure, within `bounds`.

    A `coefficient` between -1 and 1 has it on the scale of its inverse hyperbolic tangent,
    where errors are more even; at 1 and -1 there is none. There is none either at one of the
    `bounds`, for a figure that no example moves says nothing of its own error, nor where the figure
    is not defined, or is not without one of the examples.
    """
    n = len(sums)
    total = sums.sum(axis=0)
    values = np.append(figure(total - sums), figure(total))
    if n < 2 or np.isnan(values).any() or _at_an_end(float(values[-1]), bounds):
        return None
    if coefficient:
        if np.abs(values).max() >= 1 - 1e-12:
            return None
        values = np.arctanh(values)
    without, whole = values[:-1], float(values[-1])
    variance = (n - 1) / n * float(((without - without.mean()) ** 2).sum())
    half = t_quantile(n - 1, confidence) * sqrt(variance)
    low, high = whole - half, whole + half
    if coefficient:
        return tanh(low), tanh(high)
    return (low, high) if bounds is None else (max(bounds[0], low), min(bounds[1], high))


def _at_an_end(value: float, bounds: Interval | None) -> bool:
    return bounds is not None and min(abs(value - bound) for bound in bounds) < 1e-12

"""The formulas, on plain arrays. `docs/how-far-to-trust-a-score.md` says where they come from.

`human` and `judge` are the finals of the reviewed sample, one an example; the last axis is the
sample, so that a simulation can hand over thousands of samples at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats: TypeAlias = NDArray[np.float64]

PRIOR_WEIGHT = 0.7
PRIOR_REVIEWS = 10
"""The judge's weight before any review, and how many reviews that opinion is worth."""


@dataclass(frozen=True, slots=True)
class SampledMean:
    """An estimated mean, its variance, and the residual variance (guard included) behind it."""

    mean: Floats
    variance: Floats
    residual: Floats


def judge_weight(human: Floats, judge: Floats) -> Floats:
    """How far the judge's finals are to be believed: the slope of `human` on `judge`, kept within
    0 to 1 and drawn towards `PRIOR_WEIGHT` as long as there are few reviews.
    """
    n = human.shape[-1]
    off = judge - judge.mean(axis=-1, keepdims=True)
    spread = (off**2).sum(axis=-1)
    shared = (off * human).sum(axis=-1)
    varies = spread > 1e-12 * max(n - 1, 1)
    slope = np.where(varies, shared / np.where(varies, spread, 1.0), 0.0)
    fitted: Floats = np.clip(slope, 0.0, 1.0)
    weight: Floats = (n * fitted + PRIOR_REVIEWS * PRIOR_WEIGHT) / (n + PRIOR_REVIEWS)
    return weight


def predicted_mean(human: Floats, judge: Floats, judge_mean: Floats, weight: Floats) -> Floats:
    """The judge's mean over all examples times its weight, plus what it leaves unexplained on the
    reviewed ones.
    """
    residual: Floats = human - np.asarray(weight)[..., None] * judge
    mean: Floats = weight * judge_mean + residual.mean(axis=-1)
    return mean


def guarded_mean(
    human: Floats, judge: Floats, judge_mean: Floats, of: int, grade: float
) -> SampledMean:
    """The guarded prediction-powered mean of `of` examples (two or more of them reviewed).

    The guard adds two squared grades to the sum of squares: a handful of reviews that happen to
    agree with the judge would otherwise claim that it is never wrong.
    """
    n = human.shape[-1]
    weight = judge_weight(human, judge)
    errors = human - weight[..., None] * judge
    squares = ((errors - errors.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1)
    residual = (squares + 2 * grade**2) / (n - 1)
    mean = predicted_mean(human, judge, judge_mean, weight)
    return SampledMean(mean, (1 - n / of) * residual / n, residual)


@dataclass(frozen=True, slots=True)
class DrawsInOrder:
    """Audit draws in the order of drawing, and what was known before each.

    `human` and `judge` are the drawn examples' finals. Before each draw `known_sum` is the sum of
    people's finals so far, `left` how many examples were unreviewed, and `left_judge_sum` the sum
    of the judge's finals over those.
    """

    human: Floats
    judge: Floats
    known_sum: Floats
    left: Floats
    left_judge_sum: Floats


def des_raj_mean(
    draws: DrawsInOrder, *, of: int, grade: float, weight: float = PRIOR_WEIGHT
) -> SampledMean:
    """The mean of `of` examples from two or more draws that were each uniform over what was left,
    whatever people chose to review in between.

    Each draw makes an estimate of its own; they are uncorrelated, so their mean has a variance that
    can be read off their spread (Des Raj, 1956). The guard weighs as much as what was left to draw
    from, squared and averaged over the draws.
    """
    m = draws.human.shape[-1]
    guess = draws.left * (draws.human - weight * draws.judge)
    single = (draws.known_sum + weight * draws.left_judge_sum + guess) / of
    mean = single.mean(axis=-1)
    squares = ((single - mean[..., None]) ** 2).sum(axis=-1)
    guard = 2 * grade**2 * ((draws.left / of) ** 2).mean(axis=-1)
    residual = (squares + guard) / (m - 1)
    return SampledMean(mean, residual / m, residual)


def t_quantile(df: int, confidence: float) -> float:
    """How many standard errors each side of a two-sided interval is long."""
    return float(special.stdtrit(df, (1 + confidence) / 2))


def two_sided_p(t: float, df: int) -> float:
    """How often chance alone brings a t statistic at least so far from 0."""
    return float(2 * special.stdtr(df, -abs(t)))

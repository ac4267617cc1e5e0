"""Figures of agreement between two scores of the same units, made from sums over these units.

Every figure takes an array whose last axis holds the sums of `sums_of`, so that it can be had for
all examples and for all but one at once. It is NaN where it is not defined. The formulas and their
sources are in `docs/how-far-to-trust-a-score.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

import numpy as np

from recall_core.estimation.formulas import Floats

_NOTHING = 1e-12


class Sum(IntEnum):
    """What is summed over units, j being the judge's score and h the person's."""

    UNITS = 0
    OFF = 1  # j - h
    FAR = 2  # |j - h|
    FAR_SQUARED = 3  # (j - h)^2
    SAME = 4  # 1 where j = h
    NEAR = 5  # 1 where |j - h| <= 1
    JUDGE = 6
    HUMAN = 7
    JUDGE_SQUARED = 8
    HUMAN_SQUARED = 9
    BOTH_YES = 10  # j where h = 1
    YES = 11  # 1 where h = 1


def sums_of(judge: Floats, human: Floats, example: Sequence[int], examples: int) -> Floats:
    """The sums of each example, one row an example; `example` says where each unit belongs."""
    off = judge - human
    yes = human == 1
    columns = (
        np.ones_like(off),
        off,
        np.abs(off),
        off**2,
        off == 0,
        np.abs(off) <= 1,
        judge,
        human,
        judge**2,
        human**2,
        judge * yes,
        yes,
    )
    sums: Floats = np.zeros((examples, len(Sum)))
    np.add.at(sums, np.asarray(example, dtype=int), np.stack(columns, axis=-1).astype(float))
    return sums


def bias(sums: Floats) -> Floats:
    """How much more the judge gives than people, on average."""
    return _ratio(sums[..., Sum.OFF], sums[..., Sum.UNITS])


def mean_absolute_error(sums: Floats) -> Floats:
    """How far the two scores are apart, on average."""
    return _ratio(sums[..., Sum.FAR], sums[..., Sum.UNITS])


def exact_share(sums: Floats) -> Floats:
    """The share of units with the same score."""
    return _ratio(sums[..., Sum.SAME], sums[..., Sum.UNITS])


def within_one_share(sums: Floats) -> Floats:
    """The share of units whose scores are at most one grade apart."""
    return _ratio(sums[..., Sum.NEAR], sums[..., Sum.UNITS])


def quadratic_kappa(sums: Floats) -> Floats:
    """Agreement beyond chance, a difference counting by its square (Cohen, 1968).

    For yes and no it is Cohen's kappa. Not defined where both only ever give one and the same
    score.
    """
    n = sums[..., Sum.UNITS]
    j_mean, h_mean = _ratio(sums[..., Sum.JUDGE], n), _ratio(sums[..., Sum.HUMAN], n)
    j_variance = _ratio(sums[..., Sum.JUDGE_SQUARED], n) - j_mean**2
    h_variance = _ratio(sums[..., Sum.HUMAN_SQUARED], n) - h_mean**2
    by_chance = j_variance + h_variance + (j_mean - h_mean) ** 2
    return 1 - _ratio(_ratio(sums[..., Sum.FAR_SQUARED], n), by_chance)


def sensitivity(sums: Floats) -> Floats:
    """Of the units that people find present, the share that the judge does; yes is 1."""
    return _ratio(sums[..., Sum.BOTH_YES], sums[..., Sum.YES])


def specificity(sums: Floats) -> Floats:
    """Of the units that people find absent, the share that the judge does."""
    absent = sums[..., Sum.UNITS] - sums[..., Sum.YES]
    wrong = sums[..., Sum.JUDGE] - sums[..., Sum.BOTH_YES]
    return 1 - _ratio(wrong, absent)


def gwet_ac1(sums: Floats) -> Floats:
    """Gwet's AC1 (2008) for yes and no: agreement beyond chance that keeps its meaning where one
    answer is rare.
    """
    yes = _ratio(sums[..., Sum.JUDGE] + sums[..., Sum.HUMAN], 2 * sums[..., Sum.UNITS])
    chance = 2 * yes * (1 - yes)
    return (exact_share(sums) - chance) / (1 - chance)


def _ratio(top: Floats, bottom: Floats) -> Floats:
    there = bottom > _NOTHING
    ratio: Floats = np.where(there, top / np.where(there, bottom, 1.0), np.nan)
    return ratio

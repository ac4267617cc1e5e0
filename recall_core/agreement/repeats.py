"""How well a judge agrees with itself when it is asked again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from recall_core.agreement.measures import FEWEST


@dataclass(frozen=True, slots=True)
class SelfAgreement:
    """A judge's finals of the same examples, asked several times.

    `spread` is the standard deviation within an example, `same` the share of examples whose finals
    were all the same, `icc` how much of the variance is between examples: ICC(1) of a one-way
    layout (Shrout and Fleiss, 1979).
    """

    examples: int
    repeats: float
    """How many finals an example has, on average."""
    spread: float | None
    same: float | None
    icc: float | None
    sentence: str


def self_agreement(finals: Sequence[Sequence[float]]) -> SelfAgreement:
    """From the finals of each example; those asked only once do not count."""
    groups = [group for group in finals if len(group) > 1]
    n = len(groups)
    if n == 0:
        return SelfAgreement(
            0, 1.0, None, None, None, "Not defined: the judge was asked once. Repeats would tell."
        )
    total = sum(map(len, groups))
    if n < FEWEST:
        said = f"{n} examples judged again, {FEWEST} are needed: too few to say."
        return SelfAgreement(n, total / n, None, None, None, said)
    within = sum((x - _mean(group)) ** 2 for group in groups for x in group) / (total - n)
    same = sum(len(set(group)) == 1 for group in groups) / n
    said = (
        f"Asked again, the judge gives the very same final on {100 * same:.0f} % of examples. "
        "At temperature 0 that says little, and agreeing with itself is not being right."
    )
    return SelfAgreement(n, total / n, sqrt(within), same, _icc(groups, within), said)


def _icc(groups: Sequence[Sequence[float]], within: float) -> float | None:
    """`None` where all finals are the same."""
    n, total = len(groups), sum(map(len, groups))
    grand = sum(x for group in groups for x in group) / total
    between = sum(len(g) * (_mean(g) - grand) ** 2 for g in groups) / (n - 1)
    size = (total - sum(len(g) ** 2 for g in groups) / total) / (n - 1)
    bottom = between + (size - 1) * within
    return None if bottom == 0 else (between - within) / bottom


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)

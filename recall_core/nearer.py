"""Which of two judges is nearer to people, on units that both have judged and people have reviewed.

One decision of a person serves every judge that judged the same text. A new version of a prompt is
held against the old one on units that nobody learned from (`recall_core.held_out`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from recall_core.agreement.figures import mean_absolute_error, sums_of
from recall_core.agreement.jackknife import Interval, jackknife_interval
from recall_core.agreement.measures import FEWEST
from recall_core.calibration import ScoredUnit
from recall_core.estimation.formulas import Floats


def unit_place(unit: ScoredUnit) -> Hashable:
    """What two judges' verdicts on the same text have in common, and the person who scored it."""
    return unit.example, unit.unit, unit.text, unit.reviewer


@dataclass(frozen=True, slots=True)
class Nearer:
    """How much nearer the first judge is to people than the other: `by` is the fall in mean
    absolute error, in grades (or, for yes and no, in the share that is wrong), with its interval.
    Both are `None` below ten examples. `seen` counts units on which people had seen the first
    judge's score, which draws their own towards it.
    """

    units: int
    examples: int
    error: float | None
    other_error: float | None
    by: float | None
    interval: Interval | None
    seen: int

    @property
    def decided(self) -> bool:
        """Whether one of them is shown to be nearer."""
        return self.interval is not None and not self.interval[0] <= 0 <= self.interval[1]

    @property
    def sentence(self) -> str:
        """Which is nearer, or that it is not shown."""
        if self.by is None or self.interval is None:
            return (
                f"{self.examples} shared examples, {FEWEST} are needed: too few to say."
                if self.examples < FEWEST
                else "Not shown to be nearer to people: both err alike."
            )
        low, high = self.interval
        if low > 0:
            return f"Nearer to people by {self.by:.2f} ({low:.2f} to {high:.2f})."
        if high < 0:
            return f"Further from people by {-self.by:.2f} ({-high:.2f} to {-low:.2f})."
        return f"Not shown to be nearer to people: {self.by:+.2f} ({low:+.2f} to {high:+.2f})."


def nearer(first: Iterable[ScoredUnit], other: Iterable[ScoredUnit]) -> Nearer:
    """The first judge against the other, on the units that both have; the example is the unit of
    the interval (delete-one-example jackknife).
    """
    theirs: Mapping[Hashable, ScoredUnit] = {unit_place(unit): unit for unit in other}
    pairs = [(u, theirs[unit_place(u)]) for u in first if unit_place(u) in theirs]
    place = {e: i for i, e in enumerate(dict.fromkeys(u.example for u, _ in pairs))}
    seen = sum(not u.blind for u, _ in pairs)
    n = len(place)
    if n < FEWEST:
        return Nearer(len(pairs), n, None, None, None, None, seen)
    human = np.array([float(u.human) for u, _ in pairs])
    where = [place[u.example] for u, _ in pairs]
    sums = np.stack(
        [
            sums_of(np.array([float(pair[side].judge) for pair in pairs]), human, where, n)
            for side in (0, 1)
        ],
        axis=1,
    )
    total = sums.sum(axis=0)
    error, other_error = (float(value) for value in mean_absolute_error(total))
    interval = jackknife_interval(_fall, sums)
    return Nearer(len(pairs), n, error, other_error, other_error - error, interval, seen)


def _fall(sums: Floats) -> Floats:
    """The other's error less the first's; the last axes are (judge, sum)."""
    errors = mean_absolute_error(sums)
    fall: Floats = errors[..., 1] - errors[..., 0]
    return fall

"""When reviewing may stop without any statistics: what unreviewed units could still do to the mean.

Every unit that no person has decided on may turn out to be at either end of its scale. The final of
an example never falls when a unit's score rises, so the two ends of all units together give the
lowest and the highest final it can have, and their means the reach of the run's mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from recall_core.results import Status
from recall_core.scoring import FINAL_RANGE, SCALES, printed, trace
from recall_core.types import EffectiveScore, Formula, Rounding, UnitKind


@dataclass(frozen=True, slots=True)
class Reach:
    """The lowest and the highest value that something can still have."""

    lowest: Fraction
    highest: Fraction

    @property
    def width(self) -> Fraction:
        return self.highest - self.lowest


def reach_of(
    formula: Formula, rounding: Rounding, status: Status, effective: Sequence[EffectiveScore]
) -> Reach | None:
    """The finals that one example can still have; `None` where it is out of the mean for good.

    That is an example which the judge skipped, in which nothing was expected, or of which people
    have excluded all there was to divide by.
    """
    if status is Status.SKIPPED or not effective:
        return None
    ends = [_final(formula, rounding, effective, highest) for highest in (False, True)]
    lowest, highest = ends
    return None if lowest is None or highest is None else Reach(lowest, highest)


def _final(
    formula: Formula, rounding: Rounding, effective: Sequence[EffectiveScore], highest: bool
) -> Fraction | None:
    units = [
        (e.state.kind, e.ref.label, _score(e, highest)) for e in effective if not e.state.excluded
    ]
    excluded = len(effective) - len(units)
    return trace(formula, units, rounding=rounding, excluded=excluded).final


def _score(effective: EffectiveScore, highest: bool) -> Fraction:
    if effective.reviewed and effective.state.score is not None:
        return effective.state.score
    return _end(effective.state.kind, highest)


def _end(kind: UnitKind, highest: bool) -> Fraction:
    scale = SCALES[kind]
    return Fraction(scale.highest if highest else scale.lowest)


@dataclass(frozen=True, slots=True)
class StopRule:
    """How far the run's mean can still go, and whether it can cross a mark.

    The reach is over `n` examples: those that have a final or can get one. `decided` is `None`
    without a mark; else it says that the mean is on one side of it for good.
    """

    reach: Reach | None
    n: int
    open_examples: int
    """How many of them hold a unit that no person has decided on."""
    mark: Fraction | None
    decided: bool | None
    sentence: str

    @property
    def ends(self) -> tuple[str, str] | None:
        """The reach as people read it: rounded to the outside, so that neither end is too near."""
        if self.reach is None:
            return None
        return _ends(self.reach, self.mark if self.decided else None)


def stop_rule_of(
    counted: Iterable[tuple[Reach, int]], formula: Formula, *, left: int, mark: Fraction | None
) -> StopRule:
    """The rule for a run: (reach of an example, how often it occurs), and how many are `left`.

    Examples that are still to be judged may get any final of the scale.
    """
    pairs = [*counted, (Reach(*FINAL_RANGE[formula]), left)]
    n = sum(count for _, count in pairs)
    open_examples = sum(count for reach, count in pairs if reach.width)
    if n == 0:
        return StopRule(None, 0, 0, mark, None, "No example has a final, or can get one.")
    lowest = sum((reach.lowest * count for reach, count in pairs), Fraction(0)) / n
    highest = sum((reach.highest * count for reach, count in pairs), Fraction(0)) / n
    reach = Reach(lowest, highest)
    decided = None if mark is None else lowest >= mark or highest < mark
    return StopRule(reach, n, open_examples, mark, decided, _sentence(reach, mark, decided))


def _sentence(reach: Reach, mark: Fraction | None, decided: bool | None) -> str:
    if reach.width == 0:
        return f"Every unit is reviewed: the mean is {printed(reach.lowest)}."
    ends = f"between {' and '.join(_ends(reach, mark if decided else None))}"
    if mark is None:
        return f"Unreviewed units can still bring the mean anywhere {ends}."
    if decided:
        return (
            f"No unreviewed example can move this run across {_two(mark)}: whatever people say, "
            f"its mean ends {ends}."
        )
    return (
        f"Unreviewed units can still move this run across {_two(mark)}: its mean can end anywhere "
        f"{ends}."
    )


def _ends(reach: Reach, mark: Fraction | None) -> tuple[str, str]:
    """Both ends, rounded to the outside, with so many decimals that neither seems to cross."""
    for places in range(2, 8):
        unit = Fraction(1, 10**places)
        low, high = unit * floor(reach.lowest / unit), unit * ceil(reach.highest / unit)
        if mark is None or low >= mark or high < mark:
            break
    return f"{float(low):.{places}f}", f"{float(high):.{places}f}"


def _two(value: Fraction) -> str:
    return f"{float(value):.2f}"

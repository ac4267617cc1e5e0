"""From a probability to a grade on the unit's scale; `SCREEN_VERSION` covers these cuts too."""

from __future__ import annotations

from fractions import Fraction

from recall_core.types import UnitKind

CUTS = (0.2, 0.4, 0.6, 0.8)
"""Probabilities from which a passage gets 2, 3, 4 and 5; below the first it gets 1."""
NO_BONUS_BELOW = 0.1
YES_FROM = 0.5


def unit_grade(kind: UnitKind, probability: float) -> Fraction:
    """The whole grade: essential 1 to 5, bonus 0 to 5, everything else 1 (yes) or 0 (no)."""
    if kind not in (UnitKind.ESSENTIAL, UnitKind.BONUS):
        return Fraction(probability >= YES_FROM)
    if kind is UnitKind.BONUS and probability < NO_BONUS_BELOW:
        return Fraction(0)
    return Fraction(1 + sum(probability >= cut for cut in CUTS))


def continuous_grade(kind: UnitKind, probability: float) -> float:
    """The grade before the cuts, on the same scale: 1 + 4p, 5p, or p."""
    if kind is UnitKind.ESSENTIAL:
        return 1 + 4 * probability
    return 5 * probability if kind is UnitKind.BONUS else probability

"""How well a judge agrees with people on one kind of unit: figures with intervals and sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import floor

import numpy as np

from recall_core.agreement import figures
from recall_core.agreement.figures import Sum, sums_of
from recall_core.agreement.jackknife import Figure, Interval, jackknife_interval, value_of
from recall_core.estimation.formulas import Floats
from recall_core.scoring import SCALES
from recall_core.types import UnitKind

FEWEST = 10
"""Below so many examples no figure of agreement is shown."""
FEWEST_FOR_COLOUR = 30
"""Below so many it is shown in grey: enough for a look, not for a decision."""
RARE = 0.2
"""Below this share of all answers, yes or no counts as rare."""


@dataclass(frozen=True, slots=True)
class Rated:
    """One unit that both have scored; `example` says which units belong together."""

    example: Hashable
    judge: float
    human: float


class Name(StrEnum):
    """The measures; the value is the anchor in the docs that explains it."""

    BIAS = "bias"
    ERROR = "mean-absolute-error"
    EXACT = "exact-agreement"
    WITHIN_ONE = "within-one-agreement"
    KAPPA = "kappa"
    SENSITIVITY = "sensitivity"
    SPECIFICITY = "specificity"
    AC1 = "ac1"


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure: its value and interval, on how many units of how many examples it rests, and a
    sentence for people. Without a value the sentence says why there is none.
    """

    name: Name
    title: str
    value: float | None
    interval: Interval | None
    units: int
    examples: int
    sentence: str

    @property
    def faint(self) -> bool:
        """Whether it rests on too few examples to be more than a hint."""
        return self.examples < FEWEST_FOR_COLOUR


@dataclass(frozen=True, slots=True)
class Confusion:
    """How often each pair of scores occurs: `counts[human][judge]` by the whole `levels`.

    A score between two levels counts as the nearer one, a half as the higher.
    """

    levels: tuple[int, ...]
    counts: tuple[tuple[int, ...], ...]

    @property
    def kinder(self) -> int:
        """On how many units the judge gives more than people."""
        return sum(c for h, row in enumerate(self.counts) for j, c in enumerate(row) if j > h)

    @property
    def stricter(self) -> int:
        return sum(c for h, row in enumerate(self.counts) for j, c in enumerate(row) if j < h)


@dataclass(frozen=True, slots=True)
class Agreement:
    """A judge against people on units of one kind."""

    kind: UnitKind
    units: int
    examples: int
    confusion: Confusion
    measures: tuple[Measure, ...]
    rare: bool
    """For yes and no: whether one of the answers is rare, so that kappa says little."""

    def measure(self, name: Name) -> Measure | None:
        return next((m for m in self.measures if m.name is name), None)


def agreement_on(kind: UnitKind, rated: Iterable[Rated]) -> Agreement:
    """Every measure for units of this kind; scales are never mixed."""
    units = list(rated)
    sums = _sums(units)
    yes_no = SCALES[kind].highest == 1
    return Agreement(
        kind,
        units=len(units),
        examples=len(sums),
        confusion=confusion_of(kind, units),
        measures=tuple(_measured(m, sums) for m in (_YES_NO if yes_no else _GRADES)),
        rare=yes_no and _one_is_rare(sums),
    )


def _sums(units: Sequence[Rated]) -> Floats:
    """One row an example."""
    place = {example: i for i, example in enumerate(dict.fromkeys(u.example for u in units))}
    judge, human = (np.array([getattr(u, side) for u in units]) for side in ("judge", "human"))
    return sums_of(judge, human, [place[u.example] for u in units], len(place))


def confusion_of(kind: UnitKind, units: Iterable[Rated]) -> Confusion:
    """The table of both scores on the kind's whole levels."""
    levels = range(SCALES[kind].lowest, SCALES[kind].highest + 1)
    found = Counter((level_of(u.human), level_of(u.judge)) for u in units)
    table = tuple(tuple(found[human, judge] for judge in levels) for human in levels)
    return Confusion(tuple(levels), table)


def level_of(score: float) -> int:
    """The whole level that a score is counted at."""
    return floor(score + 0.5)


def _one_is_rare(sums: Floats) -> bool:
    answers = 2 * sums[:, Sum.UNITS].sum()
    yes = (sums[:, Sum.JUDGE] + sums[:, Sum.HUMAN]).sum() / answers if answers else 0.5
    return bool(min(yes, 1 - yes) < RARE)


@dataclass(frozen=True, slots=True)
class _Kind:
    """How a measure is made and put into words."""

    name: Name
    title: str
    figure: Figure
    words: Callable[[float], str]
    bounds: Interval | None = None
    coefficient: bool = False


def _measured(kind: _Kind, sums: Floats) -> Measure:
    n, units = len(sums), int(sums[:, Sum.UNITS].sum())
    if n < FEWEST:
        said = f"{n} reviewed, {FEWEST} are needed: too few to say, {FEWEST - n} more."
        return Measure(kind.name, kind.title, None, None, units, n, said)
    value = value_of(kind.figure, sums)
    if value is None:
        return Measure(kind.name, kind.title, None, None, units, n, _UNDEFINED[kind.name])
    interval = jackknife_interval(
        kind.figure, sums, bounds=kind.bounds, coefficient=kind.coefficient
    )
    return Measure(kind.name, kind.title, value, interval, units, n, kind.words(value))


def _bias_words(value: float) -> str:
    if abs(value) < 0.005:
        return "On average the judge gives what people give."
    way = "more" if value > 0 else "less"
    return f"On average the judge gives {abs(value):.2f} {way} than people."


def _error_words(value: float) -> str:
    return f"A single score is off by {value:.2f} of a grade on average."


def _share_error_words(value: float) -> str:
    return f"The judge's yes or no is wrong {_percent(value)} of the time."


def _kappa_words(value: float) -> str:
    return f"{value:.2f} of the way from chance agreement to perfect agreement."


def _percent(value: float) -> str:
    return f"{100 * value:.0f} %"


_SHARE = (0.0, 1.0)
_EXACT = _Kind(
    Name.EXACT,
    "Exactly the same",
    figures.exact_share,
    lambda v: f"Judge and people give the very same score {_percent(v)} of the time.",
    _SHARE,
)
_BIAS = _Kind(Name.BIAS, "Bias", figures.bias, _bias_words)
_KAPPA = _Kind(
    Name.KAPPA, "Kappa, quadratic", figures.quadratic_kappa, _kappa_words, coefficient=True
)
_GRADES = (
    _BIAS,
    _Kind(Name.ERROR, "Mean absolute error", figures.mean_absolute_error, _error_words, (0.0, 5.0)),
    _EXACT,
    _Kind(
        Name.WITHIN_ONE,
        "Within one grade",
        figures.within_one_share,
        lambda v: f"Judge and people are at most one grade apart {_percent(v)} of the time.",
        _SHARE,
    ),
    _KAPPA,
)
_YES_NO = (
    _BIAS,
    _Kind(
        Name.ERROR, "Mean absolute error", figures.mean_absolute_error, _share_error_words, _SHARE
    ),
    _EXACT,
    _Kind(
        Name.SENSITIVITY,
        "Sensitivity",
        figures.sensitivity,
        lambda v: f"Of what people find there, the judge finds {_percent(v)}.",
        _SHARE,
    ),
    _Kind(
        Name.SPECIFICITY,
        "Specificity",
        figures.specificity,
        lambda v: f"Of what people find missing, the judge calls {_percent(v)} missing.",
        _SHARE,
    ),
    _Kind(Name.KAPPA, "Kappa", figures.quadratic_kappa, _kappa_words, coefficient=True),
    _Kind(
        Name.AC1,
        "AC1",
        figures.gwet_ac1,
        lambda v: (
            f"{v:.2f} beyond chance by Gwet's AC1, which stays meaningful where yes or no is rare."
        ),
        coefficient=True,
    ),
)
_UNDEFINED: Mapping[Name, str] = {
    Name.KAPPA: "Not defined: judge and people only ever gave one and the same score.",
    Name.SENSITIVITY: "Not defined: people found none of the units there.",
    Name.SPECIFICITY: "Not defined: people found every unit there.",
}

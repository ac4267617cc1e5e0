"""How well people agree with each other: any number of them, not all on every unit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations, permutations

import numpy as np

from recall_core.agreement.figures import exact_share, quadratic_kappa, sums_of
from recall_core.agreement.jackknife import Figure, Interval, jackknife_interval, value_of
from recall_core.agreement.measures import FEWEST
from recall_core.estimation.formulas import Floats
from recall_core.scoring import SCALES
from recall_core.types import UnitKind


class Metric(StrEnum):
    """How far apart two scores are, for Krippendorff's alpha."""

    NOMINAL = "nominal"
    """The same or not."""
    ORDINAL = "ordinal"
    """By how many scores were given between them."""
    INTERVAL = "interval"
    """By the square of their difference."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """One person's score of one unit of an example."""

    example: Hashable
    unit: Hashable
    person: str
    score: float


@dataclass(frozen=True, slots=True)
class PairOfPeople:
    """Two people on the units that both have scored."""

    first: str
    second: str
    units: int
    examples: int
    same: float | None
    kappa: float | None
    sentence: str


@dataclass(frozen=True, slots=True)
class PeopleAgreement:
    """People on units of one kind. `units` counts those that two or more have scored."""

    kind: UnitKind
    people: tuple[str, ...]
    units: int
    examples: int
    metric: Metric
    alpha: float | None
    interval: Interval | None
    sentence: str
    pairs: tuple[PairOfPeople, ...]


def people_agreement(kind: UnitKind, opinions: Iterable[Opinion]) -> PeopleAgreement:
    """Krippendorff's alpha, and each pair of people beside it."""
    every = list(opinions)
    metric = Metric.NOMINAL if SCALES[kind].highest == 1 else Metric.ORDINAL
    shared = _shared(every)
    alpha = interval = None
    if len(shared) >= FEWEST:
        values = sorted({score for units in shared for scores in units for score in scores})
        together = np.stack([coincidences(units, values) for units in shared])
        figure = alpha_figure(values, metric)
        alpha = value_of(figure, together)
        interval = jackknife_interval(figure, together, coefficient=True)
    people = tuple(sorted({opinion.person for opinion in every}))
    return PeopleAgreement(
        kind,
        people,
        units=sum(map(len, shared)),
        examples=len(shared),
        metric=metric,
        alpha=alpha,
        interval=interval,
        sentence=_sentence(alpha, len(shared)),
        pairs=tuple(_pair(every, *two) for two in combinations(people, 2)),
    )


def _shared(opinions: Iterable[Opinion]) -> list[list[list[float]]]:
    """The scores of each unit that two or more people have scored, example by example."""
    by_example: dict[Hashable, dict[Hashable, list[float]]] = defaultdict(lambda: defaultdict(list))
    for opinion in opinions:
        by_example[opinion.example][opinion.unit].append(opinion.score)
    groups = [[s for s in units.values() if len(s) > 1] for units in by_example.values()]
    return [group for group in groups if group]


def krippendorff_alpha(units: Sequence[Sequence[float]], metric: Metric) -> float | None:
    """Alpha over the scores that each unit got; units with one score do not count.

    Not defined where every score is the same.
    """
    values = sorted({score for scores in units for score in scores})
    return value_of(alpha_figure(values, metric), coincidences(units, values)[None])


def coincidences(units: Iterable[Sequence[float]], values: Sequence[float]) -> Floats:
    """How often each two of the `values` were given to the same unit, each unit counting as many
    times as it has scores.
    """
    place = {value: i for i, value in enumerate(values)}
    together: Floats = np.zeros((len(values), len(values)))
    for scores in units:
        if len(scores) > 1:
            for a, b in permutations(scores, 2):
                together[place[a], place[b]] += 1 / (len(scores) - 1)
    return together


def alpha_figure(values: Sequence[float], metric: Metric) -> Figure:
    """Krippendorff's alpha of matrices of coincidences (the last two axes)."""

    def alpha(together: Floats) -> Floats:
        totals = together.sum(axis=-1)
        distance = _DISTANCES[metric](np.array(values), totals)
        n = totals.sum(axis=-1)
        observed = (together * distance).sum(axis=(-2, -1))
        expected = (totals[..., :, None] * totals[..., None, :] * distance).sum(axis=(-2, -1))
        there = expected > 0
        found: Floats = 1 - (n - 1) * observed / np.where(there, expected, np.nan)
        return found

    return alpha


def _nominal(values: Floats, totals: Floats) -> Floats:
    unequal: Floats = (values[:, None] != values[None, :]).astype(float)
    return unequal


def _ordinal(values: Floats, totals: Floats) -> Floats:
    """With the scores in order, each value stands in the middle of the places that it takes."""
    ranks = totals.cumsum(axis=-1) - totals / 2
    squared: Floats = (ranks[..., :, None] - ranks[..., None, :]) ** 2
    return squared


def _interval(values: Floats, totals: Floats) -> Floats:
    squared: Floats = (values[:, None] - values[None, :]) ** 2
    return squared


_DISTANCES: Mapping[Metric, Callable[[Floats, Floats], Floats]] = {
    Metric.NOMINAL: _nominal,
    Metric.ORDINAL: _ordinal,
    Metric.INTERVAL: _interval,
}


def _pair(every: Sequence[Opinion], first: str, second: str) -> PairOfPeople:
    scores = {
        name: {(o.example, o.unit): o.score for o in every if o.person == name}
        for name in (first, second)
    }
    both = [key for key in scores[first] if key in scores[second]]
    examples = len({example for example, _ in both})
    if examples < FEWEST:
        said = f"{examples} examples in common, {FEWEST} are needed: too few to say."
        return PairOfPeople(first, second, len(both), examples, None, None, said)
    one, other = (np.array([scores[name][key] for key in both]) for name in (first, second))
    sums = sums_of(one, other, [0] * len(both), 1)
    same, kappa = value_of(exact_share, sums), value_of(quadratic_kappa, sums)
    said = f"{first} and {second} give the very same score {100 * (same or 0):.0f} % of the time."
    return PairOfPeople(first, second, len(both), examples, same, kappa, said)


def _sentence(alpha: float | None, examples: int) -> str:
    if examples < FEWEST:
        return (
            f"{examples} examples scored by two or more people, {FEWEST} are needed: too few to "
            f"say, {FEWEST - examples} more."
        )
    if alpha is None:
        return "Not defined: everybody gave one and the same score."
    return (
        f"People agree {alpha:.2f} of the way from chance to perfectly. Hold the judge's kappa "
        "against that of two people."
    )

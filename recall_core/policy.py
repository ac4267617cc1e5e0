"""Other ways of counting the same scores: what the mean would be under another rule.

Nothing is judged or decided anew. What people have decided stands under every policy; a threshold
or another judge speaks only for units that nobody has reviewed.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from recall_core.errors import InvalidSetting
from recall_core.scoring import FINAL_RANGE, passage_parts
from recall_core.summary import Mean
from recall_core.types import Formula, Json, Rounding, UnitKind

HEAVIEST = Fraction(5)
"""The largest weight that a bonus can be given."""


@dataclass(frozen=True, slots=True)
class Policy:
    """How to count; what is `None` stays as the run has it.

    `pass_mark`: the final from which an example passes. `bonus_weight`: what the printed bonus part
    is multiplied with before it is rounded. `similarity_threshold`: a unit that a measure of
    similarity was cut for is found above it. `judge_run`: the run whose judge counts instead.
    """

    pass_mark: Fraction | None = None
    rounding: Rounding | None = None
    bonus_weight: Fraction | None = None
    similarity_threshold: Fraction | None = None
    judge_run: int | None = None

    def __post_init__(self) -> None:
        if self.bonus_weight is not None and not 0 <= self.bonus_weight <= HEAVIEST:
            raise InvalidSetting(f"A bonus weight lies between 0 and {HEAVIEST}.")
        if self.similarity_threshold is not None and not 0 <= self.similarity_threshold <= 1:
            raise InvalidSetting("A similarity threshold lies between 0 and 1.")

    def as_json(self) -> dict[str, Json]:
        """Plain values, numbers as exact text; what is as the run has it is left out."""
        values: dict[str, Json] = {}
        for name in ("pass_mark", "bonus_weight", "similarity_threshold"):
            number: Fraction | None = getattr(self, name)
            if number is not None:
                values[name] = str(number)
        if self.rounding is not None:
            values["rounding"] = self.rounding.value
        if self.judge_run is not None:
            values["judge_run"] = self.judge_run
        return values

    @property
    def words(self) -> str:
        """`pass mark 4, bonus weight 1/2`: what differs from the run."""
        said = [f"{name.replace('_', ' ')} {value}" for name, value in self.as_json().items()]
        return ", ".join(said) or "as the run has it"


AS_IT_IS = Policy()


def policy_of(values: Mapping[str, Json]) -> Policy:
    """The policy that `as_json` wrote."""
    numbers = {
        name: Fraction(str(values[name]))
        for name in ("pass_mark", "bonus_weight", "similarity_threshold")
        if name in values
    }
    rounding = values.get("rounding")
    judge_run = values.get("judge_run")
    return Policy(
        rounding=None if rounding is None else Rounding(str(rounding)),
        judge_run=judge_run if isinstance(judge_run, int) else None,
        **numbers,
    )


@dataclass(frozen=True, slots=True)
class WhatIfUnit:
    """A unit that is in the formula: its kind and score as they count now.

    `similarity` is what a threshold cut, where the judge's verdict stands; `None` elsewhere.
    """

    kind: UnitKind
    score: Fraction | None
    similarity: float | None = None


@dataclass(frozen=True, slots=True)
class WhatIfExample:
    """One example's units; `answered`: somebody, judge or person, has given it scores."""

    judgement_id: int
    units: tuple[WhatIfUnit, ...]
    answered: bool = True


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a curve: `y` is a mean or a share over `n` examples, `None` over none."""

    x: Fraction
    y: Fraction | None
    n: int


@dataclass(frozen=True, slots=True)
class PolicyResult:
    """What a policy makes of a run: each final, their mean, and how many of them pass."""

    policy: Policy
    finals: Mapping[int, Fraction]
    mean: Mean
    mark: Fraction | None
    passed: int | None

    @property
    def share_passed(self) -> Fraction | None:
        if self.passed is None or not self.finals:
            return None
        return Fraction(self.passed, len(self.finals))


@dataclass(frozen=True)
class WhatIf:
    """A run's scores, to be counted in other ways; `of` is how many examples it has."""

    formula: Formula
    rounding: Rounding
    pass_mark: Fraction | None
    of: int
    examples: tuple[WhatIfExample, ...]
    judge_run: int | None = None
    """Whose judge is in `examples`, where it is not the run's own."""

    def under(self, policy: Policy) -> PolicyResult:
        """Every final under the policy; `judge_run` was chosen when this was loaded."""
        self._require_judge(policy)
        finals: dict[int, Fraction] = {}
        for units, ids in self._alike.items():
            final = self._final(units, policy)
            if final is not None:
                finals.update(dict.fromkeys(ids, final))
        total = sum(finals.values(), Fraction(0))
        mean = Mean(total / len(finals) if finals else None, len(finals), self.of)
        mark = self.pass_mark if policy.pass_mark is None else policy.pass_mark
        passed = None if mark is None else sum(final >= mark for final in finals.values())
        return PolicyResult(policy, finals, mean, mark, passed)

    def pass_curve(self, policy: Policy = AS_IT_IS) -> tuple[Point, ...]:
        """The share of examples that pass, against the pass mark, over the whole scale."""
        finals = sorted(self.under(policy).finals.values())
        lowest, highest = FINAL_RANGE[self.formula]
        points = []
        for mark in _grid(lowest, highest, 40):
            below = bisect_left(finals, mark)
            share = Fraction(len(finals) - below, len(finals)) if finals else None
            points.append(Point(mark, share, len(finals)))
        return tuple(points)

    def threshold_curve(self, policy: Policy = AS_IT_IS) -> tuple[Point, ...]:
        """The mean against the similarity threshold; empty where no unit has a similarity."""
        self._require_judge(policy)
        if not self.has_similarity:
            return ()
        return tuple(self._at_threshold(t) for t in _grid(Fraction(0), Fraction(1), 50))

    def bonus_curve(self, policy: Policy = AS_IT_IS) -> tuple[Point, ...]:
        """The mean against the weight of the bonus; empty where no example has a bonus unit."""
        if not self.has_bonus:
            return ()
        return tuple(
            self._mean_under(weight, replace(policy, bonus_weight=weight))
            for weight in _grid(Fraction(0), Fraction(2), 20)
        )

    def _mean_under(self, x: Fraction, policy: Policy) -> Point:
        self._require_judge(policy)
        total, n = Fraction(0), 0
        for units, ids in self._alike.items():
            final = self._final(units, policy)
            if final is not None:
                total += final * len(ids)
                n += len(ids)
        return Point(x, total / n if n else None, n)

    @cached_property
    def _alike(self) -> Mapping[tuple[WhatIfUnit, ...], Sequence[int]]:
        """The judgements that somebody has answered, by their units: many have the same."""
        alike: dict[tuple[WhatIfUnit, ...], list[int]] = defaultdict(list)
        for example in self.examples:
            if example.answered:
                alike[example.units].append(example.judgement_id)
        return alike

    @cached_property
    def has_similarity(self) -> bool:
        return any(u.similarity is not None for e in self.examples for u in e.units)

    @cached_property
    def has_bonus(self) -> bool:
        return any(u.kind is UnitKind.BONUS for e in self.examples for u in e.units)

    def _require_judge(self, policy: Policy) -> None:
        if policy.judge_run != self.judge_run:
            raise InvalidSetting("The policy counts another judge than the one that was loaded.")

    def _final(self, units: Sequence[WhatIfUnit], policy: Policy) -> Fraction | None:
        every = [(u.kind, _score(u, policy.similarity_threshold)) for u in units]
        scores = [(kind, score) for kind, score in every if score is not None]
        if len(scores) < len(every) or not every:
            return None
        if self.formula is Formula.SHARE:
            return sum((score for _, score in scores), Fraction(0)) / len(scores)
        return self._passage(scores, policy)

    def _passage(
        self, scores: Sequence[tuple[UnitKind, Fraction]], policy: Policy
    ) -> Fraction | None:
        essential = [s for kind, s in scores if kind is UnitKind.ESSENTIAL]
        bonus = [s for kind, s in scores if kind is UnitKind.BONUS]
        if not essential:
            return None
        rounding = policy.rounding or self.rounding
        weight = Fraction(1) if policy.bonus_weight is None else policy.bonus_weight
        return passage_parts(essential, bonus, rounding, bonus_weight=weight).final

    def _at_threshold(self, threshold: Fraction) -> Point:
        total, n = Fraction(0), 0
        for size, (count, fixed, similarities) in self._by_size.items():
            above = len(similarities) - bisect_right(similarities, float(threshold))
            total += (fixed + above) / size
            n += count
        return Point(threshold, total / n if n else None, n)

    @cached_property
    def _by_size(self) -> Mapping[int, tuple[int, Fraction, list[float]]]:
        """The examples of a share run by their number of units: how many, the sum of the scores
        that no threshold moves, and the similarities in order.
        """
        counts: dict[int, int] = defaultdict(int)
        fixed: dict[int, Fraction] = defaultdict(Fraction)
        similarities: dict[int, list[float]] = defaultdict(list)
        for example in self.examples:
            if not example.answered or any(
                u.score is None and u.similarity is None for u in example.units
            ):
                continue
            size = len(example.units)
            counts[size] += bool(size)
            for unit in example.units:
                if unit.similarity is not None:
                    similarities[size].append(unit.similarity)
                else:
                    fixed[size] += unit.score or 0
        return {
            size: (count, fixed[size], sorted(similarities[size]))
            for size, count in counts.items()
            if size
        }


def _score(unit: WhatIfUnit, threshold: Fraction | None) -> Fraction | None:
    if threshold is None or unit.similarity is None:
        return unit.score
    # As floats, for so the judge compared them: 0.1 is not above 0.1.
    return Fraction(unit.similarity > float(threshold))


def _grid(lowest: Fraction, highest: Fraction, steps: int) -> Iterator[Fraction]:
    for step in range(steps + 1):
        yield lowest + (highest - lowest) * step / steps


@dataclass(frozen=True, slots=True)
class NamedPolicy:
    """A policy that somebody has saved, with what it makes of the run: what an export carries."""

    name: str
    result: PolicyResult

    @property
    def sentence(self) -> str:
        """The policy in words, and its mean: `strict (pass mark 4): 3.67 (12 of 12), 7 pass.`"""
        passed = "" if self.result.passed is None else f", {self.result.passed} pass"
        return f"{self.name} ({self.result.policy.words}): {self.result.mean}{passed}."

    def passed(self, judgement_id: int) -> bool | None:
        """Whether the example passes under the policy; `None` without a final or a mark."""
        final, mark = self.result.finals.get(judgement_id), self.result.mark
        return None if final is None or mark is None else final >= mark

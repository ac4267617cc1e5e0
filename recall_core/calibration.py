"""How good a judge is: what it and people said of the same units, seen from all sides."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from typing import TypeVar

from recall_core.agreement import Agreement, Measure, Name, Rated, agreement_on, level_of
from recall_core.held_out import held_out
from recall_core.types import Cause, UnitKind, UnitRef

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True, order=True)
class JudgeKey:
    """What makes two judges comparable: the same judge, version, prompt and model."""

    judge: str
    version: int
    model: str
    prompt_hash: str
    title: str

    @property
    def label(self) -> str:
        """`passage_recall v2 with gpt-4.1-mini`."""
        return f"{self.title} v{self.version}" + (f" with {self.model}" if self.model else "")


@dataclass(frozen=True, slots=True)
class ScoredUnit:
    """One person's first value for one unit, beside the judge's score.

    `example` is the example's row, which runs over one dataset share. `audit`: a draw of the audit
    brought it; `blind`: the person did not see the judge's score before they gave theirs.
    """

    run_id: int
    judgement_id: int
    example: int
    example_id: str
    unit: UnitRef
    text: str
    judge: Fraction
    human: Fraction
    reviewer: str
    audit: bool
    blind: bool
    cause: Cause | None
    note: str
    judged_at: datetime

    @property
    def off(self) -> Fraction:
        """How much more the judge gives."""
        return self.judge - self.human


@dataclass(frozen=True, slots=True)
class Side:
    """Which of the reviews to look at; `None` stands for both, or for everybody.

    Only audit reviews say how good the judge is: what people choose is chosen for a reason.
    `held_out`: units kept to test a new prompt, or those to learn from.
    """

    audit: bool | None = True
    blind: bool | None = None
    reviewer: str | None = None
    held_out: bool | None = None

    def holds(self, unit: ScoredUnit) -> bool:
        return (
            self.audit in (None, unit.audit)
            and self.blind in (None, unit.blind)
            and self.reviewer in (None, unit.reviewer)
            and self.held_out in (None, held_out(unit.text))
        )


@dataclass(frozen=True, slots=True)
class CausePattern:
    """The units that people scored differently for the same reason (`None`: none given)."""

    cause: Cause | None
    units: int
    mean_off: float
    """How much more the judge gave on these, on average."""
    usual: tuple[Fraction, Fraction]
    """What the judge and what people gave most often there."""


@dataclass(frozen=True, slots=True)
class Period:
    """The judge's bias on what it judged in one month."""

    month: date
    bias: Measure


@dataclass(frozen=True, slots=True)
class Calibration:
    """One judge on one kind of unit. `excluded` and `moved` count the values that are left out
    because people took the unit out, or put it on another scale.
    """

    key: JudgeKey
    kind: UnitKind
    units: tuple[ScoredUnit, ...]
    excluded: int = 0
    moved: int = 0

    def on(self, side: Side) -> tuple[ScoredUnit, ...]:
        return tuple(unit for unit in self.units if side.holds(unit))

    def examples(self, side: Side) -> int:
        """How many examples a switch would show: the 28 of `Not blind 28`."""
        return len({unit.example for unit in self.on(side)})

    @property
    def reviewers(self) -> tuple[str, ...]:
        return tuple(sorted({unit.reviewer for unit in self.units}))

    def agreement(self, side: Side) -> Agreement:
        return agreement_of(self.kind, self.on(side))

    def by_reviewer(self, side: Side) -> dict[str, Agreement]:
        """The judge against each person."""
        found = _grouped(self.on(side), lambda unit: unit.reviewer)
        return {name: agreement_of(self.kind, units) for name, units in sorted(found.items())}

    def cell(self, side: Side, *, human: int, judge: int) -> tuple[ScoredUnit, ...]:
        """The units behind one cell of the confusion table."""
        return tuple(
            unit
            for unit in self.on(side)
            if level_of(float(unit.human)) == human and level_of(float(unit.judge)) == judge
        )

    def largest(self, side: Side, count: int = 20) -> tuple[ScoredUnit, ...]:
        """The units on which judge and people are furthest apart."""
        wrong = [unit for unit in self.on(side) if unit.off]
        return tuple(sorted(wrong, key=lambda u: (-abs(u.off), u.judgement_id, u.unit))[:count])

    def causes(self, side: Side) -> tuple[CausePattern, ...]:
        """What people gave as the reason where they scored differently, most frequent first."""
        wrong = [unit for unit in self.on(side) if unit.off]
        found = _grouped(wrong, lambda unit: unit.cause)
        patterns = [
            CausePattern(
                cause, len(units), float(sum(u.off for u in units)) / len(units), _usual(units)
            )
            for cause, units in found.items()
        ]
        return tuple(sorted(patterns, key=lambda p: (-p.units, p.cause is None, str(p.cause))))

    def drift(self, side: Side) -> tuple[Period, ...]:
        """The bias month by month, by when the judge judged."""
        found = _grouped(self.on(side), lambda unit: unit.judged_at.date().replace(day=1))
        periods = []
        for month, units in sorted(found.items()):
            bias = agreement_of(self.kind, units).measure(Name.BIAS)
            if bias is not None:
                periods.append(Period(month, bias))
        return tuple(periods)

    @property
    def sentence(self) -> str:
        """In which way the judge errs, for somebody who reads no table."""
        found = self.agreement(Side())
        bias = found.measure(Name.BIAS)
        if bias is None or bias.value is None:
            return "" if bias is None else bias.sentence
        table = found.confusion
        if bias.interval is None or bias.interval[0] <= 0 <= bias.interval[1]:
            return f"{bias.sentence} That may be chance."
        way, count = ("kinder", table.kinder) if bias.value > 0 else ("stricter", table.stricter)
        return f"{bias.sentence} It is {way} than people on {count} of {found.units}."


def _usual(units: Iterable[ScoredUnit]) -> tuple[Fraction, Fraction]:
    """The pair of scores that occurs most often; of several the widest apart."""
    found = Counter((unit.judge, unit.human) for unit in units)
    return max(found, key=lambda pair: (found[pair], abs(pair[0] - pair[1]), pair))


def agreement_of(kind: UnitKind, units: Iterable[ScoredUnit]) -> Agreement:
    """Every measure of agreement over these units."""
    return agreement_on(kind, (Rated(u.example, float(u.judge), float(u.human)) for u in units))


def _grouped(
    units: Sequence[ScoredUnit], by: Callable[[ScoredUnit], Key]
) -> dict[Key, list[ScoredUnit]]:
    found: dict[Key, list[ScoredUnit]] = defaultdict(list)
    for unit in units:
        found[by(unit)].append(unit)
    return found

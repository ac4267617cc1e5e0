"""Two runs side by side: who is better, on which examples, and what came back differently."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from recall_core.details import RunFacts
from recall_core.estimation import Difference
from recall_core.types import RetrievedPassage


class ScoredBy(StrEnum):
    """Whose finals an example is compared by."""

    PEOPLE = "people"
    JUDGE = "judge"
    MIXED = "mixed"
    """People in one of the runs, the judge in the other."""


@dataclass(frozen=True, slots=True)
class ComparedExample:
    """One example in both runs, with the finals that count now, and their parts where the scale has
    them. `audited` counts the runs (of two) whose audit drew it and where it is reviewed.
    """

    judgement_a: int
    judgement_b: int
    example_id: str
    question: str | None
    a: Fraction
    b: Fraction
    essential_a: Fraction | None
    essential_b: Fraction | None
    bonus_a: Fraction | None
    bonus_b: Fraction | None
    scored_by: ScoredBy
    audited: int

    @property
    def change(self) -> Fraction:
        return self.b - self.a

    @property
    def essential(self) -> Fraction | None:
        """B minus A of the essential part."""
        return _minus(self.essential_b, self.essential_a)

    @property
    def bonus(self) -> Fraction | None:
        return _minus(self.bonus_b, self.bonus_a)


def _minus(b: Fraction | None, a: Fraction | None) -> Fraction | None:
    return None if a is None or b is None else b - a


@dataclass(frozen=True, slots=True)
class Comparison:
    """Run B against run A on the examples that both have; `rows` begin with what got worst.

    `only_a` and `only_b` are the examples that one of the datasets has, `without_final` those that
    both have and one of the runs has no final for. `withheld` are left out of `rows` because the
    reader still scores them blind.
    """

    a: RunFacts
    b: RunFacts
    final: Difference
    essential: Difference | None
    bonus: Difference | None
    rows: tuple[ComparedExample, ...]
    only_a: int
    only_b: int
    without_final: int
    withheld: int = 0

    @property
    def shared(self) -> int:
        """How many examples both runs have a final for."""
        return len(self.rows) + self.withheld

    @property
    def audited_in_both(self) -> int:
        return self.final.estimated.grounds.audited

    @property
    def worse(self) -> int:
        return sum(row.b < row.a for row in self.rows)

    @property
    def better(self) -> int:
        return sum(row.b > row.a for row in self.rows)

    @property
    def same(self) -> int:
        return len(self.rows) - self.worse - self.better

    @property
    def sentence(self) -> str:
        """`B is better by 0.21 (0.05 to 0.37).`, or what it would take to say so."""
        return self.final.sentence()

    def changes(self, width: Fraction) -> tuple[tuple[Fraction, int], ...]:
        """How many examples changed by how much, in bins around multiples of `width`."""
        found = Counter(round(row.change / width) for row in self.rows)
        if not found:
            return ()
        places = range(min(found), max(found) + 1)
        return tuple((place * width, found[place]) for place in places)


class PassageMove(StrEnum):
    """What became of a retrieved passage from run A to run B."""

    CAME_IN = "came in"
    DROPPED_OUT = "dropped out"
    MOVED = "moved"
    STAYED = "stayed"


@dataclass(frozen=True, slots=True)
class PassageChange:
    """One retrieved passage in both runs; ranks count from 1, `None` where it did not come back."""

    text: str
    id: str | None
    rank_a: int | None
    rank_b: int | None

    @property
    def move(self) -> PassageMove:
        if self.rank_a is None:
            return PassageMove.CAME_IN
        if self.rank_b is None:
            return PassageMove.DROPPED_OUT
        return PassageMove.STAYED if self.rank_a == self.rank_b else PassageMove.MOVED


def passage_changes(
    a: Sequence[RetrievedPassage], b: Sequence[RetrievedPassage]
) -> tuple[PassageChange, ...]:
    """What each passage did from A to B, by its text: first those of A in order, then the new ones.

    A passage that came back twice is matched with its repetitions in order.
    """
    left: dict[str, list[RetrievedPassage]] = {}
    for passage in sorted(b, key=lambda p: p.rank):
        left.setdefault(passage.text.strip(), []).append(passage)
    found = []
    for passage in sorted(a, key=lambda p: p.rank):
        same = left.get(passage.text.strip())
        other = same.pop(0) if same else None
        rank = None if other is None else other.rank
        found.append(PassageChange(passage.text, passage.id, passage.rank, rank))
    new = sorted((p for rest in left.values() for p in rest), key=lambda p: p.rank)
    return (*found, *(PassageChange(p.text, p.id, None, p.rank) for p in new))

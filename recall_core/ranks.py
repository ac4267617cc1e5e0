"""At which rank the retrieved passages first held each essential, by words and characters alone.

So that owners of a retriever can decide how many passages to ask for: recall at k is the recall if
only the first k had come back. No judge is asked again and no person has checked it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from recall_core.distance import DistanceMeasure, first_similar
from recall_core.lexical import Screener
from recall_core.lexical.grades import YES_FROM
from recall_core.types import Example, UnitKind, UnitRef

CUTS = (1, 3, 5, 10)
"""The k of recall at k."""


class Way(StrEnum):
    """How it is told that passages hold an essential."""

    DISTANCE = "string distance"
    """One of them is more similar to it than the threshold, as `context_recall` counts."""
    LEXICAL = "lexical screen"
    """Together they hold its words with a probability of a half or more."""


@dataclass(frozen=True, slots=True)
class Similar:
    """How `Way.DISTANCE` measures, and above which similarity it finds."""

    measure: DistanceMeasure = "levenshtein"
    threshold: float = 0.5


USUAL = Similar()
"""What `context_recall` does unless told otherwise."""


@dataclass(frozen=True, slots=True)
class FirstHeld:
    """An essential, and the rank with which the passages first held it; `None`: they never did."""

    ref: UnitRef
    text: str
    ranks: Mapping[Way, int | None]


def first_held(example: Example, similar: Similar = USUAL) -> tuple[FirstHeld, ...]:
    """Each essential of the example; none where it has none or nothing says what came back."""
    if example.retrieved is None:
        return ()
    passages = sorted(example.retrieved, key=lambda p: p.rank)
    texts = [p.text for p in passages]
    wanted = [p.text for p in example.essential]
    measure, above = similar.measure, similar.threshold
    by_distance = [first_similar(text, texts, measure, above=above) for text in wanted]
    by_words = _first_screened(wanted, texts)

    def rank(place: int | None) -> int | None:
        return None if place is None else passages[place].rank

    return tuple(
        FirstHeld(
            UnitRef(UnitKind.ESSENTIAL, number),
            text,
            {Way.DISTANCE: rank(near), Way.LEXICAL: rank(worded)},
        )
        for number, (text, near, worded) in enumerate(
            zip(wanted, by_distance, by_words, strict=True), 1
        )
    )


def _first_screened(wanted: Sequence[str], texts: Sequence[str]) -> list[int | None]:
    """The place (from 0) of the text with which the texts up to it first hold each unit."""
    found: list[int | None] = [None] * len(wanted)
    whole = Screener(texts)
    left = [i for i, text in enumerate(wanted) if whole.screen(text).probability >= YES_FROM]
    for place in range(len(texts)):
        if not left:
            break
        screener = Screener(texts[: place + 1])
        for i in left:
            if screener.screen(wanted[i]).probability >= YES_FROM:
                found[i] = place
        left = [i for i in left if found[i] is None]
    return found


@dataclass(frozen=True, slots=True)
class RecallAt:
    """The mean share of essentials that the first `k` passages held; `None` over no example."""

    k: int
    recall: Fraction | None


@dataclass(frozen=True, slots=True)
class WayRanks:
    """What one way of telling has found. `first` counts essentials by the rank that first held
    them, lowest rank first; `never` are those that no passage held.
    """

    way: Way
    recall: tuple[RecallAt, ...]
    first: Mapping[int, int]
    never: int

    @property
    def essentials(self) -> int:
        return sum(self.first.values()) + self.never

    @property
    def sentence(self) -> str:
        """How deep one has to read for the last essential that is there at all."""
        if not self.first:
            return f"None of {self.essentials} essentials came back."
        return (
            f"{self.essentials - self.never} of {self.essentials} essentials came back, the last "
            f"of them at rank {max(self.first)}."
        )


@dataclass(frozen=True, slots=True)
class Ranks:
    """Over `examples` that have essentials and a list of what came back, even an empty one;
    `left_out` lack one of the two. `deepest` is the lowest rank that any example returned.
    """

    examples: int
    left_out: int
    deepest: int
    ways: tuple[WayRanks, ...]

    def by(self, way: Way) -> WayRanks:
        """What this way of telling has found."""
        return next(found for found in self.ways if found.way is way)


def ranks_of(examples: Iterable[Example], similar: Similar = USUAL) -> Ranks:
    """Count the examples as they stream by; each counts once, however many essentials it has."""
    counted = left_out = deepest = 0
    tallies = {way: _Tally() for way in Way}
    for example in examples:
        found = first_held(example, similar)
        if not found:
            left_out += 1
            continue
        counted += 1
        deepest = max([deepest, *(p.rank for p in example.retrieved or ())])
        for way, tally in tallies.items():
            tally.add([held.ranks[way] for held in found])
    ways = tuple(tally.counted(way, counted) for way, tally in tallies.items())
    return Ranks(counted, left_out, deepest, ways)


@dataclass
class _Tally:
    """What one way has found so far."""

    first: Counter[int] = field(default_factory=Counter)
    never: int = 0
    shares: dict[int, Fraction] = field(default_factory=lambda: dict.fromkeys(CUTS, Fraction(0)))

    def add(self, ranks: Sequence[int | None]) -> None:
        """One example, by the ranks of its essentials."""
        held = [rank for rank in ranks if rank is not None]
        self.first.update(held)
        self.never += len(ranks) - len(held)
        for k in CUTS:
            self.shares[k] += Fraction(sum(rank <= k for rank in held), len(ranks))

    def counted(self, way: Way, examples: int) -> WayRanks:
        recall = (RecallAt(k, self.shares[k] / examples if examples else None) for k in CUTS)
        return WayRanks(way, tuple(recall), dict(sorted(self.first.items())), self.never)

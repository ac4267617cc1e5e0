"""A run in numbers that can be trusted: exact means, each with how many of how many it covers.

A mean covers only examples that have a final score. What has none is counted by its reason and
shown beside it, never taken for 0 and never dropped in silence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from fractions import Fraction

from recall_core.details import RunFacts
from recall_core.results import Status
from recall_core.scoring import FINAL_RANGE, printed
from recall_core.types import Cause, FailureKind, Formula, TraceState, UnitKind


class JudgementState(StrEnum):
    """What became of a judgement, as lists show and filter it."""

    JUDGE_ONLY = "judge only"
    STARTED = "started"
    """Some of its units are reviewed, not all."""
    REVIEWED = "reviewed"
    CHANGED = "changed"
    """At least one unit counts differently from what the judge said."""
    FAILED = "failed"
    """The judge gave no answer, whether or not people have scored it since."""
    SKIPPED = "skipped"
    VOID = "void"
    INCOMPLETE = "incomplete"
    """The judge answered with gaps: a person who fills them gives it a final."""


GAPS = frozenset({FailureKind.INCOMPLETE, FailureKind.OUT_OF_RANGE})
"""The failures that leave some units with a score; after all others there is no answer at all."""


@dataclass(frozen=True, slots=True)
class JudgementLine:
    """One judgement as lists show it, without the texts of its passages."""

    id: int
    position: int
    repeat: int
    example_id: str
    question: str | None
    status: Status
    error_type: FailureKind | None
    trace_state: TraceState
    details: str
    warnings: tuple[str, ...]
    judge_final: Fraction | None
    final: Fraction | None
    essential: Fraction | None
    bonus: Fraction | None
    units: int
    reviewed_units: int
    changed_units: int
    last_decision_at: datetime | None
    disagreement: float | None = None
    """How far the judge is at most from other judges or the text itself, 0 to 1 of the scale."""
    hidden: bool = False
    """Whether the scores and what was said of them are left out: the reader reviews it blind."""

    @property
    def change(self) -> Fraction | None:
        """The final minus the judge's, where both are there."""
        both = self.final is not None and self.judge_final is not None
        return self.final - self.judge_final if both else None  # type: ignore[operator]

    @property
    def state(self) -> JudgementState:
        """The one word that says most: why there is no score, else how far people have come."""
        if self.status is Status.SKIPPED:
            return JudgementState.SKIPPED
        if self.trace_state is TraceState.VOID:
            return JudgementState.VOID
        if self.trace_state is TraceState.INCOMPLETE:
            has_gaps = self.error_type is None or self.error_type in GAPS
            return JudgementState.INCOMPLETE if has_gaps else JudgementState.FAILED
        if self.changed_units:
            return JudgementState.CHANGED
        if self.reviewed_units == 0:
            return JudgementState.JUDGE_ONLY
        done = self.reviewed_units >= self.units
        return JudgementState.REVIEWED if done else JudgementState.STARTED


@dataclass(frozen=True, slots=True)
class Counts:
    """Every example of a run in exactly one place: it has a score, or a reason why not."""

    scored: int = 0
    vacuous: int = 0
    """Nothing was expected, so everything was found; that says nothing about the system."""
    void: int = 0
    incomplete: int = 0
    failed: int = 0
    skipped: int = 0
    left: int = 0
    """Not judged yet."""

    @property
    def total(self) -> int:
        return self.scored + self.without_score

    @property
    def without_score(self) -> int:
        open_ends = self.incomplete + self.failed + self.left
        return self.vacuous + self.void + self.skipped + open_ends

    @property
    def coverage(self) -> str:
        """`237 of 240`: how many examples the mean covers."""
        return f"{self.scored} of {self.total}"

    @property
    def left_out(self) -> str:
        """`2 failed, 1 void`: why the others are not in the mean; empty when all are."""
        parts = (
            (self.failed, "failed"),
            (self.incomplete, "incomplete"),
            (self.void, "void"),
            (self.vacuous, "vacuous"),
            (self.skipped, "skipped"),
            (self.left, "not judged yet"),
        )
        return ", ".join(f"{count} {name}" for count, name in parts if count)


@dataclass(frozen=True, slots=True)
class Mean:
    """An exact mean over `n` of `of` examples; `value` is `None` where `n` is 0."""

    value: Fraction | None
    n: int
    of: int

    def __str__(self) -> str:
        if self.value is None:
            return f"no score (0 of {self.of})"
        return f"{printed(self.value)} ({self.n} of {self.of})"


def mean_of(counted: Iterable[tuple[Fraction, int]], of: int) -> Mean:
    """The exact mean of (score, how often) pairs."""
    pairs = list(counted)
    n = sum(count for _, count in pairs)
    total = sum((score * count for score, count in pairs), Fraction(0))
    return Mean(total / n if n else None, n, of)


@dataclass(frozen=True, slots=True)
class Bin:
    """How many finals lie from `low` up to `high`; the last bin holds its upper end too."""

    low: Fraction
    high: Fraction
    judge: int
    now: int


_BIN_WIDTH = {Formula.PASSAGE: Fraction(1, 2), Formula.SHARE: Fraction(1, 10)}


def binned(
    formula: Formula, judge: Mapping[Fraction, int], now: Mapping[Fraction, int]
) -> tuple[Bin, ...]:
    """The distribution of finals before and after people's decisions, over the whole scale."""
    lowest, highest = FINAL_RANGE[formula]
    width = _BIN_WIDTH[formula]
    last = int((highest - lowest) / width) - 1
    counts = [[0, 0] for _ in range(last + 1)]
    for side, finals in enumerate((judge, now)):
        for final, count in finals.items():
            place = min(last, max(0, (final - lowest) // width))
            counts[place][side] += count
    edges = [lowest + width * place for place in range(last + 2)]
    return tuple(
        Bin(low, high, *pair) for low, high, pair in zip(edges, edges[1:], counts, strict=False)
    )


@dataclass(frozen=True, slots=True)
class UnitScoreCount:
    """How many units of a kind have this score (`None`: no score, or excluded)."""

    kind: UnitKind
    score: Fraction | None
    judge: int
    now: int


@dataclass(frozen=True, slots=True)
class ReviewCounts:
    """How far people have come, in examples and in units."""

    examples: int
    """Examples with every unit confirmed, changed or excluded by a person."""
    examples_started: int
    """Examples with some units reviewed, not all."""
    examples_changed: int
    failed_scored: int
    """Examples on which the judge failed and that people have scored since."""
    units: int
    units_reviewed: int
    units_changed: int


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run's numbers, the judge's beside those that count now."""

    run: RunFacts
    counts: Counts
    mean: Mean
    judge_mean: Mean
    finals: tuple[Bin, ...]
    unit_scores: tuple[UnitScoreCount, ...]
    causes: tuple[tuple[Cause | None, int], ...]
    """How many units count differently because of each cause, most first; `None`: none given."""
    reviewers: tuple[tuple[str, int], ...]
    """Who made how many of the decisions, undos aside."""
    review: ReviewCounts
    lowest: tuple[JudgementLine, ...]
    withheld: int = 0
    """On how many examples the judge's word is kept from the reader, who reviews blind, or from a
    file."""

    @property
    def judge_only(self) -> bool:
        """Whether no person has looked at any unit yet."""
        return self.review.units_reviewed == 0


@dataclass(frozen=True, slots=True)
class Slice:
    """The examples that share a value of one metadata field; `value` `None`: it is missing."""

    value: str | None
    mean: Mean
    judge_mean: Mean


class Gate(StrEnum):
    """Whether a run's mean passes a mark, when examples without a score could go either way."""

    PASSED = "passed"
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"


def gate(summary: RunSummary, mark: Fraction) -> Gate:
    """Passed or failed only if no example without a score could turn it.

    Failed, incomplete, skipped and unjudged examples may have any score of the scale; so ten
    examples of which nine failed do not pass on the strength of the one that is left.
    """
    lowest, highest = FINAL_RANGE[summary.run.formula]
    counts = summary.counts
    unknown = counts.failed + counts.incomplete + counts.skipped + counts.left
    n = counts.scored + unknown
    if n == 0:
        return Gate.INCONCLUSIVE
    known = (summary.mean.value or Fraction(0)) * counts.scored
    if (known + lowest * unknown) / n >= mark:
        return Gate.PASSED
    return Gate.FAILED if (known + highest * unknown) / n < mark else Gate.INCONCLUSIVE

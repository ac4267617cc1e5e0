"""What an estimate is made from, and what it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from recall_core.types import Formula

CONFIDENCE = 0.95
AUDIT_REVIEWS = "audit review"

GRADE: Mapping[Formula, float] = {Formula.PASSAGE: 1.0, Formula.SHARE: 0.2}
"""One grade of a final: how far a few reviews may be from showing the true spread."""
DIFFERENCE_GRADE: Mapping[Formula, float] = {Formula.PASSAGE: 0.5, Formula.SHARE: 0.1}
"""The same for the difference of two finals of one example, which spreads less."""


@dataclass(frozen=True, slots=True)
class Observed:
    """What is known of one example of a run.

    `judge` is the judge's final (`None`: it gave none), `human` the final of people who have
    reviewed every unit. `lowest` and `highest` are the finals that it can still have; for a
    reviewed example both are `human`.

    `draw` is its place among the run's audit draws, from 1. For an example that people reviewed by
    choice, `chosen_after` is how many draws had been made when it left the audit's frame.

    A row may stand for `count` examples that nobody has drawn or reviewed, all with a final of the
    judge or all without, and then holds their means.
    """

    judge: float | None
    human: float | None
    lowest: float
    highest: float
    draw: int | None = None
    chosen_after: int | None = None
    count: int = 1


class Target(StrEnum):
    """What a mean is the mean of."""

    THESE = "these examples"
    LIKE_THESE = "examples like these"


class Method(StrEnum):
    """How an estimate was made; it follows from how the reviews came about."""

    EXACT = "all reviewed"
    AUDIT = "audit"
    """The guarded prediction-powered mean over a random order."""
    CHOSEN_FIRST = "audit after chosen reviews"
    """The same over what was left when the audit began; chosen examples count as themselves."""
    INTERLEAVED = "audit among chosen reviews"
    """Des Raj's form, which needs only that each draw was random when it was made."""
    REACHABLE = "what is left can reach"
    """No audit, but so much is reviewed that what the rest can still do makes an interval."""

    @property
    def sentence(self) -> str:
        """What was done, for the person who reads the number."""
        return _SENTENCES[self]


_SENTENCES = {
    Method.EXACT: "People have reviewed every example, so this is their mean and no estimate.",
    Method.AUDIT: (
        "Examples drawn at random and reviewed by people correct the judge's mean over all "
        "examples."
    ),
    Method.CHOSEN_FIRST: (
        "Examples that people chose to review before the audit began count as themselves; those "
        "drawn at random afterwards correct the judge on all others."
    ),
    Method.INTERLEAVED: (
        "People also chose examples while the audit went on. Each draw therefore counts against "
        "what was still unreviewed when it was made (Des Raj), which gives another number and a "
        "somewhat wider interval than the plain audit."
    ),
    Method.REACHABLE: (
        "People have reviewed all but a few examples; the ends are the mean if these turned out to "
        "be as bad or as good as they can be."
    ),
}


@dataclass(frozen=True, slots=True)
class Band:
    """The lowest and the highest mean that unreviewed units still allow."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Spread:
    """What decides how much one more audit review would narrow an interval.

    `residual` is the variance of what the judge leaves unexplained, guard included, over the `n`
    reviewed of `of` examples that the audit draws from; these are the share `weight` of all.
    `other` is the part of the squared standard error that such reviews do not change, `width` the
    part of the interval that no error has a share in, and `finite` whether drawing all of the
    examples leaves nothing to chance.
    """

    residual: float
    n: int
    of: int
    weight: float
    other: float
    width: float
    finite: bool


@dataclass(frozen=True, slots=True)
class Grounds:
    """What an estimate rests on, counted in examples.

    `audited` were drawn at random and reviewed, `pending` drawn and not reviewed yet, `chosen`
    reviewed without having been drawn. On `failed` the judge gave no final; people have scored
    `failed_reviewed` of them. `examples` is how many the mean is over.
    """

    examples: int
    audited: int
    pending: int
    chosen: int
    failed: int
    failed_reviewed: int
    reachable: Band | None

    @property
    def reviewed(self) -> int:
        return self.audited + self.chosen


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with the interval that holds the true one in `confidence` of such audits.

    `se` is its standard error and `df` the degrees of freedom of the t distribution behind it
    (`None`: nothing was left to chance). `spread` is there where more audit reviews would help.
    """

    point: float
    low: float
    high: float
    confidence: float
    target: Target
    method: Method
    grounds: Grounds
    se: float
    df: int | None
    spread: Spread | None

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2

    @property
    def exact(self) -> bool:
        """Whether nothing is left to chance."""
        return self.df is None and self.low == self.high

    @property
    def provisional(self) -> bool:
        """Whether drawn examples still wait: leaving out what is hard to score biases the rest."""
        return self.grounds.pending > 0


@dataclass(frozen=True, slots=True)
class NoEstimate:
    """Why there is no interval, in a sentence; `more` is how many audit reviews it still needs."""

    reason: str
    more: int
    grounds: Grounds


Estimated = Estimate | NoEstimate

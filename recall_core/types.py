"""Every noun of the core on one page.

All values are frozen. A score is exact (`Fraction`) until it is shown. "No answer" is a type of
its own (`JudgeFailure`), never 0 and never NaN; "nothing to recall" is `None`, never 0.
`docs/glossary.md` says what each word means and what other tools call it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from typing import TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


class PassageKind(StrEnum):
    """How much a ground-truth passage is owed: essential ought to be found, bonus is extra."""

    ESSENTIAL = "essential"
    BONUS = "bonus"


class UnitKind(StrEnum):
    """What a verdict is about; each kind has a scale of its own (`scoring.SCALES`)."""

    ESSENTIAL = "essential"
    BONUS = "bonus"
    STATEMENT = "statement"
    EXPECTED_CONTEXT = "expected_context"


class Formula(StrEnum):
    """How the scores of an example's units become its final score."""

    PASSAGE = "passage"
    """Essential + Bonus, capped at 5: final on 1 to 5 (`scoring.passage_trace`)."""
    SHARE = "share"
    """Found units over all units: final on 0 to 1 (`scoring.share_trace`)."""


class Rounding(StrEnum):
    """What happens at the third decimal of each printed formula."""

    HALF_UP = "half_up"
    UP = "up"


@dataclass(frozen=True, slots=True)
class GroundTruthPassage:
    """Text that ought to be retrieved."""

    kind: PassageKind
    text: str
    id: str | None = None


@dataclass(frozen=True, slots=True)
class RetrievedPassage:
    """One passage that came back; `rank` counts from 1 in the order of return."""

    rank: int
    text: str
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """One question with what should have come back and what did.

    `None` means that the data has no such field; an empty tuple means that the list is there and
    empty ("nothing was retrieved"). Judges treat the two differently: the first is a reason to
    skip, the second has a score. `statements` is set where a run points at a statement set, so
    that two runs share one denominator; judges split `expected_output` themselves without it.
    """

    id: str
    question: str | None = None
    ground_truth: tuple[GroundTruthPassage, ...] | None = None
    retrieved: tuple[RetrievedPassage, ...] | None = None
    actual_output: str | None = None
    expected_output: str | None = None
    statements: tuple[str, ...] | None = None
    metadata: Mapping[str, Json] = field(default_factory=dict)

    @property
    def essential(self) -> tuple[GroundTruthPassage, ...]:
        return tuple(p for p in self.ground_truth or () if p.kind is PassageKind.ESSENTIAL)

    @property
    def bonus(self) -> tuple[GroundTruthPassage, ...]:
        return tuple(p for p in self.ground_truth or () if p.kind is PassageKind.BONUS)


@dataclass(frozen=True, slots=True, order=True)
class UnitRef:
    """Which unit of an example, as it was judged; `index` counts from 1 within its kind."""

    kind: UnitKind
    index: int

    @property
    def label(self) -> str:
        """`E1`, `B2`, `S3`, `C1`: how people name the unit on screen and in exports."""
        return f"{_LETTERS[self.kind]}{self.index}"

    @classmethod
    def of(cls, label: str) -> UnitRef:
        """The unit that has this label; `ValueError` if none can."""
        kinds = {letter: kind for kind, letter in _LETTERS.items()}
        if label[:1] not in kinds or not label[1:].isdecimal():
            raise ValueError(f"{label!r} is no label of a unit: they look like E1, B2, S3 and C4.")
        return cls(kinds[label[0]], int(label[1:]))


_LETTERS = {
    UnitKind.ESSENTIAL: "E",
    UnitKind.BONUS: "B",
    UnitKind.STATEMENT: "S",
    UnitKind.EXPECTED_CONTEXT: "C",
}


@dataclass(frozen=True, slots=True)
class Unit:
    """What a verdict is about: a ground-truth passage, a statement or an expected context."""

    ref: UnitRef
    text: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where the support for a verdict stands.

    `rank` names the retrieved passage, `None` the actual output. `start` and `end` are offsets in
    its text in Unicode code points, `end` exclusive; both are `None` when the quote was not
    located, so that a quote nobody can find is shown as such and not highlighted somewhere.
    """

    rank: int | None
    start: int | None
    end: int | None
    quote: str
    located: bool


class FailureKind(StrEnum):
    """Why there is no answer; the closed list of `error_type`."""

    TIMEOUT = "timeout"
    RATE_LIMIT = "rate_limit"
    CONNECTION = "connection"
    REFUSAL = "refusal"
    CONTENT_FILTER = "content_filter"
    TRUNCATED = "truncated"
    EMPTY = "empty"
    UNPARSEABLE = "unparseable"
    AMBIGUOUS = "ambiguous"
    INCOMPLETE = "incomplete"
    OUT_OF_RANGE = "out_of_range"
    CONTEXT_TOO_LONG = "context_too_long"
    BUDGET = "budget"
    CANCELLED = "cancelled"
    INTERNAL = "internal"


class Mark(StrEnum):
    """What a person should look at twice in a verdict; it changes no score."""

    REPAIRED = "repaired"
    """The reply was no valid JSON; its punctuation was put right and nothing else."""
    NOT_FOUND = "not_found"
    """A quote does not stand in the passage that it names."""
    CONTRADICTION = "contradiction"
    """The reasoning says something else than the score."""
    SPREAD = "spread"
    """Samples of the same question are far apart."""
    FRACTION = "fraction"
    """The score is no whole number, and stayed so when asked again."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's claim about one unit.

    `score` is `None` when the judge gave no valid one (`failure` then says why). 1 and 0 stand
    for yes and no. `similarity` (0 to 1) and `probability` (0 to 1) are what a threshold cut,
    kept exact so that it can be moved later without judging again. `spread` is the distance from
    the lowest to the highest score where a judge took several samples, of which `score` is the
    median.
    """

    unit: Unit
    score: Fraction | None
    reasoning: str = ""
    evidence: tuple[Evidence, ...] = ()
    similarity: float | None = None
    probability: float | None = None
    failure: FailureKind | None = None
    spread: Fraction | None = None
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Cost:
    """What a judgement cost; there is no `Cost` where the price is unknown."""

    amount: Decimal
    currency: str = "USD"


@dataclass(frozen=True, slots=True)
class Judgement:
    """One judge's whole answer for one example.

    `details` is one sentence: how the score came about. `warnings` are sentences for the person
    who reads the score (repaired, suspicious, capped …).
    """

    example_id: str
    verdicts: tuple[Verdict, ...]
    details: str
    warnings: tuple[str, ...] = ()
    cost: Cost | None = None
    raw_response: str | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """The example lacks what the judge needs, or the judge is not set up; `reason` says what."""

    example_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class JudgeFailure:
    """No answer, with the verdicts that did arrive; never a number."""

    example_id: str
    kind: FailureKind
    message: str
    verdicts: tuple[Verdict, ...] = ()
    warnings: tuple[str, ...] = ()
    raw_response: str | None = None
    traceback: tuple[str, ...] = ()
    """Where an internal failure arose; shown only to people who debug."""
    cost: Cost | None = None


Outcome: TypeAlias = Judgement | Skipped | JudgeFailure


@dataclass(frozen=True, slots=True)
class UnitState:
    """What counts for a unit at one moment: its kind (it may have been moved), score, exclusion."""

    kind: UnitKind
    score: Fraction | None
    excluded: bool = False


class Action(StrEnum):
    """What a decision does to a unit; every action but `undo` leaves the state it names."""

    SET = "set"
    CONFIRM = "confirm"
    EXCLUDE = "exclude"
    MOVE = "move"
    UNSET = "unset"
    UNDO = "undo"
    RESOLVE = "resolve"


class Cause(StrEnum):
    """Why a person changed a value."""

    JUDGE_WRONG = "judge wrong"
    GROUND_TRUTH_WRONG = "ground truth wrong"
    GROUND_TRUTH_AMBIGUOUS = "ground truth ambiguous"
    DUPLICATE = "duplicate"
    SHOULD_BE_BONUS = "should be bonus"
    SHOULD_BE_ESSENTIAL = "should be essential"
    RETRIEVAL_MISSED = "retrieval really missed it"


@dataclass(frozen=True, slots=True)
class Decision:
    """One act of a reviewer on one unit; never changed, never deleted.

    `before` is what counted when it was made and `after` what counts because of it. `undoes` is
    the id of the decision that an `undo` takes back.
    """

    id: int
    unit: UnitRef
    action: Action
    before: UnitState
    after: UnitState
    reviewer: str
    at: datetime
    cause: Cause | None = None
    note: str = ""
    undoes: int | None = None
    twin: UnitRef | None = None
    """The unit of the same example that an excluded duplicate repeats."""
    recalled: int | None = None
    """The id of the decision in an earlier run whose value was taken over."""


class Basis(StrEnum):
    """How the value that counts for a unit came about."""

    JUDGE = "judge"
    REVIEWER = "reviewer"
    """The newest decision of people who see each other's."""
    AGREED = "agreed"
    """Independent reviewers came to the same."""
    RESOLVED = "resolved"
    """They differed, and somebody settled it."""
    DISPUTED = "disputed"
    """They differ: the judge's value stands until somebody settles it."""
    WAITING = "waiting"
    """Not everybody who is needed is done: the judge's value stands until then."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one of several independent reviewers has a unit at."""

    reviewer: str
    state: UnitState
    decision: Decision


@dataclass(frozen=True, slots=True)
class EffectiveScore:
    """What counts now for one unit, and who said so (`decision` is `None`: the judge).

    The decision is the one that made the value, with the reason its author gave for it, whenever
    that was; where the judge's value stands, it is the newest that agreed with it. `opinions` are
    those of independent reviewers, in the order in which they began.
    """

    verdict: Verdict
    state: UnitState
    decision: Decision | None = None
    basis: Basis = Basis.JUDGE
    opinions: tuple[Opinion, ...] = ()

    @property
    def ref(self) -> UnitRef:
        return self.verdict.unit.ref

    @property
    def changed(self) -> bool:
        """Whether a person's value differs from the judge's."""
        return self.state != UnitState(self.ref.kind, self.verdict.score)

    @property
    def reviewed(self) -> bool:
        """Whether a person has confirmed, changed or excluded it."""
        return self.decision is not None


class TraceState(StrEnum):
    """Whether an example has a final score, and if not, why not."""

    SCORED = "scored"
    INCOMPLETE = "incomplete"
    """At least one unit has no valid score yet."""
    VOID = "void"
    """A person's exclusions left nothing to score: out of the mean, and counted."""
    VACUOUS = "vacuous"
    """Nothing was expected, so everything was found: 1, out of the mean, and counted."""


@dataclass(frozen=True, slots=True)
class FormulaLine:
    """One printed line: `RECALL_Essential_Formula`, `(4 + 3) / 2`, `3.5`."""

    label: str
    expression: str
    value: str

    def __str__(self) -> str:
        if not self.expression:
            return f"{self.label}: {self.value}"
        return f"{self.label}: {self.expression} = {self.value}"


@dataclass(frozen=True, slots=True)
class ScoreTrace:
    """The final score with every number that made it.

    `final` is the number that counts everywhere: for the passage formula the printed one, for
    shares the exact one. `exact` is the fraction that no rounding has touched (before the cap).
    `essential`, `bonus` and `combined` are the printed parts (passage formula only).
    """

    state: TraceState
    formula: Formula
    final: Fraction | None
    exact: Fraction | None
    lines: tuple[FormulaLine, ...]
    essential: Fraction | None = None
    bonus: Fraction | None = None
    combined: Fraction | None = None
    capped: bool = False
    rounding: Rounding | None = None
    missing: tuple[str, ...] = ()
    """Labels of the units without a score."""

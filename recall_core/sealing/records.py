"""What stands in a sealed package: one shape a member, checked as it is read.

Scores are exact text (`4`, `3.5`, `367/100`), times ISO 8601 with their zone. Numbers of examples,
units and judgements are those of the database that sealed them; they only tie the members together.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, StringConstraints

from recall_core.results import Status
from recall_core.types import (
    Action,
    Basis,
    Cause,
    FailureKind,
    Formula,
    Mark,
    Rounding,
    TraceState,
    UnitKind,
    UnitRef,
)

FORMAT = "recall-desk-sealed"
VERSION = 1


def _time(text: str) -> str:
    if datetime.fromisoformat(text).tzinfo is None:
        raise ValueError("a time needs its zone")
    return text


def _label(text: str) -> str:
    UnitRef.of(text)
    return text


# Short enough to be read in no time, whoever wrote them.
Exact = Annotated[
    str,
    StringConstraints(pattern=r"^-?[0-9]{1,300}(\.[0-9]{1,30}|/[1-9][0-9]{0,300})?$"),
]
Hash = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]
Time = Annotated[str, StringConstraints(max_length=40), AfterValidator(_time)]
Label = Annotated[str, StringConstraints(max_length=16), AfterValidator(_label)]
Count = Annotated[int, Field(ge=0, lt=2**63)]
Similarity = Annotated[float, Field(ge=0, le=1)]


class Record(BaseModel):
    """Nothing may be missing, nothing unknown, and no text stands for a number."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


class Member(Record):
    """One file of the package, as it was sealed."""

    name: str
    bytes: Count
    sha256: Hash


class Manifest(Record):
    """`manifest.json`: what belongs to the package. `seal` is the hash of all the rest of it."""

    format: Literal["recall-desk-sealed"]
    version: Literal[1]
    tool: str
    run: Count
    name: str
    texts: bool
    members: tuple[Member, ...]
    seal: Hash


class SealedDataset(Record):
    """Where the examples are from; `content_hash` is over all of them in their order."""

    id: Count
    name: str
    content_hash: Hash
    examples: Count


class SealedStatements(Record):
    """How expected outputs were split, for judges of statements."""

    id: Count
    method: str
    model: str | None
    prompt_version: str | None


class SealedRun(Record):
    """`run.json`: the judge with its frozen settings, and how people reviewed."""

    id: Count
    name: str
    state: str
    kind: str
    judge: str
    judge_title: str
    judge_version: Count
    screen: bool
    settings: dict[str, JsonValue]
    prompt_hash: str | None
    endpoint: str | None
    model: str | None
    formula: Formula
    rounding: Rounding
    pass_mark: Exact | None
    review_mode: Literal["shared", "independent"]
    blind: bool
    reviewers_needed: Annotated[int, Field(ge=1, le=99)]
    halves: bool
    notes_required: bool
    audit_seed: int
    created_at: Time
    created_by: str
    dataset: SealedDataset
    statements: SealedStatements | None

    @property
    def needed(self) -> int:
        """How many people decide on an example without seeing each other."""
        return self.reviewers_needed if self.review_mode == "independent" else 1


class SealedPrompt(Record):
    """A line of `prompts.jsonl`: a setting that a model is asked with, and its hash."""

    setting: str
    sha256: Hash
    text: str


class SealedExample(Record):
    """A line of `examples.jsonl`. `content` is the text that `sha256` and the dataset's hash are
    over: JSON with sorted keys. It is left out where only hashes were sealed.
    """

    position: Count
    number: Count
    id: str
    sha256: Hash
    content: str | None
    statements: tuple[str, ...] | None


class SealedEvidence(Record):
    """Where a verdict's support stands."""

    rank: int | None
    start: int | None
    end: int | None
    quote: str
    located: bool


class SealedState(Record):
    """What counts for a unit, and how that came about."""

    kind: UnitKind
    score: Exact | None
    excluded: bool
    reviewed: bool
    basis: Basis


class SealedVerdict(Record):
    """A judge's verdict about one unit, and what counts for it since people decided."""

    unit: Label
    number: Count
    text: str | None
    score: Exact | None
    failure: FailureKind | None
    probability: Similarity | None
    similarity: Similarity | None
    spread: Exact | None
    marks: tuple[Mark, ...]
    reasoning: str | None
    evidence: tuple[SealedEvidence, ...]
    now: SealedState


class SealedJudgement(Record):
    """A line of `judgements.jsonl`: one judge's answer for one example, and both finals."""

    judgement: Count
    example: Count
    position: Count
    repeat: Count
    status: Status
    error_type: FailureKind | None
    details: str | None
    warnings: tuple[str, ...]
    judged_at: Time
    judge_final: Exact | None
    final: Exact | None
    state: TraceState
    essential: Exact | None
    bonus: Exact | None
    verdicts: tuple[SealedVerdict, ...]


ChainState = tuple[UnitKind, Exact | None, bool]
"""Kind, score, excluded."""


class SealedDecision(Record):
    """A line of `ledger.jsonl`: a decision with its place in the chain. The hash is over all but
    `id`, `hash` and `on`, which names the unit.
    """

    id: Count
    hash: Hash
    on: Label
    run: Count
    judgement: Count
    review: Count
    unit: Count
    action: Action
    before: ChainState
    after: ChainState
    reviewer: str
    cause: Cause | None
    note: str
    based_on: Count
    undoes: Count | None
    twin: Label | None
    recalled: Count | None
    batch: str | None
    client: tuple[str, int, int]
    at: Time
    previous: Hash


class SealedReview(Record):
    """A line of `reviews.jsonl`: who looked at what, how it came to them, what they could see."""

    id: Count
    judgement: Count
    reviewer: str
    selection: str
    draw: Count | None
    judge_visible: bool
    opened_at: Time
    finished_at: Time | None
    revealed_at: Time | None
    revealed_after: Count | None
    committed_at: Time | None


class SealedDraw(Record):
    """A line of `audit.jsonl`: one draw, and from how many it was drawn."""

    id: Count
    position: Count
    seed: int
    stratum: Literal["judged", "failed"]
    undrawn: Count
    example: Count
    drawn_at: Time
    drawn_by: str
    state: Literal["pending", "done"]


class SealedMean(Record):
    """An exact mean over `n` of `of` examples."""

    value: Exact | None
    n: Count
    of: Count


class SealedPolicy(Record):
    """A line of `policies.jsonl`: a saved rule and what it makes of the run. One that counts
    another run's judge has no numbers here, for that run is not in the package.
    """

    name: str
    rules: dict[str, Exact | Rounding | Count]
    created_by: str
    created_at: Time
    mean: SealedMean | None
    passed: Count | None


class SealedNumbers(Record):
    """`numbers.json`: what was said of the run when it was sealed."""

    judge_mean: SealedMean
    mean: SealedMean
    headline: dict[str, JsonValue]
    decisions: Count
    chain_end: Hash

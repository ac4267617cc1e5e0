"""One judgement with all that a person needs to check it, as plain values.

What the judge said and what people decided since lie side by side here; what counts now and both
scores are computed from them, by the same function for screens, exports and the kept copies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from recall_core.effective import effective_scores
from recall_core.results import Status
from recall_core.scoring import trace_of_effective, trace_of_verdicts
from recall_core.types import (
    Basis,
    Cost,
    Decision,
    EffectiveScore,
    Example,
    FailureKind,
    Formula,
    Json,
    Rounding,
    ScoreTrace,
    TraceState,
    UnitRef,
    Verdict,
)


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What holds for every judgement of a run, as it was when the run was made."""

    id: int
    name: str
    dataset_id: int
    dataset: str
    content_hash: str
    examples: int
    judge: str
    judge_title: str
    """What people call the judge; its name where its file is gone."""
    judge_version: int
    screen: bool
    """Whether the judge sees neither paraphrase nor contradiction."""
    settings: Mapping[str, Json]
    pass_mark: Fraction | None
    """The final score from which an example passes, or `None`."""
    formula: Formula
    rounding: Rounding
    review_mode: str
    blind: bool
    reviewers_needed: int
    halves: bool
    notes_required: bool
    created_at: datetime
    created_by: str

    @property
    def independent(self) -> bool:
        """Whether several people review each example without seeing each other's decisions."""
        return self.review_mode == "independent" and self.reviewers_needed > 1

    @property
    def needed(self) -> int:
        """How many people decide on an example without seeing each other; 1: all see all."""
        return self.reviewers_needed if self.independent else 1


@dataclass(frozen=True, slots=True)
class Sight:
    """What is kept from the person for whom a judgement was read (`viewing.seen_by`).

    `judge_hidden`: they review blind and have not committed yet. `others_hidden`: independent
    reviewers are not all done. `names_hidden`: their differences are not resolved. `done`: the
    person has decided on every unit. `reviewers_done` counts the people who have.
    """

    judge_hidden: bool = False
    others_hidden: bool = False
    names_hidden: bool = False
    done: bool = False
    reviewers_done: int = 0


EVERYTHING_SEEN = Sight()


@dataclass(frozen=True, slots=True)
class Scores:
    """The judge's score and the one that counts now, with what counts for every unit."""

    effective: tuple[EffectiveScore, ...]
    judge_trace: ScoreTrace
    trace: ScoreTrace


@dataclass(frozen=True, slots=True)
class JudgementDetail:
    """One judge's answer for one example, and what people made of it.

    `position` counts from 1 in the order of the dataset, which has `run.examples` examples.
    `decisions` are oldest first; `newest` holds the id of the newest one on each unit (0: none),
    undos included, which a writer hands back as what they had seen. `batches` names the batch of
    those decisions that were made as one.
    """

    id: int
    run: RunFacts
    position: int
    repeat: int
    example: Example
    status: Status
    error_type: FailureKind | None
    details: str
    warnings: tuple[str, ...]
    raw_response: str | None
    cost: Cost | None
    judged_at: datetime
    verdicts: tuple[Verdict, ...]
    decisions: tuple[Decision, ...]
    newest: Mapping[UnitRef, int]
    batches: Mapping[int, str]
    scores: Scores
    again: bool = False
    """Whether the judge is being asked again; its new answer takes this one's place."""
    sight: Sight = EVERYTHING_SEEN

    @property
    def effective(self) -> tuple[EffectiveScore, ...]:
        """What counts now for each unit, in the verdicts' order."""
        return self.scores.effective

    @property
    def judge_trace(self) -> ScoreTrace:
        return self.scores.judge_trace

    @property
    def trace(self) -> ScoreTrace:
        return self.scores.trace

    @property
    def total(self) -> int:
        """How many examples the run has: the 40 of "17 of 40"."""
        return self.run.examples

    @property
    def provisional(self) -> bool:
        """Whether independent reviewers still have to finish, or to settle a difference."""
        return any(e.basis in (Basis.WAITING, Basis.DISPUTED) for e in self.effective)

    def unit(self, ref: UnitRef) -> EffectiveScore | None:
        """What counts now for the unit of that name, or `None` if it was not judged."""
        return next((e for e in self.effective if e.ref == ref), None)


def scores_of(
    status: Status,
    verdicts: Sequence[Verdict],
    decisions: Sequence[Decision],
    *,
    formula: Formula,
    rounding: Rounding,
    needed: int = 1,
) -> Scores:
    """The judge's trace and the one that counts now; `needed` as in `effective_scores`.

    A judge that failed has no final, whatever verdicts had arrived; the example gets one as soon
    as a person has decided and every unit has a score. A skipped example never has one.
    """
    effective = effective_scores(verdicts, decisions, needed=needed)
    if status is Status.PROCESSED:
        judged = trace_of_verdicts(formula, verdicts, rounding=rounding)
        return Scores(effective, judged, trace_of_effective(formula, effective, rounding=rounding))
    failed = _no_answer(formula, rounding, effective)
    if not any(e.reviewed for e in effective):
        return Scores(effective, failed, failed)
    return Scores(effective, failed, trace_of_effective(formula, effective, rounding=rounding))


def _no_answer(
    formula: Formula, rounding: Rounding, effective: Sequence[EffectiveScore]
) -> ScoreTrace:
    return ScoreTrace(
        TraceState.INCOMPLETE,
        formula,
        final=None,
        exact=None,
        lines=(),
        rounding=rounding if formula is Formula.PASSAGE else None,
        missing=tuple(e.ref.label for e in effective if e.state.score is None),
    )

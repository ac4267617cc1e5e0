"""How a run's mean moved from the judge's to the one that counts now, reason by reason.

People's standing decisions are replayed in order, example by example (`ledger`), and their effects
added up by cause or by reviewer. Examples that only one of the two means covers are reasons of
their own. All steps are exact, so they always add up to the whole way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from math import floor

from recall_core.details import JudgementDetail
from recall_core.effective import standing_decisions
from recall_core.ledger import ledger_of, replayed
from recall_core.scoring import rounded
from recall_core.summary import Mean
from recall_core.types import Decision, TraceState

NO_CAUSE = "no cause given"
CAP = "cap at 5"
LEFT = "left the mean"
SCORED_BY_PEOPLE = "failed, scored by people"
UNREVIEWED = "estimate for unreviewed"


class Grouping(StrEnum):
    """By what the effects of decisions are added up."""

    CAUSE = "cause"
    REVIEWER = "reviewer"


@dataclass(frozen=True, slots=True)
class Step:
    """One reason, how many units (or, where examples come or go, examples) it concerns, where the
    mean stood before it, and how far it moved it."""

    reason: str
    count: int
    start: Fraction
    delta: Fraction


@dataclass(frozen=True, slots=True)
class Movement:
    """From `judge` to `now`; the steps' deltas add up to the difference."""

    judge: Fraction
    steps: tuple[Step, ...]
    now: Fraction

    def with_estimate(self, recall: float, unreviewed: int) -> Movement:
        """The way on from the mean that counts now to an estimate of the recall: what an audit says
        of the examples that nobody has reviewed.
        """
        end = Fraction(recall)
        step = Step(UNREVIEWED, unreviewed, self.now, end - self.now)
        return replace(self, steps=(*self.steps, step), now=end)

    def printed_deltas(self) -> tuple[Fraction, ...]:
        """The deltas in hundredths that lead from the one printed mean to the other.

        All are rounded down, and the hundredths that are then missing go to the steps that lost
        the most by it (largest remainders). The means are rounded too, so one more or less than
        there are steps may be missing; those go around again, or come back from who lost least.
        """
        floors = [floor(step.delta * 100) for step in self.steps]
        missing = int((rounded(self.now) - rounded(self.judge)) * 100) - sum(floors)
        lost = [step.delta * 100 - low for step, low in zip(self.steps, floors, strict=True)]
        places = sorted(range(len(floors)), key=lambda place: -lost[place])
        for nth in range(abs(missing)):
            place = nth % len(places)
            floors[places[place if missing > 0 else -1 - place]] += 1 if missing > 0 else -1
        return tuple(Fraction(hundredths, 100) for hundredths in floors)


def movement_of(
    touched: Iterable[JudgementDetail], judge: Mean, now: Mean, by: Grouping = Grouping.CAUSE
) -> Movement | None:
    """`touched` are the judgements on which people decided anything; the means are the run's.

    `None` where one of the means covers nothing, so that there is no way to tell of.
    """
    tally = MovementTally(by)
    for detail in touched:
        tally.add(detail)
    return tally.movement(judge, now)


def _in_a_row(start: Fraction, steps: Iterable[tuple[str, int, Fraction]]) -> Iterator[Step]:
    for reason, count, delta in steps:
        yield Step(reason, count, start, delta)
        start += delta


class MovementTally:
    """Sums over the touched judgements, each added once."""

    def __init__(self, by: Grouping) -> None:
        self._by = by
        self.left = self.joined = 0
        self.left_sum = Fraction(0)
        self.effects: dict[str, Fraction] = {}
        self.units: Counter[str] = Counter()

    def add(self, detail: JudgementDetail) -> None:
        judged, final = detail.judge_trace, detail.trace
        was_in, is_in = (t.state is TraceState.SCORED for t in (judged, final))
        if was_in and not is_in:
            self.left += 1
            self.left_sum += judged.final or 0
        elif is_in and not was_in:
            self.joined += 1
        elif is_in:
            self._replay(detail)

    def movement(self, judge: Mean, now: Mean) -> Movement | None:
        """The way from one mean of the run to the other, as `movement_of` says."""
        if judge.value is None or now.value is None:
            return None
        steps = tuple(_in_a_row(judge.value, self._steps(judge, now)))
        return Movement(judge.value, steps, now.value)

    def _steps(self, judge: Mean, now: Mean) -> list[tuple[str, int, Fraction]]:
        """Reason, count and delta of each step, the largest cause first; both means have values."""
        first, last = judge.value or Fraction(0), now.value or Fraction(0)
        common = judge.n - self.left
        if common == 0:
            return [(SCORED_BY_PEOPLE, self.joined, last - first)]
        before = (first * judge.n - self.left_sum) / common
        steps = [(LEFT, self.left, before - first)] if self.left else []
        for reason, effect in sorted(self.effects.items(), key=lambda item: -abs(item[1])):
            steps.append((reason, self.units[reason], effect / common))
        if self.joined:
            after = before + sum(self.effects.values(), Fraction(0)) / common
            steps.append((SCORED_BY_PEOPLE, self.joined, last - after))
        return steps

    def _replay(self, detail: JudgementDetail) -> None:
        """Decisions that were taken back have moved nothing, so only those that stand count."""
        replay = replayed(detail)
        units = {decision.unit for decision in replay}
        standing = [
            decision
            for unit in units
            for decision in standing_decisions([d for d in replay if d.unit == unit])
        ]
        kept = replace(detail, decisions=tuple(sorted(standing, key=lambda d: d.id)))
        ledger = ledger_of(kept)
        for line in ledger.lines:
            # Who agreed with a change that was taken back since is who moves the final now.
            if line.decision.before != line.decision.after or line.effect:
                self._move(self._reason(line.decision), line.effect)
        if ledger.cap:
            self._move(CAP, ledger.cap)

    def _reason(self, decision: Decision) -> str:
        if self._by is Grouping.REVIEWER:
            return decision.reviewer
        return NO_CAUSE if decision.cause is None else decision.cause.value

    def _move(self, reason: str, effect: Fraction | None) -> None:
        self.units[reason] += 1
        self.effects[reason] = self.effects.get(reason, Fraction(0)) + (effect or 0)

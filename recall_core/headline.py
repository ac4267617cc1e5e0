"""What is said of a run's recall, everywhere the same: the number, how sure, and from what."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from recall_core.estimation import (
    CONFIDENCE,
    GRADE,
    Estimate,
    Estimated,
    Forecast,
    Grounds,
    Target,
    forecast,
    next_half_width,
)
from recall_core.movement import Movement
from recall_core.scoring import FINAL_RANGE, rounded
from recall_core.summary import Gate, Mean
from recall_core.types import Formula, Json


class Standing(StrEnum):
    """How much a run's number can be trusted."""

    NOTHING = "no score yet"
    JUDGE_ONLY = "judge only, unreviewed"
    NO_INTERVAL = "partly reviewed, no interval"
    ESTIMATED = "estimated from an audit"
    EXACT = "all reviewed"


@dataclass(frozen=True, slots=True)
class Headline:
    """A run's recall. `judge` is the mean of the judge's finals, `now` the mean of those that count
    now, which is no estimate: most of it may still be the judge's.
    """

    formula: Formula
    estimated: Estimated
    judge: Mean
    now: Mean
    still_judging: bool = False

    @property
    def grounds(self) -> Grounds:
        return self.estimated.grounds

    @property
    def estimate(self) -> Estimate | None:
        return self.estimated if isinstance(self.estimated, Estimate) else None

    @property
    def standing(self) -> Standing:
        if self.now.value is None:
            return Standing.NOTHING
        if self.estimate is not None:
            return Standing.EXACT if self.estimate.exact else Standing.ESTIMATED
        touched = self.grounds.reviewed or self.now.value != self.judge.value
        return Standing.NO_INTERVAL if touched else Standing.JUDGE_ONLY

    @property
    def faint(self) -> bool:
        """Whether the number is shown in grey: it is mostly the judge's."""
        return self.estimate is None

    @property
    def value(self) -> float | None:
        """The estimate; without one the mean that counts now."""
        if self.estimate is not None:
            return self.estimate.point
        return None if self.now.value is None else float(self.now.value)

    @property
    def number(self) -> str:
        """`4.12`, or a dash where nothing has a score."""
        return "–" if self.value is None else _two_decimals(self.value)

    @property
    def interval(self) -> str:
        """`3.93 to 4.31`; empty where there is none."""
        if self.standing is not Standing.ESTIMATED or self.estimate is None:
            return ""
        return f"{_two_decimals(self.estimate.low)} to {_two_decimals(self.estimate.high)}"

    @property
    def label(self) -> str:
        """`Recall of these 240 examples`, or `Judge's mean, 240 examples`."""
        n = self.grounds.examples if self.estimate is not None else self.now.n
        examples = f"{n} example{'' if n == 1 else 's'}"
        if self.estimate is not None:
            if self.estimate.target is Target.LIKE_THESE:
                return f"Recall of examples like these {n}"
            return f"Recall of these {examples}"
        judge = self.standing in (Standing.JUDGE_ONLY, Standing.NOTHING)
        return f"{'Judge’s mean' if judge else 'Mean so far'}, {examples}"

    @property
    def made_from(self) -> str:
        """`40 audited, 12 chosen, 3 failed`."""
        grounds = self.grounds
        if self.standing is Standing.JUDGE_ONLY:
            return Standing.JUDGE_ONLY.value
        parts = [f"{grounds.audited} audited"]
        parts += [f"{grounds.chosen} chosen"] if grounds.chosen else []
        parts += [f"{grounds.pending} drawn and waiting"] if grounds.pending else []
        parts += [f"{grounds.failed} failed"] if grounds.failed else []
        return ", ".join(parts)

    @property
    def sentence(self) -> str:
        """How the number came about, for a person who has not seen the screen before."""
        if self.estimate is not None:
            return " ".join((self.estimate.method.sentence, *self._provisos(self.estimate)))
        if self.standing is Standing.NOTHING:
            return "No example has a final score yet."
        if self.still_judging:
            return "The judge is still at work; the audit begins when it is done."
        reason = getattr(self.estimated, "reason", "")
        if self.standing is Standing.JUDGE_ONLY:
            return f"This is the judge's word, which no person has checked. {reason}"
        return f"Most of this mean may still be the judge's. {reason}"

    def _provisos(self, estimate: Estimate) -> list[str]:
        said = []
        if estimate.df is not None:
            times = f"{100 * estimate.confidence:g} times in 100"
            said.append(f"An interval made like this holds the true mean {times}.")
        if estimate.provisional:
            n = estimate.grounds.pending
            waits = "example waits" if n == 1 else "examples wait"
            said.append(f"It is provisional: {n} drawn {waits} for a review.")
        return said

    def reviews_for(self, half_width: float | None = None) -> Forecast | None:
        """How many more audit reviews it takes to reach `half_width` on each side, by default the
        next one worth asking for; `None` where there is no interval to narrow.
        """
        if self.standing is not Standing.ESTIMATED or self.estimate is None:
            return None
        wanted = half_width or next_half_width(self.estimate, GRADE[self.formula])
        return forecast(self.estimate, wanted)

    def way_to(self, movement: Movement | None) -> Movement | None:
        """The way from the judge's mean to this number: what people's decisions did, and then what
        an audit says of the examples that nobody has reviewed.
        """
        if movement is None or self.estimate is None or self.estimate.exact:
            return movement
        unreviewed = self.grounds.examples - self.grounds.reviewed
        return movement.with_estimate(self.estimate.point, unreviewed)

    def gate(self, mark: float) -> Gate:
        """Whether the recall is at least `mark`: passed if all of the interval is, failed if none
        of it. Without an interval, or while a drawn example waits, that is decided by what
        unreviewed units can still reach: who skips the hard ones passes nothing by it.
        """
        band = self.grounds.reachable
        low, high = FINAL_RANGE[self.formula] if band is None else (band.low, band.high)
        if self.estimate is not None and not self.estimate.provisional:
            low, high = self.estimate.low, self.estimate.high
        if low >= mark:
            return Gate.PASSED
        return Gate.FAILED if high < mark else Gate.INCONCLUSIVE

    def as_json(self) -> dict[str, Json]:
        """For files and programs."""
        found, grounds = self.estimate, self.grounds
        band = grounds.reachable
        return {
            "recall": self.value,
            "low": None if found is None else found.low,
            "high": None if found is None else found.high,
            "confidence": CONFIDENCE if found is None else found.confidence,
            "standing": self.standing.value,
            "method": None if found is None else found.method.value,
            "examples": grounds.examples,
            "audited": grounds.audited,
            "chosen": grounds.chosen,
            "pending": grounds.pending,
            "failed": grounds.failed,
            "judge_mean": None if self.judge.value is None else float(self.judge.value),
            "judge_covers": self.judge.n,
            "reachable": None if band is None else [band.low, band.high],
            "why_no_interval": None if found is not None else self.sentence,
        }


def _two_decimals(value: float) -> str:
    """Halves go up, like a mean in a list: 2.675 is a little less as a float, and is 2.68."""
    return f"{float(rounded(Fraction(value).limit_denominator(1_000_000))):.2f}"

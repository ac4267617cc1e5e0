"""The bar that a run has to reach, and the exit status that says whether it does."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from api.console import BELOW, GOOD, INCOMPLETE
from db.runs import RunCard, RunState
from recall_core.comparison import Comparison
from recall_core.scoring import printed
from recall_core.summary import Counts, Gate, RunSummary, gate


@dataclass(frozen=True, slots=True)
class Bar:
    """What is asked of a run. `at_least` is for its mean; `min_coverage` for the share of its
    examples that have a score; `may_fall` is how much less the judge's mean may be than in the
    run that it is held against.
    """

    at_least: Fraction | None = None
    min_coverage: Fraction | None = None
    may_fall: Fraction = Fraction(0)

    def held(
        self, run: RunCard, summary: RunSummary, against: Comparison | None = None
    ) -> tuple[int, str]:
        """The exit status, and a sentence that says why: incomplete, below, or good.

        Without `min_coverage` a mean passes only if no example without a score could turn it, so
        that ten examples of which nine failed do not pass on the strength of one.
        """
        if run.state is not RunState.DONE:
            return INCOMPLETE, f"The run is {run.state.value}. {run.message}".strip()
        covered = coverage(summary.counts)
        if self.min_coverage is not None and covered < self.min_coverage:
            return INCOMPLETE, (
                f"{summary.counts.coverage} examples have a score; {printed(self.min_coverage)} "
                "of them are asked for."
            )
        fell = self._fell(against)
        if fell is not None:
            return BELOW, fell
        return self._mean(summary)

    def _mean(self, summary: RunSummary) -> tuple[int, str]:
        counts, mean = summary.counts, summary.mean.value
        if self.at_least is None:
            if self.min_coverage is None and counts.failed + counts.incomplete + counts.left:
                return INCOMPLETE, f"Not in the mean: {counts.left_out}."
            return GOOD, ""
        mark = printed(self.at_least)
        if self.min_coverage is None:
            passed = gate(summary, self.at_least)
        elif mean is None:
            passed = Gate.INCONCLUSIVE
        else:
            passed = Gate.PASSED if mean >= self.at_least else Gate.FAILED
        if passed is Gate.PASSED:
            return GOOD, f"The mean is at least {mark}."
        if passed is Gate.FAILED:
            return BELOW, f"The mean is below {mark}."
        return INCOMPLETE, (
            f"Whether the mean reaches {mark} hangs on examples without a score: {counts.left_out}."
        )

    def _fell(self, against: Comparison | None) -> str | None:
        change = None if against is None else against.final.judge
        if against is None or change is None or change >= -float(self.may_fall):
            return None
        return (
            f"Recall fell by {printed(Fraction(-change))} against run {against.a.id}, "
            f"{against.a.name}, on {against.final.shared} shared examples."
        )


def coverage(counts: Counts) -> Fraction:
    """The share of examples with a score among those that could have one."""
    expected = counts.total - counts.vacuous - counts.void
    return Fraction(counts.scored, expected) if expected else Fraction(0)

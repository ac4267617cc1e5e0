"""What a file says of a run's recall, for tests: without an audit, and with one."""

from __future__ import annotations

from recall_core.estimation import GRADE, Grounds, NoEstimate, estimate_mean
from recall_core.export.report_trust import Trust
from recall_core.headline import Headline
from recall_core.summary import Mean, RunSummary
from recall_core.types import Formula
from tests.core.estimation.runs import PASSAGE, some_audit


def unaudited(numbers: RunSummary) -> Headline:
    """The recall of a run that no audit has drawn from."""
    grounds = Grounds(numbers.mean.n, 0, 0, 0, 0, 0, None)
    reason = NoEstimate("No audit reviews: an interval needs 5.", 5, grounds)
    return Headline(numbers.run.formula, reason, numbers.judge_mean, numbers.mean)


def audited(judge: Mean, now: Mean, reviewed: int = 40, of: int = 240) -> Headline:
    """The recall of a run whose judge is half a grade too kind, with so many audit reviews."""
    grade = GRADE[Formula.PASSAGE]
    found = estimate_mean(some_audit(reviewed, of), scale=PASSAGE, grade=grade)
    return Headline(Formula.PASSAGE, found, judge, now)


def bare(recall: Headline) -> Trust:
    """The headline and nothing else."""
    return Trust(recall, movement=None, agreement=(), people={}, reviewed_by=())

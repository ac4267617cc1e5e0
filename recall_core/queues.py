"""What to review next, and in which order."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from recall_core.disagreement import DISAGREES, share
from recall_core.scoring import SCALES
from recall_core.stop_rule import Reach
from recall_core.types import Mark, UnitKind


class Queue(StrEnum):
    """How an example came before a person; kept with every review."""

    AUDIT = "audit"
    DISAGREEMENT = "disagreement"
    STAKE = "stake"
    FAILURES = "failures"
    FLAGGED = "flagged"
    MINE = "mine"
    RESOLVE = "resolve"
    CHOSEN = "chosen"

    @property
    def label(self) -> str:
        return _TITLES[self][0]

    @property
    def help(self) -> str:
        """One sentence for the person who chooses a queue."""
        return _TITLES[self][1]


_TITLES = {
    Queue.AUDIT: (
        "Audit",
        "A random order, fixed beforehand: only these reviews say how far the judge can be "
        "trusted on the examples that nobody has read.",
    ),
    Queue.DISAGREEMENT: (
        "Disagreement",
        "Where judges differ, samples are far apart, or the judge's score does not fit its own "
        "reasoning or the text.",
    ),
    Queue.STAKE: (
        "Stake",
        "Where a review can still move the run's mean most, towards its pass mark if it has one.",
    ),
    Queue.FAILURES: ("Failures", "Where the judge gave no score and a person can."),
    Queue.FLAGGED: ("Flagged", "Where somebody asked for another look."),
    Queue.MINE: ("Mine", "What has been assigned to you and is not done."),
    Queue.RESOLVE: ("To resolve", "Where independent reviewers came to different scores."),
    Queue.CHOSEN: ("Chosen", "All examples in their order, or those that you filter or open."),
}

JUDGED, FAILED = "judged", "failed"
"""The strata of an audit: examples with a final of the judge, and those without."""
FAILURES_FIRST = 20
"""Up to so many failures come first in the audit, for each must be read to know its score."""


@dataclass(frozen=True, slots=True)
class AuditItem:
    """An example that an audit can draw, by its position in the dataset."""

    position: int
    stratum: str


def audit_order(seed: int, items: Iterable[AuditItem]) -> list[AuditItem]:
    """The items in the random order that `seed` fixes, the first failures before all others.

    The place of an item depends on the seed and its position alone, so that items which come or go
    leave the order of the others as it is.
    """
    shuffled = sorted(items, key=lambda item: _lot(seed, item.position))
    failed = [item for item in shuffled if item.stratum == FAILED][:FAILURES_FIRST]
    first = set(failed)
    return [*failed, *(item for item in shuffled if item not in first)]


def _lot(seed: int, position: int) -> bytes:
    return hashlib.sha256(f"{seed}/{position}".encode()).digest()


@dataclass(frozen=True, slots=True)
class Doubt:
    """What speaks against one verdict, besides other judges: its own marks and spread."""

    kind: UnitKind
    spread: Fraction | None
    marks: Sequence[Mark]


_AGAINST_ITSELF = frozenset({Mark.CONTRADICTION, Mark.SPREAD})


def doubt_of(disagreement: float | None, doubts: Iterable[Doubt]) -> float:
    """How doubtful a judgement is, 0 to 1: its largest distance from other judges, from the text or
    between its own samples. Reasoning against score has no size, and counts as a disagreement.
    """
    sizes = [disagreement or 0.0]
    for doubt in doubts:
        if doubt.spread is not None:
            sizes.append(_width(doubt.kind, doubt.spread))
        if _AGAINST_ITSELF.intersection(doubt.marks):
            sizes.append(DISAGREES)
    return max(sizes)


def _width(kind: UnitKind, spread: Fraction) -> float:
    return float(share(kind, SCALES[kind].lowest + spread))


def stake_of(
    reach: Reach, now: Fraction | None, mean: Fraction | None, mark: Fraction | None
) -> Fraction:
    """How far one example's final can still go the way that matters for the run.

    With a mark that is towards it: up where the mean is below, down where it has been reached.
    Without one, or where the example has no final yet, it is the whole width of its reach.
    """
    if now is None or mean is None or mark is None:
        return reach.width
    return reach.highest - now if mean < mark else now - reach.lowest

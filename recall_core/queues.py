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


def audit_order(seed: int, items: Iterable[AuditItem], *, failures_drawn: int) -> list[AuditItem]:
    """The items that are left in the random order which `seed` fixes, failures before all others
    until `FAILURES_FIRST` of them have been drawn.

    The place of an item depends on the seed and its position alone, so that items which come or go
    leave the order of the others as it is.
    """
    first, rest = _with_failures_first(seed, items, failures_drawn)
    return [*first, *sorted(rest, key=lambda item: _lot(seed, item.position))]


def next_in_order(seed: int, items: Iterable[AuditItem], *, failures_drawn: int) -> AuditItem:
    """The first of `audit_order`; there is at least one item."""
    first, rest = _with_failures_first(seed, items, failures_drawn)
    return first[0] if first else min(rest, key=lambda item: _lot(seed, item.position))


def _with_failures_first(
    seed: int, items: Iterable[AuditItem], failures_drawn: int
) -> tuple[list[AuditItem], list[AuditItem]]:
    """The failures that come first, in order, and all other items."""
    every = list(items)
    failed = [item for item in every if item.stratum == FAILED]
    places = max(0, FAILURES_FIRST - failures_drawn)
    first = sorted(failed, key=lambda item: _lot(seed, item.position))[:places]
    chosen = {item.position for item in first}
    return first, [item for item in every if item.position not in chosen]


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

"""The parts of a run that are estimated each by themselves, and put together by their sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from recall_core.estimation.formulas import (
    DrawsInOrder,
    Floats,
    SampledMean,
    des_raj_mean,
    guarded_mean,
)
from recall_core.estimation.values import Method, Observed

FEWEST = 2
"""Below so many audit reviews a part says nothing beyond what it can still reach."""


@dataclass(frozen=True, slots=True)
class Part:
    """The mean of `size` examples: from `low` to `high` where some may still be anything, else one
    number with the variance of its estimate.

    `df` is `None` where nothing was sampled. `finals_variance` is how much people's finals differ
    from one example to the next. `residual`, `n`, `of` and `finite` are those of `Spread`.
    """

    size: int
    low: float
    high: float
    variance: float
    df: int | None
    finals_variance: float
    residual: float = 0.0
    n: int = 0
    of: int = 0
    finite: bool = True


@dataclass(frozen=True, slots=True)
class Stratum:
    """Examples that are drawn from by themselves: those the judge scored, or those it failed on."""

    rows: Sequence[Observed]

    @property
    def size(self) -> int:
        return sum(row.count for row in self.rows)

    @property
    def audited(self) -> list[Observed]:
        """Drawn and reviewed, in the order of drawing."""
        drawn = [r for r in self.rows if r.draw is not None and r.human is not None]
        return sorted(drawn, key=lambda r: r.draw or 0)

    @property
    def pending(self) -> int:
        return sum(r.draw is not None and r.human is None for r in self.rows)

    @property
    def chosen(self) -> list[Observed]:
        return [r for r in self.rows if r.draw is None and r.human is not None]

    @property
    def complete(self) -> bool:
        return all(r.human is not None for r in self.rows)

    def parts(self, grade: float) -> tuple[Method, list[Part]]:
        """How the reviews came about, and the parts that follow from it."""
        if self.complete:
            return Method.EXACT, [_counted(self.rows)]
        if len(self.audited) < FEWEST:
            return Method.REACHABLE, [_reachable(self.rows)]
        return self._sampled(grade)

    def _sampled(self, grade: float) -> tuple[Method, list[Part]]:
        first, last = self._first_and_last_draw()
        away = [r for r in self.rows if _chosen_before(r, last)]
        open_ones = [r for r in away if r.human is None]
        settled = [r for r in away if r.human is not None]
        parts = [_reachable(open_ones)] if open_ones else []
        if any(not _chosen_before(r, first) for r in away):
            rest = [r for r in self.rows if r.human is not None or not _chosen_before(r, last)]
            return Method.INTERLEAVED, [*parts, _in_order(rest, grade)]
        rest = [r for r in self.rows if not _chosen_before(r, last)]
        if settled:
            parts.append(_counted(settled))
        return Method.CHOSEN_FIRST if away else Method.AUDIT, [*parts, _drawn(rest, grade)]

    def _first_and_last_draw(self) -> tuple[int, int]:
        draws = [r.draw for r in self.rows if r.draw is not None]
        return min(draws), max(draws)


def _chosen_before(row: Observed, draw: int) -> bool:
    """Whether people had taken the example out of the frame by choice when that draw was made."""
    return row.draw is None and row.chosen_after is not None and row.chosen_after < draw


def _counted(rows: Sequence[Observed]) -> Part:
    """Examples that are all reviewed and count as themselves."""
    finals = _finals(rows)
    mean = float(finals.mean())
    differ = float(finals.var(ddof=1)) if len(finals) > 1 else 0.0
    return Part(len(rows), mean, mean, 0.0, None, differ)


def _reachable(rows: Sequence[Observed]) -> Part:
    """Examples of which no random sample speaks: their mean is anywhere that it can still be."""
    size = sum(r.count for r in rows)
    low = sum(r.lowest * r.count for r in rows) / size
    high = sum(r.highest * r.count for r in rows) / size
    return Part(size, low, high, 0.0, None, ((high - low) / 2) ** 2)


def _drawn(rows: Sequence[Observed], grade: float) -> Part:
    """A simple random sample of the rows; without a judge it counts as one that says 0."""
    audited = Stratum(rows).audited
    size = sum(r.count for r in rows)
    judge_mean = sum((r.judge or 0.0) * r.count for r in rows) / size
    human = _finals(audited)
    found = guarded_mean(human, _judged(audited), np.asarray(judge_mean), size, grade)
    return _part(size, found, len(audited), size, float(human.var(ddof=1)), finite=True)


def _in_order(rows: Sequence[Observed], grade: float) -> Part:
    """Draws among choices (Des Raj). What was drawn and is still pending counts as unreviewed."""
    audited = Stratum(rows).audited
    known = [(_known_after(r), r) for r in rows if r.human is not None]
    size = sum(r.count for r in rows)
    judge_sum = sum((r.judge or 0.0) * r.count for r in rows)
    since = np.array([after for after, _ in known], dtype=float)
    humans = np.array([r.human for _, r in known], dtype=float)
    judges = np.array([r.judge or 0.0 for _, r in known])
    before = since[None, :] < np.array([r.draw for r in audited])[:, None]
    draws = DrawsInOrder(
        human=_finals(audited),
        judge=_judged(audited),
        known_sum=before @ humans,
        left=size - before.sum(axis=1).astype(float),
        left_judge_sum=judge_sum - before @ judges,
    )
    found = des_raj_mean(draws, of=size, grade=grade)
    m, left = len(audited), sum(r.count for r in rows if r.human is None)
    differ = _variance_with_chosen(rows, float(found.mean), draws.human)
    return _part(size, found, m, m + left, differ, finite=False)


def _variance_with_chosen(rows: Sequence[Observed], mean: float, drawn: Floats) -> float:
    """How much finals differ, where those that were drawn speak for all but the chosen ones."""
    chosen = _finals([r for r in rows if r.draw is None and r.human is not None])
    if not len(chosen):
        return float(drawn.var(ddof=1))
    share = len(chosen) / sum(r.count for r in rows)
    rest = (mean - share * chosen.mean()) / (1 - share)
    within = share * chosen.var() + (1 - share) * drawn.var(ddof=1)
    return float(within + share * (chosen.mean() - mean) ** 2 + (1 - share) * (rest - mean) ** 2)


def _known_after(row: Observed) -> float:
    """After how many draws the example was out of the frame; its own draw counts for itself."""
    if row.draw is not None:
        return float(row.draw)
    return inf if row.chosen_after is None else float(row.chosen_after)


def _part(
    size: int, found: SampledMean, n: int, of: int, finals_variance: float, *, finite: bool
) -> Part:
    mean = float(found.mean)
    return Part(
        size,
        mean,
        mean,
        float(found.variance),
        n - 1,
        finals_variance,
        float(found.residual),
        n,
        of,
        finite,
    )


def _finals(rows: Sequence[Observed]) -> Floats:
    return np.array([r.human for r in rows], dtype=float)


def _judged(rows: Sequence[Observed]) -> Floats:
    return np.array([r.judge or 0.0 for r in rows])

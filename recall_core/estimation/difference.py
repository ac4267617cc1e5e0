"""Whether one run is better than another, on the examples that both have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from recall_core.estimation.forecast import forecast
from recall_core.estimation.holm import bonferroni, holm
from recall_core.estimation.mean import estimate_mean, p_value
from recall_core.estimation.values import (
    CONFIDENCE,
    Estimate,
    Estimated,
    Method,
    NoEstimate,
    Observed,
)

SHARED_REVIEWS = "shared audit review"


@dataclass(frozen=True, slots=True)
class Dated:
    """What is known of one example in one run, and when its reviews came about.

    The finals are those of `Observed`. `drawn_at` is when the run's audit drew it, `chosen_at` when
    people had reviewed it without a draw. Like `Observed` it may stand for `count` examples that
    nobody has drawn or reviewed in either run.
    """

    judge: float | None
    human: float | None
    lowest: float
    highest: float
    drawn_at: datetime | None = None
    chosen_at: datetime | None = None
    count: int = 1


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean of B minus A over `shared` examples.

    `judge` is what the judge alone says of it. `failed` counts the examples that both runs have and
    one of the judges failed on: these are left out. `p` is adjusted for the number of
    `comparisons`, and the interval holds for all of them at once.
    """

    estimated: Estimated
    judge: float | None
    shared: int
    failed: int
    comparisons: int
    p: float | None

    @property
    def decided(self) -> bool:
        """Whether the runs differ beyond what chance would do."""
        return self.p is not None and self.p < 1 - CONFIDENCE

    def sentence(self, a: str = "A", b: str = "B") -> str:
        """What can be said of the two runs, by their names."""
        found = self.estimated
        if isinstance(found, NoEstimate):
            return found.reason
        if self.decided:
            return _better(found, a, b)
        if found.exact:
            return f"{a} and {b} are equal on the {self.shared} shared examples."
        return f"Cannot tell yet: {_what_would(found)}"


def differences(
    pairs: Sequence[Sequence[tuple[Dated, Dated]]],
    *,
    span: float,
    grade: float,
    confidence: float = CONFIDENCE,
) -> tuple[Difference, ...]:
    """The difference of each pair of runs, `(A, B)` an example that both have.

    `span` is the width of the scale of one final. With several pairs the p values are Holm's and
    the intervals Bonferroni's.
    """
    each = bonferroni(confidence, len(pairs))
    scored = [[p for p in rows if _both_judged(p)] for rows in pairs]
    found = [_difference(rows, span, grade, each) for rows in scored]
    known = [i for i, one in enumerate(found) if isinstance(one, Estimate)]
    raw = [p_value(one) for one in found if isinstance(one, Estimate)]
    adjusted = dict(zip(known, holm(raw), strict=True))
    return tuple(
        Difference(
            one,
            judge=_judge_difference(rows),
            shared=_count(rows),
            failed=_count(every) - _count(rows),
            comparisons=len(pairs),
            p=adjusted.get(i),
        )
        for i, (every, rows, one) in enumerate(zip(pairs, scored, found, strict=True))
    )


def _difference(
    rows: Sequence[tuple[Dated, Dated]], span: float, grade: float, confidence: float
) -> Estimated:
    found = estimate_mean(
        paired(rows),
        scale=(-span, span),
        grade=grade,
        confidence=confidence,
        reviews=SHARED_REVIEWS,
    )
    if isinstance(found, Estimate) and found.method is Method.INTERLEAVED and not _together(rows):
        return NoEstimate(
            "People chose examples for review while each run was audited by itself, so those that "
            "both audits drew are no random sample. An interval needs reviews from one audit that "
            "draws for both runs.",
            0,
            found.grounds,
        )
    return found


def paired(rows: Sequence[tuple[Dated, Dated]]) -> list[Observed]:
    """The differences B - A as examples of their own.

    One counts as drawn when both runs have drawn it. An example that people chose in one of the
    runs cannot be drawn in both any more; until it is reviewed in the other run as well, its
    difference is anything that it can still be.
    """
    moments = sorted(
        (_drawn_at(pair), place) for place, pair in enumerate(rows) if _drawn_in_both(pair)
    )
    place_of = {place: number for number, (_, place) in enumerate(moments, 1)}
    found = []
    for place, (a, b) in enumerate(rows):
        drawn = place_of.get(place)
        chosen = None if drawn else min((d for d in map(_chosen_at, (a, b)) if d), default=None)
        found.append(
            Observed(
                judge=_minus(b.judge, a.judge),
                human=_minus(b.human, a.human),
                lowest=b.lowest - a.highest,
                highest=b.highest - a.lowest,
                draw=drawn,
                chosen_after=None if chosen is None else sum(at < chosen for at, _ in moments),
                count=a.count,
            )
        )
    return found


def _both_judged(pair: tuple[Dated, Dated]) -> bool:
    return pair[0].judge is not None and pair[1].judge is not None


def _judge_difference(rows: Sequence[tuple[Dated, Dated]]) -> float | None:
    total = sum(((b.judge or 0) - (a.judge or 0)) * a.count for a, b in rows)
    return total / _count(rows) if rows else None


def _count(rows: Sequence[tuple[Dated, Dated]]) -> int:
    return sum(a.count for a, _ in rows)


def _minus(b: float | None, a: float | None) -> float | None:
    return None if a is None or b is None else b - a


def _drawn_in_both(pair: tuple[Dated, Dated]) -> bool:
    return all(side.drawn_at is not None for side in pair)


def _drawn_at(pair: tuple[Dated, Dated]) -> datetime:
    return max(side.drawn_at for side in pair if side.drawn_at is not None)


def _chosen_at(side: Dated) -> datetime | None:
    return None if side.drawn_at is not None else side.chosen_at


def _together(rows: Sequence[tuple[Dated, Dated]]) -> bool:
    """Whether each draw that both runs have was one draw for both."""
    return all(a.drawn_at == b.drawn_at for a, b in rows if _drawn_in_both((a, b)))


def _better(found: Estimate, a: str, b: str) -> str:
    better = b if found.point > 0 else a
    low, high = sorted((abs(found.low), abs(found.high)))
    if found.low < 0 < found.high:
        # Holm decides, but the simultaneous interval is wider: it is printed with its signs.
        return f"{better} is better by {abs(found.point):.2f} ({_signed(found)}, {b} minus {a})."
    if found.exact:
        return f"{better} is better by {abs(found.point):.2f}: all shared examples are reviewed."
    return f"{better} is better by {abs(found.point):.2f} ({low:.2f} to {high:.2f})."


def _signed(found: Estimate) -> str:
    return f"{found.low:+.2f} to {found.high:+.2f}"


def _what_would(found: Estimate) -> str:
    if found.spread is None:
        return f"the difference is {_signed(found)}, by what is not reviewed yet."
    needed = forecast(found, abs(found.point), reviews=SHARED_REVIEWS)
    left = found.spread.of - found.spread.n
    if needed.more is None:
        return f"the difference is {_signed(found)} after {found.spread.n} {SHARED_REVIEWS}s."
    if needed.more >= left:
        return f"the difference is so small that all {left} left would have to be reviewed."
    return f"about {max(1, needed.more)} more {SHARED_REVIEWS}s would."

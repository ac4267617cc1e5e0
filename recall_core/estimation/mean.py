"""A run's mean recall with an honest interval, from the judge's finals and people's reviews."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from recall_core.estimation.formulas import t_quantile, two_sided_p
from recall_core.estimation.parts import Part, Stratum
from recall_core.estimation.values import (
    AUDIT_REVIEWS,
    CONFIDENCE,
    Band,
    Estimate,
    Estimated,
    Grounds,
    Method,
    NoEstimate,
    Observed,
    Spread,
    Target,
)

FEWEST_FOR_INTERVAL = 5
_NOTHING = 1e-9


def estimate_mean(
    rows: Sequence[Observed],
    *,
    scale: tuple[float, float],
    grade: float,
    confidence: float = CONFIDENCE,
    target: Target = Target.THESE,
    reviews: str = AUDIT_REVIEWS,
    failures_first: int = 0,
) -> Estimated:
    """The mean of people's finals over all `rows`, most of which no person has read.

    Examples with and without a final of the judge are strata of their own. The interval lies within
    what unreviewed units can still reach, unless it is about `examples like these`; its ends stay
    on the `scale`. `reviews` is the word for one audit review in a refusal, and `failures_first`
    how many failed examples the audit draws before it comes to the others.
    """
    judged = Stratum([r for r in rows if r.judge is not None])
    failed = Stratum([r for r in rows if r.judge is None])
    grounds = _basis(judged, failed)
    main = judged if judged.rows else failed
    refusal = _refusal(main, failed, grounds, reviews, failures_first)
    if refusal is not None:
        return refusal
    method, parts = _estimated([s for s in (judged, failed) if s.rows], grade)
    sampled = next((p for p in parts if p.df is not None), None)
    whole = _put_together(parts, target)
    q = 0.0 if whole.df is None else t_quantile(whole.df, confidence) * whole.se
    ends = Band(max(scale[0], whole.low - q), min(scale[1], whole.high + q))
    if target is Target.THESE and grounds.reachable is not None:
        ends = _within(ends, grounds.reachable)
    middle = (whole.low + whole.high) / 2
    return Estimate(
        point=min(max(middle, ends.low), ends.high),
        low=ends.low,
        high=ends.high,
        confidence=confidence,
        target=target,
        method=method,
        grounds=grounds,
        se=whole.se,
        df=whole.df,
        spread=None if sampled is None else _spread(sampled, whole),
    )


def p_value(estimate: Estimate) -> float:
    """How often an audit like this would find a mean so far from 0 if it were 0.

    Where unreviewed units can no longer bring it to 0, that is a fact and no matter of chance.
    """
    band = estimate.grounds.reachable
    if estimate.target is Target.THESE and band is not None and _beyond_zero(band):
        return 0.0
    if estimate.df is None or estimate.spread is None:
        return 0.0 if _beyond_zero(Band(estimate.low, estimate.high)) else 1.0
    distance = max(0.0, abs(estimate.point) - estimate.spread.width / 2)
    return two_sided_p(distance / estimate.se, estimate.df)


def _beyond_zero(band: Band) -> bool:
    """Whether all of it is on one side of 0. What differences that cancel out leave is none."""
    return band.low > _NOTHING or band.high < -_NOTHING


def _estimated(strata: Sequence[Stratum], grade: float) -> tuple[Method, list[Part]]:
    """The parts of all strata, and how the first of them was estimated that is not all reviewed."""
    found = [stratum.parts(grade) for stratum in strata]
    open_ones = [method for method, _ in found if method is not Method.EXACT]
    return next(iter(open_ones), Method.EXACT), [p for _, parts in found for p in parts]


@dataclass(frozen=True, slots=True)
class _Whole:
    """All parts together: the mean (its ends, where some examples may be anything), its error."""

    size: int
    low: float
    high: float
    se: float
    df: int | None


def _put_together(parts: Sequence[Part], target: Target) -> _Whole:
    size = sum(part.size for part in parts)
    shares = [part.size / size for part in parts]
    low = sum(w * part.low for w, part in zip(shares, parts, strict=True))
    high = sum(w * part.high for w, part in zip(shares, parts, strict=True))
    variance = sum(w**2 * part.variance for w, part in zip(shares, parts, strict=True))
    dfs = [part.df for part in parts if part.df is not None and part.variance > 0]
    if target is Target.LIKE_THESE:
        variance += _finals_variance(parts, shares) / size
        dfs = dfs or [max(1, size - 1)]
    return _Whole(size, low, high, sqrt(variance), min(dfs, default=None))


def _finals_variance(parts: Sequence[Part], shares: Sequence[float]) -> float:
    """How much finals differ within the parts and between them."""
    middles = [(part.low + part.high) / 2 for part in parts]
    mean = sum(w * m for w, m in zip(shares, middles, strict=True))
    return sum(
        w * (part.finals_variance + (m - mean) ** 2)
        for w, m, part in zip(shares, middles, parts, strict=True)
    )


def _within(ends: Band, reachable: Band) -> Band:
    """What both allow. Where they have nothing in common, all that can be reached."""
    low, high = max(ends.low, reachable.low), min(ends.high, reachable.high)
    return Band(low, high) if low <= high else reachable


def _spread(sampled: Part, whole: _Whole) -> Spread:
    weight = sampled.size / whole.size
    return Spread(
        residual=sampled.residual,
        n=sampled.n,
        of=sampled.of,
        weight=weight,
        other=max(0.0, whole.se**2 - weight**2 * sampled.variance),
        width=whole.high - whole.low,
        finite=sampled.finite,
    )


def _basis(judged: Stratum, failed: Stratum) -> Grounds:
    strata = (judged, failed)
    rows = [*judged.rows, *failed.rows]
    size = sum(r.count for r in rows)
    return Grounds(
        examples=size,
        audited=sum(len(s.audited) for s in strata),
        pending=sum(s.pending for s in strata),
        chosen=sum(len(s.chosen) for s in strata),
        failed=failed.size,
        failed_reviewed=sum(r.human is not None for r in failed.rows),
        reachable=_band(rows, size) if size else None,
    )


def _band(rows: Sequence[Observed], size: int) -> Band:
    return Band(
        sum(r.lowest * r.count for r in rows) / size,
        sum(r.highest * r.count for r in rows) / size,
    )


def _refusal(
    main: Stratum, failed: Stratum, grounds: Grounds, reviews: str, failures_first: int
) -> NoEstimate | None:
    """Why these reviews give no interval; `None` if they do."""
    if not main.rows:
        return NoEstimate("No example has a final, or can get one.", 0, grounds)
    n, left = len(main.audited), sum(r.count for r in main.rows if r.human is None)
    more = min(FEWEST_FOR_INTERVAL - n, left)
    if more <= 0:
        return None
    if main is not failed:
        more += min(failures_first, sum(r.count for r in failed.rows if r.human is None))
    had = f"{grounds.audited or 'No'} {reviews}{'' if grounds.audited == 1 else 's'}"
    if grounds.audited > n:
        had += f", {grounds.audited - n} of them on examples that the judge failed on"
    return NoEstimate(
        f"{had}: an interval needs {more}{' more' if grounds.audited else ''}.", more, grounds
    )

"""Small runs with known finals, for the tests of estimates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from recall_core.estimation import Estimate, Estimated, NoEstimate, Observed, estimate_mean

PASSAGE = (1.0, 5.0)


def audited(judge: float | None, human: float, draw: int) -> Observed:
    return Observed(judge, human, human, human, draw=draw)


def pending(judge: float, draw: int) -> Observed:
    return Observed(judge, None, *PASSAGE, draw=draw)


def chosen(judge: float | None, human: float, after: int = 0) -> Observed:
    return Observed(judge, human, human, human, chosen_after=after)


def unread(judge: float | None, count: int = 1) -> Observed:
    return Observed(judge, None, *PASSAGE, count=count)


def some_audit(n: int, of: int, *, seed: int = 3) -> list[Observed]:
    """An audit of the first `n` of `of` examples whose judge is half a grade too kind."""
    rng = np.random.default_rng(seed)
    human = np.clip(rng.normal(3, 0.8, of), 1, 5)
    judge = np.clip(human + 0.5 + rng.normal(0, 0.3, of), 1, 5)
    read = [audited(float(judge[i]), float(human[i]), i + 1) for i in range(n)]
    return [*read, *(unread(float(f)) for f in judge[n:])]


def mean_of(rows: Sequence[Observed], **settings: object) -> Estimated:
    return estimate_mean(rows, **{"scale": PASSAGE, "grade": 1.0, **settings})  # type: ignore[arg-type]


def estimated(rows: Sequence[Observed], **settings: object) -> Estimate:
    found = mean_of(rows, **settings)
    assert isinstance(found, Estimate), found
    return found


def refused(rows: Sequence[Observed], **settings: object) -> NoEstimate:
    found = mean_of(rows, **settings)
    assert isinstance(found, NoEstimate), found
    return found


def mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))

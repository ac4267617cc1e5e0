"""How far a run's score can be trusted: estimates from reviews, with how these were selected.

`docs/how-far-to-trust-a-score.md` explains the methods and says how often they hold.
"""

from recall_core.estimation.difference import (
    SHARED_REVIEWS,
    Dated,
    Difference,
    differences,
    paired,
)
from recall_core.estimation.forecast import Forecast, forecast, next_half_width
from recall_core.estimation.holm import bonferroni, holm
from recall_core.estimation.mean import FEWEST_FOR_INTERVAL, estimate_mean, p_value
from recall_core.estimation.values import (
    CONFIDENCE,
    DIFFERENCE_GRADE,
    GRADE,
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

__all__ = [
    "CONFIDENCE",
    "DIFFERENCE_GRADE",
    "FEWEST_FOR_INTERVAL",
    "GRADE",
    "SHARED_REVIEWS",
    "Band",
    "Dated",
    "Difference",
    "Estimate",
    "Estimated",
    "Forecast",
    "Grounds",
    "Method",
    "NoEstimate",
    "Observed",
    "Spread",
    "Target",
    "bonferroni",
    "differences",
    "estimate_mean",
    "forecast",
    "holm",
    "next_half_width",
    "p_value",
    "paired",
]

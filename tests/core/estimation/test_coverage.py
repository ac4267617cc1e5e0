"""Whether intervals hold the truth as often as they say, by a small simulation with fixed seeds.

`benchmarks/coverage.py` does it at length; here 200 runs each, with bounds that a right formula
passes surely (by chance a 95 % interval falls below 90 % of 200 once in five hundred times) and the
usual wrong ones fail.
"""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.coverage import SCHEMES, Scheme, measure, observed, reviews
from benchmarks.populations import JUDGES, passage_population
from recall_core.estimation import Estimate, Target, estimate_mean


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: scheme.name)
@pytest.mark.parametrize("judge", ["main", "ceiling"])
def test_the_interval_holds_the_true_mean(judge: str, scheme: Scheme) -> None:
    cell = measure(
        lambda rng: passage_population(JUDGES[judge], 500, rng),
        judge,
        scheme=scheme,
        audits=20,
        repetitions=200,
        seed=11,
    )

    assert cell.coverage >= 0.9
    assert abs(cell.bias) < 0.06
    assert 0.3 < cell.width < 0.95


def test_the_interval_is_as_wide_as_the_published_one() -> None:
    cell = measure(
        lambda rng: passage_population(JUDGES["main"], 500, rng),
        "main",
        scheme=SCHEMES[0],
        audits=30,
        repetitions=200,
        seed=11,
    )

    assert cell.width == pytest.approx(0.63, rel=0.05)


def test_a_judge_alone_says_nothing_about_people() -> None:
    rng = np.random.default_rng(2)
    held = 0
    for _ in range(200):
        found = passage_population(JUDGES["main"], 500, rng)
        half = 1.96 * found.judge.std() / np.sqrt(500)
        held += abs(found.judge.mean() - found.human.mean()) <= half

    assert held == 0


@pytest.mark.parametrize("scheme", [SCHEMES[0], SCHEMES[1], SCHEMES[3]], ids=lambda s: s.name)
def test_the_interval_for_examples_like_these_holds_the_mean_of_all_such_examples(
    scheme: Scheme,
) -> None:
    rng = np.random.default_rng(12)
    truth = passage_population(JUDGES["main"], 200_000, rng).human.mean()
    held = these = 0
    for _ in range(200):
        population = passage_population(JUDGES["main"], 50, rng)
        rows = observed(population, reviews(scheme, population, 12, rng))
        for target in Target:
            found = estimate_mean(rows, scale=(1, 5), grade=1, target=target)
            assert isinstance(found, Estimate)
            inside = found.low <= truth <= found.high
            held += inside and target is Target.LIKE_THESE
            these += inside and target is Target.THESE

    assert held >= 180
    assert these < held

"""How often intervals hold the true mean that are made in the ways one would try first.

    python benchmarks/coverage_others.py [--repetitions 2000] [--seed 7]

The same runs as in `benchmarks/coverage.py` (judge `main`, 500 examples). Prints coverage and
mean width in Markdown: the judge's mean alone; people's reviews alone; the product's estimate; and,
where people also chose examples to review, what becomes of it when these are pooled with the audit,
or are taken for chosen beforehand although they were chosen meanwhile.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.coverage import SCHEMES, Order, Scheme, observed, reviews  # noqa: E402
from benchmarks.populations import JUDGES, Population, passage_population  # noqa: E402
from recall_core.estimation import Estimate, Observed, estimate_mean  # noqa: E402
from recall_core.estimation.formulas import t_quantile  # noqa: E402

SIZE = 500
AUDITS = (10, 20, 30, 50)
Interval = tuple[float, float]
Way = Callable[[Population, Order], Interval]


def judge_alone(population: Population, _: Order) -> Interval:
    """What most tools print, with the usual error bar."""
    return _around(population.judge.mean(), 1.96 * population.judge.std() / np.sqrt(SIZE))


def people_alone(population: Population, order: Order) -> Interval:
    """A t interval of the reviews, whatever brought them."""
    finals = population.human[order.examples]
    n = len(finals)
    error = np.sqrt((1 - n / SIZE) * finals.var(ddof=1) / n)
    return _around(finals.mean(), t_quantile(n - 1, 0.95) * error)


def product(population: Population, order: Order) -> Interval:
    """What the dashboard says."""
    return _estimated(population, observed(population, order))


def pooled(population: Population, order: Order) -> Interval:
    """Chosen reviews counted as if they had been drawn."""
    return product(population, Order(order.examples, [True] * len(order.examples)))


def as_if_before(population: Population, order: Order) -> Interval:
    """Reviews that were chosen while the audit went on, counted as if it had not begun."""
    rows = observed(population, order)
    return _estimated(
        population, [r if r.chosen_after is None else replace(r, chosen_after=0) for r in rows]
    )


def _estimated(population: Population, rows: Sequence[Observed]) -> Interval:
    found = estimate_mean(rows, scale=population.scale, grade=population.grade)
    assert isinstance(found, Estimate)
    return found.low, found.high


def _around(mean: float, half: float) -> Interval:
    return float(mean - half), float(mean + half)


CASES: Sequence[tuple[Scheme, str, Way]] = (
    (SCHEMES[0], "the judge alone", judge_alone),
    (SCHEMES[0], "people's reviews alone", people_alone),
    (SCHEMES[0], "the estimate", product),
    (SCHEMES[1], "all reviews alone", people_alone),
    (SCHEMES[1], "chosen reviews pooled with the audit", pooled),
    (SCHEMES[1], "the estimate", product),
    (SCHEMES[4], "chosen reviews pooled with the audit", pooled),
    (SCHEMES[4], "as if chosen before the audit", as_if_before),
    (SCHEMES[4], "the estimate", product),
)


def cell(scheme: Scheme, way: Way, audits: int, repetitions: int, seed: int) -> str:
    """`94.3 % / 0.62`: coverage and mean width."""
    rng = np.random.default_rng([seed, audits])
    held, widths = [], []
    for _ in range(repetitions):
        population = passage_population(JUDGES["main"], SIZE, rng)
        low, high = way(population, reviews(scheme, population, audits, rng))
        held.append(low - 1e-9 <= population.human.mean() <= high + 1e-9)
        widths.append(high - low)
    return f"{100 * np.mean(held):.1f} % / {np.mean(widths):.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--repetitions", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    print("| reviews | interval from | " + " | ".join(f"n = {n}" for n in AUDITS) + " |")
    print("|---|---|" + "---|" * len(AUDITS))
    for scheme, name, way in CASES:
        cells = (cell(scheme, way, n, given.repetitions, given.seed) for n in AUDITS)
        print(f"| {scheme.name} | {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()

"""How often the intervals of estimates hold the true mean, and how wide they are.

    python benchmarks/coverage.py [--repetitions 2000] [--seed 7] [--only main/500]

Draws runs whose truth is known (`benchmarks/populations.py`), lets people review some examples by
choice and others by audit, and asks `recall_core.estimation` for the mean as the dashboard does.
Prints coverage and mean width of every cell in Markdown, and at the end whether all cells are good
enough. Takes about ten minutes on one core.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.populations import (  # noqa: E402
    JUDGES,
    Floats,
    Population,
    passage_population,
    realsumm_population,
)
from recall_core.estimation import Estimate, Observed, estimate_mean  # noqa: E402

LOWEST_COVERAGE, MEDIAN_COVERAGE = 0.925, 0.945
PUBLISHED_WIDTH = {10: 1.32, 20: 0.81, 30: 0.63, 50: 0.46}
"""Of audits of 500 examples of judge `main`, to be met within a twentieth."""
AUDITS = {500: (5, 10, 20, 30, 50, 100), 50: (5, 10, 20, 30)}
CHOSEN_PER_DRAW = {500: 3, 50: 1}
"""How many examples people choose for every one that is drawn."""

Taste = Callable[[Population], Floats]
"""How much each example tempts people to choose it."""


@dataclass(frozen=True)
class Scheme:
    """How reviews come about: `chosen` before the audit, during it, or not at all."""

    name: str
    chosen: str = ""
    taste: Taste | None = None


def by_judge(population: Population) -> Floats:
    """Examples that the judge finds bad."""
    weights: Floats = np.exp(-1.2 * population.judge / population.grade)
    return weights


def by_insight(population: Population) -> Floats:
    """Examples on which the judge is too kind, as if people knew."""
    weights: Floats = np.exp(1.2 * (population.judge - population.human) / population.grade)
    return weights


SCHEMES = (
    Scheme("audit only"),
    Scheme("low scores chosen before", "before", by_judge),
    Scheme("judge's errors chosen before", "before", by_insight),
    Scheme("low scores chosen meanwhile", "meanwhile", by_judge),
    Scheme("judge's errors chosen meanwhile", "meanwhile", by_insight),
)


@dataclass(frozen=True)
class Order:
    """Who was reviewed in what order: example numbers, and whether each was drawn."""

    examples: list[int]
    drawn: list[bool]


def reviews(scheme: Scheme, population: Population, audits: int, rng: np.random.Generator) -> Order:
    """So many audit draws, and the choices that the scheme adds to them."""
    size = len(population.human)
    if scheme.taste is None:
        return Order(list(rng.permutation(size)[:audits]), [True] * audits)
    per_draw = CHOSEN_PER_DRAW[size]
    pattern = [False] * per_draw + [True]
    drawn = pattern * audits
    if scheme.chosen == "before":
        drawn = sorted(drawn)
    # A weighted order without replacement: the larger the key, the earlier (Efraimidis-Spirakis).
    keys = np.log(rng.random(size)) / scheme.taste(population)
    wanted, random = iter(np.argsort(-keys)), iter(rng.permutation(size))
    taken: set[int] = set()
    examples = []
    for is_draw in drawn:
        example = next(i for i in (random if is_draw else wanted) if i not in taken)
        taken.add(example)
        examples.append(int(example))
    return Order(examples, drawn)


def observed(population: Population, order: Order) -> list[Observed]:
    """What the product would know: those reviewed one by one, all others summed up."""
    draws, rows = 0, []
    for example, drawn in zip(order.examples, order.drawn, strict=True):
        human, judge = float(population.human[example]), float(population.judge[example])
        draws += drawn
        row = Observed(judge, human, human, human)
        rows.append(replace(row, draw=draws) if drawn else replace(row, chosen_after=draws))
    rest = np.delete(population.judge, order.examples)
    if len(rest):
        rows.append(Observed(float(rest.mean()), None, *population.scale, count=len(rest)))
    return rows


@dataclass(frozen=True)
class Cell:
    """One line of the table."""

    population: str
    size: int
    scheme: str
    audits: int
    method: str
    coverage: float
    width: float
    bias: float

    def __str__(self) -> str:
        return (
            f"| {self.population} | {self.size} | {self.scheme} | {self.audits} | {self.method} "
            f"| {100 * self.coverage:.1f} % | {self.width:.3f} | {self.bias:+.3f} |"
        )


HEAD = (
    "| judge | N | reviews | audit n | method | coverage | width | bias |\n"
    "|---|---|---|---|---|---|---|---|"
)


def measure(
    make: Callable[[np.random.Generator], Population],
    name: str,
    *,
    scheme: Scheme,
    audits: int,
    repetitions: int,
    seed: int,
) -> Cell:
    """One scheme with so many audit reviews, on runs of one kind."""
    rng = np.random.default_rng([seed, audits])
    found = [_once(scheme, make(rng), audits, rng) for _ in range(repetitions)]
    return Cell(
        name,
        found[0][0].grounds.examples,
        scheme.name,
        audits,
        found[0][0].method.value,
        coverage=float(np.mean([_holds(e, truth) for e, truth in found])),
        width=float(np.mean([e.high - e.low for e, _ in found])),
        bias=float(np.mean([e.point - truth for e, truth in found])),
    )


def cells_of(size: int) -> Iterator[tuple[Scheme, int]]:
    """The schemes and audit sizes that a run of `size` examples has room for."""
    for scheme in SCHEMES:
        for audits in AUDITS[size]:
            if not scheme.chosen or audits * (1 + CHOSEN_PER_DRAW[size]) <= size:
                yield scheme, audits


def _once(
    scheme: Scheme, population: Population, audits: int, rng: np.random.Generator
) -> tuple[Estimate, float]:
    order = reviews(scheme, population, audits, rng)
    found = estimate_mean(
        observed(population, order), scale=population.scale, grade=population.grade
    )
    if not isinstance(found, Estimate):
        raise AssertionError(found.reason)
    return found, float(population.human.mean())


def _holds(estimate: Estimate, truth: float) -> bool:
    return estimate.low - 1e-9 <= truth <= estimate.high + 1e-9


def kinds(
    only: str,
) -> Iterator[tuple[str, int, Callable[[np.random.Generator], Population]]]:
    """The populations to measure on: each simulated judge at both sizes, and the real votes."""
    for size in AUDITS:
        for name, judge in JUDGES.items():
            if only in ("", f"{name}/{size}"):
                yield (
                    name,
                    size,
                    lambda rng, judge=judge, size=size: passage_population(judge, size, rng),
                )
    if only in ("", "realsumm"):
        population = realsumm_population()
        yield "lexical screen, real votes", len(population.human), lambda _: population


def print_verdict(cells: Sequence[Cell]) -> None:
    """Whether the intervals are what they claim to be."""
    lowest = min(cells, key=lambda cell: cell.coverage)
    print(
        f"\n{len(cells)} cells. Lowest coverage {100 * lowest.coverage:.1f} % "
        f"({lowest.population}, N = {lowest.size}, {lowest.scheme}, n = {lowest.audits})."
    )
    for method in sorted({cell.method for cell in cells}):
        same = [cell.coverage for cell in cells if cell.method == method]
        print(f"Median of {len(same)} cells, {method}: {100 * statistics.median(same):.1f} %.")


def widths_met(cells: Sequence[Cell]) -> bool:
    """Whether the intervals are as wide as they were published to be."""
    for cell in cells:
        known = (cell.population, cell.size, cell.scheme) == ("main", 500, SCHEMES[0].name)
        width = PUBLISHED_WIDTH.get(cell.audits) if known else None
        if width is not None and abs(cell.width / width - 1) > 0.05:
            print(f"Width {cell.width:.3f} at n = {cell.audits}, {width} expected.")
            return False
    return True


def good_enough(cells: Sequence[Cell]) -> bool:
    """Every cell and each method's median reach what is asked of them."""
    methods = {cell.method for cell in cells}
    medians = (statistics.median(c.coverage for c in cells if c.method == m) for m in methods)
    return min(c.coverage for c in cells) >= LOWEST_COVERAGE and all(
        median >= MEDIAN_COVERAGE for median in medians
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--repetitions", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--only", default="", help="for example main/500, or realsumm")
    options = parser.parse_args()
    began = time.monotonic()
    print(HEAD)
    cells = []
    for name, size, make in kinds(options.only):
        for scheme, audits in cells_of(size):
            cell = measure(
                make,
                name,
                scheme=scheme,
                audits=audits,
                repetitions=options.repetitions,
                seed=options.seed,
            )
            print(cell, flush=True)
            cells.append(cell)
    print_verdict(cells)
    print(f"{time.monotonic() - began:.0f} seconds.")
    return 0 if good_enough(cells) and widths_met(cells) else 1


if __name__ == "__main__":
    sys.exit(main())

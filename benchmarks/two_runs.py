"""How often a difference between two runs is found, and how often one is found that is not there.

    python benchmarks/two_runs.py [--repetitions 2000] [--seed 7]

Both runs are audited on the same examples. Prints, in Markdown, how often the interval holds the
true difference, and how often each way of deciding calls the runs different: audit and judge
together (`recall_core.estimation.differences`), people's reviews alone, and the judge alone.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.populations import Floats, TwoRuns, two_runs  # noqa: E402
from recall_core.estimation import Dated, Estimate, differences  # noqa: E402
from recall_core.estimation.formulas import two_sided_p  # noqa: E402

SIZE, SPAN, GRADE = 300, 4.0, 0.5
AUDITS = (10, 20, 30, 50)
CASES = {"equal runs": (0.0, 0.0), "equal, judge favours B": (0.0, 0.5), "B better": (0.30, 0.0)}
DRAWN = datetime(2026, 11, 30, tzinfo=UTC)


@dataclass(frozen=True)
class Told:
    """What one simulated comparison came to."""

    truth: float
    held: bool
    width: float
    decided: bool
    by_people: bool
    by_judge: bool


def compare(runs: TwoRuns, audits: int, rng: np.random.Generator) -> Told:
    """Audit so many examples of both runs, and decide."""
    read = set(rng.permutation(SIZE)[:audits].tolist())
    pairs = [(_side(runs, 0, i, i in read), _side(runs, 1, i, i in read)) for i in range(SIZE)]
    found = differences([pairs], span=SPAN, grade=GRADE)[0]
    assert isinstance(found.estimated, Estimate)
    human = runs.human[1] - runs.human[0]
    truth, low, high = float(human.mean()), found.estimated.low, found.estimated.high
    return Told(
        truth,
        low - 1e-9 <= truth <= high + 1e-9,
        high - low,
        found.decided,
        by_people=_differs(human[sorted(read)], SIZE),
        by_judge=_differs(runs.judge[1] - runs.judge[0], None),
    )


def _side(runs: TwoRuns, run: int, example: int, read: bool) -> Dated:
    judge, human = float(runs.judge[run][example]), float(runs.human[run][example])
    return Dated(judge, human, human, human, DRAWN) if read else Dated(judge, None, 1.0, 5.0)


def _differs(finals: Floats, of: int | None) -> bool:
    """A plain paired t test; `of` is the number of examples that the sample is from."""
    n = len(finals)
    left = 1.0 if of is None else 1 - n / of
    se = np.sqrt(left * finals.var(ddof=1) / n)
    return bool(se == 0 or two_sided_p(float(finals.mean() / se), n - 1) < 0.05)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--repetitions", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    print("| runs | true B - A | n | coverage | width | different: both | people | judge alone |")
    print("|---|---|---|---|---|---|---|---|")
    for name, (gain, favour) in CASES.items():
        for audits in AUDITS:
            rng = np.random.default_rng([options.seed, audits])
            told = [
                compare(two_runs(SIZE, gain, favour, rng), audits, rng)
                for _ in range(options.repetitions)
            ]
            print(
                f"| {name} | {np.mean([t.truth for t in told]):+.2f} | {audits} "
                f"| {100 * np.mean([t.held for t in told]):.1f} % "
                f"| {np.mean([t.width for t in told]):.2f} "
                f"| {100 * np.mean([t.decided for t in told]):.0f} % "
                f"| {100 * np.mean([t.by_people for t in told]):.0f} % "
                f"| {100 * np.mean([t.by_judge for t in told]):.0f} % |",
                flush=True,
            )


if __name__ == "__main__":
    main()

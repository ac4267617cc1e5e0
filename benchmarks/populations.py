"""Examples with people's finals and a judge's, drawn so that the truth is known.

Each example has one to five essential passages and up to three bonus passages. How much of it came
back differs from example to example and from passage to passage; the judge sees that through noise
of its own, partly the same for the whole example, and is kinder than people by a fixed amount.
Scores are rounded to the scale and put together by the product's formula, so both finals are as
lumpy and as often at the ceiling as real ones.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

REALSUMM = Path(__file__).with_name("data") / "realsumm_5sys.jsonl.gz"


@dataclass(frozen=True)
class Judge:
    """How much kinder than people the judge is, and its noise, in grades; in `ceiling` most
    examples are good.
    """

    bias: float
    noise: float
    ceiling: bool = False


JUDGES: Mapping[str, Judge] = {
    "main": Judge(0.85, 1.30),
    "good": Judge(0.25, 0.62),
    "poor": Judge(1.30, 3.20),
    "ceiling": Judge(0.90, 1.00, ceiling=True),
}


@dataclass(frozen=True)
class Population:
    """People's finals and the judge's of the same examples, on a scale with these ends."""

    human: Floats
    judge: Floats
    scale: tuple[float, float]
    grade: float


def passage_population(judge: Judge, size: int, rng: np.random.Generator) -> Population:
    """`size` examples on the passage scale."""
    essential, bonus = rng.integers(1, 6, size), rng.integers(0, 4, size)
    level = rng.normal(2.0, 0.9, size) if judge.ceiling else rng.normal(0.0, 1.0, size)
    e_true = level[:, None] * 1.1 + 3.2 + rng.normal(0, 1.0, (size, 5))
    b_true = level[:, None] * 1.1 + 1.6 + rng.normal(0, 1.2, (size, 3))
    shared = rng.normal(0, judge.noise * 0.6, size)[:, None]
    e_seen = e_true + judge.bias * 1.25 + shared + rng.normal(0, judge.noise, (size, 5))
    b_seen = b_true + judge.bias + shared + rng.normal(0, judge.noise, (size, 3))
    return Population(
        _finals(e_true, b_true, essential, bonus),
        _finals(e_seen, b_seen, essential, bonus),
        scale=(1.0, 5.0),
        grade=1.0,
    )


@dataclass(frozen=True)
class TwoRuns:
    """Finals of the same examples in runs A and B, by people and by the judge of both."""

    human: tuple[Floats, Floats]
    judge: tuple[Floats, Floats]


def two_runs(size: int, gain: float, favour: float, rng: np.random.Generator) -> TwoRuns:
    """B retrieves better by about `gain` grades a passage; the judge favours it by `favour` more.

    What is easy to find for the one is often hard for the other: a third of what differs between
    passages of an example is the same in both runs.
    """
    judge = JUDGES["main"]
    essential, bonus = rng.integers(1, 6, size), rng.integers(0, 4, size)
    level = rng.normal(0.0, 1.0, size)
    e_same, b_same = rng.normal(0, 0.6, (size, 5)), rng.normal(0, 0.7, (size, 3))
    shared = rng.normal(0, judge.noise * 0.6, size)[:, None]
    human, judged = [], []
    for better, kinder in ((0.0, 0.0), (gain, favour)):
        e_true = level[:, None] * 1.1 + 3.2 + better + e_same + rng.normal(0, 0.8, (size, 5))
        b_true = level[:, None] * 1.1 + 1.6 + better + b_same + rng.normal(0, 1.0, (size, 3))
        noise = rng.normal(0, judge.noise / 2, (size, 8))
        kind = judge.bias + kinder
        e_seen = e_true + kind * 1.25 + shared + noise[:, :5]
        b_seen = b_true + kind + shared + noise[:, 5:]
        human.append(_finals(e_true, b_true, essential, bonus))
        judged.append(_finals(e_seen, b_seen, essential, bonus))
    return TwoRuns((human[0], human[1]), (judged[0], judged[1]))


def _finals(e: Floats, b: Floats, essential: NDArray[np.int64], bonus: NDArray[np.int64]) -> Floats:
    """The passage formula over the first `essential` and `bonus` scores of each row."""
    e_scores = np.where(np.arange(5) < essential[:, None], np.clip(np.rint(e), 1, 5), 0)
    b_scores = np.where(np.arange(3) < bonus[:, None], np.clip(np.rint(b), 0, 5), 0)
    part = b_scores.sum(1) / (essential * np.maximum(bonus, 1) * 2)
    finals: Floats = np.minimum(5.0, e_scores.sum(1) / essential + part)
    return finals


def realsumm_population() -> Population:
    """500 summaries: the share of content units that most people found in it, and the lexical
    screen's mean probability over the same units. `benchmarks/data/README.md` has the attribution.
    """
    from recall_core.lexical import Screener

    human, judge = [], []
    with gzip.open(REALSUMM, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            screener = Screener([row["answer"]])
            units = [screener.screen(unit["text"]).probability for unit in row["ground_truth"]]
            judge.append(float(np.mean(units)))
            human.append(float(np.mean(row["human"]["majority"])))
    return Population(np.array(human), np.array(judge), scale=(0.0, 1.0), grade=0.2)

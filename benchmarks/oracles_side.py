"""The side of `oracles.py` that runs where the packages are: prints inputs and answers as JSON."""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import Any

import krippendorff
import numpy as np
import ppi_py
from sklearn.metrics import cohen_kappa_score, recall_score
from statsmodels.stats.multitest import multipletests

SEED = 20261130


def estimates(rng: np.random.Generator) -> list[dict[str, Any]]:
    """Prediction-powered means of small audits, at several weights of the judge."""
    cases = []
    for n, of in ((5, 50), (30, 500), (12, 12)):
        human = rng.uniform(1, 5, n).round(2)
        judge = np.clip(human + rng.normal(0.5, 0.8, n), 1, 5).round(2)
        every = np.concatenate([judge, rng.uniform(1, 5, of - n).round(2)])
        for weight in (0.0, 0.3, 0.7, 1.0):
            point = ppi_py.ppi_mean_pointestimate(human, judge, every, lam=weight)
            cases.append(
                {
                    "human": human.tolist(),
                    "judge": judge.tolist(),
                    "every_judge": every.tolist(),
                    "weight": weight,
                    "point": float(np.ravel(point)[0]),
                }
            )
    return cases


def kappas(rng: np.random.Generator) -> list[dict[str, Any]]:
    """Quadratic kappa on 1 to 5 and on 0 to 5, Cohen's on yes and no, and both hit rates."""
    cases = []
    for low, high, n in ((1, 5, 60), (0, 5, 200), (0, 1, 80)):
        human = rng.integers(low, high + 1, n)
        judge = np.clip(human + rng.integers(-1, 3, n) * (rng.random(n) < 0.5), low, high)
        case = {
            "human": human.tolist(),
            "judge": judge.tolist(),
            "kappa": float(cohen_kappa_score(judge, human, weights="quadratic")),
        }
        if high == 1:
            case["sensitivity"] = float(recall_score(human, judge, pos_label=1))
            case["specificity"] = float(recall_score(human, judge, pos_label=0))
        cases.append(case)
    return cases


def alphas(rng: np.random.Generator) -> list[dict[str, Any]]:
    """Krippendorff's alpha of three to four people who have not all scored everything."""
    cases = []
    for low, high, people, units in ((1, 5, 3, 40), (0, 5, 4, 60), (0, 1, 3, 50)):
        truth = rng.integers(low, high + 1, units)
        scores = np.clip(truth + rng.integers(-1, 2, (people, units)), low, high).astype(float)
        scores[rng.random(scores.shape) < 0.2] = np.nan
        alpha = {
            metric: float(krippendorff.alpha(scores, level_of_measurement=metric))
            for metric in ("nominal", "ordinal", "interval")
        }
        by_unit = [[s for s in unit if not np.isnan(s)] for unit in scores.T]
        cases.append({"units": by_unit, "alpha": alpha})
    return cases


def adjusted(rng: np.random.Generator) -> list[dict[str, Any]]:
    """Holm's p values."""
    cases = []
    for count in (1, 3, 8):
        p = rng.beta(0.5, 4, count)
        cases.append({"p": p.tolist(), "holm": multipletests(p, method="holm")[1].tolist()})
    return cases


def main() -> None:
    rng = np.random.default_rng(SEED)
    names = ("ppi-python", "scikit-learn", "krippendorff", "statsmodels")
    answers = {
        "made_by": {name: version(name) for name in names},
        "estimates": estimates(rng),
        "kappas": kappas(rng),
        "alphas": alphas(rng),
        "holm": adjusted(rng),
    }
    print(json.dumps(answers))


if __name__ == "__main__":
    main()

"""Our formulas against the packages that people know, on the golden file that these have made.

`benchmarks/oracles.py` makes the file, in an environment of its own.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recall_core.agreement import Metric, krippendorff_alpha
from recall_core.agreement.figures import (
    quadratic_kappa,
    sensitivity,
    specificity,
    sums_of,
)
from recall_core.agreement.jackknife import Figure
from recall_core.estimation import holm
from recall_core.estimation.formulas import predicted_mean

GOLDEN = json.loads(
    (Path(__file__).parents[1] / "golden" / "oracles.json").read_text(encoding="utf-8")
)
EXACTLY = 1e-9


@pytest.mark.parametrize("case", GOLDEN["estimates"])
def test_the_prediction_powered_mean_is_that_of_ppi_python(case: dict[str, Any]) -> None:
    human, judge = np.array(case["human"]), np.array(case["judge"])
    mean, weight = np.mean(case["every_judge"]), np.asarray(case["weight"])

    found = predicted_mean(human, judge, np.asarray(mean), weight)

    assert float(found) == pytest.approx(case["point"], abs=EXACTLY)


@pytest.mark.parametrize("case", GOLDEN["kappas"])
def test_kappa_and_hit_rates_are_those_of_scikit_learn(case: dict[str, Any]) -> None:
    judge, human = (np.array(case[side], dtype=float) for side in ("judge", "human"))
    sums = sums_of(judge, human, [0] * len(judge), 1)[0]
    figures: dict[str, Figure] = {
        "kappa": quadratic_kappa,
        "sensitivity": sensitivity,
        "specificity": specificity,
    }

    for name in figures.keys() & case.keys():
        assert float(figures[name](sums)) == pytest.approx(case[name], abs=EXACTLY)


@pytest.mark.parametrize("case", GOLDEN["alphas"])
@pytest.mark.parametrize("metric", Metric)
def test_alpha_is_that_of_krippendorff(case: dict[str, Any], metric: Metric) -> None:
    found = krippendorff_alpha(case["units"], metric)

    assert found == pytest.approx(case["alpha"][metric.value], abs=EXACTLY)


@pytest.mark.parametrize("case", GOLDEN["holm"])
def test_holm_is_that_of_statsmodels(case: dict[str, Any]) -> None:
    assert holm(case["p"]) == pytest.approx(case["holm"], abs=EXACTLY)


def test_the_golden_file_says_who_made_it() -> None:
    assert set(GOLDEN["made_by"]) == {"ppi-python", "scikit-learn", "krippendorff", "statsmodels"}

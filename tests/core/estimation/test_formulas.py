"""The formulas against numbers worked out by hand, and against what must always hold of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_core.estimation.formulas import (
    DrawsInOrder,
    des_raj_mean,
    guarded_mean,
    judge_weight,
    predicted_mean,
    t_quantile,
    two_sided_p,
)

HUMAN = np.array([3.0, 2.0, 4.0, 5.0])
JUDGE = np.array([4.0, 2.0, 4.0, 4.0])


def test_the_judges_weight_is_its_slope_drawn_towards_seven_tenths() -> None:
    # cov = 2 / 3, var = 1: slope 1.0 after clipping (shared 3.0 / spread 3.0)
    assert judge_weight(HUMAN, JUDGE) == pytest.approx((4 * 1.0 + 10 * 0.7) / 14)
    assert judge_weight(HUMAN, -JUDGE) == pytest.approx(7 / 14)


def test_a_judge_that_always_says_the_same_has_no_slope() -> None:
    assert judge_weight(HUMAN, np.full(4, 0.1)) == pytest.approx(7 / 14)


def test_the_guarded_mean_is_the_formula_of_the_docs() -> None:
    weight = 11 / 14
    errors = HUMAN - weight * JUDGE
    expected = weight * 3.8 + errors.mean()
    residual = (((errors - errors.mean()) ** 2).sum() + 2) / 3

    found = guarded_mean(HUMAN, JUDGE, np.asarray(3.8), 40, 1.0)

    assert found.mean == pytest.approx(expected)
    assert found.residual == pytest.approx(residual)
    assert found.variance == pytest.approx((1 - 4 / 40) * residual / 4)


def test_des_raj_by_hand() -> None:
    # Six examples, one of which people have put at 1. Draws: 3 (judge 4), then 2 (judge 3).
    draws = DrawsInOrder(
        human=np.array([3.0, 2.0]),
        judge=np.array([4.0, 3.0]),
        known_sum=np.array([1.0, 4.0]),
        left=np.array([5.0, 4.0]),
        left_judge_sum=np.array([18.0, 14.0]),
    )
    first = (1 + 0.7 * 18 + 5 * (3 - 0.7 * 4)) / 6
    second = (4 + 0.7 * 14 + 4 * (2 - 0.7 * 3)) / 6
    squares = (first - second) ** 2 / 2

    found = des_raj_mean(draws, of=6, grade=1.0)

    assert found.mean == pytest.approx((first + second) / 2)
    assert found.variance == pytest.approx((squares + 2 * (5**2 + 4**2) / 2 / 6**2) / 1 / 2)


@given(
    st.lists(st.tuples(st.floats(1, 5), st.floats(1, 5)), min_size=2, max_size=30),
    st.floats(-3, 3),
)
def test_with_full_weight_a_constant_kindness_of_the_judge_cancels(
    pairs: list[tuple[float, float]], constant: float
) -> None:
    human, judge = (np.array(side) for side in zip(*pairs, strict=True))
    mean, one = np.asarray(3.3), np.asarray(1.0)

    shifted = predicted_mean(human, judge + constant, mean + constant, one)

    assert shifted == pytest.approx(float(predicted_mean(human, judge, mean, one)), abs=1e-9)


@given(st.lists(st.tuples(st.floats(1, 5), st.floats(1, 5)), min_size=2, max_size=30), st.randoms())
def test_the_order_of_reviews_does_not_matter_to_the_guarded_mean(
    pairs: list[tuple[float, float]], random: object
) -> None:
    shuffled = list(pairs)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    found = [
        guarded_mean(
            np.array([h for h, _ in rows]), np.array([j for _, j in rows]), np.asarray(3.0), 50, 1.0
        )
        for rows in (pairs, shuffled)
    ]

    assert found[0].mean == pytest.approx(float(found[1].mean), abs=1e-6)
    assert found[0].variance == pytest.approx(float(found[1].variance), abs=1e-6)


def test_many_samples_at_once_are_each_the_one_sample() -> None:
    rng = np.random.default_rng(1)
    human, judge = rng.uniform(1, 5, (2, 7, 12))

    together = guarded_mean(human, judge, np.asarray(3.0), 100, 1.0)
    apart = [
        guarded_mean(h, j, np.asarray(3.0), 100, 1.0) for h, j in zip(human, judge, strict=True)
    ]

    assert together.mean == pytest.approx([float(one.mean) for one in apart])


def test_t_has_the_quantiles_of_the_tables() -> None:
    assert t_quantile(9, 0.95) == pytest.approx(2.262157, abs=1e-6)
    assert t_quantile(4, 0.99) == pytest.approx(4.604095, abs=1e-6)
    assert two_sided_p(-2.262157, 9) == pytest.approx(0.05, abs=1e-6)

"""How well a judge agrees with people: figures by hand, their intervals, and where none is."""

from __future__ import annotations

from math import atanh, sqrt

import numpy as np
import pytest

from recall_core.agreement import Agreement, Measure, Name, Rated, agreement_on
from recall_core.estimation.formulas import t_quantile
from recall_core.types import UnitKind

Scores = list[tuple[float, float]]


def rated(groups: list[Scores]) -> list[Rated]:
    """One group an example; each pair is the judge's score and the person's."""
    return [Rated(i, j, h) for i, group in enumerate(groups) for j, h in group]


def grades(groups: list[Scores]) -> Agreement:
    return agreement_on(UnitKind.ESSENTIAL, rated(groups))


def answers(groups: list[Scores]) -> Agreement:
    return agreement_on(UnitKind.STATEMENT, rated(groups))


def measure(agreement: Agreement, name: Name) -> Measure:
    found = agreement.measure(name)
    assert found is not None
    return found


TWELVE: list[Scores] = [[(4, 3), (5, 5)], [(2, 2)], [(3, 1), (4, 4), (5, 4)], [(1, 1)]] * 3


def test_bias_error_and_shares_by_hand() -> None:
    found = grades(TWELVE)

    assert (found.units, found.examples) == (21, 12)
    assert measure(found, Name.BIAS).value == pytest.approx(4 / 7)
    assert measure(found, Name.ERROR).value == pytest.approx(4 / 7)
    assert measure(found, Name.EXACT).value == pytest.approx(4 / 7)
    assert measure(found, Name.WITHIN_ONE).value == pytest.approx(6 / 7)
    assert measure(found, Name.BIAS).sentence == (
        "On average the judge gives 0.57 more than people."
    )


def test_the_interval_leaves_out_whole_examples() -> None:
    found = measure(grades(TWELVE), Name.BIAS)

    without = []
    for i in range(12):
        rest = [j - h for k, group in enumerate(TWELVE) if k != i for j, h in group]
        without.append(sum(rest) / len(rest))
    se = sqrt(11 / 12 * sum((v - np.mean(without)) ** 2 for v in without))
    half = t_quantile(11, 0.95) * se
    assert found.interval == pytest.approx((4 / 7 - half, 4 / 7 + half))


def test_kappas_interval_is_made_on_its_stretched_scale() -> None:
    found = measure(grades(TWELVE), Name.KAPPA)

    assert found.interval is not None
    assert found.value is not None
    low, high = found.interval
    assert atanh(found.value) - atanh(low) == pytest.approx(atanh(high) - atanh(found.value))
    assert -1 < low < found.value < high < 1


def test_units_of_one_example_do_not_count_as_independent() -> None:
    rng = np.random.default_rng(4)
    off = rng.integers(-1, 2, 30)
    spread = [[(3.0 + o, 3.0)] for o in off for _ in range(6)]
    bunched = [[(3.0 + o, 3.0)] * 6 for o in off]

    apart, together = (measure(grades(g), Name.BIAS) for g in (spread, bunched))

    assert apart.interval is not None
    assert together.interval is not None
    assert together.value == pytest.approx(apart.value)
    assert together.interval[1] - together.interval[0] > 2 * (apart.interval[1] - apart.interval[0])


def test_below_ten_examples_there_is_nothing_to_say() -> None:
    found = measure(grades(TWELVE[:7]), Name.KAPPA)

    assert (found.value, found.interval) == (None, None)
    assert found.sentence == "7 reviewed, 10 are needed: too few to say, 3 more."


def test_below_thirty_examples_a_figure_is_only_a_hint() -> None:
    assert measure(grades(TWELVE), Name.BIAS).faint
    assert not measure(grades(TWELVE * 3), Name.BIAS).faint


def test_one_and_the_same_score_has_no_kappa() -> None:
    found = measure(grades([[(4, 4)]] * 12), Name.KAPPA)

    assert found.value is None
    assert found.sentence.startswith("Not defined")


def test_perfect_agreement_has_a_kappa_of_one_without_an_interval() -> None:
    found = measure(grades([[(4, 4)], [(2, 2)]] * 6), Name.KAPPA)

    assert found.value == pytest.approx(1)
    assert found.interval is None


def test_a_share_without_one_exception_has_no_interval() -> None:
    """Twelve of twelve are no proof that it is never otherwise."""
    same = grades([[(4, 4)], [(2, 2)]] * 6)
    found = answers([[(1, 1)], [(0, 0)]] * 6)

    assert measure(same, Name.EXACT).value == 1
    assert measure(same, Name.EXACT).interval is None
    assert measure(same, Name.ERROR).interval is None
    assert measure(found, Name.SENSITIVITY).interval is None
    assert measure(found, Name.SPECIFICITY).interval is None


def test_a_figure_that_hangs_on_one_example_has_no_interval() -> None:
    found = measure(grades([[(4, 4)]] * 11 + [[(2, 3)]]), Name.KAPPA)

    assert found.value is not None
    assert found.interval is None


def test_shares_stay_within_nought_and_one() -> None:
    found = measure(grades([[(4, 4)]] * 11 + [[(2, 3)]]), Name.EXACT)

    assert found.interval is not None
    assert found.interval[1] == 1


YES_NO: list[Scores] = [[(1, 1), (1, 1), (0, 1)], [(1, 0), (0, 0)], [(1, 1)]] * 5


def test_yes_and_no_have_hit_rates_and_ac1() -> None:
    found = answers(YES_NO)

    assert measure(found, Name.SENSITIVITY).value == pytest.approx(3 / 4)
    assert measure(found, Name.SPECIFICITY).value == pytest.approx(1 / 2)
    # agreed 4 of 6; yes 8 of 12: chance 2 * 2/3 * 1/3
    assert measure(found, Name.AC1).value == pytest.approx((4 / 6 - 4 / 9) / (1 - 4 / 9))
    assert found.measure(Name.WITHIN_ONE) is None
    assert not found.rare


def test_where_one_answer_is_rare_kappa_falls_and_ac1_does_not() -> None:
    rare: list[Scores] = [[(1, 1)]] * 45 + [[(0, 1)], [(1, 0)], [(1, 0)], [(0, 0)], [(1, 1)]]

    found = answers(rare)

    assert found.rare
    kappa, ac1 = measure(found, Name.KAPPA).value, measure(found, Name.AC1).value
    assert kappa is not None
    assert ac1 is not None
    assert kappa < 0.45 < 0.9 < ac1


def test_where_people_never_say_no_there_is_no_specificity() -> None:
    found = measure(answers([[(1, 1), (0, 1)]] * 12), Name.SPECIFICITY)

    assert found.value is None
    assert found.sentence == "Not defined: people found every unit there."


def test_the_confusion_table_has_people_down_and_the_judge_across() -> None:
    found = grades([[(5, 3), (4.5, 4), (2, 2)]]).confusion

    assert found.levels == (1, 2, 3, 4, 5)
    assert found.counts[2] == (0, 0, 0, 0, 1)
    assert found.counts[3] == (0, 0, 0, 0, 1)
    assert (found.kinder, found.stricter) == (2, 0)


def test_no_units_at_all_are_too_few_and_no_error() -> None:
    found = grades([])

    assert (found.units, found.examples) == (0, 0)
    assert measure(found, Name.BIAS).value is None


def test_the_interval_of_agreement_holds_when_units_of_an_example_are_alike() -> None:
    rng = np.random.default_rng(9)
    held = 0
    for _ in range(200):
        shared = rng.normal(0.3, 0.8, 30)
        groups = [[(3 + s + rng.normal(0, 0.3), 3.0) for _ in range(6)] for s in shared]
        interval = measure(grades(groups), Name.BIAS).interval
        assert interval is not None
        held += interval[0] <= 0.3 <= interval[1]

    assert held >= 180


def test_agreement_worse_than_chance_has_a_kappa_below_nought() -> None:
    found = measure(grades([[(5, 1)], [(1, 5)], [(2, 3)]] * 5), Name.KAPPA)

    assert found.interval is not None
    assert found.value is not None
    assert -1 < found.interval[0] < found.value < 0
    assert found.value < found.interval[1]

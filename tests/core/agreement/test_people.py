"""How well people agree with each other, and a judge with itself."""

from __future__ import annotations

import pytest

from recall_core.agreement import Metric, Opinion, people_agreement, self_agreement
from recall_core.types import UnitKind


def opinions(scores: dict[str, list[float | None]], *, units: int = 1) -> list[Opinion]:
    """One list a person; every `units` scores are one example, and `None` was not scored."""
    return [
        Opinion(place // units, place, person, score)
        for person, given in scores.items()
        for place, score in enumerate(given)
        if score is not None
    ]


def test_people_who_agree_but_for_a_little_have_a_high_alpha() -> None:
    scores = {"Ana": [1.0, 2, 3, 4, 5, 1, 2, 3, 4, 5], "Ben": [1.0, 2, 3, 4, 5, 1, 2, 3, 5, 4]}

    found = people_agreement(UnitKind.ESSENTIAL, opinions(scores))

    assert found.metric is Metric.ORDINAL
    assert found.alpha is not None
    assert 0.9 < found.alpha < 1
    assert found.interval is not None
    assert found.interval[0] < found.alpha < found.interval[1]
    assert (found.units, found.examples, found.people) == (10, 10, ("Ana", "Ben"))


def test_what_only_one_person_scored_says_nothing() -> None:
    both = {"Ana": [1.0, 2, 3, 4, 5] * 2, "Ben": [1.0, 2, 3, 4, 4] * 2}
    more = {"Ana": [*both["Ana"], 5.0, 5.0], "Ben": [*both["Ben"], None, None]}

    found = people_agreement(UnitKind.BONUS, opinions(more))

    assert found.alpha == people_agreement(UnitKind.BONUS, opinions(both)).alpha
    assert found.examples == 10


def test_yes_and_no_are_names_and_no_order() -> None:
    scores = {"Ana": [1.0, 0] * 6, "Ben": [1.0, 0] * 6}

    found = people_agreement(UnitKind.STATEMENT, opinions(scores))

    assert found.metric is Metric.NOMINAL
    assert found.alpha == pytest.approx(1)
    assert found.interval is None


def test_few_examples_in_common_are_too_few_to_say() -> None:
    scores = {"Ana": [1.0, 2] * 9, "Ben": [2.0, 2] * 9}

    found = people_agreement(UnitKind.ESSENTIAL, opinions(scores, units=3))

    assert (found.alpha, found.examples) == (None, 6)
    assert found.sentence.endswith("too few to say, 4 more.")
    assert found.pairs[0].kappa is None


def test_everybody_giving_the_same_score_is_not_defined() -> None:
    found = people_agreement(UnitKind.ESSENTIAL, opinions({"Ana": [4.0] * 12, "Ben": [4.0] * 12}))

    assert found.alpha is None
    assert found.sentence.startswith("Not defined")


def test_each_pair_of_people_is_shown_on_what_both_scored() -> None:
    scores: dict[str, list[float | None]] = {
        "Ana": [1, 2, 3, 4] * 3,
        "Ben": [1, 2, 3, 5] * 3,
        "Cem": [None] * 11 + [4],
    }

    pairs = {
        (p.first, p.second): p for p in people_agreement(UnitKind.BONUS, opinions(scores)).pairs
    }

    assert set(pairs) == {("Ana", "Ben"), ("Ana", "Cem"), ("Ben", "Cem")}
    assert pairs["Ana", "Ben"].same == pytest.approx(0.75)
    assert pairs["Ana", "Ben"].kappa is not None
    assert pairs["Ana", "Cem"].kappa is None
    assert pairs["Ana", "Cem"].units == 1


def test_a_judge_against_itself() -> None:
    found = self_agreement([[3, 3], [4, 5]] * 6)

    # within: 6 * 0.5 over 12 degrees of freedom; between: 12 examples with means 3 and 4.5
    assert found.spread == pytest.approx((6 * 0.5 / 12) ** 0.5)
    assert found.same == pytest.approx(0.5)
    between = 2 * 12 * 0.75**2 / 11
    assert found.icc == pytest.approx((between - 0.25) / (between + 0.25))


def test_a_judge_asked_once_has_no_agreement_with_itself() -> None:
    found = self_agreement([[3.0], [4.0]])

    assert (found.examples, found.spread, found.icc) == (0, None, None)
    assert found.sentence.startswith("Not defined")


def test_a_few_repeats_are_too_few_and_equal_finals_have_no_icc() -> None:
    assert self_agreement([[3, 3]] * 4).same is None
    assert self_agreement([[3, 3]] * 12).icc is None

"""What a run's mean would be under another rule."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_core.errors import InvalidSetting
from recall_core.policy import (
    AS_IT_IS,
    NamedPolicy,
    Policy,
    WhatIf,
    WhatIfExample,
    WhatIfUnit,
    policy_of,
)
from recall_core.scoring import passage_trace
from recall_core.types import Formula, Rounding, UnitKind

E, B, C = UnitKind.ESSENTIAL, UnitKind.BONUS, UnitKind.EXPECTED_CONTEXT


def passages(*examples: tuple[list[int], list[int]], mark: int | None = None) -> WhatIf:
    found = [
        WhatIfExample(
            number,
            tuple(
                WhatIfUnit(kind, Fraction(score))
                for kind, scores in ((E, essential), (B, bonus))
                for score in scores
            ),
        )
        for number, (essential, bonus) in enumerate(examples, 1)
    ]
    pass_mark = None if mark is None else Fraction(mark)
    return WhatIf(Formula.PASSAGE, Rounding.HALF_UP, pass_mark, len(found), tuple(found))


def contexts(*examples: list[float | int], threshold: float = 0.5) -> WhatIf:
    """Examples of units with a similarity each; a whole number is what a person has said."""
    found = [
        WhatIfExample(
            number,
            tuple(
                WhatIfUnit(C, Fraction(s))
                if isinstance(s, int)
                else WhatIfUnit(C, Fraction(s > threshold), s)
                for s in units
            ),
        )
        for number, units in enumerate(examples, 1)
    ]
    return WhatIf(Formula.SHARE, Rounding.HALF_UP, None, len(found), tuple(found))


scores = st.tuples(
    st.lists(st.integers(1, 5), min_size=1, max_size=4), st.lists(st.integers(0, 5), max_size=3)
)


@given(examples=st.lists(scores, max_size=5), rounding=st.sampled_from(Rounding))
def test_without_a_policy_the_finals_are_those_of_the_formula(
    examples: list[tuple[list[int], list[int]]], rounding: Rounding
) -> None:
    result = passages(*examples).under(Policy(rounding=rounding))

    for number, (essential, bonus) in enumerate(examples, 1):
        trace = passage_trace(
            [Fraction(s) for s in essential], [Fraction(s) for s in bonus], rounding=rounding
        )
        assert result.finals[number] == trace.final


def test_a_bonus_weight_multiplies_the_bonus_before_it_is_rounded() -> None:
    run = passages(([3, 3], [5]))

    finals = [run.under(Policy(bonus_weight=Fraction(w))).finals[1] for w in ("0", "1/3", "1", "2")]

    assert finals == [3, Fraction("3.42"), Fraction("4.25"), 5]
    curve = run.bonus_curve()
    assert [(p.x, p.y) for p in curve if p.x in (0, 1, 2)] == [
        (0, 3),
        (1, Fraction("4.25")),
        (2, 5),
    ]
    assert passages(([3], [])).bonus_curve() == ()


def test_another_pass_mark_passes_others() -> None:
    run = passages(([2], []), ([3], []), ([4], []), mark=4)

    assert (run.under(AS_IT_IS).mark, run.under(AS_IT_IS).passed) == (4, 1)
    three = run.under(Policy(pass_mark=Fraction(3)))
    assert (three.passed, three.share_passed) == (2, Fraction(2, 3))
    at = {p.x: p.y for p in run.pass_curve()}
    assert [at[Fraction(mark)] for mark in (1, 2, 3, 4, 5)] == [
        1,
        1,
        Fraction(2, 3),
        Fraction(1, 3),
        0,
    ]


def test_a_threshold_moves_units_that_nobody_has_reviewed() -> None:
    run = contexts([0.4, 0.6], [0.6, 0], [0.5, 0.5, 1])

    def mean(threshold: str) -> Fraction | None:
        return run.under(Policy(similarity_threshold=Fraction(threshold))).mean.value

    assert run.under(AS_IT_IS).mean.value == mean("0.5") == Fraction(4, 9)
    assert mean("0.3") == Fraction(5, 6)
    # What is exactly at the threshold is not above it.
    assert mean("0.6") == Fraction(1, 9)
    for point in run.threshold_curve():
        assert point.y == run.under(Policy(similarity_threshold=point.x)).mean.value


@given(
    examples=st.lists(
        st.lists(st.one_of(st.floats(0, 1), st.integers(0, 1)), min_size=1, max_size=4),
        min_size=1,
        max_size=6,
    )
)
def test_the_curve_is_what_each_threshold_alone_would_give(
    examples: list[list[float | int]],
) -> None:
    run = contexts(*examples)

    for point in run.threshold_curve()[::10]:
        alone = run.under(Policy(similarity_threshold=point.x)).mean
        assert (point.y, point.n) == (alone.value, alone.n)


def test_a_threshold_is_compared_as_the_judge_compared_it() -> None:
    run = contexts([0.1], threshold=0.1)

    at = run.under(Policy(similarity_threshold=Fraction("0.1")))

    assert at.finals == run.under(AS_IT_IS).finals == {1: 0}


def test_an_example_without_a_score_stays_out_of_every_mean() -> None:
    examples = (
        WhatIfExample(1, (WhatIfUnit(C, Fraction(1)),)),
        WhatIfExample(2, (WhatIfUnit(C, None),)),
        WhatIfExample(3, (WhatIfUnit(C, Fraction(0), 0.2),), answered=False),
        WhatIfExample(4, ()),
    )
    run = WhatIf(Formula.SHARE, Rounding.HALF_UP, None, 4, examples)

    mean = run.under(AS_IT_IS).mean
    assert (mean.value, mean.n, mean.of) == (1, 1, 4)
    assert {(p.y, p.n) for p in run.threshold_curve()} == {(Fraction(1), 1)}
    empty = WhatIf(Formula.SHARE, Rounding.HALF_UP, Fraction(1), 0, ())
    assert empty.under(AS_IT_IS).mean.value is None
    assert empty.under(AS_IT_IS).share_passed is None
    assert {p.y for p in empty.pass_curve()} == {None}


POLICY = Policy(Fraction(7, 2), Rounding.UP, Fraction(1, 2), Fraction("0.65"), 3)


def test_a_policy_comes_back_from_its_json_as_it_was() -> None:
    assert policy_of(POLICY.as_json()) == POLICY
    assert policy_of({}) == AS_IT_IS
    assert AS_IT_IS.as_json() == {}
    assert POLICY.words.startswith("pass mark 7/2, bonus weight 1/2")
    assert AS_IT_IS.words == "as the run has it"


@pytest.mark.parametrize(
    "wrong",
    [{"bonus_weight": Fraction(-1)}, {"bonus_weight": Fraction(6)}, {"similarity_threshold": 2}],
)
def test_a_rule_that_no_scale_has_is_refused(wrong: dict[str, Fraction]) -> None:
    with pytest.raises(InvalidSetting):
        Policy(**wrong)


def test_a_policy_of_another_judge_is_not_applied_to_this_one() -> None:
    with pytest.raises(InvalidSetting, match="another judge"):
        passages(([3], [])).under(Policy(judge_run=2))


def test_a_named_policy_says_what_it_makes_of_the_run() -> None:
    run = passages(([2], []), ([4], []))
    named = NamedPolicy("strict", run.under(Policy(pass_mark=Fraction(3))))

    assert named.sentence == "strict (pass mark 3): 3 (2 of 2), 1 pass."
    assert [named.passed(i) for i in (1, 2, 9)] == [False, True, None]

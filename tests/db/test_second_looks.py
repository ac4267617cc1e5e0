"""A few finished examples come back to the same person; what they say then changes no score."""

from __future__ import annotations

from datetime import timedelta
from fractions import Fraction

import pytest

from db.engine import Engine
from db.second_looks import (
    agreements_on,
    end_second_look,
    score_again,
    second_looks_due,
    second_scores,
    self_agreement,
    set_second_looks,
    wants_second_looks,
)
from recall_core.errors import InvalidDecision, InvalidScore
from recall_core.second_look import AFTER, SelfAgreement, comes_back, self_agreement_of
from recall_core.types import Action, UnitKind, UnitState
from tests.db.making import NOW
from tests.db.reviewing import E1, E2, Desk, desk, told


@pytest.fixture
def run(engine: Engine) -> Desk:
    return desk(engine, *(told(f"x{i}", [5, 4]) for i in range(AFTER + 1)))


def who_gets_back(run: Desk, example: str) -> str:
    """A name of somebody to whom this example comes back, and of the first ones no other."""
    names = (f"Mara {number}" for number in range(10_000))
    return next(name for name in names if comes_back(name, run.judgements[example]))


def finish(run: Desk, name: str, number: int = AFTER + 1) -> None:
    for i in range(number):
        run.set(f"x{i}", E1, 3, by=name)
        run.set(f"x{i}", E2, 2, by=name)


def looked(run: Desk) -> str:
    """Somebody to whom the first example has come back."""
    name = who_gets_back(run, "x0")
    set_second_looks(run.engine, name, True)
    finish(run, name)
    assert second_looks_due(run.engine, run.run_id, name, now=NOW) == (run.judgements["x0"],)
    return name


def again(run: Desk, name: str, unit: object, score: int) -> bool:
    return score_again(
        run.engine,
        run.judgements["x0"],
        unit,
        Action.SET,
        reviewer=name,
        now=NOW + timedelta(seconds=score),
        score=Fraction(score),
    )


def test_nothing_comes_back_unless_the_person_wishes_it(run: Desk) -> None:
    name = who_gets_back(run, "x0")
    finish(run, name)

    assert second_looks_due(run.engine, run.run_id, name, now=NOW) == ()
    set_second_looks(run.engine, name, True)

    assert wants_second_looks(run.engine, name)
    assert second_looks_due(run.engine, run.run_id, name, now=NOW) == (run.judgements["x0"],)


def test_an_example_comes_back_only_after_enough_others(run: Desk) -> None:
    name = who_gets_back(run, "x0")
    set_second_looks(run.engine, name, True)
    finish(run, name, AFTER)

    assert second_looks_due(run.engine, run.run_id, name, now=NOW) == ()


def test_about_one_in_twenty_comes_back() -> None:
    back = sum(comes_back("Mara", i) for i in range(20_000))

    assert 900 < back < 1_100
    assert [comes_back("Mara", i) for i in range(99)] == [comes_back("Mara", i) for i in range(99)]


def test_the_second_values_change_no_score_and_are_held_against_the_first(run: Desk) -> None:
    name = looked(run)
    before = run.detail("x0")

    assert again(run, name, E1, 3)
    assert again(run, name, E2, 4)
    assert end_second_look(run.engine, before.id, reviewer=name, now=NOW)

    assert run.detail("x0") == before
    found = SelfAgreement(examples=1, units=2, same=1, near=1)
    assert self_agreement(run.engine, name) == found
    assert agreements_on(run.engine, [before.id], name) == {before.id: found}
    assert second_looks_due(run.engine, run.run_id, name, now=NOW) == ()


def test_what_is_given_so_far_is_kept_and_can_be_taken_back(run: Desk) -> None:
    name, judgement_id = looked(run), run.judgements["x0"]
    again(run, name, E1, 3)
    again(run, name, E1, 1)

    assert [(ref, state) for ref, (state, _) in _given(run, name).items()] == [
        (E1, UnitState(UnitKind.ESSENTIAL, Fraction(1)))
    ]
    score_again(run.engine, judgement_id, E1, Action.UNDO, reviewer=name, now=NOW)
    assert _given(run, name) == {}


def _given(run: Desk, name: str) -> object:
    return second_scores(run.engine, [run.judgements["x0"]], name)[run.judgements["x0"]]


def test_it_ends_only_with_every_unit_scored_on_its_scale(run: Desk) -> None:
    name, judgement_id = looked(run), run.judgements["x0"]
    again(run, name, E1, 3)

    with pytest.raises(InvalidDecision, match="E2"):
        end_second_look(run.engine, judgement_id, reviewer=name, now=NOW)
    with pytest.raises(InvalidScore):
        again(run, name, E2, 6)


def test_without_a_second_look_nothing_is_kept_here(run: Desk) -> None:
    assert not again(run, "Mara", E1, 3)
    assert not end_second_look(run.engine, run.judgements["x0"], reviewer="Mara", now=NOW)
    assert second_scores(run.engine, [run.judgements["x0"]], "Mara") == {}


def test_who_does_not_wish_it_any_more_gets_their_examples_as_they_were(run: Desk) -> None:
    name = looked(run)

    set_second_looks(run.engine, name, False)

    assert not wants_second_looks(run.engine, name)
    assert second_scores(run.engine, [run.judgements["x0"]], name) == {}


def test_near_is_a_point_away_and_an_exclusion_is_near_to_nothing_else() -> None:
    def state(score: str, *, excluded: bool = False) -> UnitState:
        return UnitState(UnitKind.BONUS, Fraction(score), excluded)

    pairs = [
        (state("3"), state("3")),
        (state("3"), state("4")),
        (state("3"), state("5")),
        (state("3"), state("3", excluded=True)),
        (state("3", excluded=True), state("1", excluded=True)),
    ]

    assert self_agreement_of([pairs[:2], pairs[2:]]) == SelfAgreement(2, 5, 2, 3)

"""From the judge's mean to the one that counts now: exact steps that always add up."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine

from db.movement import run_movement
from db.results import run_summary
from recall_core.errors import InvalidDecision, InvalidScore
from recall_core.movement import CAP, LEFT, NO_CAUSE, SCORED_BY_PEOPLE, Movement
from recall_core.types import Action, Cause, UnitKind
from tests.db.reviewing import B1, E1, E2, Desk, desk, told


def movement(engine: Engine, run: Desk) -> Movement:
    found = run_movement(engine, run_summary(engine, run.run_id))
    assert found is not None
    return found


def adds_up(way: Movement) -> bool:
    at = way.judge
    for step in way.steps:
        if step.start != at:
            return False
        at += step.delta
    return at == way.now


def test_each_cause_is_a_step_and_the_largest_comes_first(engine: Engine) -> None:
    run = desk(engine, told("a", [4, 2]), told("b", [2]))
    run.set("a", E1, 2, cause=Cause.JUDGE_WRONG)
    run.set("b", E1, 5, cause=Cause.RETRIEVAL_MISSED)
    run.set("a", E2, 1)

    way = movement(engine, run)

    assert [(s.reason, s.count, s.delta) for s in way.steps] == [
        (Cause.RETRIEVAL_MISSED.value, 1, Fraction(3, 2)),
        (Cause.JUDGE_WRONG.value, 1, Fraction(-1, 2)),
        (NO_CAUSE, 1, Fraction(-1, 4)),
    ]
    assert (way.judge, way.now) == (Fraction(5, 2), Fraction(13, 4))
    assert adds_up(way)


def test_a_cause_that_is_given_after_the_score_counts_for_the_change(engine: Engine) -> None:
    run = desk(engine, told("a", [4]))
    run.set("a", E1, 2)
    run.decide("a", E1, Action.CONFIRM, cause=Cause.JUDGE_WRONG)

    assert [(s.reason, s.delta) for s in movement(engine, run).steps] == [("judge wrong", -2)]


def test_what_the_cap_takes_or_gives_is_a_step_of_its_own(engine: Engine) -> None:
    run = desk(engine, told("a", [5], [5]))
    run.set("a", E1, 4, cause=Cause.JUDGE_WRONG)

    way = movement(engine, run)

    assert [(s.reason, s.delta) for s in way.steps] == [("judge wrong", -1), (CAP, 1)]
    assert way.judge == way.now == 5


def test_examples_that_only_one_mean_covers_are_steps_of_their_own(engine: Engine) -> None:
    run = desk(engine, told("a", [4]), told("b", [2]), told("c", [3], fails="timeout"))
    run.decide("b", E1, Action.EXCLUDE, cause=Cause.GROUND_TRUTH_WRONG)
    run.set("c", E1, 1)

    way = movement(engine, run)

    assert [(s.reason, s.count) for s in way.steps] == [(LEFT, 1), (SCORED_BY_PEOPLE, 1)]
    assert adds_up(way)


def test_when_no_example_is_in_both_means_one_step_says_it(engine: Engine) -> None:
    run = desk(engine, told("a", [4]), told("b", [2], fails="timeout"))
    run.decide("a", E1, Action.EXCLUDE)
    run.set("b", E1, 1)

    way = movement(engine, run)

    assert [(s.reason, s.delta) for s in way.steps] == [(SCORED_BY_PEOPLE, -3)]


def test_a_decision_that_was_taken_back_has_moved_nothing(engine: Engine) -> None:
    run = desk(engine, told("a", [4]))
    run.set("a", E1, 1, cause=Cause.JUDGE_WRONG)
    run.undo("a", E1)

    assert movement(engine, run).steps == ()


def test_confirming_moves_nothing(engine: Engine) -> None:
    run = desk(engine, told("a", [4]))
    run.confirm_left("a")

    assert movement(engine, run).steps == ()


def test_there_is_no_way_to_tell_of_before_anybody_decided(engine: Engine) -> None:
    run = desk(engine, told("a", [4]))

    assert run_movement(engine, run_summary(engine, run.run_id)) is None


acts = st.lists(
    st.tuples(
        st.sampled_from("abc"),
        st.sampled_from([E1, E2, B1]),
        st.one_of(st.integers(1, 5), st.sampled_from([Action.EXCLUDE, Action.MOVE, Action.UNDO])),
        st.sampled_from([None, *Cause]),
    ),
    max_size=8,
)


@given(deeds=acts)
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_people_do_the_steps_add_up(engine: Engine, deeds: list) -> None:
    run = desk(
        engine,
        told("a", [4, 2], [5]),
        told("b", [5, 5], [5]),
        told("c", [3, 1], [0], fails="timeout"),
    )
    for example, unit, act, cause in deeds:
        with suppress(InvalidDecision, InvalidScore):
            _do(run, example, unit, act, cause)

    found = run_movement(engine, run_summary(engine, run.run_id))

    assert found is None or adds_up(found)


def _do(run: Desk, example: str, unit, act, cause) -> None:
    if act is Action.UNDO:
        if run.detail(example).newest.get(unit):
            run.undo(example, unit)
    elif act is Action.EXCLUDE:
        run.decide(example, unit, Action.EXCLUDE, cause=cause)
    elif act is Action.MOVE:
        state = run.detail(example).unit(unit).state
        other = UnitKind.BONUS if state.kind is UnitKind.ESSENTIAL else UnitKind.ESSENTIAL
        run.decide(example, unit, Action.MOVE, to_kind=other, cause=cause, score=Fraction(1))
    else:
        run.set(example, unit, act, cause=cause)

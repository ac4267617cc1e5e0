"""What taking decisions back would do is said before it is done, and then done as one."""

from __future__ import annotations

from fractions import Fraction

import pytest
from sqlalchemy import Engine

from db.results import run_summary
from db.reverting import revert, what_reverting_would_do
from db.verifying import verify
from recall_core.errors import InvalidDecision
from recall_core.types import Action, Cause, TraceState
from tests.db.reviewing import B1, E1, E2, Desk, desk, told


def set_id(run: Desk, example: str, unit: object, score: int, by: str = "Mara") -> int:
    return run.set(example, unit, score, by=by).decisions[0].id  # type: ignore[arg-type]


def test_what_reverting_would_do_is_what_reverting_does(engine: Engine) -> None:
    run = desk(engine, told("a", [4, 2]), told("b", [2]), told("c", [5]))
    first = set_id(run, "a", E1, 2)
    set_id(run, "a", E2, 5)
    other = set_id(run, "b", E1, 5)

    ahead = what_reverting_would_do(engine, run.run_id, [first, other])

    assert [(e.example_id, e.reverting.effect) for e in ahead.examples] == [("a", 1), ("b", -3)]
    assert ahead.decisions == 2
    assert ahead.mean_now == run_summary(engine, run.run_id).mean

    done = revert(engine, run.run_id, [first, other], **run.write("Mara"))

    assert (done.examples, done.units) == (2, 2)
    assert run.detail("a").trace.final == ahead.examples[0].reverting.final_without
    assert run_summary(engine, run.run_id).mean == ahead.mean_without


def test_two_decisions_on_one_unit_go_back_one_after_the_other(engine: Engine) -> None:
    run = desk(engine, told("a", [4]))
    made = [set_id(run, "a", E1, score) for score in (3, 2)]

    revert(engine, run.run_id, made, **run.write("Mara"))

    undos = [d for d in run.detail("a").decisions if d.action is Action.UNDO]
    assert [(d.before.score, d.after.score) for d in undos] == [(2, 3), (3, 4)]
    assert run.detail("a").trace.final == 4
    assert all(found.equal for found in verify(engine, run.run_id))


def test_an_older_decision_goes_and_the_newer_one_goes_on_counting(engine: Engine) -> None:
    run = desk(engine, told("a", [4]))
    older = set_id(run, "a", E1, 3)
    set_id(run, "a", E1, 2)

    ahead = what_reverting_would_do(engine, run.run_id, [older])
    revert(engine, run.run_id, [older], **run.write("Mara"))

    assert ahead.examples[0].reverting.effect == 0
    assert run.detail("a").trace.final == 2


def test_others_decisions_are_looked_at_but_not_taken_back(engine: Engine) -> None:
    run = desk(engine, told("a", [4], [0]))
    own, others = set_id(run, "a", E1, 2), set_id(run, "a", B1, 5, by="Ben")

    assert what_reverting_would_do(engine, run.run_id, [own, others]).decisions == 2
    done = revert(engine, run.run_id, [own, others], **run.write("Mara"))

    assert done.units == 1
    with pytest.raises(InvalidDecision, match="None of these is a standing decision of Mara"):
        revert(engine, run.run_id, [others], **run.write("Mara"))


def test_reverting_can_give_an_example_its_final_back_or_take_it(engine: Engine) -> None:
    run = desk(engine, told("a", [4]), told("b", [None]))
    out = run.decide("a", E1, Action.EXCLUDE).decisions[0].id
    filled = set_id(run, "b", E1, 3)

    (back,) = what_reverting_would_do(engine, run.run_id, [out]).examples
    gone = what_reverting_would_do(engine, run.run_id, [filled])

    assert (back.reverting.final_now, back.reverting.final_without) == (None, 4)
    assert back.reverting.effect is None
    assert gone.examples[0].reverting.state_without is TraceState.INCOMPLETE
    assert (gone.mean_without.value, gone.mean_without.n) == (None, 0)


def test_the_mean_counts_on_when_examples_come_back(engine: Engine) -> None:
    run = desk(engine, told("a", [4]), told("b", [2]))
    out = run.decide("a", E1, Action.EXCLUDE).decisions[0].id

    ahead = what_reverting_would_do(engine, run.run_id, [out])

    assert (ahead.mean_now.value, ahead.mean_now.n) == (2, 1)
    assert (ahead.mean_without.value, ahead.mean_without.n) == (Fraction(3), 2)


def test_a_write_that_is_sent_again_takes_back_nothing_twice(engine: Engine) -> None:
    run = desk(engine, told("a", [4]))
    made = set_id(run, "a", E1, 2)
    write = run.write("Mara")

    first = revert(engine, run.run_id, [made], **write)
    again = revert(engine, run.run_id, [made], **write)

    assert again == first
    assert len(run.detail("a").decisions) == 2


def test_what_was_taken_back_cannot_be_reverted(engine: Engine) -> None:
    run = desk(engine, told("a", [4]))
    made = set_id(run, "a", E1, 2)
    run.undo("a", E1)

    for wrong in ([made], [99], []):
        with pytest.raises(InvalidDecision, match="taken back already"):
            what_reverting_would_do(engine, run.run_id, wrong)


def test_a_change_goes_back_with_the_reason_that_was_given_for_it_later(engine: Engine) -> None:
    run = desk(engine, told("a", [4]), told("b", [2]))
    change = set_id(run, "a", E1, 2)
    run.decide("a", E1, Action.CONFIRM, cause=Cause.JUDGE_WRONG, note="It is not there.")

    ahead = what_reverting_would_do(engine, run.run_id, [change])
    revert(engine, run.run_id, [change], **run.write("Mara"))

    assert (ahead.decisions, ahead.examples[0].reverting.effect) == (1, 2)
    assert run.detail("a").trace.final == 4
    assert not run.detail("a").effective[0].reviewed
    assert run_summary(engine, run.run_id).mean == ahead.mean_without
    assert all(found.equal for found in verify(engine, run.run_id))


def test_who_agreed_with_a_change_goes_on_agreeing_when_it_is_taken_back(engine: Engine) -> None:
    run = desk(engine, told("a", [4]))
    change = set_id(run, "a", E1, 2)
    run.decide("a", E1, Action.CONFIRM, by="Ben")

    ahead = what_reverting_would_do(engine, run.run_id, [change])
    revert(engine, run.run_id, [change], **run.write("Mara"))

    assert ahead.examples[0].reverting.effect == 0
    assert run.detail("a").trace.final == 2

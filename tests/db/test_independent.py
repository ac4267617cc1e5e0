"""Several people review each example without seeing each other, and settle where they differ."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from sqlalchemy import Engine

from db.first_values import first_values
from db.queues import queue_ids
from db.resolving import Dispute, disputes, disputes_of, resolve
from db.results import list_judgements, recount
from db.reviews import history, verify_chain
from db.runs import RunOptions
from recall_core.errors import InvalidDecision, InvalidScore
from recall_core.queues import Queue
from recall_core.types import Action, Basis, Cause, UnitKind, UnitRef
from tests.db.reviewing import E1, E2, Desk, desk, told

TWO = RunOptions(mode="independent", reviewers_needed=2)


def two(engine: Engine, *names: str, options: RunOptions = TWO) -> Desk:
    return desk(engine, *(told(name, [3, 3]) for name in names or ("a",)), options=options)


def both(run: Desk, example: str, mara: tuple[int, int], ben: tuple[int, int]) -> None:
    for name, scores in (("Mara", mara), ("Ben", ben)):
        for unit, score in zip((E1, E2), scores, strict=True):
            run.set(example, unit, score, by=name, note=f"{name} says {score}")


def settle(run: Desk, example: str, unit: UnitRef, *, by: str = "Ana", **rest: Any) -> Any:
    seen = run.view(example, by).newest.get(unit, 0)
    return resolve(run.engine, run.judgements[example], unit, seen=seen, **run.write(by), **rest)


def basis(run: Desk, example: str) -> list[Basis]:
    return [e.basis for e in run.detail(example).effective]


def test_nothing_counts_and_nobody_sees_the_other_before_both_are_done(engine: Engine) -> None:
    run = two(engine)
    run.set("a", E1, 5, by="Ben")
    run.set("a", E2, 5, by="Ben")
    decided = run.set("a", E1, 4, by="Mara")

    assert [d.reviewer for d in decided.judgement.decisions] == ["Mara"]
    assert decided.judgement.trace.final == Fraction(7, 2)
    assert run.view("a", "Ben").trace.final == 5
    assert run.view("a", "Ana").decisions == ()
    whole = run.detail("a")
    assert whole.trace.final == 3
    assert whole.provisional
    assert basis(run, "a") == [Basis.WAITING, Basis.WAITING]
    (line,) = list_judgements(engine, run.run_id).rows
    assert (line.final, line.reviewed_units) == (3, 0)


def test_what_both_say_counts_as_agreed(engine: Engine) -> None:
    run = two(engine)
    both(run, "a", (4, 5), (4, 5))

    detail = run.detail("a")
    assert detail.trace.final == Fraction(9, 2)
    assert basis(run, "a") == [Basis.AGREED, Basis.AGREED]
    assert not detail.provisional
    assert all(e.reviewed for e in detail.effective)
    assert {d.reviewer for d in run.view("a", "Mara").decisions} == {"Mara", "Ben"}


def test_where_they_differ_the_judges_score_stays_until_somebody_settles_it(
    engine: Engine,
) -> None:
    run = two(engine)
    both(run, "a", (4, 5), (2, 5))

    assert basis(run, "a") == [Basis.DISPUTED, Basis.AGREED]
    assert run.detail("a").trace.final == 4
    assert run.detail("a").provisional
    assert queue_ids(engine, run.run_id, Queue.RESOLVE, "Ana") == (run.judgements["a"],)

    (dispute,) = disputes(engine, run.run_id, viewer="Ana")
    kept = next(o for o in dispute.opinions if o.state.score == 2)
    settle(run, "a", E1, keep=kept.decision.id, note="Ben is right.")

    effective = run.detail("a").unit(E1)
    assert effective is not None
    assert (effective.basis, effective.state.score) == (Basis.RESOLVED, 2)
    assert effective.decision is not None
    assert effective.decision.reviewer == "Ana"
    assert run.detail("a").trace.final == Fraction(7, 2)
    assert queue_ids(engine, run.run_id, Queue.RESOLVE, "Ana") == ()


def test_a_dispute_has_both_values_both_notes_and_the_judge_without_names(engine: Engine) -> None:
    run = two(engine)
    both(run, "a", (4, 5), (2, 5))

    (dispute,) = disputes_of(engine, run.judgements["a"], viewer="Ana")

    assert dispute.unit == E1
    assert dispute.verdict.score == 3
    assert {o.reviewer for o in dispute.opinions} == {"Reviewer A", "Reviewer B"}
    assert {o.state.score for o in dispute.opinions} == {2, 4}
    assert dispute.resolution is None

    settle(run, "a", E1, score=Fraction(3), note="In between.")
    (settled,) = disputes(engine, run.run_id, viewer="Ana")
    assert {(o.reviewer, o.decision.note) for o in settled.opinions} == {
        ("Mara", "Mara says 4"),
        ("Ben", "Ben says 2"),
    }
    assert settled.resolution is not None
    assert settled.resolution.note == "In between."


def test_a_third_value_can_move_or_exclude_and_keeps_to_the_scale(engine: Engine) -> None:
    run = two(engine, "a")
    both(run, "a", (4, 5), (2, 4))

    with pytest.raises(InvalidScore):
        settle(run, "a", E1, score=Fraction(0))
    with pytest.raises(InvalidDecision, match="or give a third"):
        settle(run, "a", E1)
    with pytest.raises(InvalidDecision, match="cannot become statement"):
        settle(run, "a", E1, score=Fraction(1), to_kind=UnitKind.STATEMENT)
    settle(run, "a", E1, score=Fraction(0), to_kind=UnitKind.BONUS)
    settle(run, "a", E2, exclude=True, cause=Cause.GROUND_TRUTH_WRONG)

    states = [e.state for e in run.detail("a").effective]
    assert (states[0].kind, states[0].score) == (UnitKind.BONUS, 0)
    assert states[1].excluded


def test_only_what_is_in_dispute_can_be_settled(engine: Engine) -> None:
    run = two(engine)
    run.set("a", E1, 4)

    with pytest.raises(InvalidDecision, match="do not differ on E1"):
        settle(run, "a", E1, score=Fraction(3))
    both(run, "a", (4, 5), (2, 5))
    with pytest.raises(InvalidDecision, match="by decision 999 any more"):
        settle(run, "a", E1, keep=999)
    with pytest.raises(InvalidDecision, match="do not differ on E2"):
        settle(run, "a", E2, score=Fraction(3))


def test_a_resolution_can_be_replaced_and_taken_back(engine: Engine) -> None:
    run = two(engine)
    both(run, "a", (4, 5), (2, 5))
    settle(run, "a", E1, score=Fraction(3))
    settle(run, "a", E1, score=Fraction(5), by="Ben")
    assert run.detail("a").unit(E1).state.score == 5

    run.undo("a", E1, by="Ben")
    assert run.detail("a").unit(E1).state.score == 3
    undone = run.undo("a", E1, by="Ana").decisions[0]
    assert (undone.before.score, undone.after.score) == (3, 3)
    assert basis(run, "a")[0] is Basis.DISPUTED


def test_what_is_settled_is_not_decided_on_by_the_way(engine: Engine) -> None:
    run = two(engine)
    both(run, "a", (4, 5), (2, 5))
    settle(run, "a", E1, score=Fraction(3))

    with pytest.raises(InvalidDecision, match="Ana has settled E1"):
        run.set("a", E1, 5, by="Ben")


def test_a_reviewer_who_comes_round_ends_the_dispute_and_keeps_the_first_value(
    engine: Engine,
) -> None:
    run = two(engine)
    both(run, "a", (4, 5), (2, 5))
    run.set("a", E1, 4, by="Ben")

    assert basis(run, "a") == [Basis.AGREED, Basis.AGREED]
    first = {
        (v.reviewer, v.verdict.unit.ref): v.state.score for v in first_values(engine, run.run_id)
    }
    assert first == {("Mara", E1): 4, ("Mara", E2): 5, ("Ben", E1): 2, ("Ben", E2): 5}


def test_confirming_all_that_is_left_confirms_what_one_has_not_decided_oneself(
    engine: Engine,
) -> None:
    run = two(engine)
    both(run, "a", (4, 5), (2, 5))

    with pytest.raises(InvalidDecision, match="No unit is left"):
        run.confirm_left("a", by="Ben")


def test_taking_a_decision_back_hides_both_again(engine: Engine) -> None:
    run = two(engine)
    both(run, "a", (4, 5), (4, 5))
    run.undo("a", E1, by="Ben")

    assert run.detail("a").trace.final == 3
    assert run.view("a", "Mara").sight.others_hidden


def test_exclusions_agree_whatever_score_they_keep_out(engine: Engine) -> None:
    run = two(engine)
    run.set("a", E1, 5, by="Mara")
    for name in ("Mara", "Ben"):
        run.decide("a", E1, Action.EXCLUDE, by=name)
        run.set("a", E2, 4, by=name)

    assert basis(run, "a") == [Basis.AGREED, Basis.AGREED]
    assert run.detail("a").trace.final == 4


def test_the_ledger_has_a_line_for_each_settled_unit_and_adds_up(engine: Engine) -> None:
    run = two(engine)
    both(run, "a", (4, 5), (2, 5))
    settle(run, "a", E1, score=Fraction(1))

    ledger = history(engine, run.judgements["a"])

    assert [(line.decision.unit, line.effect) for line in ledger.lines] == [
        (E2, Fraction(1)),
        (E1, Fraction(-1)),
    ]
    assert ledger.judge_final == 3
    assert ledger.final == 3


def test_blind_and_independent_at_once(engine: Engine) -> None:
    options = RunOptions(mode="independent", reviewers_needed=2, blind=True)
    run = two(engine, options=options)
    both(run, "a", (4, 5), (2, 5))

    assert run.view("a", "Mara").sight.judge_hidden
    assert disputes(engine, run.run_id, viewer="Mara") == ()
    with pytest.raises(InvalidDecision, match="Commit your own"):
        settle(run, "a", E1, by="Mara", score=Fraction(3))
    run.commit("a", by="Mara")
    run.set("a", E1, 3, by="Mara")
    run.commit("a", by="Ben")
    (dispute,) = disputes(engine, run.run_id, viewer="Mara")
    assert isinstance(dispute, Dispute)
    first = {(v.reviewer, v.verdict.unit.ref): v.state.score for v in first_values(engine, 1)}
    assert first["Mara", E1] == 4


def test_three_reviewers_need_three(engine: Engine) -> None:
    run = two(engine, options=RunOptions(mode="independent", reviewers_needed=3))
    both(run, "a", (4, 4), (4, 4))
    assert basis(run, "a") == [Basis.WAITING, Basis.WAITING]

    run.set("a", E1, 4, by="Cleo")
    run.set("a", E2, 5, by="Cleo")
    assert basis(run, "a") == [Basis.AGREED, Basis.DISPUTED]


def test_copies_and_chain_hold_with_several_reviewers(engine: Engine) -> None:
    run = two(engine, "a", "b")
    both(run, "a", (4, 5), (2, 5))
    both(run, "b", (4, 5), (4, 5))
    settle(run, "a", E1, score=Fraction(3))
    run.undo("b", E2, by="Ben")

    assert recount(engine).equal
    assert verify_chain(engine, run.run_id).intact
    rows = {row.example_id: row for row in list_judgements(engine, run.run_id).rows}
    assert rows["a"].reviewed_units == 2
    assert rows["b"].reviewed_units == 0

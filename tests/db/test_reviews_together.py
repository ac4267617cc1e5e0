"""Two reviewers, a browser that sends twice, and what can be taken back."""

from __future__ import annotations

import threading
from fractions import Fraction

import pytest
from sqlalchemy import Engine, func, select

from db.engine import reading
from db.results import list_judgements
from db.reviews import ChangedMeanwhile, acknowledged, confirm_left, decide, undo, undo_batch
from db.tables import DecisionRow
from recall_core.errors import InvalidDecision
from recall_core.types import Action
from tests.db.making import NOW
from tests.db.reviewing import B1, E1, E2, E3, desk, told


def stored(engine: Engine) -> int:
    with reading(engine) as session:
        return session.scalar(select(func.count()).select_from(DecisionRow)) or 0


def test_the_second_reviewer_is_told_who_changed_what_before_their_own_counts(
    engine: Engine,
) -> None:
    run = desk(engine, told("a", [4]))
    run.set("a", E1, 2, by="Mara")

    with pytest.raises(ChangedMeanwhile) as refused:
        run.set("a", E1, 5, by="Jonas", seen=0)

    assert str(refused.value) == (
        "Mara decided on E1 at 12:00 UTC on 30 November 2026: it is 2 now. "
        "Yours is not stored. Read it again, then decide."
    )
    assert refused.value.decision == run.detail("a").decisions[-1]
    assert refused.value.current.state.score == 2
    assert stored(engine) == 1


def test_having_seen_the_first_value_the_second_reviewer_may_set_another(engine: Engine) -> None:
    run = desk(engine, told("a", [4]))
    first = run.set("a", E1, 2, by="Mara").decisions[0]

    second = run.set("a", E1, 5, by="Jonas", seen=first.id)

    assert second.judgement.trace.final == 5
    assert [d.reviewer for d in run.detail("a").decisions] == ["Mara", "Jonas"]


def test_an_undo_by_somebody_else_is_a_change_too(engine: Engine) -> None:
    run = desk(engine, told("a", [4]))
    first = run.set("a", E1, 2, by="Mara").decisions[0]
    run.undo("a", E1, by="Mara")

    with pytest.raises(ChangedMeanwhile, match="took a decision back on E1"):
        run.set("a", E1, 5, by="Jonas", seen=first.id)


def test_a_decision_that_nobody_made_cannot_have_been_seen(engine: Engine) -> None:
    run = desk(engine, told("a", [4]))

    with pytest.raises(ChangedMeanwhile, match="E1 is 4, and nobody has decided on it"):
        run.set("a", E1, 5, seen=77)


def test_decisions_on_other_units_do_not_get_in_the_way(engine: Engine) -> None:
    run = desk(engine, told("a", [4, 4]))
    run.set("a", E1, 2, by="Mara")

    assert run.set("a", E2, 5, by="Jonas", seen=0).judgement.trace.final == Fraction(7, 2)


def test_of_two_who_write_at_the_same_moment_one_is_told(engine: Engine) -> None:
    run = desk(engine, told("a", [4]))
    start, refusals = threading.Barrier(2), []

    def write(reviewer: str, score: int) -> None:
        start.wait()
        try:
            run.set("a", E1, score, by=reviewer, seen=0)
        except ChangedMeanwhile as error:
            refusals.append(error)

    threads = [threading.Thread(target=write, args=who) for who in (("Mara", 1), ("Jonas", 2))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (len(refusals), stored(engine)) == (1, 1)


def test_a_write_sent_twice_is_stored_once_and_answered_alike(engine: Engine) -> None:
    run = desk(engine, told("a", [4]))
    sent = {**run.write("Mara"), "score": Fraction(2), "seen": 0}

    first = decide(engine, run.judgements["a"], E1, Action.SET, **sent)
    again = decide(engine, run.judgements["a"], E1, Action.SET, **sent)

    assert (first.repeated, again.repeated) == (False, True)
    assert again.decisions == first.decisions
    assert stored(engine) == 1
    assert acknowledged(engine, f"Mara's browser at run {run.run_id}") == 1


def test_a_write_sent_twice_is_answered_alike_even_if_the_unit_has_changed_since(
    engine: Engine,
) -> None:
    run = desk(engine, told("a", [4]))
    sent = {**run.write("Mara"), "score": Fraction(2), "seen": 0}
    first = decide(engine, run.judgements["a"], E1, Action.SET, **sent)
    run.set("a", E1, 5, by="Jonas")

    again = decide(engine, run.judgements["a"], E1, Action.SET, **sent)

    assert again.decisions == first.decisions
    assert again.judgement.trace.final == 5


def test_a_number_that_was_used_for_another_write_is_refused(engine: Engine) -> None:
    run = desk(engine, told("a", [4]), told("b", [4]))
    sent = {**run.write("Mara"), "score": Fraction(2), "seen": 0}
    decide(engine, run.judgements["a"], E1, Action.SET, **sent)

    with pytest.raises(InvalidDecision, match="already stored as another decision"):
        decide(engine, run.judgements["b"], E1, Action.SET, **sent)


def test_nothing_is_acknowledged_to_a_browser_that_stored_nothing(engine: Engine) -> None:
    assert acknowledged(engine, "unknown") == 0


def test_undo_brings_back_what_stood_before(engine: Engine) -> None:
    run = desk(engine, told("a", [4]))
    run.set("a", E1, 2)
    run.set("a", E1, 3)

    assert run.undo("a", E1).judgement.trace.final == 2
    assert run.undo("a", E1).judgement.trace.final == 4
    with pytest.raises(InvalidDecision, match="Mara has no decision on E1 to take back"):
        run.undo("a", E1)
    assert stored(engine) == 4


def test_undo_takes_back_only_ones_own(engine: Engine) -> None:
    run = desk(engine, told("a", [4]))
    run.set("a", E1, 2, by="Mara")
    run.set("a", E1, 5, by="Jonas")

    after = run.undo("a", E1, by="Mara").judgement

    assert after.trace.final == 5
    assert [d.reviewer for d in after.decisions if d.undoes] == ["Mara"]
    with pytest.raises(InvalidDecision, match="Mara has no decision"):
        run.undo("a", E1, by="Mara")


def test_undo_brings_back_a_moved_and_an_excluded_unit(engine: Engine) -> None:
    run = desk(engine, told("a", [4, 2]))
    run.decide("a", E1, Action.EXCLUDE)

    assert run.undo("a", E1).judgement.trace.final == 3


def test_an_undo_sent_twice_takes_back_one_decision(engine: Engine) -> None:
    run = desk(engine, told("a", [4]))
    run.set("a", E1, 2)
    second = run.set("a", E1, 3).decisions[0]
    sent = {**run.write("Mara"), "seen": second.id}

    undo(engine, run.judgements["a"], E1, **sent)
    again = undo(engine, run.judgements["a"], E1, **sent)

    assert (again.repeated, again.judgement.trace.final) == (True, 2)


def test_confirming_what_is_left_touches_only_the_unreviewed_with_a_score(engine: Engine) -> None:
    run = desk(engine, told("a", [4, 3, None], [2]))
    run.set("a", E2, 5)

    decided = run.confirm_left("a")

    assert [d.unit for d in decided.decisions] == [E1, B1]
    reviewed = {e.ref for e in decided.judgement.effective if e.reviewed}
    assert reviewed == {E1, E2, B1}
    row = list_judgements(engine, run.run_id).rows[0]
    assert (row.reviewed_units, row.changed_units) == (3, 1)


def test_confirming_what_is_left_is_undone_as_one(engine: Engine) -> None:
    run = desk(engine, told("a", [4, 3, 2]))
    confirmed = run.confirm_left("a")
    assert confirmed.batch is not None
    run.set("a", E2, 5)

    undone = undo_batch(engine, run.judgements["a"], confirmed.batch, **run.write("Mara"))

    assert [d.undoes for d in undone.decisions] == [d.id for d in confirmed.decisions]
    assert [e.ref for e in undone.judgement.effective if e.reviewed] == [E2]
    assert undone.judgement.effective[1].state.score == 5
    with pytest.raises(InvalidDecision, match="nothing left to take back"):
        undo_batch(engine, run.judgements["a"], confirmed.batch, **run.write("Mara"))


def test_somebody_elses_batch_cannot_be_taken_back(engine: Engine) -> None:
    run = desk(engine, told("a", [4]))
    batch = run.confirm_left("a", by="Mara").batch
    assert batch is not None

    with pytest.raises(InvalidDecision, match="Jonas has nothing left"):
        undo_batch(engine, run.judgements["a"], batch, **run.write("Jonas"))


def test_a_batch_sent_twice_is_stored_once(engine: Engine) -> None:
    run = desk(engine, told("a", [4, 3]))
    sent = {**run.write("Mara"), "seen": {E1: 0, E2: 0}}

    first = confirm_left(engine, run.judgements["a"], **sent)
    again = confirm_left(engine, run.judgements["a"], **sent)

    assert (again.repeated, again.decisions, again.batch) == (True, first.decisions, first.batch)
    assert stored(engine) == 2


def test_taking_back_a_batch_sent_twice_is_stored_once(engine: Engine) -> None:
    run = desk(engine, told("a", [4, 3]))
    batch = run.confirm_left("a").batch
    assert batch is not None
    sent = run.write("Mara")

    first = undo_batch(engine, run.judgements["a"], batch, **sent)
    again = undo_batch(engine, run.judgements["a"], batch, **sent)

    assert (again.repeated, again.decisions) == (True, first.decisions)
    assert stored(engine) == 4


def test_a_batch_stops_whole_if_one_of_its_units_changed_meanwhile(engine: Engine) -> None:
    run = desk(engine, told("a", [4, 3]))
    run.set("a", E2, 1, by="Jonas")

    with pytest.raises(ChangedMeanwhile, match="Jonas decided on E2"):
        confirm_left(engine, run.judgements["a"], seen={E1: 0, E2: 0}, **run.write("Mara"))

    assert stored(engine) == 1


def test_nothing_left_to_confirm_is_said(engine: Engine) -> None:
    run = desk(engine, told("a", [4]))
    run.confirm_left("a")

    with pytest.raises(InvalidDecision, match="No unit is left"):
        run.confirm_left("a")


def test_the_newest_decision_on_each_unit_is_what_a_writer_hands_back(engine: Engine) -> None:
    run = desk(engine, told("a", [4, 3, 2]))
    run.set("a", E1, 2)
    run.undo("a", E1)
    run.set("a", E3, 1)

    detail = run.detail("a")

    assert detail.newest == {E1: detail.decisions[1].id, E3: detail.decisions[2].id}
    assert all(d.at == NOW for d in detail.decisions)

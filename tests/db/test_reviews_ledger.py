"""The history of an example adds up, and the chain of a run's decisions shows any tampering."""

from __future__ import annotations

from datetime import timedelta, timezone
from fractions import Fraction

import pytest
from sqlalchemy import Engine

from db.results import recount
from db.reviews import decide, history, verify_chain
from recall_core.types import Action, Cause, TraceState, UnitKind
from tests.db.making import NOW
from tests.db.reviewing import B1, E1, E2, Desk, desk, told
from tests.db.tampering import tampering


def reviewed(engine: Engine) -> Desk:
    run = desk(engine, told("a", [4, 3], [2]), told("b", [2]))
    run.set("a", E1, 5, cause=Cause.JUDGE_WRONG, note="all of it")
    run.set("b", E1, 1, by="Jonas")
    run.decide("a", E2, Action.CONFIRM, by="Jonas")
    run.undo("a", E1)
    return run


def test_each_line_says_who_what_why_and_its_step_of_the_score(engine: Engine) -> None:
    run = desk(engine, told("a", [4, 3], [4]))
    run.set("a", E2, 5, cause=Cause.JUDGE_WRONG, note="it is there")
    run.decide("a", B1, Action.EXCLUDE, by="Jonas")

    ledger = history(engine, run.judgements["a"])

    assert [(line.decision.reviewer, line.effect, line.final) for line in ledger.lines] == [
        ("Mara", 1, 5),
        ("Jonas", -1, Fraction(9, 2)),
    ]
    assert ledger.lines[0].decision.note == "it is there"
    assert (ledger.judge_final, ledger.cap, ledger.final) == (Fraction(9, 2), 0, Fraction(9, 2))


def test_what_the_cap_takes_is_a_line_of_its_own(engine: Engine) -> None:
    run = desk(engine, told("a", [4], [5]))
    run.set("a", E1, 5)
    run.set("a", E1, 2)

    ledger = history(engine, run.judgements["a"])

    assert [line.effect for line in ledger.lines] == [1, -3]
    assert (ledger.judge_final, ledger.cap, ledger.final) == (5, Fraction(3, 2), Fraction(9, 2))
    assert ledger.judge_final + sum(line.effect for line in ledger.lines) + ledger.cap == (
        ledger.final
    )


def test_a_void_moment_has_no_step_and_the_sum_still_holds(engine: Engine) -> None:
    run = desk(engine, told("a", [4]))
    run.decide("a", E1, Action.EXCLUDE)
    run.undo("a", E1)
    run.set("a", E1, 2)

    ledger = history(engine, run.judgements["a"])

    assert [(line.effect, line.state) for line in ledger.lines] == [
        (None, TraceState.VOID),
        (0, TraceState.SCORED),
        (-2, TraceState.SCORED),
    ]
    assert [line.standing for line in ledger.lines] == [False, True, True]


def test_a_score_that_people_gave_a_failed_example_has_no_step_from_the_judge(
    engine: Engine,
) -> None:
    run = desk(engine, told("a", [4], fails="timeout"))
    run.set("a", E1, 3)
    run.set("a", E1, 5)

    ledger = history(engine, run.judgements["a"])

    assert (ledger.judge_final, [line.effect for line in ledger.lines]) == (None, [None, 2])


def test_an_untouched_chain_is_intact(engine: Engine) -> None:
    run = reviewed(engine)

    report = verify_chain(engine, run.run_id)

    assert (report.intact, report.decisions) == (True, 4)


def test_a_decision_made_in_another_time_zone_keeps_the_chain(engine: Engine) -> None:
    run = desk(engine, told("a", [4]))
    there = NOW.astimezone(timezone(timedelta(hours=9)))
    sent = {**run.write("Mara"), "now": there, "note": "half a character \ud83d"}

    decide(engine, run.judgements["a"], E1, Action.SET, score=Fraction(2), seen=0, **sent)

    assert verify_chain(engine, run.run_id).intact
    [kept] = run.detail("a").decisions
    assert (kept.at, kept.note) == (NOW, "half a character ?")


def test_each_run_has_a_chain_of_its_own(engine: Engine) -> None:
    first, second = desk(engine, told("a", [4])), desk(engine, told("a", [4]))
    first.set("a", E1, 3)
    second.set("a", E1, 2, by="Jonas")
    first.set("a", E1, 1)

    assert [verify_chain(engine, r.run_id).decisions for r in (first, second)] == [2, 1]
    assert verify_chain(engine, first.run_id).intact


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("after_score", "'2'"),
        ("reviewer", "'Someone'"),
        ("note", "'never mind'"),
        ("at", "'2020-01-01 00:00:00'"),
        ("after_excluded", "1"),
        ("undoes", "1"),
        ("client_seq", "99"),
    ],
)
def test_a_changed_decision_is_found(engine: Engine, column: str, value: str) -> None:
    run = reviewed(engine)
    with tampering(engine) as connection:
        connection.execute(f"UPDATE decision SET {column} = {value} WHERE id = 2")

    report = verify_chain(engine, run.run_id)

    assert not report.intact
    assert report.problem.startswith("Decision 2 ")
    assert report.decisions == 1


def test_a_removed_decision_is_found(engine: Engine) -> None:
    run = reviewed(engine)
    with tampering(engine) as connection:
        connection.execute("DELETE FROM decision WHERE id = 2")

    assert "a decision was removed" in verify_chain(engine, run.run_id).problem


def test_a_removed_last_decision_shows_in_the_recount(engine: Engine) -> None:
    run = desk(engine, told("a", [4]))
    run.set("a", E1, 2)
    with tampering(engine) as connection:
        connection.execute("DELETE FROM decision")

    assert verify_chain(engine, run.run_id).intact
    counted = recount(engine, run.run_id)
    assert not counted.equal
    assert "final is kept as 2, and verdicts and decisions give 4" in str(
        next(d for d in counted.differences if d.column == "final")
    )


def test_a_copy_that_was_changed_by_hand_is_found_and_nothing_else(engine: Engine) -> None:
    run = reviewed(engine)
    with tampering(engine) as connection:
        connection.execute("UPDATE judgement SET final_number = 4.99 WHERE position = 1")

    counted = recount(engine)

    assert [(d.run_id, d.column, d.kept) for d in counted.differences] == [
        (run.run_id, "final_number", 4.99)
    ]


def test_a_move_is_told_in_the_history_as_such(engine: Engine) -> None:
    run = desk(engine, told("a", [4, 2]))
    run.decide("a", E2, Action.MOVE, to_kind=UnitKind.BONUS)

    [line] = history(engine, run.judgements["a"]).lines

    assert (line.decision.before.kind, line.decision.after.kind) == (
        UnitKind.ESSENTIAL,
        UnitKind.BONUS,
    )
    assert line.effect == 2

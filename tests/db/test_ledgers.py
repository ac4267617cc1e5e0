"""What each decision of a run did, and how the mean moved by it."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine

from db.ledgers import run_ledger
from db.reverting import revert
from db.runs import RunOptions
from recall_core.errors import InvalidDecision, InvalidScore
from recall_core.movement import NO_CAUSE, Movement
from recall_core.types import Action, Cause, UnitKind
from tests.db.reviewing import B1, E1, E2, Desk, desk, told


def total(way: Movement | None) -> Fraction:
    assert way is not None
    return way.judge + sum((step.delta for step in way.steps), Fraction(0))


def test_a_run_has_a_line_for_every_decision_and_its_way_by_cause_and_by_reviewer(
    engine: Engine,
) -> None:
    run = desk(engine, told("a", [4, 2]), told("b", [2]))
    run.set("a", E1, 2, cause=Cause.JUDGE_WRONG)
    run.set("b", E1, 5, by="Ben", cause=Cause.RETRIEVAL_MISSED)
    run.set("a", E2, 1)

    ledger = run_ledger(engine, run.run_id)

    assert [(line.example_id, line.line.effect, line.on_mean) for line in ledger.lines] == [
        ("a", -1, Fraction(-1, 2)),
        ("b", 3, Fraction(3, 2)),
        ("a", Fraction(-1, 2), Fraction(-1, 4)),
    ]
    assert ledger.by_cause is not None
    assert {s.reason for s in ledger.by_cause.steps} == {
        Cause.JUDGE_WRONG.value,
        Cause.RETRIEVAL_MISSED.value,
        NO_CAUSE,
    }
    assert ledger.by_reviewer is not None
    assert [(s.reason, s.count, s.delta) for s in ledger.by_reviewer.steps] == [
        ("Ben", 1, Fraction(3, 2)),
        ("Mara", 2, Fraction(-3, 4)),
    ]
    assert total(ledger.by_cause) == total(ledger.by_reviewer) == ledger.now.value


def test_the_way_still_adds_up_when_a_change_is_taken_back_that_somebody_agreed_with(
    engine: Engine,
) -> None:
    run = desk(engine, told("a", [4]), told("b", [2]))
    change = run.set("a", E1, 2).decisions[0].id
    run.decide("a", E1, Action.CONFIRM, by="Ben")
    revert(engine, run.run_id, [change], **run.write("Mara"))

    ledger = run_ledger(engine, run.run_id)

    assert ledger.by_reviewer is not None
    assert [(s.reason, s.delta) for s in ledger.by_reviewer.steps] == [("Ben", -1)]
    assert total(ledger.by_cause) == total(ledger.by_reviewer) == ledger.now.value


def test_who_scores_blind_reads_no_line_of_what_is_hidden(engine: Engine) -> None:
    run = desk(engine, told("a", [4]), told("b", [2]), options=RunOptions(blind=True))
    for name in "ab":
        run.set(name, E1, 3, by="Ben")
    run.commit("a", by="Ben")

    assert [line.example_id for line in run_ledger(engine, run.run_id, "Mara").lines] == ["a"]
    assert [line.example_id for line in run_ledger(engine, run.run_id).lines] == ["a", "b"]


acts = st.lists(
    st.tuples(
        st.sampled_from("ab"),
        st.sampled_from([E1, E2, B1]),
        st.sampled_from(["set", "exclude", "move", "undo", "confirm", "unset"]),
        st.integers(0, 5),
        st.sampled_from(["Mara", "Ben"]),
        st.sampled_from([None, *Cause]),
    ),
    max_size=8,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
@given(acts=acts, independent=st.booleans())
def test_whatever_people_do_both_ways_add_up(
    engine: Engine, acts: list[tuple[str, object, str, int, str, Cause | None]], independent: bool
) -> None:
    options = RunOptions(mode="independent", reviewers_needed=2) if independent else RunOptions()
    run = desk(engine, told("a", [4, 2], [5]), told("b", [5, 5], [5]), options=options)
    for example, unit, act, score, who, cause in acts:
        with suppress(InvalidDecision, InvalidScore):
            _do(run, example, unit, act, score, who, cause)

    ledger = run_ledger(engine, run.run_id)

    for way in (ledger.by_cause, ledger.by_reviewer):
        if way is not None:
            assert total(way) == ledger.now.value


def _do(
    run: Desk, example: str, unit: object, act: str, score: int, who: str, cause: Cause | None
) -> None:
    if act == "undo":
        run.undo(example, unit, by=who)  # type: ignore[arg-type]
        return
    rest: dict[str, object] = {"cause": cause}
    if act == "set":
        rest["score"] = Fraction(score)
    if act == "move":
        rest["to_kind"] = UnitKind.BONUS
    run.decide(example, unit, Action(act), by=who, **rest)  # type: ignore[arg-type]

"""How good a judge is, read from reviews as they were kept."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine

from db.calibrating import between_people, calibrations, with_itself
from db.results import list_judgements
from db.runs import RunOptions, create_run
from recall_core.calibration import Side
from recall_core.types import Action, Cause, UnitKind
from tests.db.making import NOW
from tests.db.reviewing import B1, E1, E2, Desk, Told, desk, told
from tests.db.test_estimating import audit_of, plain


def test_kinds_of_units_are_calibrated_apart(engine: Engine) -> None:
    run = desk(engine, told("one", [4, 2], [3]))
    run.set("one", E1, 3, cause=Cause.JUDGE_WRONG, note="other fact")
    run.confirm_left("one")

    found = {c.kind: c for c in calibrations(engine)}

    essential = found[UnitKind.ESSENTIAL].on(Side(audit=False))
    assert [(u.unit, u.judge, u.human) for u in essential] == [(E1, 4, 3), (E2, 2, 2)]
    assert (essential[0].cause, essential[0].note) == (Cause.JUDGE_WRONG, "other fact")
    assert [u.unit for u in found[UnitKind.BONUS].units] == [B1]
    assert found[UnitKind.BONUS].key.label == "told v1"


def test_audit_reviews_are_marked_and_can_be_read_alone(engine: Engine) -> None:
    audit = audit_of(engine, *plain(8))
    audit.choose([1, 1])
    audit.draw(3)

    both = calibrations(engine, [audit.run.run_id])[0]
    alone = calibrations(engine, [audit.run.run_id], audit_only=True)[0]

    assert [u.audit for u in both.units].count(True) == 1
    assert len(both.units) == 3
    assert alone.units == both.on(Side())


def test_an_unfinished_review_says_nothing_yet(engine: Engine) -> None:
    run = desk(engine, told("one", [4, 2]))
    run.set("one", E1, 3)

    assert calibrations(engine) == ()


def test_what_was_taken_out_or_moved_is_counted_and_not_compared(engine: Engine) -> None:
    run = desk(engine, told("one", [4, 2, 3]))
    run.decide("one", E1, Action.EXCLUDE)
    run.decide("one", E2, Action.MOVE, to_kind=UnitKind.BONUS)
    run.confirm_left("one")

    found = calibrations(engine)[0]

    assert (len(found.units), found.excluded, found.moved) == (1, 1, 1)


def test_blind_reviews_count_by_what_was_given_before_the_judge_was_seen(engine: Engine) -> None:
    run = desk(engine, told("one", [4]), options=RunOptions(blind=True))
    run.set("one", E1, 2)

    assert calibrations(engine, viewer="Mara") == ()
    run.commit("one")
    run.set("one", E1, 4)

    found = calibrations(engine, viewer="Mara")[0]
    assert [(u.blind, u.human) for u in found.units] == [(True, 2)]


def test_a_unit_that_the_judge_left_without_a_score_is_not_compared(engine: Engine) -> None:
    run = desk(engine, told("one", [4, None]))
    run.set("one", E2, 3)
    run.decide("one", E1, Action.CONFIRM)

    assert [u.unit for u in calibrations(engine)[0].units] == [E1]


def test_people_are_held_against_each_other(engine: Engine) -> None:
    options = RunOptions(mode="independent", reviewers_needed=2)
    names = [f"e{i}" for i in range(12)]
    run = desk(engine, *(told(name, [4]) for name in names), options=options)
    for place, name in enumerate(names):
        run.set(name, E1, 1 + place % 4, by="Mara")
        run.set(name, E1, 1 + place % 4 + (place == 5), by="Jonas")

    found = between_people(engine)[UnitKind.ESSENTIAL]

    assert found.people == ("Jonas", "Mara")
    assert found.examples == 12
    assert found.alpha == pytest.approx(0.96, abs=0.03)
    assert found.pairs[0].same == pytest.approx(11 / 12)


def test_an_example_counts_once_in_how_people_agree_over_several_runs(engine: Engine) -> None:
    options = RunOptions(mode="independent", reviewers_needed=2)
    names = [f"e{i}" for i in range(6)]
    run = desk(engine, *(told(name, [4]) for name in names), options=options)
    again = again_of(engine, run.run_id, Told(), options)
    judged = {row.example_id: row.id for row in list_judgements(engine, again, size=50).rows}
    for where in (run, Desk(engine, again, judged)):
        for name in names:
            where.set(name, E1, 3, by="Mara")
            where.set(name, E1, 2, by="Jonas")

    found = between_people(engine)[UnitKind.ESSENTIAL]

    assert (found.units, found.examples) == (12, 6)


def test_a_judge_is_held_against_itself_over_runs_with_the_same_settings(engine: Engine) -> None:
    names = [f"e{i}" for i in range(12)]
    run = desk(engine, *(told(name, [4]) for name in names))

    assert with_itself(engine, run.run_id).examples == 0

    again = again_of(engine, run.run_id, Told())
    again_of(engine, run.run_id, Told(pass_at=3))
    found = with_itself(engine, again)
    assert (found.examples, found.repeats, found.same) == (12, 2.0, 1.0)


def again_of(engine: Engine, run_id: int, judge: Told, options: RunOptions | None = None) -> int:
    """Another run of the judge over the same dataset."""
    from db.runs import get_run
    from tests.db.making import judge_everything

    other = create_run(
        engine,
        dataset_id=get_run(engine, run_id).dataset_id,
        judge=judge,
        name="again",
        options=options or RunOptions(),
        author="Ana",
        now=NOW,
    )
    judge_everything(engine, other, judge)
    return other

"""A selection decided on as one, after a look at what would change, and undone as one."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from sqlalchemy import Engine

from db import batches
from db.batches import BulkDone, bulk_batches, undo_bulk
from db.bulk import BulkAct, BulkPreview, decide_bulk, preview_bulk
from db.results import recount, run_summary
from db.reviews import NoteRequired, verify_chain
from db.runs import RunOptions
from recall_core.errors import InvalidDecision
from recall_core.types import Action, Cause, UnitKind
from tests.db.reviewing import B1, E1, E2, Desk, desk, told

CONFIRM = BulkAct(Action.CONFIRM)
TO_FIVE = BulkAct(Action.SET, UnitKind.ESSENTIAL, Fraction(5), Cause.JUDGE_WRONG, "All there.")


def ids(run: Desk, names: str) -> list[int]:
    return [run.judgements[name] for name in names]


def preview(run: Desk, names: str, act: BulkAct, by: str = "Mara") -> BulkPreview:
    return preview_bulk(run.engine, run.run_id, ids(run, names), act, reviewer=by)


def decide(run: Desk, names: str, act: BulkAct, by: str = "Mara", **rest: Any) -> BulkDone:
    rest.setdefault("seen", preview(run, names, act, by).newest)
    return decide_bulk(run.engine, run.run_id, ids(run, names), act, **{**run.write(by), **rest})


def finals(run: Desk, names: str) -> list[Fraction | None]:
    return [run.detail(name).trace.final for name in names]


def test_confirming_a_selection_confirms_what_nobody_has_reviewed(engine: Engine) -> None:
    run = desk(engine, told("a", [3, 3]), told("b", [2]), told("c", [None]), told("d", [4]))
    run.set("a", E1, 5)

    ahead = preview(run, "abc", CONFIRM)
    done = decide(run, "abc", CONFIRM)

    assert (ahead.examples, ahead.units, ahead.changed_units) == (2, 2, 0)
    assert [(r.judgement_id, r.unit) for r in ahead.refused] == [(run.judgements["c"], E1)]
    assert "has no score" in ahead.refused[0].sentence
    assert ahead.mean_before == ahead.mean_after
    assert (done.examples, done.units, done.left_out) == (2, 2, ())
    assert run.detail("a").unit(E1).state.score == 5
    assert run.detail("b").unit(E1).reviewed
    assert not run.detail("d").unit(E1).reviewed


def test_the_preview_says_what_setting_a_selection_would_do_to_the_mean(engine: Engine) -> None:
    run = desk(engine, told("a", [3, 3], [2]), told("b", [2]), told("c", [1]))

    ahead = preview(run, "ab", TO_FIVE)
    assert (ahead.examples, ahead.units, ahead.changed_units) == (2, 3, 3)
    assert run_summary(engine, run.run_id).mean == ahead.mean_before

    done = decide(run, "ab", TO_FIVE)
    assert run_summary(engine, run.run_id).mean == ahead.mean_after
    assert (done.examples, done.units) == (2, 3)
    made = run.detail("a").unit(E1)
    assert made is not None
    assert made.decision is not None
    assert (made.decision.cause, made.decision.note) == (Cause.JUDGE_WRONG, "All there.")
    assert run.detail("a").unit(B1).state.score == 2


def test_a_batch_is_undone_as_one_and_what_came_later_stays(engine: Engine) -> None:
    run = desk(engine, told("a", [3]), told("b", [2]), told("c", [1]))
    done = decide(run, "abc", TO_FIVE)
    run.set("b", E1, 4, by="Ben")
    (card,) = bulk_batches(engine, run.run_id, "Mara")
    assert (card.batch, card.examples, card.units, card.standing) == (done.batch, 3, 3, 3)

    undone = undo_bulk(engine, run.run_id, done.batch, **run.write("Mara"))

    assert (undone.examples, undone.units) == (3, 3)
    assert finals(run, "abc") == [3, 4, 1]
    assert bulk_batches(engine, run.run_id, "Mara")[0].standing == 0
    with pytest.raises(InvalidDecision, match="nothing left"):
        undo_bulk(engine, run.run_id, done.batch, **run.write("Mara"))


def test_what_somebody_decided_since_the_preview_is_left_out_and_named(engine: Engine) -> None:
    run = desk(engine, told("a", [3]), told("b", [2]))
    seen = preview(run, "ab", TO_FIVE).newest
    run.set("a", E1, 4, by="Ben")

    done = decide(run, "ab", TO_FIVE, seen=seen)

    assert finals(run, "ab") == [4, 5]
    assert [(o.judgement_id, o.sentence) for o in done.left_out] == [
        (run.judgements["a"], "Ben has decided on it meanwhile.")
    ]


def test_a_batch_that_is_sent_twice_is_stored_once(engine: Engine) -> None:
    run = desk(engine, told("a", [3]), told("b", [2]))
    write = run.write("Mara")

    first = decide_bulk(engine, run.run_id, ids(run, "ab"), TO_FIVE, seen=0, **write)
    second = decide_bulk(engine, run.run_id, ids(run, "ab"), TO_FIVE, seen=0, **write)

    assert first == second
    assert len(run.detail("a").decisions) == 1


def test_a_batch_cut_short_is_completed_by_sending_it_again(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = desk(engine, told("a", [3]), told("b", [2]), told("c", [1]))
    monkeypatch.setattr(batches, "AT_ONCE", 1)
    write = run.write("Mara")
    part = decide_bulk(engine, run.run_id, ids(run, "ab"), TO_FIVE, seen=0, **write)

    whole = decide_bulk(engine, run.run_id, ids(run, "abc"), TO_FIVE, seen=0, **write)

    assert whole.batch == part.batch
    assert (whole.examples, whole.units) == (3, 3)
    assert finals(run, "abc") == [5, 5, 5]
    assert verify_chain(engine, run.run_id).intact
    assert recount(engine).equal


def test_one_number_of_a_browser_is_one_write(engine: Engine) -> None:
    run = desk(engine, told("a", [3]), told("b", [2]))
    run.set("a", E1, 4)
    write = {**run.write("Mara"), "client_seq": 1}

    with pytest.raises(InvalidDecision, match="already stored"):
        decide_bulk(engine, run.run_id, ids(run, "b"), TO_FIVE, seen=0, **write)


def test_reviewed_units_are_set_only_where_that_is_asked_for(engine: Engine) -> None:
    run = desk(engine, told("a", [3]), told("b", [2]))
    run.set("a", E1, 4)

    assert preview(run, "ab", TO_FIVE).units == 1
    too = BulkAct(Action.SET, score=Fraction(5), reviewed_too=True)
    decide(run, "ab", too)
    assert finals(run, "ab") == [5, 5]
    assert preview(run, "ab", too).units == 0


def test_a_score_off_the_scale_is_refused_for_these_units_alone(engine: Engine) -> None:
    run = desk(engine, told("a", [3], [3]))

    ahead = preview(run, "a", BulkAct(Action.SET, score=Fraction(0)))

    assert ahead.units == 1
    assert [r.unit for r in ahead.refused] == [E1]


def test_a_selection_can_be_excluded(engine: Engine) -> None:
    run = desk(engine, told("a", [3]), told("b", [2, 2]))
    act = BulkAct(Action.EXCLUDE, cause=Cause.GROUND_TRUTH_WRONG)

    ahead = preview(run, "a", act)
    decide(run, "a", act)

    assert (ahead.mean_before.n, ahead.mean_after.n) == (2, 1)
    assert run_summary(engine, run.run_id).counts.void == 1


def test_what_is_reviewed_blind_is_not_confirmed_by_the_way(engine: Engine) -> None:
    run = desk(engine, told("a", [3]), options=RunOptions(blind=True))

    ahead = preview(run, "a", CONFIRM)

    assert ahead.units == 0
    assert "blind" in ahead.refused[0].sentence


def test_a_run_that_asks_for_notes_asks_for_one(engine: Engine) -> None:
    run = desk(engine, told("a", [3]), options=RunOptions(notes_required=True))

    with pytest.raises(NoteRequired):
        decide(run, "a", BulkAct(Action.SET, score=Fraction(4)))
    decide(run, "a", CONFIRM)


@pytest.mark.parametrize("wrong", [{"action": Action.MOVE}, {"action": Action.SET}])
def test_an_act_that_makes_no_sense_for_many_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidDecision):
        BulkAct(**wrong)


def test_a_duplicate_is_excluded_and_names_its_twin(engine: Engine) -> None:
    run = desk(engine, told("a", [3, 5, 4]))

    decided = run.decide("a", E2, Action.EXCLUDE, cause=Cause.DUPLICATE, twin=E1)

    assert decided.decisions[0].twin == E1
    assert run.detail("a").decisions[0].twin == E1
    assert run.detail("a").trace.final == Fraction(7, 2)
    assert verify_chain(engine, run.run_id).intact


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"twin": E2}, "cannot be a duplicate of E2"),
        ({"twin": B1}, "cannot be a duplicate of B1"),
        ({"twin": E1, "cause": Cause.JUDGE_WRONG}, "Only a unit that is excluded"),
        ({"twin": E1, "action": Action.CONFIRM}, "Only a unit that is excluded"),
    ],
)
def test_a_twin_is_another_unit_that_counts(
    engine: Engine, wrong: dict[str, Any], why: str
) -> None:
    run = desk(engine, told("a", [3, 5]))
    act = {"action": Action.EXCLUDE, "cause": Cause.DUPLICATE, **wrong}

    with pytest.raises(InvalidDecision, match=why):
        run.decide("a", E2, **act)


def test_two_units_are_never_each_others_duplicate(engine: Engine) -> None:
    run = desk(engine, told("a", [3, 5]))
    run.decide("a", E2, Action.EXCLUDE, cause=Cause.DUPLICATE, twin=E1)

    with pytest.raises(InvalidDecision, match="E2 is excluded itself"):
        run.decide("a", E1, Action.EXCLUDE, cause=Cause.DUPLICATE, twin=E2)

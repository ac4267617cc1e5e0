"""What one decision does to a unit, the example's final and the run's numbers."""

from __future__ import annotations

from fractions import Fraction

import pytest
from sqlalchemy import Engine, func, select, update
from sqlalchemy.exc import IntegrityError

from db.engine import reading, transaction
from db.errors import NotKept
from db.results import list_judgements, recount, run_summary
from db.reviews import NoteRequired, decide, read_judgement, read_judgements
from db.runs import RunOptions
from db.tables import DecisionRow, ReviewRow, RunRow
from recall_core.errors import InvalidDecision, InvalidScore
from recall_core.results import Status
from recall_core.summary import JudgementState
from recall_core.types import Action, Cause, TraceState, UnitKind, UnitRef
from tests.db.reviewing import B1, E1, E2, Desk, desk, told


def stored(engine: Engine) -> int:
    with reading(engine) as session:
        return session.scalar(select(func.count()).select_from(DecisionRow)) or 0


def final_in_list(run: Desk, example: str) -> Fraction | None:
    rows = list_judgements(run.engine, run.run_id).rows
    return next(row.final for row in rows if row.example_id == example)


def test_a_set_score_counts_in_the_final_and_in_the_list_at_once(engine: Engine) -> None:
    run = desk(engine, told("a", [4, 3], [4, 0]))

    decided = run.set("a", E2, 5, cause=Cause.JUDGE_WRONG, note=" it is there ")

    [decision] = decided.decisions
    assert (decision.before.score, decision.after.score) == (3, 5)
    assert (decision.reviewer, decision.cause, decision.note) == (
        "Mara",
        Cause.JUDGE_WRONG,
        "it is there",
    )
    assert (decided.judgement.judge_trace.final, decided.judgement.trace.final) == (4, 5)
    assert decided.judgement == run.detail("a")
    assert final_in_list(run, "a") == 5


@pytest.mark.parametrize(("unit", "score"), [(E1, 0), (E1, 6), (B1, -1), (B1, 6), (E1, "4.5")])
def test_a_score_off_the_scale_is_refused_and_nothing_is_stored(
    engine: Engine, unit: UnitRef, score: int | str
) -> None:
    run = desk(engine, told("a", [4], [3]))

    with pytest.raises(InvalidScore, match="whole numbers from"):
        run.set("a", unit, score)

    assert stored(engine) == 0
    assert final_in_list(run, "a") == run.detail("a").judge_trace.final


def test_the_database_itself_refuses_a_score_off_the_scale(engine: Engine) -> None:
    run = desk(engine, told("a", [4]))
    run.set("a", E1, 5)

    with reading(engine) as session:
        row = session.scalars(select(DecisionRow)).one()
    values = {c.name: getattr(row, c.name) for c in DecisionRow.__table__.columns}
    values |= {"id": None, "client_seq": 2, "after_score": Fraction(6)}

    with pytest.raises(IntegrityError, match="after_in_range"), transaction(engine) as session:
        session.add(DecisionRow(**values))


def test_halves_are_for_runs_that_allow_them(engine: Engine) -> None:
    run = desk(engine, told("a", [4]), options=RunOptions(halves=True))

    assert run.set("a", E1, "4.5").judgement.trace.final == Fraction(9, 2)


def test_a_judges_half_can_be_confirmed_as_it_is(engine: Engine) -> None:
    run = desk(engine, told("a", ["4.5"]))

    decided = run.decide("a", E1, Action.CONFIRM)

    assert decided.decisions[0].after.score == Fraction(9, 2)
    assert (decided.judgement.effective[0].reviewed, decided.judgement.effective[0].changed) == (
        True,
        False,
    )


def test_an_excluded_unit_leaves_both_sides_of_the_formula(engine: Engine) -> None:
    run = desk(engine, told("a", [5, 1]))

    decided = run.decide("a", E2, Action.EXCLUDE, cause=Cause.GROUND_TRUTH_WRONG)

    assert str(decided.judgement.trace.lines[0]) == "RECALL_Essential_Formula: (5) / 1 = 5"


def test_without_its_last_essential_an_example_is_void_and_counted_out(engine: Engine) -> None:
    run = desk(engine, told("a", [5], [3]), told("b", [2]))

    decided = run.decide("a", E1, Action.EXCLUDE)

    assert decided.judgement.trace.state is TraceState.VOID
    summary = run_summary(engine, run.run_id)
    assert (summary.counts.void, str(summary.mean)) == (1, "2 (1 of 2)")
    assert list_judgements(engine, run.run_id).rows[0].state is JudgementState.VOID


def test_a_score_set_on_an_excluded_unit_counts_it_again(engine: Engine) -> None:
    run = desk(engine, told("a", [5, 1]))
    run.decide("a", E2, Action.EXCLUDE)

    assert run.set("a", E2, 3).judgement.trace.final == 4


def test_a_unit_moves_between_essential_and_bonus_with_its_score(engine: Engine) -> None:
    run = desk(engine, told("a", [4, 2]))

    decided = run.decide("a", E2, Action.MOVE, to_kind=UnitKind.BONUS, cause=Cause.SHOULD_BE_BONUS)

    assert [str(line) for line in decided.judgement.trace.lines[:2]] == [
        "RECALL_Essential_Formula: (4) / 1 = 4",
        "RECALL_Bonus_Formula: (2) / (1 * 1 * 2) = 1",
    ]
    assert decided.judgement.effective[1].ref == E2


def test_a_score_off_the_new_scale_is_asked_for_again(engine: Engine) -> None:
    run = desk(engine, told("a", [4], [0]))
    to_essential = {"to_kind": UnitKind.ESSENTIAL}

    with pytest.raises(InvalidScore, match="from 1 to 5: give it a new score"):
        run.decide("a", B1, Action.MOVE, **to_essential)

    decided = run.decide("a", B1, Action.MOVE, **to_essential, score=Fraction(2))
    assert decided.judgement.trace.final == 3


def test_after_a_move_the_new_scale_holds(engine: Engine) -> None:
    run = desk(engine, told("a", [4, 2]))
    run.decide("a", E2, Action.MOVE, to_kind=UnitKind.BONUS)

    assert run.set("a", E2, 0).judgement.trace.final == 4


@pytest.mark.parametrize("to_kind", [UnitKind.ESSENTIAL, UnitKind.STATEMENT, None])
def test_a_unit_moves_nowhere_else(engine: Engine, to_kind: UnitKind | None) -> None:
    run = desk(engine, told("a", [4]))

    with pytest.raises(InvalidDecision, match="E1 is essential and cannot become"):
        run.decide("a", E1, Action.MOVE, to_kind=to_kind)


def test_unset_gives_the_unit_back_to_the_judge(engine: Engine) -> None:
    run = desk(engine, told("a", [4]))
    run.set("a", E1, 2)

    after = run.decide("a", E1, Action.UNSET).judgement

    assert (after.trace.final, after.effective[0].reviewed) == (4, False)


@pytest.mark.parametrize("action", [Action.UNDO, Action.RESOLVE])
def test_undo_and_resolve_are_no_acts_on_a_score(engine: Engine, action: Action) -> None:
    run = desk(engine, told("a", [4]))

    with pytest.raises(InvalidDecision):
        run.decide("a", E1, action)


def test_a_set_without_a_score_is_refused(engine: Engine) -> None:
    run = desk(engine, told("a", [4]))

    with pytest.raises(InvalidDecision, match="E1 needs a score"):
        run.decide("a", E1, Action.SET)


def test_what_has_no_score_cannot_be_confirmed_and_a_person_fills_it(engine: Engine) -> None:
    run = desk(engine, told("a", [4, None]))
    assert run.detail("a").trace.missing == ("E2",)

    with pytest.raises(InvalidDecision, match="E2 has no score"):
        run.decide("a", E2, Action.CONFIRM)

    assert run.set("a", E2, 2).judgement.trace.final == 3


def test_people_score_an_example_on_which_the_judge_failed(engine: Engine) -> None:
    run = desk(engine, told("a", [4, 4], [2], fails="timeout"), told("b", [2]))
    failed = run.detail("a")
    assert (failed.status, failed.trace.final, failed.judge_trace.final) == (
        Status.ERROR,
        None,
        None,
    )
    assert [v.unit.ref.label for v in failed.verdicts] == ["E1", "E2", "B1"]

    for unit, score in ((E1, 5), (E2, 4), (B1, 0)):
        decided = run.set("a", unit, score)

    assert decided.judgement.trace.final == Fraction(9, 2)
    summary = run_summary(engine, run.run_id)
    assert (summary.counts.failed, summary.review.failed_scored) == (0, 1)
    assert (str(summary.judge_mean), str(summary.mean)) == ("2 (1 of 2)", "3.25 (2 of 2)")


def test_a_half_filled_failure_has_no_final(engine: Engine) -> None:
    run = desk(engine, told("a", [4, 4], fails="refusal"))

    trace = run.set("a", E1, 5).judgement.trace

    assert (trace.state, trace.final, trace.missing) == (TraceState.INCOMPLETE, None, ("E2",))


def test_a_unit_that_was_not_judged_cannot_be_decided_on(engine: Engine) -> None:
    run = desk(engine, told("a", [4]), told("none", []))

    with pytest.raises(InvalidDecision, match="no unit E2"):
        run.set("a", E2, 4)
    with pytest.raises(InvalidDecision, match="Example none has no unit E1"):
        run.set("none", E1, 4)


def test_a_decision_needs_a_name(engine: Engine) -> None:
    run = desk(engine, told("a", [4]))

    with pytest.raises(InvalidDecision, match="name"):
        run.set("a", E1, 3, by="  ")


def test_where_the_run_asks_for_notes_a_change_needs_one_and_a_confirmation_none(
    engine: Engine,
) -> None:
    run = desk(engine, told("a", [4]), options=RunOptions(notes_required=True))

    with pytest.raises(NoteRequired, match="say why E1"):
        run.set("a", E1, 3, note="  ")

    run.decide("a", E1, Action.CONFIRM)
    run.set("a", E1, 3, note="half of it")
    assert stored(engine) == 2


def test_a_review_is_opened_by_the_first_decision_and_finished_by_the_last(
    engine: Engine,
) -> None:
    run = desk(engine, told("a", [4, 3]))

    def review() -> ReviewRow:
        with reading(engine) as session:
            return session.scalars(select(ReviewRow)).one()

    run.set("a", E1, 3)
    assert (review().selection, review().judge_visible, review().finished_at) == (
        "chosen",
        True,
        None,
    )
    run.decide("a", E2, Action.CONFIRM)
    assert review().finished_at is not None
    run.undo("a", E2)
    assert review().finished_at is None


def test_what_is_gone_is_said_to_be_gone(engine: Engine) -> None:
    run = desk(engine, told("a", [4]))

    with pytest.raises(NotKept, match="no judgement 99"):
        read_judgement(engine, 99)
    assert [d.id for d in read_judgements(engine, [99, *run.judgements.values()])] == [
        run.judgements["a"]
    ]


def test_a_run_that_is_being_deleted_takes_no_decision(engine: Engine) -> None:
    run = desk(engine, told("a", [4]))
    with transaction(engine) as session:
        session.execute(update(RunRow).values(state="deleting"))

    with pytest.raises(NotKept):
        decide(
            engine,
            run.judgements["a"],
            E1,
            Action.SET,
            score=Fraction(3),
            seen=0,
            **run.write("Mara"),
        )


def test_copies_agree_after_every_kind_of_decision(engine: Engine) -> None:
    run = desk(engine, told("a", [4, 3, 1], [0, 2]), told("b", [2], fails="timeout"))
    run.set("a", E1, 2)
    run.decide("a", E2, Action.EXCLUDE)
    run.decide("a", B1, Action.MOVE, to_kind=UnitKind.ESSENTIAL, score=Fraction(1))
    run.confirm_left("a")
    run.undo("a", E2)
    run.set("b", E1, 5)

    counted = recount(engine)

    assert (counted.judgements, counted.equal) == (2, True)

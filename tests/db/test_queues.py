"""What comes before a reviewer next, and in which order."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine

from db.assignments import assign
from db.audits import audit_draws, draw_audit
from db.engine import reading, transaction
from db.errors import NotPossibleNow
from db.flags import flag, flag_all, flags_of, unflag, unflag_all
from db.queues import next_valuable, queue_counts, queue_ids
from db.reviews import open_review
from db.runs import RunOptions
from db.tables import ReviewRow, RunRow
from recall_core.queues import Queue
from recall_core.types import Action
from tests.db.making import NOW
from tests.db.reviewing import E1, E2, Desk, desk, told


def finished(run: Desk) -> Desk:
    """The run with its judging done, so that its audit can begin."""
    with transaction(run.engine) as session:
        session.get_one(RunRow, run.run_id).state = "done"
    return run


def ids(run: Desk, queue: Queue, reviewer: str = "Mara") -> list[str]:
    """The examples of the queue, by name."""
    names = {number: name for name, number in run.judgements.items()}
    return [names[i] for i in queue_ids(run.engine, run.run_id, queue, reviewer)]


def draw(run: Desk, reviewer: str = "Mara", expected: str | None = None) -> str | None:
    """The name of the example that is drawn."""
    names = {number: name for name, number in run.judgements.items()}
    wanted = None if expected is None else run.judgements[expected]
    drawn = draw_audit(run.engine, run.run_id, reviewer=reviewer, now=NOW, expected=wanted)
    return None if drawn is None else names[drawn.judgement_id]


def reviews(run: Desk) -> dict[tuple[str, str], ReviewRow]:
    """The reviews by example and reviewer."""
    names = {number: name for name, number in run.judgements.items()}
    with reading(run.engine) as session:
        return {(names[r.judgement_id], r.reviewer): r for r in session.query(ReviewRow)}


def test_an_audit_draws_every_example_once_in_the_order_that_the_seed_fixes(
    engine: Engine,
) -> None:
    names = [f"e{i}" for i in range(8)]
    run = finished(desk(engine, *(told(name, [3]) for name in names), options=seeded(7)))

    expected = ids(run, Queue.AUDIT)
    drawn = [draw(run) for _ in range(9)]

    assert drawn == [*expected, None]
    assert sorted(expected) == names
    assert expected != names
    rows = audit_draws(engine, run.run_id)
    assert [d.position for d in rows] == list(range(1, 9))
    assert [d.undrawn for d in rows] == list(range(8, 0, -1))
    assert {d.seed for d in rows} == {7}
    assert {d.drawn_by for d in rows} == {"Mara"}


def seeded(seed: int, **rest: object) -> RunOptions:
    return RunOptions(audit_seed=seed, **rest)  # type: ignore[arg-type]


def test_another_seed_gives_another_order(engine: Engine) -> None:
    examples = [told(f"e{i}", [3]) for i in range(8)]

    first = finished(desk(engine, *examples, options=seeded(1)))
    second = finished(desk(engine, *examples, options=seeded(2)))

    assert ids(first, Queue.AUDIT) != ids(second, Queue.AUDIT)


def test_what_somebody_has_reviewed_meanwhile_is_dropped_and_not_counted(engine: Engine) -> None:
    run = finished(desk(engine, *(told(f"e{i}", [3]) for i in range(5))))
    first, second, third, *_ = ids(run, Queue.AUDIT)
    run.set(second, E1, 4, by="Ben")

    assert draw(run) == first
    assert draw(run, expected=second) == third
    assert [d.undrawn for d in audit_draws(engine, run.run_id)] == [4, 3]


def test_an_audited_example_that_is_skipped_stays_pending(engine: Engine) -> None:
    run = finished(desk(engine, *(told(f"e{i}", [3]) for i in range(4))))
    skipped, reviewed = draw(run), draw(run)
    assert skipped is not None
    assert reviewed is not None
    run.set(reviewed, E1, 4)

    assert [d.state for d in audit_draws(engine, run.run_id)] == ["pending", "done"]
    assert ids(run, Queue.AUDIT)[0] == skipped
    assert draw(run, expected=skipped) == skipped
    assert len(audit_draws(engine, run.run_id)) == 2


def test_a_draw_is_pending_again_when_its_review_is_taken_back(engine: Engine) -> None:
    run = finished(desk(engine, told("a", [3])))
    draw(run)
    run.set("a", E1, 4)
    run.undo("a", E1)

    assert [d.state for d in audit_draws(engine, run.run_id)] == ["pending"]


def test_a_draw_opens_the_review_as_an_audit(engine: Engine) -> None:
    run = finished(desk(engine, told("a", [3])))

    draw(run)
    run.set("a", E1, 4)

    review = reviews(run)["a", "Mara"]
    assert review.selection == "audit"
    assert review.audit_draw_id == audit_draws(engine, run.run_id)[0].id
    assert review.judge_visible
    assert review.finished_at == NOW


def test_failures_come_first_in_the_audit_and_are_counted_by_themselves(engine: Engine) -> None:
    examples = [told(f"e{i}", [3]) for i in range(6)]
    failing = [told(f"f{i}", [3], fails="timeout") for i in range(2)]
    run = finished(desk(engine, *examples, *failing))

    drawn = [draw(run) for _ in range(3)]

    assert sorted(str(d) for d in drawn[:2]) == ["f0", "f1"]
    rows = audit_draws(engine, run.run_id)
    assert [(d.stratum, d.undrawn) for d in rows] == [("failed", 2), ("failed", 1), ("judged", 6)]


@pytest.mark.parametrize("state", ["queued", "running", "paused"])
def test_there_is_no_draw_while_the_run_still_judges(engine: Engine, state: str) -> None:
    run = desk(engine, told("a", [3]))
    with transaction(engine) as session:
        session.get_one(RunRow, run.run_id).state = state

    with pytest.raises(NotPossibleNow, match="when the run is done"):
        draw(run)
    assert ids(run, Queue.AUDIT) == []


def test_independent_reviewers_are_given_the_same_draws(engine: Engine) -> None:
    options = RunOptions(mode="independent", reviewers_needed=2)
    run = finished(desk(engine, *(told(f"e{i}", [3]) for i in range(3)), options=options))
    first, second = draw(run, "Mara"), draw(run, "Mara")

    assert [draw(run, "Ben"), draw(run, "Ben")] == [first, second]
    third = draw(run, "Ben")
    assert third not in (first, second, None)
    assert draw(run, "Cleo") == third
    assert len(audit_draws(engine, run.run_id)) == 3


def test_a_decision_on_what_nobody_opened_counts_as_chosen(engine: Engine) -> None:
    run = desk(engine, told("a", [3]), told("b", [3]))
    number = run.judgements["a"]
    open_review(engine, number, reviewer="Mara", queue=Queue.STAKE, now=NOW)
    open_review(engine, number, reviewer="Mara", queue=Queue.FLAGGED, now=NOW)

    run.set("a", E1, 4)
    run.set("b", E1, 4)

    found = reviews(run)
    assert found["a", "Mara"].selection == "stake"
    assert found["b", "Mara"].selection == "chosen"


def test_disagreement_brings_marks_and_spread_and_what_differs_from_the_text(
    engine: Engine,
) -> None:
    run = desk(
        engine,
        told("calm", [3, 3]),
        told("spread", [3, 3], spreads={"E1": 4}),
        told("contradicts", [3, 3], marks={"E2": "contradiction"}),
        told("repaired", [3, 3], marks={"E2": "repaired"}),
    )

    assert ids(run, Queue.DISAGREEMENT) == ["spread", "contradicts"]

    run.set("spread", E1, 4)
    assert ids(run, Queue.DISAGREEMENT) == ["spread", "contradicts"]
    run.set("spread", E2, 4)
    assert ids(run, Queue.DISAGREEMENT) == ["contradicts"]


def test_stake_brings_first_what_can_move_the_mean_most(engine: Engine) -> None:
    run = desk(engine, told("half", [3, 3]), told("whole", [3]), told("done", [3]))
    run.set("half", E1, 3)
    run.set("done", E1, 3)

    assert ids(run, Queue.STAKE) == ["whole", "half"]
    assert next_valuable(engine, run.run_id, "Mara") == (run.judgements["whole"], Queue.STAKE)
    after = next_valuable(engine, run.run_id, "Mara", after=run.judgements["whole"])
    assert after == (run.judgements["half"], Queue.STAKE)


def test_with_a_pass_mark_stake_looks_towards_it(engine: Engine) -> None:
    low, high = told("low", [1]), told("high", [5])

    below = desk(engine, low, high, pass_at=4)
    above = desk(engine, low, high, told("more", [5]), pass_at=3)

    assert ids(below, Queue.STAKE) == ["low", "high"]
    assert ids(above, Queue.STAKE) == ["high", "more", "low"]


def test_stake_does_not_tell_a_blind_reviewer_who_is_low(engine: Engine) -> None:
    examples = [told("high", [5]), told("low", [1])]

    blind = desk(engine, *examples, options=RunOptions(blind=True), pass_at=4)
    open_eyed = desk(engine, *examples, pass_at=4)

    assert ids(blind, Queue.STAKE) == ["high", "low"]
    assert ids(open_eyed, Queue.STAKE) == ["low", "high"]


def test_an_independent_reviewer_is_not_asked_for_what_they_have_done(engine: Engine) -> None:
    options = RunOptions(mode="independent", reviewers_needed=2)
    run = desk(engine, told("a", [3]), told("b", [3]), options=options)
    run.set("a", E1, 4, by="Mara")
    assert ids(run, Queue.STAKE, "Mara") == ["b"]
    assert ids(run, Queue.STAKE, "Ben") == ["a", "b"]

    run.set("a", E1, 2, by="Ben")
    assert ids(run, Queue.STAKE, "Cleo") == ["b"]
    assert ids(run, Queue.RESOLVE, "Cleo") == ["a"]


def test_failures_brings_what_the_judge_left_until_people_have_scored_it(engine: Engine) -> None:
    run = desk(engine, told("a", [3]), told("b", [3], fails="timeout"), told("c", [None]))

    assert ids(run, Queue.FAILURES) == ["b", "c"]
    run.set("b", E1, 4)
    assert ids(run, Queue.FAILURES) == ["c"]


def test_flagged_brings_what_somebody_wants_to_be_looked_at_again(engine: Engine) -> None:
    run = desk(engine, told("a", [3]), told("b", [3]))
    for name in ("b", "a", "b"):
        flag(engine, run.judgements[name], by="Mara", now=NOW, note="Is this a duplicate?")

    assert ids(run, Queue.FLAGGED, "Ben") == ["b", "a"]
    kept = flags_of(engine, list(run.judgements.values()))[run.judgements["b"]]
    assert (kept.by, kept.at, kept.note) == ("Mara", NOW, "Is this a duplicate?")

    unflag(engine, run.judgements["b"], by="Ben", now=NOW)
    assert ids(run, Queue.FLAGGED) == ["a"]


def test_mine_brings_what_is_assigned_to_the_person_and_not_done(engine: Engine) -> None:
    run = desk(engine, told("a", [3]), told("b", [3]), told("c", [3]))
    numbers = [run.judgements[name] for name in ("c", "a")]
    assign(engine, numbers, ["Mara"], by="Ana", now=NOW)
    assign(engine, numbers, ["Mara"], by="Ana", now=NOW)

    assert ids(run, Queue.MINE) == ["a", "c"]
    assert ids(run, Queue.MINE, "Ben") == []
    run.set("a", E1, 4)
    assert ids(run, Queue.MINE) == ["c"]


def test_the_counts_are_those_of_the_queues(engine: Engine) -> None:
    run = finished(desk(engine, told("a", [3]), told("b", [3], fails="timeout"), told("c", [3])))
    flag(engine, run.judgements["a"], by="Mara", now=NOW)

    counts = queue_counts(engine, run.run_id, "Mara")

    assert counts == {queue: len(ids(run, queue)) for queue in Queue}
    assert counts[Queue.AUDIT] == 3
    assert counts[Queue.FAILURES] == 1
    assert counts[Queue.FLAGGED] == 1


def test_what_is_skipped_or_expects_nothing_is_never_to_be_reviewed(engine: Engine) -> None:
    run = finished(desk(engine, told("a", [3]), told("nothing", [])))

    for queue in (Queue.AUDIT, Queue.STAKE, Queue.FAILURES):
        assert "nothing" not in ids(run, queue)
    run.decide("a", E1, Action.EXCLUDE)
    assert ids(run, Queue.STAKE) == []


def test_many_are_flagged_and_cleared_at_once_and_a_flag_that_is_there_stays(
    engine: Engine,
) -> None:
    run = desk(engine, told("a", [3]), told("b", [4]), told("c", [5]))
    ids = [run.judgements[name] for name in "abc"]
    flag(engine, ids[0], by="Mara", now=NOW, note="first")

    flag_all(engine, ids[:2], by="Ben", now=NOW, note="both")
    assert {i: (f.by, f.note) for i, f in flags_of(engine, ids).items()} == {
        ids[0]: ("Mara", "first"),
        ids[1]: ("Ben", "both"),
    }

    unflag_all(engine, ids, by="Ben", now=NOW)
    assert not flags_of(engine, ids)


@pytest.mark.parametrize("needed", [1, 2])
def test_every_queue_is_counted_as_long_as_it_is(engine: Engine, needed: int) -> None:
    options = RunOptions(mode="independent", reviewers_needed=2) if needed > 1 else None
    scores = [told(f"e{i}", [3]) for i in range(6)]
    marked = [told("m", [3], marks={"E1": "contradiction"}), told("f", [3], fails="timeout")]
    run = finished(desk(engine, *scores, *marked, options=options))
    draw(run, "Jonas")
    draw(run)
    run.set("e1", E1, 5)
    flag(engine, run.judgements["e2"], by="Jonas", now=NOW)
    assign(engine, [run.judgements["e3"]], ["Mara"], by="Ana", now=NOW)

    counts = queue_counts(engine, run.run_id, "Mara")

    assert counts == {queue: len(ids(run, queue)) for queue in Queue}
    assert (counts[Queue.DISAGREEMENT], counts[Queue.FLAGGED], counts[Queue.MINE]) == (1, 1, 1)

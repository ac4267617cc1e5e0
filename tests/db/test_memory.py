"""What people decided in an earlier run is offered again, and taken over only by a person."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from sqlalchemy import Engine

from db.batches import undo_bulk
from db.memory import (
    Memory,
    RunMemory,
    apply_memory,
    apply_memory_all,
    remembered,
    remembered_in_run,
)
from db.results import recount
from db.reviews import undo_batch, verify_chain
from db.runs import RunOptions, delete_run
from recall_core.errors import InvalidDecision, InvalidScore
from recall_core.types import Action, Cause, Example, RetrievedPassage, UnitKind
from tests.db.making import NOW
from tests.db.reviewing import B1, E1, E2, Desk, desk, told


def memories(run: Desk, example: str = "a", viewer: str = "Mara") -> tuple[Memory, ...]:
    number = run.judgements[example]
    return remembered(run.engine, [number], viewer=viewer).get(number, ())


def apply(run: Desk, example: str = "a", units: Any = None, by: str = "Mara") -> Any:
    return apply_memory(run.engine, run.judgements[example], units, **run.write(by))


def other_texts(example: Example, text: str) -> Example:
    return replace(example, retrieved=(RetrievedPassage(1, text),))


def test_the_same_unit_in_the_same_texts_offers_the_earlier_decision_with_its_source(
    engine: Engine,
) -> None:
    earlier = desk(engine, told("a", [3, 3]))
    made = earlier.set("a", E1, 5, by="Ben", cause=Cause.JUDGE_WRONG, note="All there.")
    later = desk(engine, told("a", [2, 3]))

    (memory,) = memories(later)

    assert memory.unit == E1
    assert memory.state.score == 5
    assert memory.same_text
    assert memory.changes == ()
    assert memory.source.run_id == earlier.run_id
    assert memory.source.decision.id == made.decisions[0].id
    assert memory.source.words == "From “first”, Ben, 30 November 2026"


def test_taking_it_over_is_a_marked_decision_that_can_be_taken_back(engine: Engine) -> None:
    earlier = desk(engine, told("a", [3, 3], [2]))
    source = earlier.set("a", E1, 5, by="Ben", cause=Cause.JUDGE_WRONG, note="All there.")
    earlier.decide("a", E2, Action.CONFIRM, by="Ben")
    earlier.decide("a", B1, Action.EXCLUDE, by="Ben")
    later = desk(engine, told("a", [2, 3], [2]))

    done = apply(later)

    actions = {d.unit: (d.action, d.after.score, d.after.excluded) for d in done.decisions}
    assert actions == {
        E1: (Action.SET, 5, False),
        E2: (Action.CONFIRM, 3, False),
        B1: (Action.EXCLUDE, 2, True),
    }
    first = done.decisions[0]
    assert (first.reviewer, first.recalled) == ("Mara", source.decisions[0].id)
    assert (first.cause, first.note) == (
        Cause.JUDGE_WRONG,
        "From “first”, Ben, 30 November 2026: All there.",
    )
    assert later.detail("a").trace.final == 4
    assert memories(later) == ()

    undo_batch(engine, later.judgements["a"], done.batch, **later.write("Mara"))
    assert later.detail("a").trace.final == Fraction(3)
    assert len(memories(later)) == 3


def test_a_duplicate_names_its_twin_here_too_whatever_its_number_is(engine: Engine) -> None:
    earlier = desk(engine, told("a", [3, 3]))
    earlier.decide("a", E1, Action.EXCLUDE, by="Ben", cause=Cause.DUPLICATE, twin=E2)
    before = told("a", [3, 3])
    first, second = before.ground_truth or ()
    later = desk(engine, replace(before, ground_truth=(second, first)))

    (decision,) = apply(later).decisions

    assert (decision.unit, decision.after.excluded, decision.twin) == (E2, True, E1)


def test_a_moved_unit_moves_here_too(engine: Engine) -> None:
    earlier = desk(engine, told("a", [3, 3]))
    earlier.decide("a", E2, Action.MOVE, to_kind=UnitKind.BONUS, score=Fraction(0))
    later = desk(engine, told("a", [3, 3]))

    apply(later)

    state = later.detail("a").unit(E2).state
    assert (state.kind, state.score) == (UnitKind.BONUS, 0)


def test_single_units_are_taken_over_by_themselves(engine: Engine) -> None:
    earlier = desk(engine, told("a", [3, 3]))
    earlier.set("a", E1, 5)
    earlier.set("a", E2, 4)
    later = desk(engine, told("a", [3, 3]))

    apply(later, units={E2})

    assert later.detail("a").unit(E2).state.score == 4
    assert not later.detail("a").unit(E1).reviewed
    with pytest.raises(InvalidDecision, match="Nothing is remembered"):
        apply(later, units={E2})


def test_changed_texts_show_the_difference_and_are_not_taken_over(engine: Engine) -> None:
    old = other_texts(told("a", [3]), "The trial lasts 14 days.")
    new = other_texts(told("a", [3]), "The trial lasts 30 days.")
    earlier = desk(engine, old)
    earlier.set("a", E1, 5)
    later = desk(engine, new)

    (memory,) = memories(later)

    assert not memory.same_text
    assert [p.text for p in memory.changes[0].pieces] == ["The trial lasts ", "14", "30", " days."]
    with pytest.raises(InvalidDecision, match="Nothing is remembered"):
        apply(later)


def test_a_reworded_unit_of_the_same_example_shows_the_difference(engine: Engine) -> None:
    first = told("a", [3])
    passage = replace(first.essential[0], text="essential 1 of a, reworded")
    earlier = desk(engine, first)
    earlier.set("a", E1, 5)
    later = desk(engine, replace(first, ground_truth=(passage,)))

    (memory,) = memories(later)

    assert not memory.same_text
    assert memory.changes[0].of_unit


def test_same_texts_come_before_changed_ones_and_the_newest_decision_before_older_ones(
    engine: Engine,
) -> None:
    for score, text in ((2, "text of a"), (4, "text of a"), (1, "text of a, changed")):
        run = desk(engine, other_texts(told("a", [3]), text))
        run.set("a", E1, score)
    later = desk(engine, told("a", [3]))

    (memory,) = memories(later)

    assert memory.same_text
    assert memory.state.score == 4


def test_only_what_stands_is_remembered(engine: Engine) -> None:
    earlier = desk(engine, told("a", [3]), told("b", [3]))
    earlier.set("a", E1, 5)
    earlier.undo("a", E1)
    earlier.set("b", E1, 5)
    later = desk(engine, told("a", [3]), told("b", [3]))
    later.set("b", E1, 1)

    assert memories(later, "a") == ()
    assert memories(later, "b") == ()


def test_nothing_is_remembered_of_a_deleted_run_or_of_ones_own(engine: Engine) -> None:
    earlier = desk(engine, told("a", [3]))
    earlier.set("a", E1, 5)
    later = desk(engine, told("a", [3]))
    assert memories(later)

    delete_run(engine, earlier.run_id, author="Ana", now=NOW)

    assert memories(later) == ()


def test_memory_waits_until_a_blind_reviewer_has_committed(engine: Engine) -> None:
    earlier = desk(engine, told("a", [3]))
    earlier.set("a", E1, 5)
    later = desk(engine, told("a", [3]), options=RunOptions(blind=True))

    assert memories(later) == ()
    with pytest.raises(InvalidDecision):
        apply(later)


def test_nothing_is_remembered_from_what_one_still_scores_blind(engine: Engine) -> None:
    earlier = desk(engine, told("a", [3]), options=RunOptions(blind=True))
    earlier.set("a", E1, 5, by="Ben")
    later = desk(engine, told("a", [3]))

    assert memories(later) == ()
    earlier.commit("a", by="Ben")
    assert len(memories(later)) == 1


def test_a_score_that_this_run_does_not_allow_is_refused(engine: Engine) -> None:
    earlier = desk(engine, told("a", [3]), options=RunOptions(halves=True))
    earlier.set("a", E1, "4.5")
    later = desk(engine, told("a", [3]))

    with pytest.raises(InvalidScore):
        apply(later)
    done = apply_memory_all(engine, later.run_id, **later.write("Mara"))
    assert (done.units, len(done.left_out)) == (0, 1)


def test_a_whole_run_is_filled_as_one_and_undone_as_one(engine: Engine) -> None:
    examples = [told(name, [3, 3]) for name in "abc"]
    changed = other_texts(told("d", [3]), "old")
    earlier = desk(engine, *examples, changed)
    for name in "ab":
        earlier.set(name, E1, 5)
    earlier.set("d", E1, 5)
    later = desk(engine, *examples, other_texts(told("d", [3]), "new"))
    later.set("b", E2, 1)

    assert remembered_in_run(engine, later.run_id, viewer="Mara") == RunMemory(2, 2, 1)
    done = apply_memory_all(engine, later.run_id, **later.write("Mara"))

    assert (done.examples, done.units) == (2, 2)
    assert [later.detail(name).trace.final for name in "abcd"] == [4, 3, 3, 3]
    assert remembered_in_run(engine, later.run_id, viewer="Mara") == RunMemory(0, 0, 1)
    undo_bulk(engine, later.run_id, done.batch, **later.write("Mara"))
    assert [later.detail(name).trace.final for name in "abcd"] == [3, 2, 3, 3]
    assert verify_chain(engine, later.run_id).intact
    assert recount(engine).equal

"""Who is asked to review what, and how far everybody has come."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Engine

from db.assignments import assign, assignments_of, hand_over, split_evenly, unassign
from db.errors import Unkeepable
from db.queues import queue_ids
from db.review_progress import Passes, known_people, review_progress
from db.reviews import open_review
from db.runs import RunOptions
from db.sights import set_blind
from recall_core.assigning import even_split
from recall_core.queues import Queue
from recall_core.types import Action
from tests.db.making import NOW
from tests.db.reviewing import E1, Desk, desk, told

names = st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=5, unique=True)


@given(examples=st.lists(st.integers(), unique=True, max_size=30), people=names, each=st.just(2))
def test_a_split_is_even_and_gives_an_example_to_nobody_twice(
    examples: list[int], people: list[str], each: int
) -> None:
    shared = even_split(examples, people, each=each)

    assert len(set(shared)) == len(shared) == len(examples) * min(each, len(people))
    load = Counter(dict.fromkeys(people, 0))
    load.update(name for _, name in shared)
    assert max(load.values()) - min(load.values()) <= 1


def people_of(run: Desk) -> dict[str, tuple[str, ...]]:
    found = assignments_of(run.engine, list(run.judgements.values()))
    return {name: found[i] for name, i in run.judgements.items() if i in found}


def test_a_run_is_split_over_what_is_unreviewed_and_lacks_people(engine: Engine) -> None:
    run = desk(engine, *(told(name, [3]) for name in "abcdef"))
    run.set("a", E1, 4, by="Cleo")
    assign(engine, [run.judgements["b"]], ["Mara"], by="Ana", now=NOW)

    shared = split_evenly(engine, run.run_id, ["Mara", "Ben"], by="Ana", now=NOW)

    assert shared == {"Mara": 2, "Ben": 2}
    assert set(people_of(run)) == set("bcdef")
    assert all(len(people) == 1 for people in people_of(run).values())
    again = split_evenly(engine, run.run_id, ["Mara", "Ben"], by="Ana", now=NOW)
    assert again == {"Mara": 0, "Ben": 0}


def test_who_only_looked_at_an_example_or_took_everything_back_has_no_part_in_it(
    engine: Engine,
) -> None:
    run = desk(engine, *(told(name, [3]) for name in "ab"))
    open_review(engine, run.judgements["a"], reviewer="Cleo", queue=Queue.CHOSEN, now=NOW)
    run.set("b", E1, 4, by="Cleo")
    run.undo("b", E1, by="Cleo")

    shared = split_evenly(engine, run.run_id, ["Mara", "Ben"], by="Ana", now=NOW)

    assert shared == {"Mara": 1, "Ben": 1}


def test_where_each_example_needs_two_it_goes_to_two_different_people(engine: Engine) -> None:
    options = RunOptions(mode="independent", reviewers_needed=2)
    run = desk(engine, *(told(name, [3]) for name in "abc"), options=options)
    run.set("a", E1, 4, by="Ben")

    split_evenly(engine, run.run_id, ["Mara", "Ben", "Cleo"], by="Ana", now=NOW)

    assert [len(people_of(run)[name]) for name in "abc"] == [1, 2, 2]
    assert "Ben" not in people_of(run)["a"]
    with pytest.raises(Unkeepable, match="needs 2 reviewers"):
        split_evenly(engine, run.run_id, ["Mara"], by="Ana", now=NOW)


def test_an_assignment_can_be_taken_back(engine: Engine) -> None:
    run = desk(engine, told("a", [3]))
    assign(engine, [run.judgements["a"]], ["Mara", "Ben"], by="Ana", now=NOW)

    unassign(engine, [run.judgements["a"]], "Mara")

    assert people_of(run) == {"a": ("Ben",)}
    with pytest.raises(Unkeepable, match="who is to review"):
        assign(engine, [run.judgements["a"]], [" "], by="Ana", now=NOW)


def test_what_somebody_has_not_finished_can_be_handed_over(engine: Engine) -> None:
    run = desk(engine, *(told(name, [3, 3]) for name in "abcd"))
    numbers = [run.judgements[name] for name in "abc"]
    assign(engine, numbers, ["Mara"], by="Ana", now=NOW)
    run.confirm_left("a")
    run.set("d", E1, 4)

    handed = hand_over(engine, run.run_id, from_="Mara", to="Ben", by="Ana", now=NOW)

    assert handed == 3
    assert people_of(run) == {"a": ("Mara",), "b": ("Ben",), "c": ("Ben",), "d": ("Ben",)}
    assert len(queue_ids(engine, run.run_id, Queue.MINE, "Ben")) == 3


def test_progress_is_told_by_person_and_by_queue(engine: Engine) -> None:
    run = desk(engine, *(told(name, [3]) for name in "abc"))
    assign(engine, [run.judgements["a"], run.judgements["b"]], ["Mara"], by="Ana", now=NOW)
    assign(engine, [run.judgements["c"]], ["Cleo"], by="Ana", now=NOW)
    for name, queue in (("a", Queue.MINE), ("b", Queue.STAKE)):
        open_review(engine, run.judgements[name], reviewer="Mara", queue=queue, now=NOW)
    run.set("a", E1, 4)
    run.decide("c", E1, Action.CONFIRM, by="Ben")
    run.undo("c", E1, by="Ben")

    ben, cleo, mara = review_progress(engine, run.run_id)

    assert (mara.reviewer, mara.assigned, mara.assigned_done) == ("Mara", 2, 1)
    assert mara.passes == Passes(opened=2, finished=1)
    assert mara.by_queue == {Queue.MINE: Passes(1, 1), Queue.STAKE: Passes(1, 0)}
    assert (mara.decisions, mara.changes, mara.last_at) == (1, 1, NOW)
    assert (cleo.assigned, cleo.passes, cleo.last_at) == (1, Passes(), None)
    assert (ben.decisions, ben.changes) == (1, 0)
    assert ben.by_queue == {Queue.CHOSEN: Passes(1, 0)}


def test_everybody_who_has_a_part_anywhere_is_known_by_name(engine: Engine) -> None:
    run = desk(engine, told("a", [3]), told("b", [4]))
    run.set("a", E1, 2, by="mara")
    assign(engine, [run.judgements["b"]], ["Jonas"], by="Ana", now=NOW)
    set_blind(engine, "Li", True)

    assert known_people(engine) == ("Jonas", "Li", "mara")

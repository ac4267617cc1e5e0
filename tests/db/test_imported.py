"""Judgements made elsewhere become a run that is reviewed like any other."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from sqlalchemy import Engine, select

from db.claims import claim_run
from db.deleting import sweep_unfinished
from db.details import read_judgement, read_run_facts
from db.engine import reading, transaction
from db.errors import NotKept, NotPossibleNow, Unkeepable
from db.imported import add_reply, import_replies, metadata_replies, preview_replies
from db.owners import new_owner
from db.recount import recount
from db.reviews import decide
from db.runs import RunState, cancel_run, get_run, list_runs, pause_run, progress
from db.tables import JudgementRow, RunRow
from recall_core.imported import Reply
from recall_core.results import Status
from recall_core.types import Action, FailureKind, UnitKind, UnitRef
from tests.db.asking import facts
from tests.db.making import NOW, kept_dataset, queued_run

E2 = UnitRef(UnitKind.ESSENTIAL, 2)


def said(*scores: int, final: str = "") -> str:
    text = " ".join(f"[ESSENTIAL PASSAGE] {i}: yes Score: {s}" for i, s in enumerate(scores, 1))
    return f"RECALL_Reasoning: {text}" + (f"\nRECALL_Final_Score: {final}" if final else "")


@pytest.fixture
def dataset_id(engine: Engine) -> int:
    return kept_dataset(engine, facts(3))


def imported(engine: Engine, dataset_id: int, *replies: Reply) -> int:
    made = import_replies(engine, dataset_id, replies, name="by hand", author="Ana", now=NOW)
    return made.run_id


def test_imported_replies_are_a_run_that_is_done(engine: Engine, dataset_id: int) -> None:
    run_id = imported(
        engine, dataset_id, Reply(said(4, 3), "e1"), Reply(said(5, 5, final="5"), "e3")
    )

    run, now = get_run(engine, run_id), progress(engine, run_id, NOW)
    assert (run.kind, run.state, run.processed) == ("imported", RunState.DONE, 2)
    assert (now.left, now.spending) == (1, None)
    first, third = read_judgement(engine, 1), read_judgement(engine, 2)
    assert (first.example.id, first.trace.final) == ("e1", Fraction(7, 2))
    assert (third.position, third.trace.final, third.warnings) == (3, 5, ())
    assert first.raw_response == said(4, 3)
    assert read_run_facts(engine, run_id).judge_title == "Imported judgements"
    assert recount(engine).equal


def test_a_mismatch_of_the_writers_arithmetic_is_a_warning(engine: Engine, dataset_id: int) -> None:
    imported(engine, dataset_id, Reply(said(4, 3, final="4"), "e1"))

    judgement = read_judgement(engine, 1)

    assert judgement.trace.final == Fraction(7, 2)
    assert judgement.warnings == ("RECALL_Final_Score: the reply says 4, the scores make 3.5.",)


def test_a_gap_is_filled_by_a_person_and_gives_a_final(engine: Engine, dataset_id: int) -> None:
    imported(engine, dataset_id, Reply(said(4), "e1"))
    before = read_judgement(engine, 1)

    decide(
        engine,
        1,
        E2,
        Action.SET,
        score=Fraction(2),
        reviewer="Ben",
        seen=0,
        client_id="c",
        client_seq=1,
        now=NOW,
    )

    assert (before.status, before.error_type) == (Status.ERROR, FailureKind.INCOMPLETE)
    assert before.trace.final is None
    assert read_judgement(engine, 1).trace.final == 3


def test_the_preview_says_what_each_reply_comes_to_and_stores_nothing(
    engine: Engine, dataset_id: int
) -> None:
    replies = [
        Reply(said(4, 3, final="4"), "e1"),
        Reply(said(4), "e2"),
        Reply(said(1, 1), "e9"),
        Reply(said(1, 1), "e1"),
        Reply(said(1, 1), position=3),
        Reply(said(1, 1), position=8),
    ]

    rows = preview_replies(engine, dataset_id, replies)

    assert [(row.number, row.example_id, row.final) for row in rows] == [
        (1, "e1", Fraction(7, 2)),
        (2, "e2", None),
        (3, "e9", None),
        (4, "e1", None),
        (5, "e3", 1),
        (6, None, None),
    ]
    assert rows[0].warnings == ("RECALL_Final_Score: the reply says 4, the scores make 3.5.",)
    assert rows[1].error_type is FailureKind.INCOMPLETE
    assert "'e9' is not in the dataset" in rows[2].problem
    assert "has an earlier reply" in rows[3].problem
    assert "Example 8 is not in the dataset" in rows[5].problem
    assert list_runs(engine) == []


def test_replies_that_belong_to_no_example_are_left_out_and_named(
    engine: Engine, dataset_id: int
) -> None:
    made = import_replies(
        engine,
        dataset_id,
        [Reply(said(4, 3), "e1"), Reply(said(1, 1), "e9")],
        name="by hand",
        author="Ana",
        now=NOW,
    )

    assert (made.taken, [row.number for row in made.left_out]) == (1, [2])


def test_an_import_of_nothing_leaves_no_run(engine: Engine, dataset_id: int) -> None:
    with pytest.raises(Unkeepable, match=r"No reply .* imported\. .*'x' is not in"):
        imported(engine, dataset_id, Reply(said(1, 1), "x"))

    with reading(engine) as session:
        assert session.scalars(select(RunRow)).all() == []


def test_ids_that_two_examples_share_tell_nothing(engine: Engine) -> None:
    twins = [replace(example, id="twin") for example in facts(2)]
    dataset_id = kept_dataset(engine, twins)

    (row,) = preview_replies(engine, dataset_id, [Reply(said(1, 1), "twin")])

    assert "is there 2 times" in row.problem


def test_a_pasted_reply_is_added_to_the_run_once(engine: Engine, dataset_id: int) -> None:
    run_id = imported(engine, dataset_id, Reply(said(4, 3), "e1"))

    add_reply(engine, run_id, Reply(said(2, 2), position=2), now=NOW)

    assert (get_run(engine, run_id).processed, read_judgement(engine, 2).trace.final) == (2, 2)
    with pytest.raises(NotPossibleNow, match="Example e2 has its judgement"):
        add_reply(engine, run_id, Reply(said(5, 5), "e2"), now=NOW)
    with pytest.raises(Unkeepable, match="not in the dataset"):
        add_reply(engine, run_id, Reply(said(5, 5), "e7"), now=NOW)


def test_a_run_of_a_judge_takes_no_replies(engine: Engine, dataset_id: int) -> None:
    run_id = queued_run(engine, dataset_id)

    with pytest.raises(NotPossibleNow, match="has a judge of its own"):
        add_reply(engine, run_id, Reply(said(2, 2), "e1"), now=NOW)


def test_a_column_of_the_datasets_own_file_is_imported_by_place(engine: Engine) -> None:
    rows = [
        replace(example, metadata={"reply": text})
        for example, text in zip(facts(3), (said(4, 3), "", said(5, 5)), strict=True)
    ]
    dataset_id = kept_dataset(engine, rows)

    replies = metadata_replies(engine, dataset_id, "reply")

    assert [reply.position for reply in replies] == [1, 3]
    assert get_run(engine, imported(engine, dataset_id, *replies)).processed == 2


def test_no_worker_takes_an_imported_run_and_nobody_stops_it(
    engine: Engine, dataset_id: int
) -> None:
    run_id = imported(engine, dataset_id, Reply(said(4, 3), "e1"))
    with transaction(engine) as session:
        session.get_one(RunRow, run_id).state = "running"

    assert claim_run(engine, new_owner(), NOW) is None
    with pytest.raises(NotPossibleNow, match="is imported, so it cannot be paused"):
        pause_run(engine, run_id)
    with pytest.raises(NotPossibleNow, match="is imported, so it cannot be cancelled"):
        cancel_run(engine, run_id, now=NOW)


@pytest.mark.parametrize(("alive", "left"), [(True, 1), (False, 0)])
def test_the_sweep_takes_half_an_import_unless_somebody_is_at_it(
    engine: Engine, dataset_id: int, alive: bool, left: int
) -> None:
    run_id = imported(engine, dataset_id, Reply(said(4, 3), "e1"))
    with transaction(engine) as session:
        row = session.get_one(RunRow, run_id)
        row.state, row.owner = "running", new_owner() if alive else None

    sweep_unfinished(engine, now=NOW)

    assert len(list_runs(engine)) == left
    with reading(engine) as session:
        assert len(session.scalars(select(JudgementRow)).all()) == left


def test_a_dataset_that_is_gone_takes_no_import(engine: Engine) -> None:
    with pytest.raises(NotKept):
        preview_replies(engine, 9, [Reply(said(1), "e1")])

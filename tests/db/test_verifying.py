"""Verifying a database in which something was changed by hand says what, and never breaks off."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine

from db.verifying import Verified, verify
from recall_core.types import Cause
from tests.db.reviewing import B1, E1, Desk, desk, told
from tests.db.tampering import tampering


def reviewed(engine: Engine) -> Desk:
    run = desk(engine, told("a", [4, 3], [2]), told("b", [2]), told("c", [5]))
    run.set("a", E1, 5, cause=Cause.JUDGE_WRONG)
    run.set("a", B1, 1)
    run.set("b", E1, 1)
    return run


def after(engine: Engine, change: str) -> Verified:
    with tampering(engine) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(change)
    [found] = verify(engine)
    return found


@pytest.mark.parametrize(
    ("column", "value"),
    [("after_score", "abc"), ("before_score", "4,5"), ("at", "yesterday"), ("action", "guess")],
)
def test_a_decision_that_cannot_be_read_any_more_is_named(
    engine: Engine, column: str, value: str
) -> None:
    run = reviewed(engine)

    found = after(engine, f"UPDATE decision SET {column} = '{value}' WHERE id = 2")

    assert found.chain.problem.startswith("Decision 2 ")
    assert "was changed after it was written" in found.chain.problem
    assert found.chain.decisions < 3
    assert [p for p in found.counted.unreadable if f"judgement {run.judgements['a']}:" in p]
    assert len(found.counted.unreadable) == 1


@pytest.mark.parametrize("column", ["final", "judge_final", "lowest"])
def test_a_kept_score_that_is_no_number_is_named_and_the_others_are_computed(
    engine: Engine, column: str
) -> None:
    run = reviewed(engine)

    found = after(engine, f"UPDATE judgement SET {column} = 'abc' WHERE position = 2")

    assert found.chain.intact
    assert found.counted.judgements == 3
    assert found.problems == (
        f"Run {run.run_id}, judgement {run.judgements['b']}: what is kept of it cannot be read: "
        "Invalid literal for Fraction: 'abc'.",
    )


def test_a_verdict_that_is_no_number_is_named(engine: Engine) -> None:
    run = reviewed(engine)
    which = f"judgement_id = {run.judgements['c']}"

    found = after(engine, f"UPDATE verdict SET score = 'five' WHERE {which}")

    assert [p for p in found.problems if f"judgement {run.judgements['c']}:" in p]


def test_an_example_whose_judgement_was_taken_out_of_a_done_run_is_named(engine: Engine) -> None:
    run = reviewed(engine)

    with tampering(engine) as connection:
        connection.execute("UPDATE run SET state = 'done'")
        connection.execute(f"DELETE FROM verdict WHERE judgement_id = {run.judgements['c']}")
        connection.execute(f"DELETE FROM judgement WHERE id = {run.judgements['c']}")
    [found] = verify(engine)

    assert not found.equal
    assert found.problems == (
        f"Run {run.run_id}, example 3: the run is done, and its judgement is not there.",
    )


def test_a_run_that_is_not_done_need_not_have_every_judgement(engine: Engine) -> None:
    reviewed(engine)

    with tampering(engine) as connection:
        connection.execute("UPDATE run SET state = 'cancelled'")
        connection.execute("DELETE FROM verdict WHERE judgement_id = 3")
        connection.execute("DELETE FROM judgement WHERE id = 3")
    [found] = verify(engine)

    assert found.equal

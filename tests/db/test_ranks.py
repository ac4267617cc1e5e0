"""The ranks of a run: of its dataset, measured as its judge measures."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine

from db.errors import NotKept
from db.ranks import run_ranks
from recall_core.judges import make_judge
from recall_core.ranks import Similar, Way
from tests.db.making import example, examples, kept_dataset, queued_run


def test_a_run_has_the_ranks_of_its_dataset(engine: Engine) -> None:
    rows = [*examples(2), example(3, found=False)]
    run = queued_run(engine, kept_dataset(engine, rows))

    found = run_ranks(engine, run)

    assert (found.ranks.examples, found.drawn, found.of) == (3, 3, 3)
    assert found.ranks.by(Way.LEXICAL).first == {1: 2}
    assert found.ranks.by(Way.LEXICAL).never == 1
    assert found.similar == Similar()


def test_string_distance_measures_as_the_runs_own_judge(engine: Engine) -> None:
    settings = {"distance_measure": "jaro", "threshold": 0.1}
    judge = make_judge("context_recall", settings)
    run = queued_run(engine, kept_dataset(engine, [example(3, found=False)]), judge=judge)

    found = run_ranks(engine, run)

    assert found.similar == Similar("jaro", 0.1)
    assert found.ranks.by(Way.DISTANCE).first == {1: 1}


def test_of_a_long_dataset_the_same_few_are_looked_at_and_the_number_is_said(
    engine: Engine,
) -> None:
    run = queued_run(engine, kept_dataset(engine, examples(20)))

    few, again = (run_ranks(engine, run, most=5) for _ in range(2))

    assert few == again
    assert (few.ranks.examples, few.drawn, few.of) == (5, 5, 20)
    assert few.sentence == "Over 5 examples, of 5 drawn at random from 20."


def test_a_run_that_is_gone_has_none(engine: Engine) -> None:
    with pytest.raises(NotKept):
        run_ranks(engine, 9)

"""The list of runs has a few numbers of many runs, the same as each run's own page."""

from __future__ import annotations

from fractions import Fraction

from sqlalchemy import Engine

from db.results import run_summary
from db.run_figures import LastStop, RunFigures, last_stop, run_figures
from db.runs import archive_run, delete_run
from recall_core.queues import Queue
from recall_core.summary import Mean
from recall_core.types import Action
from tests.db.making import NOW, examples, kept_dataset, queued_run
from tests.db.reviewing import B1, E1, desk, told


def test_the_mean_and_the_review_counts_agree_with_the_runs_own_summary(engine: Engine) -> None:
    run = desk(
        engine,
        told("a", [4, 2], [0]),
        told("b", [2]),
        told("c", [3], fails="timeout"),
        told("d", [3]),
        told("e", []),
    )
    run.set("a", E1, 1)
    run.decide("b", E1, Action.EXCLUDE)
    run.confirm_left("d")

    figures = run_figures(engine, [run.run_id])[run.run_id]

    summary = run_summary(engine, run.run_id)
    assert (figures.mean.value, figures.mean.n) == (summary.mean.value, summary.mean.n)
    assert figures.reviewed == summary.review.examples == 2
    assert figures.touched == 3
    assert not figures.judge_only
    assert not figures.all_reviewed


def test_a_run_that_nobody_has_judged_has_a_mean_over_none(engine: Engine) -> None:
    run = queued_run(engine, kept_dataset(engine, examples(2)))

    assert run_figures(engine, [run]) == {run: RunFigures(Mean(None, 0, 0), 0, 0, 0)}


def test_no_runs_are_no_figures(engine: Engine) -> None:
    assert run_figures(engine, []) == {}


def test_all_is_reviewed_when_every_example_with_units_is(engine: Engine) -> None:
    run = desk(engine, told("a", [4], [2]), told("skipped", []))
    run.set("a", B1, 3)
    assert not run_figures(engine, [run.run_id])[run.run_id].all_reviewed

    run.confirm_left("a")

    assert run_figures(engine, [run.run_id])[run.run_id].all_reviewed


def test_who_decided_last_is_told_run_by_run(engine: Engine) -> None:
    run = desk(engine, told("a", [4]), told("b", [2]))
    run.set("a", E1, 1, by="Mara")
    run.set("b", E1, 1, by="Jonas")

    figures = run_figures(engine, [run.run_id])[run.run_id]

    assert (figures.last_reviewer, figures.last_decision_at) == ("Jonas", NOW)


def test_each_person_has_a_place_of_their_own_to_go_on(engine: Engine) -> None:
    run = desk(engine, told("a", [4]), told("b", [2]))
    run.set("a", E1, 1, by="Mara")
    run.set("b", E1, 1, by="Jonas")

    assert last_stop(engine, "Mara") == LastStop(run.run_id, run.judgements["a"], NOW, Queue.CHOSEN)
    assert last_stop(engine, "Ana") is None


def test_nobody_goes_on_in_a_run_that_was_put_away_or_deleted(engine: Engine) -> None:
    run = desk(engine, told("a", [4]))
    run.set("a", E1, 1)

    archive_run(engine, run.run_id, now=NOW)
    assert last_stop(engine, "Mara") is None

    delete_run(engine, run.run_id, author="Ana", now=NOW)
    assert last_stop(engine, "Mara") is None


def test_the_mean_is_exact(engine: Engine) -> None:
    run = desk(engine, *(told(f"e{i}", [score]) for i, score in enumerate((1, 2, 2))))

    assert run_figures(engine, [run.run_id])[run.run_id].mean.value == Fraction(5, 3)

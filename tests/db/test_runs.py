"""Making runs and what people do with them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from fractions import Fraction
from typing import ClassVar

import pytest
from sqlalchemy import Engine, select

from db.claims import finish_run
from db.datasets import delete_dataset, stream_examples
from db.engine import reading
from db.errors import NotKept, NotPossibleNow, Unkeepable
from db.reviews import decide
from db.runs import (
    NewRun,
    RunOptions,
    RunState,
    archive_run,
    cancel_run,
    claim_run,
    clone_settings,
    create_run,
    create_runs,
    delete_run,
    get_run,
    list_runs,
    pause_run,
    rename_run,
    rerun_failed,
    resume_run,
    unarchive_run,
)
from db.tables import JudgementRow, StatementSetRow, TombstoneRow, UnitRow
from recall_core.errors import InvalidSetting, RecallError
from recall_core.judges import make_judge
from recall_core.types import Action, FailureKind, JudgeFailure, Outcome, UnitKind, UnitRef, Verdict
from recall_core.types import Example as Sample
from tests.db.making import (
    NOW,
    Found,
    example,
    examples,
    judge_everything,
    kept_dataset,
    queued_run,
)

FIRST = UnitRef(UnitKind.EXPECTED_CONTEXT, 1)


class OfStatements(Found):
    """Reads the statements that the run has frozen."""

    uses_statements: ClassVar[bool] = True


class Breaks(Found):
    """Fails on every example, and keeps the unit that it could not score."""

    def judge(self, example: Sample) -> Outcome:
        unscored = tuple(
            Verdict(verdict.unit, None, failure=FailureKind.TIMEOUT)
            for verdict in self._verdicts(example)
        )
        return JudgeFailure(example.id, FailureKind.TIMEOUT, "It took too long.", unscored)


def finish(engine: Engine) -> None:
    """Bring the only run that waits to its end."""
    claim = claim_run(engine, "host:1:0-x", NOW)
    assert claim is not None
    judge_everything(engine, claim.run_id)
    assert finish_run(engine, claim, NOW)


def test_a_run_keeps_judge_version_settings_and_who_asked_for_it(engine: Engine) -> None:
    dataset_id = kept_dataset(engine, examples(2))
    judge = make_judge("context_recall", {"threshold": 0.7, "pass_at": 0.8})
    options = RunOptions(mode="independent", reviewers_needed=2, blind=True, halves=True)

    run_id = create_run(
        engine,
        dataset_id=dataset_id,
        judge=judge,
        name=" strict ",
        options=options,
        author="Ana",
        now=NOW,
    )

    run = get_run(engine, run_id)
    assert (run.name, run.dataset, run.judge, run.judge_version) == (
        "strict",
        "facts",
        "context_recall",
        judge.version,
    )
    assert make_judge(run.judge, run.settings) == judge
    assert (run.pass_mark, run.formula, run.options) == (Fraction(4, 5), judge.formula, options)
    assert (run.created_by, run.created_at, run.state) == ("Ana", NOW, RunState.QUEUED)


def test_a_run_over_a_dataset_that_is_gone_is_refused(engine: Engine) -> None:
    with pytest.raises(NotKept, match="no dataset 7"):
        queued_run(engine, 7)


def test_a_run_needs_a_name(engine: Engine) -> None:
    dataset_id = kept_dataset(engine, examples(1))

    with pytest.raises(Unkeepable, match="name is needed"):
        create_run(
            engine,
            dataset_id=dataset_id,
            judge=Found(),
            name="",
            options=RunOptions(),
            author="Ana",
            now=NOW,
        )


class Unfit(Found):
    """Cannot be frozen with a run."""

    @property
    def prompt_hash(self) -> str | None:
        raise InvalidSetting("It has no words.")


@pytest.mark.parametrize(
    "bad", [NewRun(Found(), " "), NewRun(Unfit(), "second"), NewRun(Unfit(), "")]
)
def test_of_several_runs_all_are_queued_or_none(engine: Engine, bad: NewRun) -> None:
    dataset_id = kept_dataset(engine, examples(1))

    def queue(*wanted: NewRun) -> list[int]:
        return create_runs(
            engine, wanted, dataset_id=dataset_id, options=RunOptions(), author="Ana", now=NOW
        )

    with pytest.raises(RecallError):
        queue(NewRun(Found(), "first"), bad, NewRun(Found(), "third"))
    assert list_runs(engine) == []

    ids = queue(NewRun(Found(), "first"), NewRun(Found(), "second"))
    assert [get_run(engine, run_id).name for run_id in ids] == ["first", "second"]


@pytest.mark.parametrize("wrong", [{"mode": "open"}, {"reviewers_needed": 0}])
def test_options_that_make_no_sense_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(Unkeepable):
        RunOptions(**wrong)


def test_runs_of_statements_share_one_split_of_the_dataset(engine: Engine) -> None:
    silent = replace(example(2), expected_output=None)
    dataset_id = kept_dataset(engine, [example(1), silent])

    first = queued_run(engine, dataset_id, judge=OfStatements())
    second = queued_run(engine, dataset_id, judge=OfStatements())

    set_id = get_run(engine, first).statement_set_id
    assert set_id is not None
    assert get_run(engine, second).statement_set_id == set_id
    split = [e.statements for e in stream_examples(engine, dataset_id, statement_set_id=set_id)]
    assert split == [("One is 1.", "Two is two."), None]


def test_a_judge_without_statements_makes_no_split(engine: Engine) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(1)))

    assert get_run(engine, run_id).statement_set_id is None
    with reading(engine) as session:
        assert session.scalars(select(StatementSetRow)).all() == []


def test_runs_are_listed_newest_first_with_their_counts(engine: Engine) -> None:
    dataset_id = kept_dataset(
        engine,
        [example(1), example(2, question="fail"), replace(example(3), retrieved=None)],
    )
    first, second = queued_run(engine, dataset_id), queued_run(engine, dataset_id)
    judge_everything(engine, first)

    runs = list_runs(engine)

    assert [run.id for run in runs] == [second, first]
    assert [(r.processed, r.failed, r.skipped, r.examples) for r in runs] == [
        (0, 0, 0, 3),
        (1, 1, 1, 3),
    ]


def test_the_runs_of_one_dataset_can_be_listed(engine: Engine) -> None:
    one, other = (kept_dataset(engine, examples(1)) for _ in range(2))
    run_id = queued_run(engine, one)
    queued_run(engine, other)

    assert [run.id for run in list_runs(engine, dataset_id=one)] == [run_id]


def test_an_archived_run_is_out_of_the_list_until_it_is_brought_back(engine: Engine) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(1)))

    archive_run(engine, run_id, now=NOW)
    hidden, shown = list_runs(engine), list_runs(engine, archived=True)
    unarchive_run(engine, run_id)

    assert hidden == []
    assert [run.archived_at for run in shown] == [NOW]
    assert [run.archived_at for run in list_runs(engine)] == [None]


def test_a_run_can_be_renamed(engine: Engine) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(1)))

    rename_run(engine, run_id, "second thoughts")

    assert get_run(engine, run_id).name == "second thoughts"


def test_a_clone_starts_from_what_the_run_was_made_from(engine: Engine) -> None:
    dataset_id = kept_dataset(engine, examples(1))
    run_id = queued_run(engine, dataset_id)

    template = clone_settings(engine, run_id)

    assert (template.dataset_id, template.judge, template.name) == (dataset_id, "found", "first")
    assert Found.model_validate(template.settings) == Found()
    assert template.options == RunOptions()


def test_a_run_pauses_resumes_and_is_cancelled(engine: Engine) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(1)))
    states = []

    for act in (pause_run, resume_run, lambda e, i: cancel_run(e, i, now=NOW), resume_run):
        act(engine, run_id)
        states.append(get_run(engine, run_id).state)

    assert states == [RunState.PAUSED, RunState.QUEUED, RunState.CANCELLED, RunState.QUEUED]


def test_a_finished_run_cannot_be_paused_and_says_so(engine: Engine) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(1)))
    finish(engine)

    with pytest.raises(NotPossibleNow, match="first is done, so it cannot be paused"):
        pause_run(engine, run_id)


def test_only_what_failed_is_judged_again(engine: Engine) -> None:
    dataset_id = kept_dataset(engine, [example(1), example(2, question="fail"), example(3)])
    run_id = queued_run(engine, dataset_id)
    finish(engine)

    count = rerun_failed(engine, run_id)

    run = get_run(engine, run_id)
    assert (count, run.state, run.processed, run.failed) == (1, RunState.QUEUED, 2, 0)


def test_where_nothing_failed_the_run_stays_done(engine: Engine) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(2)))
    finish(engine)

    assert rerun_failed(engine, run_id) == 0
    assert get_run(engine, run_id).state is RunState.DONE


def test_a_running_run_is_not_rerun_under_the_workers_feet(engine: Engine) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(1)))
    claim_run(engine, "host:1:0-x", NOW)

    with pytest.raises(NotPossibleNow, match="is running"):
        rerun_failed(engine, run_id)


@pytest.mark.parametrize("units", [1, 2])
def test_what_a_person_has_decided_on_is_not_judged_again(engine: Engine, units: int) -> None:
    rows = [replace(e, ground_truth=(e.ground_truth or ()) * units) for e in examples(2)]
    run_id = queued_run(engine, kept_dataset(engine, rows), judge=Breaks())
    judge_everything(engine, run_id, Breaks())
    with reading(engine) as session:
        judgement_id = session.scalars(select(JudgementRow.id).order_by(JudgementRow.id)).first()
    decide(
        engine,
        judgement_id or 0,
        FIRST,
        Action.SET,
        score=Fraction(1),
        reviewer="Ben",
        seen=0,
        client_id="c",
        client_seq=1,
        now=NOW,
    )

    count = rerun_failed(engine, run_id)

    assert count == 1
    with reading(engine) as session:
        left = session.scalars(select(JudgementRow).where(~JudgementRow.again)).one()
    assert (left.id, left.final) == (judgement_id, Fraction(1) if units == 1 else None)


def test_a_deleted_run_takes_its_decisions_along_and_leaves_a_tombstone(engine: Engine) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(2)))
    judge_everything(engine, run_id)
    decide(
        engine,
        1,
        FIRST,
        Action.CONFIRM,
        reviewer="Ben",
        seen=0,
        client_id="c",
        client_seq=1,
        now=NOW,
    )

    delete_run(engine, run_id, author="Ben", now=NOW + timedelta(hours=1))

    with pytest.raises(NotKept, match="no run 1"):
        get_run(engine, run_id)
    with reading(engine) as session:
        assert session.scalars(select(UnitRow)).all() == []
        stone = session.scalars(select(TombstoneRow)).one()
    assert (stone.kind, stone.name, stone.deleted_by) == ("run", "first", "Ben")
    assert len(stone.hash) == 64


def test_deleting_a_run_leaves_another_runs_units_alone(engine: Engine) -> None:
    dataset_id = kept_dataset(engine, examples(2))
    first, second = queued_run(engine, dataset_id), queued_run(engine, dataset_id)
    judge_everything(engine, first)
    judge_everything(engine, second)

    delete_run(engine, first, author="Ben", now=NOW)

    with reading(engine) as session:
        assert len(session.scalars(select(UnitRow)).all()) == 2
    assert get_run(engine, second).processed == 2


def test_an_address_or_an_open_desk_of_something_deleted_never_means_another(
    engine: Engine,
) -> None:
    def made() -> tuple[int, int, set[int]]:
        dataset_id = kept_dataset(engine, examples(2))
        run_id = queued_run(engine, dataset_id)
        judge_everything(engine, run_id)
        with reading(engine) as session:
            of_run = select(JudgementRow.id).where(JudgementRow.run_id == run_id)
            return dataset_id, run_id, set(session.scalars(of_run))

    dataset, run, judgements = made()
    delete_dataset(engine, dataset, author="Ben", now=NOW, with_runs=True)
    other_dataset, other_run, other_judgements = made()

    assert other_dataset != dataset
    assert other_run != run
    assert not judgements & other_judgements

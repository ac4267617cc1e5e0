"""The worker's loop: what it judges, when it writes, and when it gives up."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import ClassVar

import pytest
from sqlalchemy import Engine, select, update

from db.claims import claim_run
from db.engine import BUSY_SECONDS, reading, transaction
from db.judging import ROOM, LocalJudging, unjudged_examples
from db.owners import new_owner
from db.recording import Pace
from db.runs import RunState, delete_run, get_run, pause_run, rename_run
from db.tables import JudgementRow, RunRow
from db.working import judge_claimed, work
from recall_core.errors import InvalidSetting
from recall_core.judges import make_judge
from recall_core.judges.base import Judge
from recall_core.types import Example, Formula, Outcome
from tests.db.making import (
    NOW,
    Found,
    examples,
    judge_everything,
    kept_dataset,
    make_found,
    queued_run,
    until,
)

QUICK = Pace(record=0.02, look=0.02, patience=5)

Make = Callable[[str, Mapping[str, object]], Judge]


class Gated(Found):
    """Judges one example for each time that the gate was opened."""

    gate: ClassVar[threading.Semaphore]
    asked: ClassVar[list[str]]

    def judge(self, example: Example) -> Outcome:
        self.asked.append(example.id)
        self.gate.acquire()
        return super().judge(example)


@pytest.fixture
def gated() -> Iterator[type[Gated]]:
    """A class of its own, shut; opened wide at the end so that no thread hangs on."""

    class Fresh(Gated):
        gate: ClassVar[threading.Semaphore] = threading.Semaphore(0)
        asked: ClassVar[list[str]] = []

    yield Fresh
    Fresh.gate.release(100_000)


def clock() -> datetime:
    return datetime.now(UTC)


@contextmanager
def at_work(engine: Engine, make: Make, pace: Pace = QUICK) -> Iterator[threading.Event]:
    """A worker in a thread of this process, stopped at the end."""
    stop = threading.Event()
    thread = threading.Thread(
        target=work,
        args=(engine,),
        kwargs={"owner": new_owner(), "stop": stop, "clock": clock, "make": make, "pace": pace},
    )
    thread.start()
    try:
        yield stop
    finally:
        stop.set()
        thread.join(30)
        assert not thread.is_alive()


def is_over(engine: Engine, run_id: int) -> bool:
    return not get_run(engine, run_id).state.active


def worked_off(engine: Engine, run_id: int, make: Make = make_found) -> None:
    with at_work(engine, make):
        until(lambda: is_over(engine, run_id))


def test_a_queued_run_is_judged_in_the_datasets_order_and_done(engine: Engine) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(130)))

    worked_off(engine, run_id)

    run = get_run(engine, run_id)
    assert (run.state, run.processed) == (RunState.DONE, 130)
    with reading(engine) as session:
        positions = session.scalars(select(JudgementRow.position).order_by(JudgementRow.id)).all()
    assert positions == list(range(1, 131))


def test_only_examples_without_a_judgement_are_judged(engine: Engine, gated: type[Gated]) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(4)))
    judge_everything(engine, run_id)
    with transaction(engine) as session:
        session.delete(session.get_one(JudgementRow, 2))
    gated.gate.release(10)

    worked_off(engine, run_id, lambda _name, settings: gated.model_validate(settings))

    assert gated.asked == ["e2"]


def test_an_answer_is_stored_while_the_judge_still_thinks_about_the_next(
    engine: Engine, gated: type[Gated]
) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(5)))

    with at_work(engine, lambda _name, settings: gated.model_validate(settings)):
        gated.gate.release(1)
        until(lambda: get_run(engine, run_id).processed == 1)
        still_at_it = get_run(engine, run_id).state
        gated.gate.release(100)
        until(lambda: is_over(engine, run_id))

    assert still_at_it is RunState.RUNNING


def test_the_lease_is_renewed_while_the_judge_thinks(engine: Engine, gated: type[Gated]) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(1)))

    def lease() -> datetime | None:
        with reading(engine) as session:
            return session.scalars(select(RunRow.lease_until)).one()

    pace = Pace(record=0.02, look=0.02, renew=0.05)
    with at_work(engine, lambda _name, settings: gated.model_validate(settings), pace):
        until(lambda: len(gated.asked) == 1)
        first = lease()
        until(lambda: lease() != first)
        gated.gate.release(100)
        until(lambda: is_over(engine, run_id))


def test_a_judge_that_hangs_is_left_behind_when_the_worker_must_end(
    engine: Engine, gated: type[Gated]
) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(5)))

    pace = Pace(record=0.02, look=0.02, patience=0.2)
    with at_work(engine, lambda _name, settings: gated.model_validate(settings), pace):
        until(lambda: len(gated.asked) >= 1)

    assert get_run(engine, run_id).state is RunState.QUEUED


def test_a_judge_may_only_be_so_far_ahead_of_what_is_stored(engine: Engine) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(450)))
    asked: list[str] = []

    class Counting(Found):
        def judge(self, example: Example) -> Outcome:
            asked.append(example.id)
            return super().judge(example)

    claim = claim_run(engine, new_owner(), NOW)
    assert claim is not None
    judging = LocalJudging(engine, claim, Counting())
    judging.start()
    until(lambda: len(asked) >= ROOM)
    judging.halt.set()
    judging.join(30)

    assert len(asked) == ROOM
    assert get_run(engine, run_id).processed == 0


def test_a_run_that_is_deleted_meanwhile_leaves_nothing(engine: Engine, gated: type[Gated]) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(30)))

    with at_work(engine, lambda _name, settings: gated.model_validate(settings)):
        gated.gate.release(3)
        until(lambda: get_run(engine, run_id).processed >= 1)
        delete_run(engine, run_id, author="Ben", now=NOW)
        gated.gate.release(100)

    with reading(engine) as session:
        assert session.scalars(select(JudgementRow)).all() == []
        assert session.scalars(select(RunRow)).all() == []


def test_a_judge_that_is_gone_fails_the_run_with_a_sentence(engine: Engine) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(1)))

    def make_none(name: str, _settings: Mapping[str, object]) -> Judge:
        raise InvalidSetting(f"There is no judge named {name!r}.")

    worked_off(engine, run_id, make_none)

    run = get_run(engine, run_id)
    assert (run.state, run.message) == (RunState.FAILED, "There is no judge named 'found'.")
    assert run.ended_at is not None


def test_settings_that_no_longer_fit_fail_the_run_with_a_sentence(engine: Engine) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(1)))
    with transaction(engine) as session:
        session.execute(update(RunRow).values(judge="context_recall", settings={"colour": "red"}))

    stop = threading.Event()
    claim = claim_run(engine, new_owner(), NOW)
    assert claim is not None
    judge_claimed(engine, claim, stop=stop, clock=clock, make=make_judge, pace=QUICK)

    run = get_run(engine, run_id)
    assert run.state is RunState.FAILED
    assert "colour" in run.message


def test_a_run_begun_with_another_version_of_the_judge_is_not_mixed(engine: Engine) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(2)))

    class Newer(Found):
        version: ClassVar[int] = 2

    worked_off(engine, run_id, lambda _name, settings: Newer.model_validate(settings))

    run = get_run(engine, run_id)
    assert (run.state, run.processed) == (RunState.FAILED, 0)
    assert run.message.startswith("The run was made with version 1 of found")
    assert "Clone the run" in run.message


def test_a_judge_that_breaks_on_one_example_fails_that_example_only(engine: Engine) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(3)))

    class Brittle(Found):
        def judge(self, example: Example) -> Outcome:
            if example.id == "e2":
                raise ZeroDivisionError("of all things")
            return super().judge(example)

    worked_off(engine, run_id, lambda _name, settings: Brittle.model_validate(settings))

    run = get_run(engine, run_id)
    assert (run.state, run.processed, run.failed) == (RunState.DONE, 2, 1)


def test_a_judge_that_cannot_judge_here_fails_the_run_with_its_sentence(engine: Engine) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(1)))

    class Remote(Judge):
        name: ClassVar[str] = "found"
        version: ClassVar[int] = 1
        title: ClassVar[str] = "Far away"
        formula: ClassVar[Formula] = Formula.SHARE

        def lacks(self, example: Example) -> str | None:
            return None

    worked_off(engine, run_id, lambda _name, settings: Remote.model_validate(settings))

    run = get_run(engine, run_id)
    assert run.state is RunState.FAILED
    assert run.message.startswith("The judge found")


def test_a_judge_whose_check_breaks_the_stream_fails_the_run_and_names_the_error(
    engine: Engine,
) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(1)))
    with transaction(engine) as session:
        session.execute(update(RunRow).values(statement_set_id=None))
        session.connection().exec_driver_sql("UPDATE retrieved_passage SET rank = 'first'")
        session.connection().exec_driver_sql("UPDATE ground_truth_passage SET kind = 'colour'")

    worked_off(engine, run_id)

    run = get_run(engine, run_id)
    assert run.state is RunState.FAILED
    assert run.message.startswith("Judging with found broke off: ValueError")


def test_a_judge_of_statements_gets_those_of_its_run(engine: Engine) -> None:
    class OfStatements(Found):
        uses_statements: ClassVar[bool] = True

    queued_run(engine, kept_dataset(engine, examples(1)), judge=OfStatements())
    claim = claim_run(engine, new_owner(), NOW)
    assert claim is not None

    (waiting,) = unjudged_examples(engine, claim)

    assert (waiting.position, waiting.example.statements) == (1, ("One is 1.", "Two is two."))


def test_a_reviewers_write_never_waits_long_while_a_run_is_recorded(engine: Engine) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(600)))
    waits = []

    with at_work(engine, make_found, Pace(record=0.0, look=0.02)):
        while not is_over(engine, run_id):
            begun = time.monotonic()
            rename_run(engine, run_id, f"name {len(waits)}")
            waits.append(time.monotonic() - begun)

    assert get_run(engine, run_id).processed == 600
    assert max(waits) < BUSY_SECONDS / 3


def test_a_paused_run_is_noticed_while_the_judge_thinks(engine: Engine, gated: type[Gated]) -> None:
    dataset_id = kept_dataset(engine, examples(20))
    run_id, next_id = queued_run(engine, dataset_id), queued_run(engine, dataset_id)
    pace = Pace(record=0.02, look=0.02, patience=0.2)

    with at_work(engine, lambda _name, settings: gated.model_validate(settings), pace):
        until(lambda: len(gated.asked) >= 1)
        pause_run(engine, run_id)
        until(lambda: get_run(engine, next_id).state is RunState.RUNNING)

    assert get_run(engine, run_id).state is RunState.PAUSED

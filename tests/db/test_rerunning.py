"""A failed example is judged again in its place: same number, better answer, nothing lost."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import pytest
from sqlalchemy import Engine, insert, select

from db.claims import claim_run
from db.details import read_judgement
from db.engine import reading, transaction
from db.errors import NotKept, NotPossibleNow
from db.recount import recount
from db.reviews import decide
from db.runs import (
    RunState,
    cancel_run,
    get_run,
    pause_run,
    progress,
    rerun_failed,
    rerun_judgement,
)
from db.tables import JudgementRow, ModelCallRow, RunRow, VerdictRow
from recall_core.results import Status
from recall_core.types import (
    Action,
    Example,
    FailureKind,
    JudgeFailure,
    Outcome,
    Skipped,
    UnitKind,
    UnitRef,
)
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


class Broken(Found):
    """Fails on every example."""

    kind: ClassVar[FailureKind] = FailureKind.UNPARSEABLE

    def judge(self, example: Example) -> Outcome:
        return JudgeFailure(example.id, self.kind, "No sense in it.", raw_response="blah")


class NoKey(Found):
    """Skips every example."""

    def judge(self, example: Example) -> Outcome:
        return Skipped(example.id, "No key is set.")


def finished(engine: Engine, run_id: int) -> int:
    with transaction(engine) as session:
        session.get_one(RunRow, run_id).state = RunState.DONE.value
    return run_id


def failed_run(engine: Engine, count: int = 2, judge: type[Found] = Broken) -> int:
    run_id = queued_run(engine, kept_dataset(engine, examples(count)))
    judge_everything(engine, run_id, judge())
    return finished(engine, run_id)


def settle(engine: Engine, judgement_id: int, seq: int = 1) -> None:
    decide(
        engine,
        judgement_id,
        FIRST,
        Action.SET,
        score=Fraction(1),
        reviewer="Ben",
        seen=0,
        client_id="c",
        client_seq=seq,
        now=NOW,
    )


def test_one_failed_example_is_judged_again_alone_under_its_own_number(engine: Engine) -> None:
    run_id = failed_run(engine)

    rerun_judgement(engine, 2)
    waiting = read_judgement(engine, 2)
    judge_everything(engine, run_id)

    assert (waiting.again, waiting.status, waiting.raw_response) == (True, Status.ERROR, "blah")
    judged = read_judgement(engine, 2)
    assert (judged.again, judged.status, judged.trace.final) == (False, Status.PROCESSED, 1)
    assert (judged.error_type, judged.raw_response) == (None, None)
    assert read_judgement(engine, 1).status is Status.ERROR
    assert recount(engine).equal


def test_the_verdicts_of_the_failure_go_with_it(engine: Engine) -> None:
    run_id = failed_run(engine, 1)
    rerun_judgement(engine, 1)

    judge_everything(engine, run_id)

    with reading(engine) as session:
        (verdict,) = session.scalars(select(VerdictRow)).all()
    assert (verdict.score, verdict.failure) == (Fraction(1), None)


def test_an_example_that_waits_to_be_judged_again_counts_as_left(engine: Engine) -> None:
    run_id = failed_run(engine, 3)

    rerun_judgement(engine, 2)

    run, now = get_run(engine, run_id), progress(engine, run_id, NOW)
    assert (run.state, run.failed) == (RunState.QUEUED, 2)
    assert (now.failed, now.left, now.by_kind) == (2, 1, {"unparseable": 2})


def test_a_run_that_failed_again_keeps_the_newer_failure(engine: Engine) -> None:
    run_id = failed_run(engine, 1)
    rerun_judgement(engine, 1)

    class Late(Broken):
        kind: ClassVar[FailureKind] = FailureKind.TIMEOUT

    judge_everything(engine, run_id, Late())

    again = read_judgement(engine, 1)
    assert (again.error_type, again.again) == (FailureKind.TIMEOUT, False)


def test_what_a_person_settles_in_the_meantime_is_not_replaced(engine: Engine) -> None:
    run_id = failed_run(engine, 1)
    rerun_judgement(engine, 1)
    settle(engine, 1)

    judge_everything(engine, run_id)

    settled = read_judgement(engine, 1)
    assert (settled.status, settled.trace.final, settled.again) == (Status.ERROR, 1, False)
    assert recount(engine).equal


def test_a_failure_that_a_person_settles_has_a_final(engine: Engine) -> None:
    failed_run(engine, 1)
    before = read_judgement(engine, 1)

    settle(engine, 1)

    after = read_judgement(engine, 1)
    assert (before.trace.final, after.trace.final) == (None, 1)
    assert after.judge_trace.final is None


def test_an_example_that_was_skipped_is_judged_again_too(engine: Engine) -> None:
    run_id = failed_run(engine, 1, NoKey)

    rerun_judgement(engine, 1)
    judge_everything(engine, run_id)

    assert read_judgement(engine, 1).trace.final == 1


def test_a_run_that_is_running_takes_one_more_example(engine: Engine) -> None:
    run_id = failed_run(engine, 1)
    with transaction(engine) as session:
        session.get_one(RunRow, run_id).state = RunState.QUEUED.value
    claim_run(engine, "host:1:0-x", NOW)

    rerun_judgement(engine, 1)

    assert get_run(engine, run_id).state is RunState.RUNNING


def refusal(engine: Engine, judgement_id: int) -> str:
    with pytest.raises((NotPossibleNow, NotKept)) as caught:
        rerun_judgement(engine, judgement_id)
    return str(caught.value)


def test_an_example_that_is_scored_decided_or_gone_is_not_judged_again(engine: Engine) -> None:
    run_id = queued_run(engine, kept_dataset(engine, [example(1), example(2, question="fail")]))
    judge_everything(engine, run_id)
    finished(engine, run_id)
    settle(engine, 2)

    assert "has scored this example" in refusal(engine, 1)
    assert "A person has decided" in refusal(engine, 2)
    assert "no judgement 3" in refusal(engine, 3)


def test_a_run_that_stands_still_is_resumed_before_one_example_is_repeated(engine: Engine) -> None:
    run_id = queued_run(engine, kept_dataset(engine, examples(2)))
    judge_everything(engine, run_id, Broken())
    pause_run(engine, run_id)
    assert "is paused. Resume it first" in refusal(engine, 1)
    cancel_run(engine, run_id, now=NOW)
    assert "is cancelled. Resume it first" in refusal(engine, 1)


def test_imported_judgements_have_no_judge_to_ask_again(engine: Engine) -> None:
    run_id = failed_run(engine, 1)
    with transaction(engine) as session:
        session.get_one(RunRow, run_id).kind = "imported"

    assert "were imported" in refusal(engine, 1)
    with pytest.raises(NotPossibleNow, match="were imported"):
        rerun_failed(engine, run_id)


@pytest.mark.parametrize(
    ("kind", "after"), [(FailureKind.UNPARSEABLE, 1), (FailureKind.TIMEOUT, 0)]
)
def test_only_replies_that_could_not_be_read_are_asked_for_anew(
    engine: Engine, kind: FailureKind, after: int
) -> None:
    class Fails(Broken):
        pass

    Fails.kind = kind
    run_id = failed_run(engine, 2, Fails)
    with transaction(engine) as session:
        session.execute(insert(ModelCallRow), [a_call(run_id)])

    rerun_failed(engine, run_id)

    with reading(engine) as session:
        assert session.scalars(select(JudgementRow.calls_after)).all() == [after, after]


def a_call(run_id: int) -> dict[str, object]:
    return {
        "run_id": run_id,
        "example_id": 1,
        "purpose": "verdicts",
        "request_hash": "h",
        "endpoint": "lab",
        "model": "big",
        "parameters": {},
        "prompt": [],
        "attempts": 1,
        "seconds": 0.1,
        "at": NOW,
    }

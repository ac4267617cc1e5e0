"""A worker that asks a model: what is asked, what is kept, and when it stops."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from sqlalchemy import Engine, func, select

from db.calls import calls_of
from db.claims import Busy, claim_run
from db.details import read_judgement
from db.engine import reading
from db.judging import ROOM
from db.judging_models import ModelJudging, Models
from db.owners import new_owner
from db.recording import Pace
from db.runs import (
    RunState,
    cancel_run,
    delete_run,
    get_run,
    pause_run,
    progress,
    raise_budget,
    rerun_failed,
    rerun_judgement,
    resume_run,
    run_spending,
)
from db.tables import JudgementRow, ModelCallRow, StatementRow
from recall_core.asking.judge import ModelJudge
from recall_core.judges import make_judge
from recall_core.judging import LOOK_AHEAD
from recall_core.llm.endpoints import Endpoint
from recall_core.results import Status
from recall_core.types import FailureKind
from tests.db.asking import (
    COST,
    KEY,
    at_work,
    example_numbers,
    facts,
    is_over,
    model_run,
    models,
    scores,
    slowly,
)
from tests.db.making import NOW, examples, kept_dataset, queued_run, until
from tests.llm_server import BROKEN, HANG, Answer, LlmServer, Received, error, reply, too_fast


def worked_off(engine: Engine, run_id: int, known: Models) -> None:
    with at_work(engine, known):
        until(lambda: is_over(engine, run_id))


def judged(engine: Engine, run_id: int) -> int:
    with reading(engine) as session:
        query = select(func.count()).where(JudgementRow.run_id == run_id, ~JudgementRow.again)
        return session.scalar(query) or 0


def calls(engine: Engine) -> list[int | None]:
    """The run of every call that is kept."""
    with reading(engine) as session:
        return list(session.scalars(select(ModelCallRow.run_id)))


def test_a_model_judges_every_example_once_and_what_it_cost_is_kept(engine: Engine) -> None:
    run_id = model_run(engine, kept_dataset(engine, facts(30)))

    with LlmServer(scores) as server:
        worked_off(engine, run_id, models(server))
        asked = example_numbers(server)

    run, now = get_run(engine, run_id), progress(engine, run_id, NOW)
    assert (run.state, run.processed, run.endpoint, run.model) == (RunState.DONE, 30, "lab", "big")
    assert set(asked.values()) == {1}
    assert now.spending is not None
    assert (now.spending.calls, now.spending.tokens_in, now.spending.tokens_out) == (30, 3000, 600)
    assert now.spending.spent == 30 * COST
    first = read_judgement(engine, 1)
    assert (first.trace.final, first.cost and first.cost.amount) == (4, COST)
    (call,) = calls_of(engine, 1)
    assert (call.model, call.cost, call.from_store) == ("big", COST, False)


def test_a_second_run_is_answered_from_the_store_and_says_so(engine: Engine) -> None:
    dataset_id = kept_dataset(engine, facts(5))
    first, second = model_run(engine, dataset_id), model_run(engine, dataset_id)

    with LlmServer(scores) as server:
        worked_off(engine, first, models(server))
        worked_off(engine, second, models(server))
        asked = len(server.received)

    spent = run_spending(engine, second)
    assert asked == 5
    assert (spent.calls, spent.from_store, spent.spent) == (0, 5, Decimal(0))
    (call,) = calls_of(engine, 6)
    assert call.from_store


def test_fresh_answers_are_asked_for_anew(engine: Engine) -> None:
    dataset_id = kept_dataset(engine, facts(3))
    first, second = model_run(engine, dataset_id), model_run(engine, dataset_id, fresh=True)

    with LlmServer(scores) as server:
        worked_off(engine, first, models(server))
        worked_off(engine, second, models(server))

        assert set(example_numbers(server).values()) == {2}


def test_two_examples_with_the_same_id_keep_their_own_answers(engine: Engine) -> None:
    twins = [replace(example, id="twin") for example in facts(4)]
    run_id = model_run(engine, kept_dataset(engine, twins))

    def by_number(received: Received) -> Answer:
        return scores(received, 5 if "They speak of 3." in received.prompt else 1)

    with LlmServer(by_number) as server:
        worked_off(engine, run_id, models(server))

    finals = [read_judgement(engine, n) for n in range(1, 5)]
    assert {d.position: d.trace.final for d in finals} == {1: 1, 2: 1, 3: 5, 4: 1}
    assert {d.example.id for d in finals} == {"twin"}


def test_the_key_is_sent_and_stands_nowhere_in_the_database(
    engine: Engine, database_url: str
) -> None:
    run_id = model_run(engine, kept_dataset(engine, facts(4)))

    def gossip(received: Received) -> Answer:
        assert received.headers["authorization"] == f"Bearer {KEY}"
        if "They speak of 2." in received.prompt:
            return error(400, f"Bad header: Authorization: Bearer {KEY}")
        return reply(f"You sent {KEY}", reasoning_content=f"Hm, {KEY}")

    with LlmServer(gossip) as server:
        worked_off(engine, run_id, models(server))

    assert get_run(engine, run_id).failed == 4
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    content = Path(database_url.removeprefix("sqlite:///")).read_bytes()
    assert b"[key]" in content
    assert KEY.encode() not in content


def test_cancelling_starts_no_further_call_and_keeps_the_answers_that_arrive(
    engine: Engine,
) -> None:
    run_id = model_run(engine, kept_dataset(engine, facts(40)), concurrency=4)

    with LlmServer(slowly(0.4)) as server, at_work(engine, models(server)):
        until(lambda: len(server.received) >= 6)
        cancel_run(engine, run_id, now=NOW)
        under_way = len(server.received) + 4
        until(lambda: judged(engine, run_id) == len(server.received))

    asked = len(server.received)
    assert asked <= under_way
    assert server.under_way == 0
    run = get_run(engine, run_id)
    assert (run.state, run.processed, run.failed) == (RunState.CANCELLED, asked, 0)


def test_a_worker_takes_the_next_run_while_a_cancelled_one_waits_for_its_answers(
    engine: Engine,
) -> None:
    dataset_id = kept_dataset(engine, facts(3))
    slow = model_run(engine, dataset_id, timeout_seconds=20)

    with LlmServer() as server, at_work(engine, models(server)):
        server.enqueue(HANG, HANG, HANG)
        server.enqueue(*[scores] * 3)
        until(lambda: len(server.received) == 3)
        cancel_run(engine, slow, now=NOW)
        quick = model_run(engine, dataset_id)
        until(lambda: get_run(engine, quick).state is RunState.DONE)

    assert get_run(engine, slow).processed == 0


def test_a_cancelled_run_goes_on_later_and_nothing_is_asked_twice(engine: Engine) -> None:
    run_id = model_run(engine, kept_dataset(engine, facts(30)), concurrency=3, fresh=True)

    with LlmServer(slowly(0.1)) as server, at_work(engine, models(server)):
        until(lambda: judged(engine, run_id) >= 3)
        cancel_run(engine, run_id, now=NOW)
        resume_run(engine, run_id)
        until(lambda: get_run(engine, run_id).state is RunState.DONE)

        assert set(example_numbers(server).values()) == {1}
    assert get_run(engine, run_id).processed == 30


def test_a_local_run_does_not_wait_for_a_model(engine: Engine) -> None:
    by_model = model_run(engine, kept_dataset(engine, facts(1)))
    local = queued_run(engine, kept_dataset(engine, examples(2), name="more"))

    with LlmServer() as server, at_work(engine, models(server)):
        server.enqueue(slowly(1.5))
        until(lambda: len(server.received) == 1)
        until(lambda: get_run(engine, local).state is RunState.DONE)
        assert get_run(engine, by_model).state is RunState.RUNNING
        until(lambda: is_over(engine, by_model))

    assert get_run(engine, by_model).processed == 1


def test_two_runs_of_one_endpoint_are_judged_one_after_the_other(engine: Engine) -> None:
    dataset_id = kept_dataset(engine, facts(1))
    model_run(engine, dataset_id)
    later = model_run(engine, dataset_id)
    claim_run(engine, new_owner(), NOW)

    assert claim_run(engine, new_owner(), NOW, Busy(endpoints=frozenset({"lab"}))) is None
    claimed = claim_run(engine, new_owner(), NOW)
    assert claimed is not None
    assert claimed.run_id == later


def test_the_budget_pauses_the_run_before_the_call_that_would_pass_it(engine: Engine) -> None:
    run_id = model_run(
        engine,
        kept_dataset(engine, facts(20)),
        concurrency=2,
        budget_usd=0.05,
        max_output_tokens=50,
    )

    with LlmServer(scores) as server:
        worked_off(engine, run_id, models(server))
        run, spent = get_run(engine, run_id), run_spending(engine, run_id)

        assert run.state is RunState.PAUSED
        assert run.message.startswith("The budget of $0.0500 ends here")
        assert 0 < run.processed < 20
        assert run.failed == 0
        assert spent.spent == run.processed * COST <= Decimal("0.05")

        raise_budget(engine, run_id, Decimal(5))
        resume_run(engine, run_id)
        worked_off(engine, run_id, models(server))

        assert (get_run(engine, run_id).state, get_run(engine, run_id).processed) == (
            RunState.DONE,
            20,
        )
        assert set(example_numbers(server).values()) == {1}


def test_a_budget_that_is_spent_stays_spent_when_the_run_is_resumed(engine: Engine) -> None:
    run_id = model_run(
        engine,
        kept_dataset(engine, facts(20)),
        concurrency=1,
        budget_usd=0.05,
        max_output_tokens=50,
    )

    with LlmServer(scores) as server:
        worked_off(engine, run_id, models(server))
        asked = len(server.received)
        resume_run(engine, run_id)
        worked_off(engine, run_id, models(server))

        assert len(server.received) == asked
    assert get_run(engine, run_id).state is RunState.PAUSED


def test_calls_without_a_reply_count_as_spent_at_their_worst_also_after_a_resume(
    engine: Engine,
) -> None:
    run_id = model_run(engine, kept_dataset(engine, facts(1)), timeout_seconds=0.2, budget_usd=1)

    with LlmServer() as server:
        server.enqueue(HANG, scores)
        worked_off(engine, run_id, models(server))

    spent = run_spending(engine, run_id)
    assert get_run(engine, run_id).processed == 1
    assert spent.uncertain > COST
    assert spent.spent == spent.uncertain + COST
    assert spent.retries == 1


def test_a_wrong_key_fails_the_run_at_once_and_leaves_the_examples_unjudged(
    engine: Engine,
) -> None:
    run_id = model_run(engine, kept_dataset(engine, facts(50)), concurrency=2)

    with LlmServer(error(401, "Incorrect API key provided")) as server:
        worked_off(engine, run_id, models(server))
        asked = len(server.received)

        run = get_run(engine, run_id)
        assert asked <= 2
        assert (run.state, run.processed, run.failed) == (RunState.FAILED, 0, 0)
        assert "key" in run.message
        assert run.ended_at is not None

        server.enqueue(*[scores] * 50)
        resume_run(engine, run_id)
        worked_off(engine, run_id, models(server))
    assert get_run(engine, run_id).processed == 50


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"endpoint": "gone"}, "no endpoint named gone"), ({"model": ""}, "choose a model")],
)
def test_a_run_that_nobody_can_be_asked_for_fails_with_a_sentence(
    engine: Engine, settings: dict[str, str], message: str
) -> None:
    run_id = model_run(engine, kept_dataset(engine, facts(2)), **settings)

    with LlmServer(scores) as server:
        worked_off(engine, run_id, models(server))

    run = get_run(engine, run_id)
    assert (run.state, run.processed, run.skipped) == (RunState.FAILED, 0, 0)
    assert message in run.message


def test_an_endpoint_without_its_key_fails_the_run_with_the_name_of_the_variable(
    engine: Engine,
) -> None:
    run_id = model_run(engine, kept_dataset(engine, facts(2)))
    unset = Endpoint("lab", "http://127.0.0.1:9/v1", problem="Endpoint lab: LAB_KEY is not set.")

    worked_off(engine, run_id, Models(endpoints=lambda: {"lab": unset}))

    run = get_run(engine, run_id)
    assert (run.state, run.message) == (RunState.FAILED, "Endpoint lab: LAB_KEY is not set.")


def test_a_server_that_is_too_fast_asked_is_waited_for_and_nobody_is_lost(engine: Engine) -> None:
    run_id = model_run(engine, kept_dataset(engine, facts(12)), concurrency=4)

    with LlmServer(scores) as server:
        server.enqueue(too_fast(0.3), too_fast(0.3), scores, too_fast(0.2), BROKEN)
        worked_off(engine, run_id, models(server))

    run, spent = get_run(engine, run_id), run_spending(engine, run_id)
    assert (run.state, run.processed) == (RunState.DONE, 12)
    assert (spent.retries, spent.calls, spent.failed_calls) == (4, 12, 0)


def test_failures_are_counted_by_kind_and_keep_the_raw_reply(engine: Engine) -> None:
    run_id = model_run(engine, kept_dataset(engine, facts(3)), concurrency=1)

    with LlmServer() as server:
        server.enqueue(reply("no idea"), reply("none at all"))
        server.enqueue(reply(None, refusal="I will not."))
        server.enqueue(scores)
        worked_off(engine, run_id, models(server))

    now = progress(engine, run_id, NOW)
    assert now.by_kind == {"refusal": 1, "unparseable": 1}
    assert now.spending is not None
    assert (now.spending.calls, now.spending.asked_again) == (4, 1)
    failed = read_judgement(engine, 1)
    assert (failed.status, failed.error_type) == (Status.ERROR, FailureKind.UNPARSEABLE)
    assert "no idea" in (failed.raw_response or "")
    assert [call.raw_reply for call in calls_of(engine, 1)] == ["none at all", "no idea"]
    assert [call.ask for call in calls_of(engine, 1)] == [2, 1]


def test_an_unreadable_example_is_asked_about_anew_when_it_is_judged_again(
    engine: Engine,
) -> None:
    run_id = model_run(engine, kept_dataset(engine, facts(2)), concurrency=1)

    with LlmServer(scores) as server:
        server.enqueue(reply("no idea"), reply("none at all"))
        worked_off(engine, run_id, models(server))
        rerun_judgement(engine, 1)
        worked_off(engine, run_id, models(server))

        assert example_numbers(server) == {"e1": 3, "e2": 1}
    again = read_judgement(engine, 1)
    assert (again.status, again.trace.final) == (Status.PROCESSED, 4)
    assert [call.earlier for call in calls_of(engine, 1)] == [False, True, True]


def test_replies_that_had_arrived_before_another_call_failed_are_not_paid_for_twice(
    engine: Engine,
) -> None:
    run_id = model_run(engine, kept_dataset(engine, facts(1)), samples=3, fresh=True)

    with LlmServer(scores) as server:
        server.enqueue(scores, error(400, "gone"), error(400, "gone"))
        worked_off(engine, run_id, models(server))
        failed = read_judgement(engine, 1)
        rerun_failed(engine, run_id)
        worked_off(engine, run_id, models(server))

        assert failed.error_type is FailureKind.INTERNAL
        assert len(server.received) == 5
    assert read_judgement(engine, 1).status is Status.PROCESSED


def test_statements_made_by_a_model_are_made_once_for_every_run(engine: Engine) -> None:
    dataset_id = kept_dataset(engine, facts(3))
    settings = {"judge": "contextual_recall", "statements": "model"}
    first = model_run(engine, dataset_id, **settings)
    second = model_run(engine, dataset_id, **settings, fresh=True)

    with LlmServer(scores) as server:
        worked_off(engine, first, models(server))
        worked_off(engine, second, models(server))
        splits = [r for r in server.received if "take a text apart" in r.prompt]

    assert get_run(engine, first).statement_set_id == get_run(engine, second).statement_set_id
    assert (len(splits), len(server.received)) == (3, 9)
    with reading(engine) as session:
        assert session.scalar(select(func.count()).select_from(StatementRow)) == 9
    units = [v.unit.text for v in read_judgement(engine, 4).verdicts]
    assert units == ["It is one.", "It is two.", "It is three."]
    assert read_judgement(engine, 1).example.statements == tuple(units)


def test_statements_that_a_model_cannot_make_fail_that_example_and_are_made_later(
    engine: Engine,
) -> None:
    dataset_id = kept_dataset(engine, facts(2))
    run_id = model_run(engine, dataset_id, "contextual_recall", statements="model", concurrency=1)

    with LlmServer(scores) as server:
        server.enqueue(reply(None, refusal="No."))
        worked_off(engine, run_id, models(server))
        failed = read_judgement(engine, 1)
        rerun_failed(engine, run_id)
        worked_off(engine, run_id, models(server))

    assert (failed.error_type, failed.example.statements) == (FailureKind.REFUSAL, None)
    assert "statements could not be made" in failed.details
    assert read_judgement(engine, 1).trace.final == 1
    assert len(read_judgement(engine, 1).verdicts) == 3


def test_a_paused_run_keeps_what_arrives_and_goes_on(engine: Engine) -> None:
    run_id = model_run(engine, kept_dataset(engine, facts(20)), concurrency=2)

    with LlmServer(slowly(0.15)) as server, at_work(engine, models(server)):
        until(lambda: judged(engine, run_id) >= 2)
        pause_run(engine, run_id)
        until(lambda: server.under_way == 0)
        until(lambda: judged(engine, run_id) == len(server.received))
        resume_run(engine, run_id)
        until(lambda: is_over(engine, run_id))

        assert set(example_numbers(server).values()) == {1}


def test_a_run_deleted_while_it_asks_leaves_the_paid_replies(engine: Engine) -> None:
    run_id = model_run(engine, kept_dataset(engine, facts(6)), concurrency=2)

    with LlmServer(slowly(0.3)) as server, at_work(engine, models(server)):
        until(lambda: len(server.received) == 2)
        delete_run(engine, run_id, author="Ben", now=NOW)
        until(lambda: server.under_way == 0)
        until(lambda: len(calls(engine)) == len(server.received))

    assert set(calls(engine)) == {None}


def test_a_worker_told_to_end_keeps_the_answers_that_arrive_in_time(engine: Engine) -> None:
    run_id = model_run(engine, kept_dataset(engine, facts(10)), concurrency=3)

    with LlmServer(slowly(0.3)) as server:
        with at_work(engine, models(server)):
            until(lambda: len(server.received) == 3)
        asked = len(server.received)
        assert (judged(engine, run_id), get_run(engine, run_id).state) == (asked, RunState.QUEUED)

        worked_off(engine, run_id, models(server))
        assert set(example_numbers(server).values()) == {1}


def test_a_worker_told_to_end_does_not_wait_for_a_server_that_hangs(engine: Engine) -> None:
    run_id = model_run(engine, kept_dataset(engine, facts(2)))

    with LlmServer(HANG) as server:
        with at_work(engine, models(server), Pace(record=0.02, look=0.02, patience=0.3)):
            until(lambda: len(server.received) == 2)

        assert get_run(engine, run_id).state is RunState.QUEUED


def test_a_store_that_cannot_be_written_stops_the_run_and_loses_no_example(
    engine: Engine,
) -> None:
    run_id = model_run(engine, kept_dataset(engine, facts(5)), concurrency=1)
    with engine.begin() as connection:
        connection.exec_driver_sql(
            "CREATE TRIGGER full BEFORE INSERT ON model_call "
            "BEGIN SELECT RAISE(ABORT, 'disk full'); END"
        )

    with LlmServer(scores) as server:
        worked_off(engine, run_id, models(server))

    run = get_run(engine, run_id)
    assert (run.state, run.failed, len(server.received)) == (RunState.FAILED, 0, 1)
    assert "disk full" in run.message


def test_the_lease_is_kept_while_a_model_thinks(engine: Engine) -> None:
    run_id = model_run(engine, kept_dataset(engine, facts(1)))

    with (
        LlmServer(slowly(0.6)) as server,
        at_work(engine, models(server), Pace(record=0.02, look=0.02, renew=0.05)),
    ):
        until(lambda: len(server.received) == 1)
        assert claim_run(engine, "elsewhere:1:0-x", NOW) is None
        until(lambda: is_over(engine, run_id))

    assert len(server.received) == 1


def test_a_model_may_only_be_so_far_ahead_of_what_is_recorded(engine: Engine) -> None:
    model_run(engine, kept_dataset(engine, facts(400)), concurrency=4)
    claim = claim_run(engine, new_owner(), NOW)
    assert claim is not None
    halt = threading.Event()
    judge = make_judge(claim.judge, claim.settings)
    assert isinstance(judge, ModelJudge)

    with LlmServer(scores) as server:
        judging = ModelJudging(engine, claim, judge, halt, clock=lambda: NOW, models=models(server))
        judging.start()
        until(lambda: len(judging.outbox) == ROOM)
        time.sleep(0.5)
        asked = len(server.received)
        halt.set()
        judging.join(30)

    assert len(judging.outbox) == len(server.received)
    assert ROOM <= asked <= ROOM + 4 * (LOOK_AHEAD + 2)


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="processors are not chosen here")
def test_the_threads_of_a_run_share_one_processor(engine: Engine) -> None:
    run_id = model_run(engine, kept_dataset(engine, facts(1)))
    names = (f"run {run_id}", f"judging run {run_id}")

    with LlmServer(slowly(0.5)) as server, at_work(engine, models(server)):
        until(lambda: len(server.received) == 1)
        threads = [thread for thread in threading.enumerate() if thread.name in names]
        where = [os.sched_getaffinity(thread.native_id or 0) for thread in threads]
        until(lambda: is_over(engine, run_id))

    assert len(where) == 2
    assert where[0] == where[1]
    assert len(where[0]) == 1

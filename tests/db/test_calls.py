"""Calls are kept on arrival, found again by what was asked, and shown beside the judgement."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Coroutine
from dataclasses import replace
from decimal import Decimal
from typing import Any, TypeVar

import pytest
from sqlalchemy import Engine, event, func, select, text

from db.calls import SqlCallStore, calls_of
from db.claims import claim_run
from db.datasets import delete_dataset
from db.engine import reading, transaction
from db.errors import NotKept
from db.owners import new_owner
from db.runs import cancel_run, delete_run
from db.tables import JudgementRow, ModelCallRow
from db.together import Together
from recall_core.llm.types import (
    CallFailed,
    CallRecord,
    ChatReply,
    ChatRequest,
    Message,
    OutputLevel,
    request_hash,
)
from recall_core.types import FailureKind
from tests.db.making import NOW, examples, judge_everything, kept_dataset, queued_run

T = TypeVar("T")

REPLY = ChatReply(
    "{}",
    model="big-2026",
    finish_reason="stop",
    reasoning_text="hm",
    tokens_in=100,
    tokens_out=20,
    level=OutputLevel.JSON_OBJECT,
    attempts=2,
    seconds=1.5,
    parameters={"model": "big", "temperature": 0},
    cost=Decimal("0.0012"),
)


def asked(example_id: int | None = 1, *, words: str = "How much?", **more: Any) -> ChatRequest:
    return ChatRequest(
        (Message("system", "You judge."), Message("user", words)),
        model="big",
        schema_name="verdicts",
        schema={},
        example_id=None if example_id is None else str(example_id),
        **more,
    )


def hash_of(request: ChatRequest) -> str:
    return request_hash("http://lab/v1", request)


def record(request: ChatRequest, reply: ChatReply | None = REPLY, **more: Any) -> CallRecord:
    return CallRecord(hash_of(request), "lab", request, reply, attempts=2, seconds=1.5, **more)


def store(engine: Engine, run_id: int | None, **more: Any) -> SqlCallStore:
    return SqlCallStore(engine, run_id, clock=lambda: NOW, **more)


def in_loop(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


def keep(
    engine: Engine, run_id: int | None, *requests: ChatRequest, reply: ChatReply = REPLY
) -> None:
    async def all_of_them() -> None:
        kept = store(engine, run_id)
        await asyncio.gather(*(kept.keep(record(request, reply)) for request in requests))

    in_loop(all_of_them())


def find(engine: Engine, run_id: int | None, request: ChatRequest, **more: Any) -> ChatReply | None:
    return in_loop(store(engine, run_id, **more).find(hash_of(request), request))


@pytest.fixture
def runs(engine: Engine) -> tuple[int, int]:
    """Two runs over two examples (rows 1 and 2)."""
    dataset_id = kept_dataset(engine, examples(2))
    return queued_run(engine, dataset_id), queued_run(engine, dataset_id)


def test_a_kept_reply_answers_the_same_question_whole(
    engine: Engine, runs: tuple[int, int]
) -> None:
    keep(engine, runs[0], asked())

    assert find(engine, runs[0], asked()) == replace(REPLY, from_store=True)
    assert find(engine, runs[0], asked(words="Another?")) is None
    assert find(engine, runs[0], asked(repeat=2)) is None


def test_a_reply_to_another_run_or_example_answers_unless_fresh_answers_are_wanted(
    engine: Engine, runs: tuple[int, int]
) -> None:
    first, second = runs
    keep(engine, first, asked(1))

    assert find(engine, second, asked(2)) is not None
    assert find(engine, None, asked(None)) is not None
    assert find(engine, second, asked(2), fresh=True) is None
    assert find(engine, first, asked(2), fresh=True) is None
    assert find(engine, first, asked(1), fresh=True) is not None


def test_at_the_command_line_fresh_means_that_nothing_answers(engine: Engine) -> None:
    keep(engine, None, asked(None))

    assert find(engine, None, asked(None)) is not None
    assert find(engine, None, asked(None), fresh=True) is None


def test_of_several_kept_replies_the_newest_answers(engine: Engine, runs: tuple[int, int]) -> None:
    keep(engine, runs[0], asked())
    keep(engine, runs[0], asked(), reply=replace(REPLY, text='{"a": 1}'))

    found = find(engine, runs[1], asked())

    assert found is not None
    assert found.text == '{"a": 1}'


def test_a_failed_call_is_kept_and_answers_nothing(engine: Engine, runs: tuple[int, int]) -> None:
    judge_everything(engine, runs[0])
    failed = record(
        asked(),
        None,
        failure=FailureKind.RATE_LIMIT,
        failure_message="Too fast.",
        failure_raw="429",
    )

    in_loop(store(engine, runs[0]).keep(failed))

    assert find(engine, runs[0], asked()) is None
    (call,) = calls_of(engine, 1)
    assert (call.failure, call.failure_message, call.failure_raw, call.attempts) == (
        FailureKind.RATE_LIMIT,
        "Too fast.",
        "429",
        2,
    )
    assert call.raw_reply is None


def test_an_example_asked_anew_takes_only_replies_that_came_since(
    engine: Engine, runs: tuple[int, int]
) -> None:
    keep(engine, runs[0], asked())

    async def ask_anew(run_id: int) -> ChatReply | None:
        kept = store(engine, run_id)
        kept.ask_anew(1, calls_after=1)
        return await kept.find(hash_of(asked()), asked())

    assert in_loop(ask_anew(runs[0])) is None
    keep(engine, runs[1], asked())
    assert in_loop(ask_anew(runs[0])) is None
    keep(engine, runs[0], asked())
    assert in_loop(ask_anew(runs[0])) is not None


def test_the_calls_of_a_judgement_are_its_own_and_those_it_shares(
    engine: Engine, runs: tuple[int, int]
) -> None:
    first, second = runs
    judge_everything(engine, first)
    judge_everything(engine, second)
    keep(engine, first, asked(1), asked(2, words="Other?"))

    find(engine, second, asked(1))
    find(engine, second, asked(1))

    (own,) = calls_of(engine, 1)
    (shared,) = calls_of(engine, 3)
    assert (own.id, own.from_store, shared.id, shared.from_store) == (1, False, 1, True)
    assert own.prompt == (Message("system", "You judge."), Message("user", "How much?"))
    assert (own.endpoint, own.model, own.answered_by) == ("lab", "big", "big-2026")
    assert (own.raw_reply, own.reasoning, own.level) == ("{}", "hm", OutputLevel.JSON_OBJECT)
    assert (own.tokens_in, own.tokens_out, own.cost) == (100, 20, Decimal("0.0012"))
    assert (own.attempts, own.seconds, own.at) == (2, 1.5, NOW)
    assert own.parameters == {"model": "big", "temperature": 0}


def test_calls_before_the_example_was_judged_again_come_last_and_are_marked_as_earlier(
    engine: Engine, runs: tuple[int, int]
) -> None:
    judge_everything(engine, runs[0])
    keep(engine, runs[0], asked(ask=1))
    keep(engine, runs[0], asked(ask=2))
    with transaction(engine) as session:
        session.get_one(JudgementRow, 1).calls_after = 1

    assert [call.earlier for call in calls_of(engine, 1)] == [False, True]


def test_calls_of_a_judgement_that_is_gone_are_asked_for_in_vain(engine: Engine) -> None:
    with pytest.raises(NotKept, match="no judgement 7"):
        calls_of(engine, 7)


def test_half_a_character_and_the_key_in_what_a_server_says_are_not_kept(
    engine: Engine, runs: tuple[int, int]
) -> None:
    said = replace(REPLY, text="half \ud83d secret", reasoning_text="secret")

    async def keep_it() -> None:
        hidden = store(engine, runs[0], redact=lambda t: t.replace("secret", "[key]"))
        await hidden.keep(record(asked(), said))

    in_loop(keep_it())

    found = find(engine, runs[0], asked())
    assert found is not None
    assert (found.text, found.reasoning_text) == ("half ? [key]", "[key]")


def calls(engine: Engine) -> list[tuple[int | None, int | None]]:
    with reading(engine) as session:
        query = select(ModelCallRow.run_id, ModelCallRow.example_id).order_by(ModelCallRow.id)
        return [(run_id, example_id) for run_id, example_id in session.execute(query)]


def test_a_paid_reply_outlives_its_run_and_nothing_outlives_its_dataset(
    engine: Engine, runs: tuple[int, int]
) -> None:
    keep(engine, runs[0], asked(1))
    delete_run(engine, runs[0], author="Ana", now=NOW)
    keep(engine, runs[0], asked(2))
    assert calls(engine) == [(None, 1), (None, 2)]

    delete_dataset(engine, 1, author="Ana", now=NOW, with_runs=True)
    keep(engine, runs[1], asked(2))

    assert calls(engine) == []


def test_a_run_that_was_cancelled_is_answered_no_more(
    engine: Engine, runs: tuple[int, int]
) -> None:
    keep(engine, runs[0], asked())
    claim = claim_run(engine, new_owner(), NOW)
    assert claim is not None
    before = find(engine, claim.run_id, asked(), claim=claim)

    cancel_run(engine, claim.run_id, now=NOW)

    assert before is not None
    with pytest.raises(CallFailed) as stopped:
        find(engine, claim.run_id, asked(), claim=claim)
    assert (stopped.value.kind, stopped.value.attempts) == (FailureKind.CANCELLED, 0)


def test_calls_that_arrive_together_share_a_transaction(
    engine: Engine, runs: tuple[int, int]
) -> None:
    transactions = 0

    def count(_connection: object) -> None:
        nonlocal transactions
        transactions += 1

    event.listen(engine, "commit", count)
    keep(engine, runs[0], *(asked(1, repeat=n) for n in range(1, 101)))

    with reading(engine) as session:
        assert session.scalar(select(func.count()).select_from(ModelCallRow)) == 100
    assert transactions <= 5


def test_an_error_reaches_everybody_in_the_batch_and_the_next_batch_is_done() -> None:
    fail = threading.Event()
    fail.set()

    def work(items: list[int]) -> list[int]:
        if fail.is_set():
            raise OSError("disk full")
        return [item * 2 for item in items]

    async def scene() -> tuple[list[Any], int]:
        together: Together[int, int] = Together(work)
        broken = await asyncio.gather(*map(together.do, (1, 2)), return_exceptions=True)
        fail.clear()
        return broken, await together.do(4)

    broken, answer = in_loop(scene())

    assert [str(error) for error in broken] == ["disk full", "disk full"]
    assert answer == 8


def test_a_kept_call_is_in_the_file_before_keep_returns(
    engine: Engine, runs: tuple[int, int], database_url: str
) -> None:
    async def scene() -> int:
        kept = store(engine, runs[0])
        await kept.keep(record(asked()))
        with engine.connect() as other:
            return int(other.execute(text("SELECT count(*) FROM model_call")).scalar_one())

    assert in_loop(scene()) == 1


def test_what_comes_alone_does_not_wait_for_company() -> None:
    async def scene() -> int:
        together: Together[int, int] = Together(list, gap=60)
        return await asyncio.wait_for(together.do(3), 30)

    assert in_loop(scene()) == 3


def test_batches_of_a_rush_begin_apart() -> None:
    began: list[tuple[float, int]] = []

    def work(items: list[int]) -> list[int]:
        began.append((time.monotonic(), len(items)))
        return items

    async def scene() -> None:
        together: Together[int, int] = Together(work, gap=0.1)
        for _ in range(6):
            await asyncio.gather(*map(together.do, range(10)))

    in_loop(scene())

    assert [count for _, count in began] == [10] * 6
    assert began[-1][0] - began[0][0] > 0.3

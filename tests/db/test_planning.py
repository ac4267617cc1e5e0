"""The plan of a run knows the dataset, the store of replies, and how long calls have taken."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from decimal import Decimal

from sqlalchemy import Engine

from db.call_store import SqlCallStore
from db.planning import newest_call, plan_for
from recall_core.asking.judge import ModelJudge
from recall_core.judges import make_judge
from recall_core.llm.endpoints import Endpoint
from recall_core.llm.plan import PlannedCall
from recall_core.llm.prices import ModelFacts, Price
from recall_core.llm.types import CallRecord, ChatReply, request_hash
from recall_core.types import Example, Json
from tests.db.making import NOW, examples, kept_dataset

PRICED = Endpoint(
    "lab",
    "http://127.0.0.1:9/v1",
    models={"m": ModelFacts("m", price=Price(Decimal(1), Decimal(2)))},
)


def judge(name: str = "passage_recall", **settings: Json) -> ModelJudge:
    made = make_judge(name, {"endpoint": "lab", "model": "m", **settings})
    assert isinstance(made, ModelJudge)
    return made


def calls_of(asked: ModelJudge, rows: Sequence[Example]) -> Iterator[PlannedCall]:
    for example in rows:
        yield from asked.planned_calls(example)


def answered(engine: Engine, calls: Iterator[PlannedCall], *, seconds: float = 2.0) -> None:
    """The store as it is when these calls have been made."""
    store = SqlCallStore(engine, clock=lambda: NOW)

    async def keep() -> None:
        for call in calls:
            key = request_hash(PRICED.base_url, call.request)
            reply = ChatReply("{}", "m", seconds=seconds)
            await store.keep(CallRecord(key, "lab", call.request, reply, seconds=seconds))

    asyncio.run(keep())


def test_a_plan_counts_the_calls_that_the_store_answers(engine: Engine) -> None:
    rows = examples(6)
    dataset = kept_dataset(engine, rows)
    answered(engine, calls_of(judge(), rows[:4]))

    plan = plan_for(engine, dataset, judge(), PRICED).plan

    assert (plan.examples, plan.calls, plan.from_store, plan.to_make) == (6, 6, 4, 2)
    assert plan.cost is not None
    assert 0 < plan.cost.low <= plan.cost.expected <= plan.cost.high


def test_a_run_that_wants_fresh_answers_plans_every_call(engine: Engine) -> None:
    rows = examples(3)
    dataset = kept_dataset(engine, rows)
    answered(engine, calls_of(judge(), rows))

    assert plan_for(engine, dataset, judge(fresh=True), PRICED).plan.to_make == 3


def test_the_time_follows_the_calls_that_were_made_before(engine: Engine) -> None:
    rows = examples(8)
    dataset = kept_dataset(engine, rows)
    before = newest_call(engine)
    answered(engine, calls_of(judge(), rows[:1]), seconds=40)

    plan = plan_for(engine, dataset, judge(concurrency=1, fresh=True), PRICED).plan

    assert newest_call(engine) > before
    assert plan.seconds.expected == 8 * 40


def test_a_long_dataset_is_planned_from_a_part_spread_evenly(engine: Engine) -> None:
    dataset = kept_dataset(engine, examples(95))

    planned = plan_for(engine, dataset, judge(), PRICED, at_most=10)

    assert (planned.looked_at, planned.examples, planned.complete) == (10, 95, False)
    assert (planned.plan.examples, planned.plan.calls) == (95, 95)
    whole = plan_for(engine, dataset, judge(), PRICED).plan
    assert abs(planned.plan.tokens_in.expected / whole.tokens_in.expected - 1) < 0.05


def test_statements_that_the_model_has_to_make_are_calls_of_their_own(engine: Engine) -> None:
    dataset = kept_dataset(engine, examples(3))

    by_sentence = plan_for(engine, dataset, judge("contextual_recall"), PRICED).plan
    by_model = plan_for(
        engine, dataset, judge("contextual_recall", statements="model"), PRICED
    ).plan

    assert (by_sentence.calls, by_model.calls) == (3, 6)

"""What a run will take, worked out from its dataset, the kept replies and earlier calls."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import Engine, func, select

from db.datasets import required_dataset
from db.engine import reading
from db.examples import examples_by_id
from db.tables import ExampleRow, ModelCallRow
from recall_core.asking.judge import ModelJudge
from recall_core.llm.endpoints import Endpoint
from recall_core.llm.plan import RunPlan, plan_run
from recall_core.types import Example

BATCH = 100
EARLIER_CALLS = 200
"""The time of a call is the mean of so many of the newest …"""
LOOKED_BACK = 20_000
"""… among the newest so many of all calls, since they are in no index."""


@dataclass(frozen=True, slots=True)
class DatasetPlan:
    """The plan of a run over a dataset of `examples`, worked out from `looked_at` of them; the
    examples of `plan.too_long` are those among them."""

    plan: RunPlan
    looked_at: int
    examples: int

    @property
    def complete(self) -> bool:
        """Whether every example was looked at."""
        return self.looked_at == self.examples


def plan_for(
    engine: Engine,
    dataset_id: int,
    judge: ModelJudge,
    endpoint: Endpoint,
    *,
    at_most: int | None = None,
    statement_set_id: int | None = None,
) -> DatasetPlan:
    """Plan a run of `judge`; of a longer dataset than `at_most`, from examples spread evenly.

    Takes about a millisecond an example. `statement_set_id`: the statements that the run will use,
    where they are made already.
    """
    with reading(engine) as session:
        total = required_dataset(session, dataset_id).examples
    step = 1 if at_most is None else max(1, -(-total // at_most))
    plan = plan_run(
        judge,
        _every(engine, dataset_id, step, statement_set_id),
        endpoint,
        known=lambda hashes: () if judge.fresh else _known(engine, hashes),
        concurrency=judge.concurrency,
        requests_per_minute=judge.requests_per_minute,
        tokens_per_minute=judge.tokens_per_minute,
        seconds_per_call=_seconds_per_call(engine, endpoint.name, judge.model),
    )
    whole = plan if plan.examples == total else plan.scaled(total)
    return DatasetPlan(whole, plan.examples, total)


def newest_call(engine: Engine) -> int:
    """The number of the newest kept call; while it stays, the store answers the same."""
    with reading(engine) as session:
        return session.scalar(select(func.max(ModelCallRow.id))) or 0


def _every(
    engine: Engine, dataset_id: int, step: int, statement_set_id: int | None
) -> Iterator[Example]:
    row = ExampleRow
    after = 0
    while True:
        query = (
            select(row.id, row.position)
            .where(row.dataset_id == dataset_id, row.position > after)
            .where((row.position - 1) % step == 0)
            .order_by(row.position)
            .limit(BATCH)
        )
        with reading(engine) as session:
            found = session.execute(query).all()
            examples = examples_by_id(session, [r.id for r in found], statement_set_id)
        if not found:
            return
        yield from examples.values()
        after = found[-1].position


def _known(engine: Engine, hashes: Sequence[str]) -> Collection[str]:
    """Which of these requests have a kept reply."""
    call = ModelCallRow
    query = select(call.request_hash).where(call.request_hash.in_(hashes), call.failure.is_(None))
    with reading(engine) as session:
        return set(session.scalars(query))


def _seconds_per_call(engine: Engine, endpoint: str, model: str) -> float | None:
    """The mean of the newest calls to this model, `None` where it was never asked."""
    call = ModelCallRow
    with reading(engine) as session:
        newest = session.scalar(select(func.max(call.id))) or 0
        query = (
            select(call.seconds)
            .where(call.id > newest - LOOKED_BACK, call.failure.is_(None))
            .where(call.endpoint == endpoint, call.model == model, call.purpose == "verdicts")
            .order_by(call.id.desc())
            .limit(EARLIER_CALLS)
        )
        seconds = session.scalars(query).all()
    return sum(seconds) / len(seconds) if seconds else None

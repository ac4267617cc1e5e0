"""What a run's calls came to: how many, how many tokens, what they cost."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from sqlalchemy import Engine, Float, cast, func, select
from sqlalchemy.orm import Session

from db.engine import reading, transaction
from db.run_cards import budget_of, required_run
from db.tables import CallUseRow, ModelCallRow, RunRow

EXACT_TO = Decimal("0.0000000001")
"""Dollars; prices per million tokens make no smaller parts that matter."""


@dataclass(frozen=True, slots=True)
class Spending:
    """The calls that a run has made itself.

    `calls` brought a reply, `failed_calls` none after all tries. `retries` counts tries beyond
    each call's first, `asked_again` the calls that asked about an answer once more. `from_store`
    answers were there already and cost nothing. `known` is what replies with a known price cost,
    with `uncertain` in it: what calls without a reply may have cost. `unpriced` replies have none.
    """

    calls: int = 0
    failed_calls: int = 0
    retries: int = 0
    asked_again: int = 0
    from_store: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    known: Decimal = Decimal(0)
    uncertain: Decimal = Decimal(0)
    unpriced: int = 0

    @property
    def spent(self) -> Decimal | None:
        """US dollars; `None` where the price of any call is unknown."""
        return None if self.unpriced else self.known


def run_spending(engine: Engine, run_id: int) -> Spending:
    """What the run has come to so far; `NotKept` if it is gone."""
    with reading(engine) as session:
        return spending_of(session, required_run(session, run_id))


def budget_and_spending(engine: Engine, run_id: int) -> tuple[Decimal | None, Spending]:
    """What the run may cost in all, and what it has come to so far."""
    with reading(engine) as session:
        run = required_run(session, run_id)
        return budget_of(run), spending_of(session, run)


def spending_of(session: Session, run: RunRow) -> Spending:
    """`run_spending` within a transaction that is already open."""
    call = ModelCallRow
    replied = call.failure.is_(None)
    query = select(
        func.count().filter(replied),
        func.count().filter(~replied),
        func.sum(call.attempts - 1),
        func.count().filter(replied, call.ask > 1),
        func.sum(call.tokens_in),
        func.sum(call.tokens_out),
        func.sum(cast(call.cost, Float)),
        func.count().filter(replied, call.cost.is_(None)),
    ).where(call.run_id == run.id)
    calls, failed, retries, again, tokens_in, tokens_out, cost, unpriced = session.execute(
        query
    ).one()
    shared = select(func.count()).where(CallUseRow.run_id == run.id)
    uncertain = Decimal(run.uncertain)
    return Spending(
        calls=calls,
        failed_calls=failed,
        retries=retries or 0,
        asked_again=again,
        from_store=session.scalar(shared) or 0,
        tokens_in=tokens_in or 0,
        tokens_out=tokens_out or 0,
        known=Decimal(cost or 0).quantize(EXACT_TO) + uncertain,
        uncertain=uncertain,
        unpriced=unpriced,
    )


def keep_uncertain(engine: Engine, run_id: int, amount: Decimal) -> None:
    """Write down what calls without a reply may have cost up to now, so that a run which goes on
    after a stop still keeps its budget."""
    with transaction(engine) as session:
        run = session.get(RunRow, run_id)
        if run is not None:
            run.uncertain = str(amount)

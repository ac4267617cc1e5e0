"""What a run was expected to come to, what it came to, and what it may still cost."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import Engine, insert

from db.engine import transaction
from db.errors import NotKept, Unkeepable
from db.estimates import Estimate
from db.runs import (
    RunOptions,
    create_run,
    get_run,
    progress,
    raise_budget,
    run_spending,
)
from db.spending import budget_and_spending, keep_uncertain
from db.statements import keep_statements, kept_statements, statement_set_for
from db.tables import CallUseRow, ModelCallRow
from recall_core.judges import make_judge
from recall_core.llm.plan import Range, RunPlan, TooLong
from recall_core.llm.tokens import Tokens
from tests.db.asking import facts, model_run
from tests.db.making import NOW, kept_dataset, queued_run

PLAN = RunPlan(
    examples=3,
    skipped=0,
    calls=3,
    from_store=1,
    tokens_in=Tokens(90, 100, 120),
    tokens_out=Tokens(10, 20, 50),
    cost=Range(Decimal("0.001"), Decimal("0.0014"), Decimal("0.01")),
    seconds=Range(Decimal("1.5"), Decimal(2), Decimal(4)),
    too_long=(TooLong("e2", 9000, 8000),),
)


@pytest.fixture
def dataset_id(engine: Engine) -> int:
    return kept_dataset(engine, facts(3))


def planned(engine: Engine, dataset_id: int, plan: RunPlan | None) -> int:
    return create_run(
        engine,
        dataset_id=dataset_id,
        judge=make_judge("passage_recall", {"endpoint": "lab", "model": "big", "budget_usd": 2}),
        name="planned",
        options=RunOptions(),
        author="Ana",
        now=NOW,
        estimate=plan,
    )


def a_call(run_id: int | None, **more: Any) -> dict[str, Any]:
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
        "ask": 1,
        "failure": None,
        "tokens_in": 100,
        "tokens_out": 20,
        "cost": "0.0014",
        "seconds": 0.1,
        "at": NOW,
        **more,
    }


def kept_calls(engine: Engine, *calls: dict[str, Any]) -> None:
    with transaction(engine) as session:
        session.execute(insert(ModelCallRow), list(calls))


def test_the_estimate_is_kept_with_the_run(engine: Engine, dataset_id: int) -> None:
    run = get_run(engine, planned(engine, dataset_id, PLAN))

    assert run.estimate == Estimate(
        calls=3,
        from_store=1,
        tokens_in=PLAN.tokens_in,
        tokens_out=PLAN.tokens_out,
        cost=PLAN.cost,
        seconds=PLAN.seconds,
        too_long=1,
    )
    assert run.estimate.to_make == 2
    assert (run.endpoint, run.model, run.budget) == ("lab", "big", Decimal("2.0"))


def test_an_unknown_cost_stays_unknown_and_a_run_without_a_plan_has_no_estimate(
    engine: Engine, dataset_id: int
) -> None:
    unpriced = get_run(engine, planned(engine, dataset_id, replace(PLAN, cost=None)))
    unplanned = get_run(engine, planned(engine, dataset_id, None))

    assert unpriced.estimate is not None
    assert (unpriced.estimate.cost, unplanned.estimate) == (None, None)


def test_spending_adds_up_calls_tokens_tries_and_dollars(engine: Engine, dataset_id: int) -> None:
    run_id, other = model_run(engine, dataset_id), model_run(engine, dataset_id)
    kept_calls(
        engine,
        a_call(run_id),
        a_call(run_id, attempts=3, ask=2, cost="0.1"),
        a_call(run_id, failure="timeout", attempts=6, tokens_in=None, tokens_out=None, cost=None),
        a_call(other),
        a_call(None),
    )
    with transaction(engine) as session:
        session.execute(insert(CallUseRow).values(run_id=run_id, example_id=2, call_id=4))
    keep_uncertain(engine, run_id, Decimal("0.02"))

    spent = run_spending(engine, run_id)

    assert (spent.calls, spent.failed_calls, spent.retries, spent.asked_again) == (2, 1, 7, 1)
    assert (spent.from_store, spent.tokens_in, spent.tokens_out) == (1, 200, 40)
    assert (spent.spent, spent.uncertain) == (Decimal("0.1214"), Decimal("0.02"))
    assert progress(engine, run_id, NOW).spending == spent


def test_an_unknown_price_is_unknown_and_never_nothing(engine: Engine, dataset_id: int) -> None:
    run_id = model_run(engine, dataset_id)
    kept_calls(engine, a_call(run_id), a_call(run_id, cost=None))

    spent = run_spending(engine, run_id)

    assert (spent.spent, spent.unpriced, spent.known) == (None, 1, Decimal("0.0014"))


def test_a_run_that_asks_no_model_spends_nothing_to_speak_of(
    engine: Engine, dataset_id: int
) -> None:
    run_id = queued_run(engine, dataset_id)

    now = progress(engine, run_id, NOW)

    assert (now.spending, now.budget) == (None, None)


def test_a_budget_can_be_raised_or_lifted_and_never_be_nothing(
    engine: Engine, dataset_id: int
) -> None:
    run_id = planned(engine, dataset_id, None)

    raise_budget(engine, run_id, Decimal("7.5"))
    raised = budget_and_spending(engine, run_id)[0]
    raise_budget(engine, run_id, None)
    lifted = progress(engine, run_id, NOW).budget

    assert (raised, lifted) == (Decimal("7.5"), None)
    assert get_run(engine, run_id).settings["budget_usd"] == 2
    with pytest.raises(Unkeepable, match="more than"):
        raise_budget(engine, run_id, Decimal(0))
    with pytest.raises(NotKept):
        run_spending(engine, 99)


def test_statements_of_a_model_are_a_set_of_their_own_for_each_model(
    engine: Engine, dataset_id: int
) -> None:
    def set_of(**settings: str) -> int | None:
        judge = make_judge("contextual_recall", {"endpoint": "lab", **settings})
        return statement_set_for(engine, dataset_id, judge, author="Ana", now=NOW)

    big = set_of(model="big", statements="model")

    assert big == set_of(model="big", statements="model")
    assert len({big, set_of(model="small", statements="model"), set_of(model="big")}) == 3


def test_the_first_statements_of_an_example_stay(engine: Engine, dataset_id: int) -> None:
    judge = make_judge("contextual_recall", {"model": "big", "statements": "model"})
    set_id = statement_set_for(engine, dataset_id, judge, author="Ana", now=NOW) or 0

    first = keep_statements(engine, set_id, 1, ("One.", "Two \ud83d."))
    second = keep_statements(engine, set_id, 1, ("Other.",))

    assert first == second == ("One.", "Two ?.")
    with transaction(engine) as session:
        assert kept_statements(session, set_id, 2) == ()

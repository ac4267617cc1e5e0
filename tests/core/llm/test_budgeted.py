"""Money: what may be spent is set aside before a call, and never passed."""

from __future__ import annotations

import asyncio
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_core.llm.budgeted import Budget, BudgetedChat
from recall_core.llm.endpoints import Endpoint
from recall_core.llm.tokens import most_prompt_tokens
from recall_core.llm.types import CallFailed, ChatReply
from recall_core.llm.waiting import Stop
from recall_core.llm.wire import WireFailed
from recall_core.types import FailureKind
from tests.core.llm.asking import FakeTime, Model, endpoint, priced, request, weather

DOLLAR_A_TOKEN = str(1_000_000)
ASKED = request(max_output_tokens=100)
READ = most_prompt_tokens(ASKED)


def budgeted(
    model: Model, budget: Budget, *, of: Endpoint | None = None, stop: Stop | None = None
) -> BudgetedChat:
    where = of or priced("0", DOLLAR_A_TOKEN)
    return BudgetedChat(model, endpoint=where, budget=budget, stop=stop or Stop())


def answer(written: int) -> ChatReply:
    """A reply of so many tokens."""
    return ChatReply("{}", model="m", tokens_in=10, tokens_out=written)


def test_a_reply_carries_what_it_cost_exactly() -> None:
    clock, budget = FakeTime(), Budget()
    chat = budgeted(Model(clock, answer(7)), budget, of=priced("0.15", "0.60"))

    (reply,) = clock.run(lambda: chat.ask(ASKED))

    assert reply.cost == budget.spent == Decimal("0.0000057")
    assert budget.reserved == 0


def test_the_worst_case_of_calls_under_way_is_set_aside() -> None:
    clock, budget = FakeTime(), Budget(Decimal(1000))
    model = Model(clock, answer(1), answer(2), takes=1)
    chat = budgeted(model, budget)

    async def looks() -> tuple[Decimal, Decimal]:
        await clock.sleep(0.5)
        return budget.reserved, budget.spent

    *_, seen = clock.run(lambda: chat.ask(ASKED), lambda: chat.ask(ASKED), looks)

    assert seen == (200, 0)
    assert (budget.reserved, budget.spent) == (0, 3)


def test_a_call_that_would_pass_the_budget_is_not_made_and_ends_the_run() -> None:
    clock, budget = FakeTime(), Budget(Decimal(150))
    model = Model(clock, answer(60))
    chat = budgeted(model, budget)

    async def three() -> list[CallFailed]:
        await chat.ask(ASKED)
        failures = []
        for asked in (ASKED, request(max_output_tokens=1)):
            with pytest.raises(CallFailed) as refused:
                await chat.ask(asked)
            failures.append(refused.value)
        return failures

    ((first, second),) = clock.run(three)

    assert len(model.asked) == 1
    assert first.kind is second.kind is FailureKind.BUDGET
    assert first.hopeless
    assert first.attempts == 0
    assert "$150.00" in first.message
    assert "$60.00 are spent" in first.message
    assert "up to $100.00" in first.message


def test_a_call_waits_while_others_may_turn_out_cheaper_than_their_worst() -> None:
    clock, budget = FakeTime(), Budget(Decimal(150))
    model = Model(clock, answer(5), answer(5), takes=1)
    chat = budgeted(model, budget)

    one, two = clock.run(lambda: chat.ask(ASKED), lambda: chat.ask(ASKED))

    assert isinstance(one, ChatReply)
    assert isinstance(two, ChatReply)
    assert model.at == [0, 1]
    assert model.most_under_way == 1


def test_everybody_who_waits_for_money_hears_that_there_is_none() -> None:
    clock, budget = FakeTime(), Budget(Decimal(150))
    model = Model(clock, answer(90), takes=1)
    chat = budgeted(model, budget)

    _, *others = clock.run(*(lambda: chat.ask(ASKED) for _ in range(5)))

    assert [failed.kind for failed in others] == [FailureKind.BUDGET] * 4
    assert len(model.asked) == 1


def test_a_call_that_may_have_been_charged_counts_at_its_worst() -> None:
    clock, budget = FakeTime(), Budget(Decimal(1000))
    timeout = WireFailed(FailureKind.TIMEOUT, "Slow.", again=True, charged=True)
    chat = budgeted(Model(clock, timeout), budget)

    clock.run(lambda: chat.ask(ASKED))

    assert (budget.spent, budget.uncertain, budget.reserved) == (100, 100, 0)


def test_a_call_that_the_server_refused_costs_nothing() -> None:
    clock, budget = FakeTime(), Budget(Decimal(1000))
    chat = budgeted(Model(clock, weather()), budget)

    clock.run(lambda: chat.ask(ASKED))

    assert (budget.spent, budget.reserved) == (0, 0)


def test_a_reply_without_a_count_of_tokens_has_no_known_cost_and_counts_at_its_worst() -> None:
    clock, budget = FakeTime(), Budget(Decimal(1000))
    chat = budgeted(Model(clock, ChatReply("{}", model="m")), budget)

    (reply,) = clock.run(lambda: chat.ask(ASKED))

    assert reply.cost is None
    assert (budget.spent, budget.uncertain) == (100, 100)


def test_a_call_that_is_torn_off_gives_its_reservation_back_as_spent() -> None:
    budget = Budget(Decimal(1000))
    clock = FakeTime()
    chat = budgeted(Model(clock, takes=1000), budget)

    async def torn_off() -> None:
        task = asyncio.ensure_future(chat.ask(ASKED))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    clock.run(torn_off)

    assert (budget.reserved, budget.spent, budget.uncertain) == (0, 100, 100)


def test_an_unknown_price_is_no_reason_not_to_ask_but_none_to_keep_a_budget_with() -> None:
    clock = FakeTime()
    model = Model(clock, answer(5))
    free, bound = (budgeted(model, b, of=endpoint()) for b in (Budget(), Budget(Decimal(5))))

    reply, refused = clock.run(lambda: free.ask(ASKED), lambda: bound.ask(ASKED))

    assert reply.cost is None
    assert refused.kind is FailureKind.BUDGET
    assert "endpoints.toml" in refused.message
    assert len(model.asked) == 1


def test_a_budget_needs_an_end_to_the_answer() -> None:
    clock = FakeTime()
    model = Model(clock)
    open_end = budgeted(model, Budget(Decimal(5)))
    window = budgeted(model, Budget(Decimal(5)), of=priced("0", "1", window=8000))

    refused, reply = clock.run(lambda: open_end.ask(request()), lambda: window.ask(request()))

    assert refused.kind is FailureKind.BUDGET
    assert "output tokens" in refused.message
    assert isinstance(reply, ChatReply)


def test_what_an_earlier_part_of_the_run_spent_counts() -> None:
    clock = FakeTime()
    budget = Budget(Decimal(150), spent=Decimal(100))
    chat = budgeted(Model(clock), budget)

    (refused,) = clock.run(lambda: chat.ask(ASKED))

    assert refused.kind is FailureKind.BUDGET


def test_the_question_is_set_aside_at_its_longest() -> None:
    clock, budget = FakeTime(), Budget(Decimal(READ - 1))
    chat = budgeted(Model(clock), budget, of=priced(DOLLAR_A_TOKEN, "0"))

    (refused,) = clock.run(lambda: chat.ask(ASKED))

    assert refused.kind is FailureKind.BUDGET


@given(
    limit=st.integers(0, 600),
    calls=st.lists(
        st.tuples(st.integers(0, 100), st.sampled_from(["answers", "refused", "times out"])),
        max_size=25,
    ),
)
def test_a_budget_is_never_passed_whatever_happens(
    limit: int, calls: list[tuple[int, str]]
) -> None:
    clock, budget = FakeTime(), Budget(Decimal(limit))
    ends = {
        "answers": answer,
        "refused": lambda _: weather(),
        "times out": lambda _: WireFailed(FailureKind.TIMEOUT, "Slow.", charged=True),
    }
    model = Model(clock, *(ends[how](written) for written, how in calls), takes=1)
    chat = budgeted(model, budget)

    async def watch() -> None:
        for _ in range(30):
            assert budget.spent + budget.reserved <= limit
            await clock.sleep(0.5)

    *_, watched = clock.run(*(lambda: chat.ask(ASKED) for _ in calls), watch)

    assert watched is None
    assert budget.reserved == 0
    assert budget.spent <= limit

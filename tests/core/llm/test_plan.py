"""What a run will take: counted beforehand, said to be an estimate, unknown when it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

import pytest

from recall_core.llm.plan import PlannedCall, RunPlan, answer_tokens, plan_run, window_excess
from recall_core.llm.tokens import Tokens, prompt_tokens
from recall_core.llm.types import request_hash
from recall_core.types import Example
from tests.core.llm.asking import endpoint, priced, request


@dataclass
class Judge:
    """One call an example, of the example's question."""

    answer: Tokens = field(default=Tokens(10, 20, 50))
    samples: int = 1
    model: str = "m"

    def lacks(self, example: Example) -> str | None:
        return None if example.question else "There is no question."

    def planned_calls(
        self, example: Example, *, window: int | None = None
    ) -> Sequence[PlannedCall]:
        return [
            PlannedCall(request(example.question or "", repeat=n + 1), self.answer)
            for n in range(self.samples)
        ]


def examples(*questions: str | None) -> list[Example]:
    return [Example(str(n), question=text) for n, text in enumerate(questions)]


def test_calls_are_counted_with_their_tokens_and_cost() -> None:
    plan = plan_run(Judge(samples=2), examples("a", "b", None), priced("1", "2"))

    each = prompt_tokens(request("a"))
    assert (plan.examples, plan.skipped, plan.calls, plan.from_store) == (3, 1, 4, 0)
    assert plan.to_make == 4
    assert plan.tokens_in == Tokens(4 * each.low, 4 * each.expected, 4 * each.high)
    assert plan.tokens_out == Tokens(40, 80, 200)
    assert plan.cost is not None
    assert plan.cost.expected == Decimal(4 * each.expected + 2 * 80) / 1_000_000
    assert plan.cost.low < plan.cost.expected < plan.cost.high


def test_an_unknown_price_is_unknown_and_never_nothing() -> None:
    assert plan_run(Judge(), examples("a"), endpoint()).cost is None


def test_what_the_store_answers_costs_nothing() -> None:
    lab = priced("1", "2")
    kept = request_hash(lab.base_url, request("a"))

    plan = plan_run(
        Judge(), examples("a", "b"), lab, known=lambda keys: [k for k in keys if k == kept]
    )
    whole = plan_run(Judge(), examples("a", "b"), lab, known=lambda keys: keys)

    assert (plan.calls, plan.from_store, plan.to_make) == (2, 1, 1)
    assert plan.tokens_in == prompt_tokens(request("b"))
    assert whole.cost is not None
    assert whole.cost.high == whole.seconds.high == 0


def test_a_question_that_stands_twice_is_asked_once() -> None:
    plan = plan_run(Judge(), examples("a", "a", "a"), endpoint())

    assert (plan.calls, plan.from_store) == (3, 2)


def test_the_store_is_asked_in_batches() -> None:
    sizes: list[int] = []

    def known(keys: Sequence[str]) -> Sequence[str]:
        sizes.append(len(keys))
        return keys

    plan = plan_run(Judge(), examples(*(str(n) for n in range(1200))), endpoint(), known=known)

    assert sizes == [500, 500, 200]
    assert plan.from_store == 1200


def test_examples_over_the_window_are_told_with_both_numbers_and_not_counted() -> None:
    text = "The boiler is serviced. " * 500

    plan = plan_run(Judge(samples=3), examples("a", text), priced("1", "1", window=1000))

    (long,) = plan.too_long
    assert (long.example_id, long.window) == ("1", 1000)
    assert long.needed == prompt_tokens(request(text)).expected > 1000
    assert plan.calls == 3


def test_room_for_the_answer_is_part_of_the_window() -> None:
    asked = request("a", max_output_tokens=900)

    assert window_excess(asked, 1500) is None
    assert window_excess(asked, None) is None
    assert window_excess(asked, 910) == (900 + prompt_tokens(asked).expected, 910)


def seconds(plan: RunPlan) -> float:
    return float(plan.seconds.expected)


def test_time_is_told_at_the_chosen_concurrency() -> None:
    many = examples(*(str(n) for n in range(64)))

    slow = plan_run(Judge(), many, endpoint(), concurrency=1, seconds_per_call=2)
    fast = plan_run(Judge(), many, endpoint(), concurrency=32, seconds_per_call=2)

    assert (seconds(slow), seconds(fast)) == (128, 4)


def test_ceilings_make_a_run_last() -> None:
    many = examples(*(str(n) for n in range(64)))

    def lasts(**limits: int) -> float:
        return seconds(plan_run(Judge(), many, endpoint(), seconds_per_call=1, **limits))

    assert lasts(requests_per_minute=8) == 7 * 60 + 1
    assert lasts(tokens_per_minute=500) > lasts(tokens_per_minute=1000) > 60


def test_without_earlier_calls_the_length_of_the_answer_tells_the_time() -> None:
    short = plan_run(Judge(answer=Tokens(1, 50, 90)), examples("a"), endpoint())
    long = plan_run(Judge(answer=Tokens(1, 5000, 9000)), examples("a"), endpoint())

    assert seconds(short) == pytest.approx(2, abs=0.5)
    assert seconds(long) > 60


def test_an_answer_is_as_long_as_its_units_and_never_longer_than_allowed() -> None:
    assert answer_tokens(4, None).expected > answer_tokens(2, None).expected
    assert answer_tokens(50, 300) == Tokens(300, 300, 300)
    assert answer_tokens(2, 9000, thinks=True).high == 9000

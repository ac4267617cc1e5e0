"""The order of an audit, and what makes a judgement doubtful or worth a review."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_core.queues import (
    FAILED,
    JUDGED,
    AuditItem,
    Doubt,
    Queue,
    audit_order,
    doubt_of,
    next_in_order,
    stake_of,
)
from recall_core.stop_rule import Reach
from recall_core.types import Mark, UnitKind

positions = st.sets(st.integers(1, 500), min_size=1, max_size=40)


def items(numbers: set[int] | range, stratum: str = JUDGED) -> list[AuditItem]:
    return [AuditItem(number, stratum) for number in numbers]


@given(numbers=positions, seed=st.integers(0, 9), gone=st.sets(st.integers(1, 500)))
def test_items_that_go_leave_the_order_of_the_others_as_it_is(
    numbers: set[int], seed: int, gone: set[int]
) -> None:
    whole = audit_order(seed, items(numbers), failures_drawn=0)
    left = audit_order(seed, items(numbers - gone), failures_drawn=0)

    assert left == [item for item in whole if item.position not in gone]
    if left:
        assert next_in_order(seed, items(numbers - gone), failures_drawn=0) == left[0]


def test_every_item_has_the_same_chance_to_come_first() -> None:
    first = Counter(
        next_in_order(seed, items(range(1, 5)), failures_drawn=0).position for seed in range(2_000)
    )

    assert set(first) == {1, 2, 3, 4}
    assert all(430 < count < 570 for count in first.values())


def test_only_the_first_failures_come_before_the_others() -> None:
    left = [*items(range(1, 101)), *items(range(101, 131), FAILED)]
    drawn: list[AuditItem] = []
    while left:
        failures = sum(item.stratum == FAILED for item in drawn)
        drawn.append(next_in_order(3, left, failures_drawn=failures))
        left.remove(drawn[-1])

    strata = [item.stratum for item in drawn]
    assert strata[:20] == [FAILED] * 20
    assert FAILED not in strata[20:22] or JUDGED in strata[20:30]
    assert strata[20:].count(FAILED) == 10
    assert strata[20:30] != [FAILED] * 10
    assert drawn == audit_order(
        3, [*items(range(1, 101)), *items(range(101, 131), FAILED)], failures_drawn=0
    )


@pytest.mark.parametrize(
    ("disagreement", "doubts", "size"),
    [
        (None, [], 0),
        (0.25, [], 0.25),
        (0.25, [Doubt(UnitKind.ESSENTIAL, Fraction(4), [Mark.SPREAD])], 1),
        (0.25, [Doubt(UnitKind.BONUS, Fraction(1), [])], 0.25),
        (0.75, [Doubt(UnitKind.ESSENTIAL, None, [Mark.CONTRADICTION])], 0.75),
        (None, [Doubt(UnitKind.ESSENTIAL, None, [Mark.CONTRADICTION])], 0.5),
        (None, [Doubt(UnitKind.ESSENTIAL, None, [Mark.REPAIRED])], 0),
    ],
)
def test_a_judgement_is_as_doubtful_as_its_largest_distance(
    disagreement: float | None, doubts: list[Doubt], size: float
) -> None:
    assert doubt_of(disagreement, doubts) == size


def test_a_stake_is_how_far_a_final_can_still_go_towards_the_mark() -> None:
    reach = Reach(Fraction(2), Fraction(5))
    now, mark = Fraction(3), Fraction(4)

    assert stake_of(reach, now, Fraction(3), mark) == 2
    assert stake_of(reach, now, mark, mark) == 1
    assert stake_of(reach, now, Fraction(3), None) == 3
    assert stake_of(reach, None, Fraction(3), mark) == 3


def test_every_queue_says_what_it_is_for() -> None:
    assert all(queue.label and queue.help.endswith(".") for queue in Queue)

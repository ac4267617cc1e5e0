"""From the thread that judges to the one that writes down."""

from __future__ import annotations

import threading
import time

from db.judged import Judged
from db.outbox import Outbox
from recall_core.types import Skipped
from tests.db.making import example


def judged(number: int) -> Judged:
    return Judged(number, number, example(number), Skipped(f"e{number}", "no text"))


def numbers(taken: list[Judged]) -> list[int]:
    return [one.example_id for one in taken]


def test_outcomes_are_taken_in_order_and_once() -> None:
    outbox = Outbox()
    for number in range(5):
        outbox.put(judged(number))

    assert numbers(outbox.take(3, 0)) == [0, 1, 2]
    assert numbers(outbox.take(3, 0)) == [3, 4]
    assert len(outbox) == 0


def test_who_takes_is_woken_by_a_full_batch_and_not_by_each_outcome() -> None:
    outbox = Outbox()
    taken: list[list[Judged]] = []
    taking = threading.Thread(target=lambda: taken.append(outbox.take(2, 30)))
    taking.start()

    outbox.put(judged(1))
    time.sleep(0.1)
    assert taking.is_alive()
    outbox.put(judged(2))
    taking.join(10)

    assert numbers(taken[0]) == [1, 2]


def test_after_a_while_a_part_of_a_batch_is_taken_too() -> None:
    outbox = Outbox()
    outbox.put(judged(1))

    assert numbers(outbox.take(50, 0.01)) == [1]


def test_closing_wakes_who_takes_and_what_is_left_is_taken_before_it_is_over() -> None:
    outbox = Outbox()
    outbox.put(judged(1))
    outbox.put(judged(2))
    threading.Timer(0.05, outbox.close).start()

    assert numbers(outbox.take(50, 30)) == [1, 2]
    assert outbox.is_over()


def test_a_closed_outbox_is_not_over_while_something_waits_in_it() -> None:
    outbox = Outbox()
    outbox.put(judged(1))
    outbox.close()

    assert not outbox.is_over()
    outbox.take(1, 0)
    assert outbox.is_over()

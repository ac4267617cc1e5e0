"""Which processor a thread runs on."""

from __future__ import annotations

import os
import threading

import pytest

from db.processors import on_one_processor

pytestmark = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity"), reason="the system does not choose processors"
)


def here() -> set[int]:
    return os.sched_getaffinity(0)


def test_a_thread_and_those_that_it_starts_share_one_processor_for_a_while() -> None:
    before = here()
    started: list[set[int]] = []
    with on_one_processor(0):
        inside = here()
        thread = threading.Thread(target=lambda: started.append(here()))
        thread.start()
        thread.join()

    assert len(inside) == 1
    assert started == [inside]
    assert here() == before


def test_other_threads_stay_where_they_are() -> None:
    go, seen = threading.Event(), list[set[int]]()

    def look() -> None:
        go.wait(10)
        seen.append(here())

    other = threading.Thread(target=look)
    other.start()
    before = here()
    with on_one_processor(0):
        go.set()
        other.join()

    assert seen == [before]


def test_numbers_go_round_the_processors_that_may_be_used() -> None:
    allowed = sorted(here())
    found = []
    for number in range(len(allowed) + 1):
        with on_one_processor(number):
            found += here()

    assert found == [*allowed, allowed[0]]


def test_a_system_that_forbids_it_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(_thread: int, _processors: set[int]) -> None:
        raise PermissionError("not here")

    monkeypatch.setattr(os, "sched_setaffinity", forbidden)
    before = here()
    with on_one_processor(0):
        assert here() == before

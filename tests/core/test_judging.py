"""The engine: order, laziness, failures, stopping."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from fractions import Fraction
from itertools import count, islice
from typing import ClassVar

import pytest

from recall_core.errors import InvalidSetting
from recall_core.judges.base import Judge, LocalJudge
from recall_core.judging import LOOK_AHEAD, judge_all, judge_one
from recall_core.types import (
    Example,
    FailureKind,
    Formula,
    JudgeFailure,
    Judgement,
    Skipped,
    Unit,
    UnitKind,
    UnitRef,
    Verdict,
)


class LengthJudge(LocalJudge):
    """Scores 1; breaks on the question "break", lacks what has no question."""

    name: ClassVar[str] = "length"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Length"
    formula: ClassVar[Formula] = Formula.SHARE

    def lacks(self, example: Example) -> str | None:
        return "The example has no question." if example.question is None else None

    def judge(self, example: Example) -> Judgement:
        if example.question == "break":
            raise ZeroDivisionError("by nothing")
        unit = Unit(UnitRef(UnitKind.STATEMENT, 1), example.question or "")
        return Judgement(example.id, (Verdict(unit, Fraction(1)),), "Judged.")


class WaitingJudge(LengthJudge):
    """Waits for a signal on the question "wait"."""

    _signal: ClassVar[threading.Event] = threading.Event()

    def judge(self, example: Example) -> Judgement:
        if example.question == "wait":
            assert self._signal.wait(timeout=30)
        return super().judge(example)


class RemoteJudge(Judge):
    """A judge that is not local."""

    name: ClassVar[str] = "remote"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Remote"
    formula: ClassVar[Formula] = Formula.SHARE

    def lacks(self, example: Example) -> str | None:
        return None


def examples(*questions: str | None) -> list[Example]:
    return [Example(str(number), question=q) for number, q in enumerate(questions)]


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_there_is_one_outcome_an_example_in_their_order(workers: int) -> None:
    given = examples(*["q"] * 50)

    outcomes = list(judge_all(LengthJudge(), given, workers=workers))

    assert [o.example_id for o in outcomes] == [e.id for e in given]


@pytest.mark.parametrize("workers", [1, 2])
def test_no_examples_give_no_outcomes(workers: int) -> None:
    assert list(judge_all(LengthJudge(), [], workers=workers)) == []


def test_the_order_holds_when_an_early_example_takes_longest() -> None:
    class ThisWaits(WaitingJudge):
        _signal: ClassVar[threading.Event] = threading.Event()

        def judge(self, example: Example) -> Judgement:
            if example.question == "go":
                self._signal.set()
            return super().judge(example)

    outcomes = list(judge_all(ThisWaits(), examples("wait", "q", "go"), workers=2))

    assert [o.example_id for o in outcomes] == ["0", "1", "2"]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_judge_that_breaks_is_a_failure_of_that_example_and_the_others_go_on(
    workers: int,
) -> None:
    first, broken, last = judge_all(LengthJudge(), examples("q", "break", "q"), workers=workers)

    assert isinstance(first, Judgement)
    assert isinstance(last, Judgement)
    assert isinstance(broken, JudgeFailure)
    assert broken.kind is FailureKind.INTERNAL
    assert broken.message.endswith("ZeroDivisionError: by nothing")
    assert "ZeroDivisionError" in broken.traceback[-1]


def test_what_an_example_lacks_becomes_skipped_with_the_sentence() -> None:
    outcome = judge_one(LengthJudge(), Example("a"))

    assert outcome == Skipped("a", "The example has no question.")


@pytest.mark.parametrize("workers", [1, 3])
def test_examples_are_read_ahead_only_so_far(workers: int) -> None:
    read: list[int] = []

    def endless() -> Iterator[Example]:
        for number in count():
            read.append(number)
            yield Example(str(number), question="q")

    outcomes = judge_all(LengthJudge(), endless(), workers=workers)
    taken = list(islice(outcomes, 10))

    assert len(taken) == 10
    assert len(read) <= 10 + workers * LOOK_AHEAD


@pytest.mark.parametrize("workers", [1, 2])
def test_a_source_that_breaks_gives_the_outcomes_so_far_first(workers: int) -> None:
    def three_then_trouble() -> Iterator[Example]:
        yield from examples("q", "q", "q")
        raise OSError("the disk is gone")

    outcomes = judge_all(LengthJudge(), three_then_trouble(), workers=workers)
    taken = [next(outcomes), next(outcomes), next(outcomes)]

    assert [o.example_id for o in taken] == ["0", "1", "2"]
    with pytest.raises(OSError, match="the disk is gone"):
        next(outcomes)


def test_closing_early_leaves_no_thread_behind() -> None:
    outcomes = judge_all(LengthJudge(), examples(*["q"] * 50), workers=3)
    next(outcomes)

    outcomes.close()  # type: ignore[attr-defined]

    assert not [t for t in threading.enumerate() if t.name.startswith("judge")]


def test_an_interrupt_stops_the_stream_and_leaves_no_thread_behind() -> None:
    def interrupted() -> Iterator[Example]:
        yield from examples("q", "q")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(judge_all(LengthJudge(), interrupted(), workers=2))

    assert not [t for t in threading.enumerate() if t.name.startswith("judge")]


def test_a_judge_that_is_not_local_is_refused_before_any_example_is_read() -> None:
    with pytest.raises(InvalidSetting, match="remote"):
        judge_all(RemoteJudge(), iter(examples("q")))

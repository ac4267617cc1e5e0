"""Things that the database tests are made of."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from fractions import Fraction
from typing import ClassVar

from sqlalchemy import Engine

from db.claims import unjudged
from db.datasets import save_dataset
from db.engine import reading
from db.examples import examples_by_id
from db.runs import Judged, RunOptions, create_run, get_run, record_outcomes
from recall_core.judges.base import Judge, LocalJudge
from recall_core.judging import judge_one
from recall_core.types import (
    Evidence,
    Example,
    FailureKind,
    Formula,
    GroundTruthPassage,
    JudgeFailure,
    Judgement,
    Outcome,
    PassageKind,
    RetrievedPassage,
    Unit,
    UnitKind,
    UnitRef,
    Verdict,
)

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


class Found(LocalJudge):
    """An expected passage is found when a retrieved passage is the same text."""

    name: ClassVar[str] = "found"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Found word for word"
    formula: ClassVar[Formula] = Formula.SHARE

    def lacks(self, example: Example) -> str | None:
        return "There is no retrieved passage." if example.retrieved is None else None

    def judge(self, example: Example) -> Outcome:
        if example.question == "fail":
            return JudgeFailure(example.id, FailureKind.TIMEOUT, "It took too long.")
        return Judgement(example.id, tuple(self._verdicts(example)), "word for word")

    def _verdicts(self, example: Example) -> Iterable[Verdict]:
        retrieved = {p.text: p.rank for p in reversed(example.retrieved or ())}
        for index, passage in enumerate(example.essential, 1):
            rank = retrieved.get(passage.text)
            quote = Evidence(rank, 0, len(passage.text), passage.text, located=True)
            yield Verdict(
                Unit(UnitRef(UnitKind.EXPECTED_CONTEXT, index), passage.text),
                Fraction(0 if rank is None else 1),
                reasoning="the same" if rank else "nowhere",
                evidence=(quote,) if rank else (),
            )


def make_found(name: str, settings: Mapping[str, object]) -> Judge:
    """A registry that knows only `Found`."""
    assert name == "found"
    return Found.model_validate(settings)


def example(number: int, *, question: str = "What is it?", found: bool = True) -> Example:
    """An example whose expected passage came back, or not."""
    return Example(
        id=f"e{number}",
        question=question,
        ground_truth=(GroundTruthPassage(PassageKind.ESSENTIAL, f"Fact {number}."),),
        retrieved=(RetrievedPassage(1, f"Fact {number}." if found else "Something else."),),
        expected_output=f"One is {number}. Two is two.",
    )


def examples(count: int) -> list[Example]:
    return [example(number) for number in range(1, count + 1)]


def kept_dataset(engine: Engine, rows: Iterable[Example], *, name: str = "facts") -> int:
    return save_dataset(
        engine, name, rows, content_hash="c" * 64, source="facts.jsonl", author="Ana", now=NOW
    )


def queued_run(engine: Engine, dataset_id: int, *, judge: Judge | None = None) -> int:
    return create_run(
        engine,
        dataset_id=dataset_id,
        judge=judge or Found(),
        name="first",
        options=RunOptions(),
        author="Ana",
        now=NOW,
    )


def judge_everything(engine: Engine, run_id: int, judge: LocalJudge | None = None) -> None:
    """Judge and record every example of the run that has no judgement, without a worker."""
    judge = judge or Found()
    run = get_run(engine, run_id)
    with reading(engine) as session:
        ids = session.scalars(unjudged(run_id, run.dataset_id, after=0)).all()
        rows = examples_by_id(session, ids, run.statement_set_id)
    judged = [
        Judged(example_id, position, example, judge_one(judge, example))
        for position, (example_id, example) in enumerate(rows.items(), 1)
    ]
    record_outcomes(engine, run_id, judge, judged, NOW)


def until(condition: Callable[[], bool], *, seconds: float = 60) -> None:
    """Wait for something to be so, at most `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.02)

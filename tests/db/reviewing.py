"""A run on the passage scale whose judge says what each example tells it to, and its reviewers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

from sqlalchemy import Engine

from db.datasets import save_dataset
from db.engine import reading
from db.results import list_judgements
from db.reviews import Decided, commit, confirm_left, decide, read_judgement, undo
from db.runs import Judged, RunOptions, create_run, record_outcomes
from db.tables import ExampleRow
from recall_core.details import JudgementDetail
from recall_core.judges.base import LocalJudge
from recall_core.judging import judge_one
from recall_core.types import (
    Action,
    Evidence,
    Example,
    FailureKind,
    Formula,
    GroundTruthPassage,
    JudgeFailure,
    Judgement,
    Mark,
    Outcome,
    PassageKind,
    RetrievedPassage,
    Unit,
    UnitKind,
    UnitRef,
    Verdict,
)
from recall_core.units import passage_units
from tests.db.making import NOW

E1, E2, E3 = (UnitRef(UnitKind.ESSENTIAL, i) for i in (1, 2, 3))
B1, B2 = (UnitRef(UnitKind.BONUS, i) for i in (1, 2))


class Told(LocalJudge):
    """Says of each unit what the example's metadata `said` has for it, in order."""

    name: ClassVar[str] = "told"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Told"
    formula: ClassVar[Formula] = Formula.PASSAGE

    def lacks(self, example: Example) -> str | None:
        return None if example.essential else "There is no essential passage."

    def judge(self, example: Example) -> Outcome:
        if example.metadata.get("fails"):
            kind = FailureKind(str(example.metadata["fails"]))
            return JudgeFailure(example.id, kind, "It did not answer.", raw_response="gibberish")
        verdicts = [
            Verdict(
                unit,
                None if said is None else Fraction(said),
                "as told",
                (Evidence(1, 0, 4, "text", located=True),),
                failure=FailureKind.INCOMPLETE if said is None else None,
                spread=_told(example, "spreads", unit, Fraction),
                marks=_told(example, "marks", unit, lambda mark: (Mark(mark),)) or (),
            )
            for unit, said in zip(passage_units(example), example.metadata["said"], strict=True)
        ]
        return Judgement(example.id, tuple(verdicts), "as told", example.metadata.get("warns", ()))


def _told(example: Example, what: str, unit: Unit, read: Callable[[Any], Any]) -> Any:
    """What the example's metadata has for this unit, by its label; `None` where it has nothing."""
    values: Any = example.metadata.get(what, {})
    return read(values[unit.ref.label]) if unit.ref.label in values else None


def told(
    name: str, essential: Iterable[Any], bonus: Iterable[Any] = (), **metadata: Any
) -> Example:
    """An example of whose units the judge says these scores (`None`: none)."""
    scores = {PassageKind.ESSENTIAL: [*essential], PassageKind.BONUS: [*bonus]}
    question = metadata.pop("question", f"What of {name}?")
    return Example(
        name,
        question=question,
        ground_truth=tuple(
            GroundTruthPassage(kind, f"{kind.value} {i} of {name}")
            for kind, said in scores.items()
            for i in range(1, len(said) + 1)
        ),
        retrieved=(RetrievedPassage(1, f"text of {name}"),),
        metadata={"said": [s for said in scores.values() for s in said], **metadata},
    )


@dataclass
class Desk:
    """A judged run and its reviewers, each with a browser that counts its writes."""

    engine: Engine
    run_id: int
    judgements: dict[str, int]
    sequence: dict[str, int] = field(default_factory=dict)

    def detail(self, example: str) -> JudgementDetail:
        return read_judgement(self.engine, self.judgements[example])

    def write(self, reviewer: str) -> dict[str, Any]:
        self.sequence[reviewer] = self.sequence.get(reviewer, 0) + 1
        number = self.sequence[reviewer]
        return {
            "reviewer": reviewer,
            "client_id": f"{reviewer}'s browser at run {self.run_id}",
            "client_seq": number,
            "now": NOW,
        }

    def decide(
        self, example: str, unit: UnitRef, action: Action, *, by: str = "Mara", **rest: Any
    ) -> Decided:
        """A decision of somebody who has just read the unit, unless `seen` says otherwise."""
        rest.setdefault("seen", self.view(example, by).newest.get(unit, 0))
        return decide(self.engine, self.judgements[example], unit, action, **self.write(by), **rest)

    def set(
        self, example: str, unit: UnitRef, score: int | str, *, by: str = "Mara", **rest: Any
    ) -> Decided:
        return self.decide(example, unit, Action.SET, by=by, score=Fraction(score), **rest)

    def undo(self, example: str, unit: UnitRef, *, by: str = "Mara") -> Decided:
        seen = self.view(example, by).newest.get(unit, 0)
        return undo(self.engine, self.judgements[example], unit, seen=seen, **self.write(by))

    def view(self, example: str, viewer: str) -> JudgementDetail:
        """What this person may see."""
        return read_judgement(self.engine, self.judgements[example], viewer)

    def commit(self, example: str, *, by: str = "Mara") -> JudgementDetail:
        return commit(self.engine, self.judgements[example], reviewer=by, now=NOW)

    def confirm_left(self, example: str, *, by: str = "Mara") -> Decided:
        detail = self.view(example, by)
        seen = {e.ref: detail.newest.get(e.ref, 0) for e in detail.effective if not e.reviewed}
        return confirm_left(self.engine, detail.id, seen=seen, **self.write(by))


def desk(
    engine: Engine,
    *examples: Example,
    options: RunOptions | None = None,
    pass_at: float | None = None,
) -> Desk:
    """A run of `Told` over the examples, all judged."""
    judge = Told(pass_at=pass_at)
    dataset_id = save_dataset(
        engine, "told", examples, content_hash="c" * 64, source="", author="Ana", now=NOW
    )
    run_id = create_run(
        engine,
        dataset_id=dataset_id,
        judge=judge,
        name="first",
        options=options or RunOptions(),
        author="Ana",
        now=NOW,
    )
    with reading(engine) as session:
        rows = session.query(ExampleRow.id, ExampleRow.position).filter_by(dataset_id=dataset_id)
        places = {position: example_id for example_id, position in rows}
    judged = [
        Judged(places[position], position, example, judge_one(judge, example))
        for position, example in enumerate(examples, 1)
    ]
    record_outcomes(engine, run_id, judge, judged, NOW)
    return Desk(engine, run_id, _judgements(engine, run_id))


def _judgements(engine: Engine, run_id: int) -> dict[str, int]:
    rows = list_judgements(engine, run_id, size=1_000).rows
    return {row.example_id: row.id for row in rows}

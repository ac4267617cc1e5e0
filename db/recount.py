"""Proof that the copies kept for lists say what verdicts and decisions say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from db.copies import computed_copies
from db.details import START, next_batch
from db.disagreement import measured_disagreement
from db.engine import reading
from db.tables import JudgementRow, RunRow


@dataclass(frozen=True, slots=True)
class Difference:
    """A copy that does not say what it should."""

    run_id: int
    judgement_id: int
    column: str
    kept: Any
    computed: Any

    def __str__(self) -> str:
        return (
            f"Run {self.run_id}, judgement {self.judgement_id}: {self.column} is kept as "
            f"{self.kept}, and verdicts and decisions give {self.computed}."
        )


@dataclass(frozen=True, slots=True)
class Recount:
    """How many judgements were computed again, every copy that differs, and in a sentence each
    what cannot be computed because something beside it is no value that the program writes.
    """

    judgements: int
    differences: tuple[Difference, ...]
    unreadable: tuple[str, ...] = ()

    @property
    def equal(self) -> bool:
        return not self.problems

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong, in sentences."""
        return (*(str(difference) for difference in self.differences), *self.unreadable)


def recount(engine: Engine, run_id: int | None = None) -> Recount:
    """Compute every copy of the run (or of all runs) again and compare; changes nothing."""
    judgements = 0
    differences: list[Difference] = []
    unreadable: list[str] = []
    for run in _runs(engine, run_id):
        after = START
        while True:
            with reading(engine) as session:
                batch = next_batch(session, run, after)
                found, broken = _checked(session, run, batch.ids)
            differences += found
            unreadable += broken
            if not batch.ids:
                break
            judgements += len(batch.ids)
            after = batch.last
    return Recount(judgements, tuple(differences), tuple(unreadable))


def _runs(engine: Engine, run_id: int | None) -> list[int]:
    if run_id is not None:
        return [run_id]
    kept = select(RunRow.id).where(RunRow.state != "deleting")
    with reading(engine) as session:
        return list(session.scalars(kept.order_by(RunRow.id)))


def _checked(session: Session, run_id: int, ids: list[int]) -> tuple[list[Difference], list[str]]:
    """What differs, and what cannot be read; one judgement that cannot spares the others."""
    try:
        return _differences(session, run_id, ids), []
    except ValueError as error:
        # A column, or a type that is made of one, does not know what stands there.
        if len(ids) == 1:
            why = f"Run {run_id}, judgement {ids[0]}: what is kept of it cannot be read: {error}."
            return [], [why]
    each = [_checked(session, run_id, [judgement_id]) for judgement_id in ids]
    return [d for found, _ in each for d in found], [s for _, broken in each for s in broken]


def _differences(session: Session, run_id: int, ids: list[int]) -> list[Difference]:
    computed = computed_copies(session, ids)
    rows = session.scalars(select(JudgementRow).where(JudgementRow.id.in_(ids))).all()
    disagreement = measured_disagreement(session, [row.example_id for row in rows])
    for row in rows:
        computed[row.id]["disagreement"] = disagreement[row.id]
    return [
        Difference(run_id, row.id, column, getattr(row, column), value)
        for row in rows
        for column, value in computed[row.id].items()
        if getattr(row, column) != value
    ]

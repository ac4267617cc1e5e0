"""Where people have decided on the units of a judgement in other runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, exists, select
from sqlalchemy.orm import Session, aliased

from db.tables import DecisionRow, ExampleRow, JudgementRow, RunRow, UnitRow, VerdictRow
from recall_core.details import JudgementDetail
from recall_core.types import UnitKind, UnitRef


@dataclass(frozen=True, slots=True)
class Candidate:
    """A unit of another run's judgement on which somebody has decided there."""

    unit: UnitRef
    judgement_id: int
    there: UnitRef
    closeness: int
    """0: same texts, 1: same unit in other texts, 2: the unit of the same number, reworded."""


def candidates_for(session: Session, detail: JudgementDetail) -> list[Candidate]:
    """Units with the same words that people have decided on in other runs, whatever they were
    looked for in; where there is none, the unit of that number in an example of that name.
    """
    here, there = UnitRow, aliased(UnitRow)
    by_words = _units(session, detail, there.text_key == here.text_key, there)
    known = {candidate.unit for candidate in by_words}
    example, example_there = ExampleRow, aliased(ExampleRow)
    same_name = exists().where(
        example.id == here.example_id,
        example_there.id == there.example_id,
        example_there.external_id == example.external_id,
    )
    same_place = and_(there.kind == here.kind, there.position == here.position, same_name)
    if len(known) < len(detail.verdicts):
        by_place = _units(session, detail, same_place, there)
        return [*by_words, *(c for c in by_place if c.unit not in known)]
    return by_words


def _units(
    session: Session, detail: JudgementDetail, same: ColumnElement[bool], there: type[UnitRow]
) -> list[Candidate]:
    here, verdict = UnitRow, aliased(VerdictRow)
    decided = exists().where(
        DecisionRow.judgement_id == verdict.judgement_id, DecisionRow.unit_id == there.id
    )
    columns: tuple[Any, ...] = (
        *(here.kind, here.position, verdict.judgement_id, there.kind, there.position),
        *(there.unit_key == here.unit_key, there.text_key == here.text_key),
    )
    query: Select[Any] = (
        select(*columns)
        .join(VerdictRow, VerdictRow.unit_id == here.id)
        .join(there, same)
        .join(verdict, verdict.unit_id == there.id)
        .join(JudgementRow, JudgementRow.id == verdict.judgement_id)
        .join(RunRow, RunRow.id == JudgementRow.run_id)
        .where(VerdictRow.judgement_id == detail.id, decided)
        .where(RunRow.id != detail.run.id, RunRow.state != "deleting")
    )
    return [_candidate(row) for row in session.execute(query)]


def _candidate(row: Any) -> Candidate:
    kind, position, judgement_id, kind_there, position_there, same_texts, same_words = row
    closeness = 0 if same_texts else 1 if same_words else 2
    return Candidate(
        UnitRef(UnitKind(kind), position),
        judgement_id,
        UnitRef(UnitKind(kind_there), position_there),
        closeness,
    )

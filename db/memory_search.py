"""Where people have decided on the units of a judgement in other runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from sqlalchemy import ColumnElement, Select, and_, exists, select
from sqlalchemy.orm import Session, aliased

from db.tables import Base, DecisionRow, ExampleRow, JudgementRow, RunRow, UnitRow, VerdictRow
from recall_core.details import JudgementDetail
from recall_core.types import UnitKind, UnitRef

_Step: TypeAlias = tuple[type[Base], ColumnElement[bool]]
"""A table and what leads to it."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A unit of another run's judgement on which somebody has decided there."""

    unit: UnitRef
    judgement_id: int
    there: UnitRef
    closeness: int
    """0: same texts, 1: same unit in other texts, 2: the unit of the same number, reworded."""


def candidates_for(
    session: Session, details: Sequence[JudgementDetail]
) -> dict[int, list[Candidate]]:
    """For each of these judgements of one run, the units with the same words that people have
    decided on in other runs, whatever they were looked for in; for a unit without any, the unit of
    that number in an example of that name.
    """
    here, there = UnitRow, aliased(UnitRow)
    found = _units(session, details, there, [(there, there.text_key == here.text_key)])
    known = {d.id: {candidate.unit for candidate in found[d.id]} for d in details}
    lacking = [d for d in details if len(known[d.id]) < len(d.verdicts)]
    if not lacking:
        return found
    # From example to example by name, and only then to the units: so each step finds an index.
    example, namesake = ExampleRow, aliased(ExampleRow)
    in_it, same_kind = there.example_id == namesake.id, there.kind == here.kind
    way: list[_Step] = [
        (example, example.id == here.example_id),
        (namesake, namesake.external_id == example.external_id),
        (there, and_(in_it, same_kind, there.position == here.position)),
    ]
    for judgement_id, by_place in _units(session, lacking, there, way).items():
        found[judgement_id] += [c for c in by_place if c.unit not in known[judgement_id]]
    return found


def _units(
    session: Session, details: Sequence[JudgementDetail], there: type[UnitRow], way: Sequence[_Step]
) -> dict[int, list[Candidate]]:
    here, verdict = UnitRow, aliased(VerdictRow)
    decided = exists().where(
        DecisionRow.judgement_id == verdict.judgement_id, DecisionRow.unit_id == there.id
    )
    columns: tuple[Any, ...] = (
        VerdictRow.judgement_id,
        *(here.kind, here.position, verdict.judgement_id, there.kind, there.position),
        *(there.unit_key == here.unit_key, there.text_key == here.text_key),
    )
    query: Select[Any] = (
        select(*columns)
        .join(VerdictRow, VerdictRow.unit_id == here.id)
        .where(VerdictRow.judgement_id.in_([d.id for d in details]))
    )
    for table, on in way:
        query = query.join(table, on)
    query = (
        query.join(verdict, verdict.unit_id == there.id)
        .join(JudgementRow, JudgementRow.id == verdict.judgement_id)
        .join(RunRow, RunRow.id == JudgementRow.run_id)
        .where(decided)
        .where(RunRow.id.not_in({d.run.id for d in details}), RunRow.state != "deleting")
    )
    found: dict[int, list[Candidate]] = {d.id: [] for d in details}
    for judgement_id, *row in session.execute(query):
        found[judgement_id].append(_candidate(row))
    return found


def _candidate(row: Sequence[Any]) -> Candidate:
    kind, position, judgement_id, kind_there, position_there, same_texts, same_words = row
    closeness = 0 if same_texts else 1 if same_words else 2
    return Candidate(
        UnitRef(UnitKind(kind), position),
        judgement_id,
        UnitRef(UnitKind(kind_there), position_there),
        closeness,
    )

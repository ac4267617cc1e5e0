"""Recording what a judge said: small batches, nothing twice, every unit and quote as a row."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BindParameter, Engine, bindparam, delete, select, update
from sqlalchemy.orm import Session

from db.disagreement import refresh_disagreement
from db.engine import transaction
from db.inserting import insert_rows
from db.judged import (
    Entry,
    Judged,
    Place,
    entry_of,
    evidence_values,
    judgement_values,
    unit_values,
    verdict_values,
)
from db.tables import (
    DatasetRow,
    DecisionRow,
    EvidenceRow,
    JudgementRow,
    RunRow,
    UnitRow,
    VerdictRow,
    table_of,
)
from recall_core.judges.base import Judge

BATCH = 50
"""At most so many judgements a transaction, so that a reviewer's write never waits long."""


def record_outcomes(
    engine: Engine, run_id: int, judge: Judge, judged: Sequence[Judged], now: datetime
) -> int:
    """Store these outcomes in transactions of at most `BATCH`; how many were new.

    An example that already has a judgement keeps it, so the same outcomes may be sent again; one
    that is to be judged again gets the new one in its place, under the same number. A paused or
    cancelled run still takes what its judge had begun; a deleted one takes nothing.
    """
    return sum(
        _record(engine, run_id, judge, judged[start : start + BATCH], now)
        for start in range(0, len(judged), BATCH)
    )


def _record(
    engine: Engine, run_id: int, judge: Judge, judged: Sequence[Judged], now: datetime
) -> int:
    entries = [entry_of(judge, one) for one in judged]
    with transaction(engine) as session:
        if not _takes_outcomes(session, run_id):
            return 0
        example_ids = [entry.example_id for entry in entries]
        there = _judgement_ids(session, run_id, example_ids)
        again = _make_way(session, there.values()) if there else set()
        first = {e.example_id: e for e in entries if e.example_id not in there}
        better = {e.example_id: e for e in entries if there.get(e.example_id) in again}
        rows = {i: judgement_values(run_id, judge, e, now) for i, e in (first | better).items()}
        insert_rows(session, table_of(JudgementRow), [rows[i] for i in first])
        if better:
            session.execute(update(JudgementRow), [{"id": there[i], **rows[i]} for i in better])
        new = [*first.values(), *better.values()]
        if new:
            ids = _judgement_ids(session, run_id, rows)
            _write_verdicts(session, new, ids, _units(session, new))
            judged_too = _judged_by_others(session, run_id, rows)
            if judged_too:
                refresh_disagreement(session, judged_too)
        return len(new)


def _takes_outcomes(session: Session, run_id: int) -> bool:
    """Whether the run is there. Its dataset is held: databases other than SQLite let two writers
    in at once, and both might make the same unit.
    """
    query = select(RunRow.state).join(DatasetRow, DatasetRow.id == RunRow.dataset_id)
    state = session.scalar(query.where(RunRow.id == run_id).with_for_update(of=DatasetRow))
    return state is not None and state != "deleting"


def _make_way(session: Session, judgement_ids: Iterable[int]) -> set[int]:
    """Which of these are to be replaced, their verdicts removed. What a person has decided on
    since it was asked for again stays.
    """
    query = select(JudgementRow.id).where(JudgementRow.id.in_(judgement_ids), JudgementRow.again)
    waiting = set(session.scalars(query))
    if not waiting:
        return waiting
    decided = select(DecisionRow.judgement_id).where(DecisionRow.judgement_id.in_(waiting))
    free = waiting.difference(session.scalars(decided))
    session.execute(delete(VerdictRow).where(VerdictRow.judgement_id.in_(free)))
    session.execute(update(JudgementRow), [{"id": i, "again": False} for i in waiting])
    return free


_J, _U, _V = (table_of(row).c for row in (JudgementRow, UnitRow, VerdictRow))
_IDS: BindParameter[Any] = bindparam("ids", expanding=True)
# Made once: making such a query takes longer than running it.
_JUDGEMENTS = select(_J.example_id, _J.id).where(
    _J.run_id == bindparam("run_id"), _J.example_id.in_(_IDS), _J.repeat == 1
)
_OTHERS = select(_J.example_id).where(_J.example_id.in_(_IDS), _J.run_id != bindparam("run_id"))
_UNITS = select(_U.example_id, _U.unit_key, _U.position, _U.id).where(_U.example_id.in_(_IDS))
_VERDICTS = select(_V.judgement_id, _V.unit_id, _V.id).where(_V.judgement_id.in_(_IDS))


def _judgement_ids(session: Session, run_id: int, example_ids: Collection[int]) -> dict[int, int]:
    """The judgements that these examples have in the run, by example."""
    wanted = {"run_id": run_id, "ids": list(example_ids)}
    return dict(session.execute(_JUDGEMENTS, wanted).all())


def _judged_by_others(session: Session, run_id: int, example_ids: Collection[int]) -> set[int]:
    """Those of the examples that another run has judged."""
    return set(session.scalars(_OTHERS, {"run_id": run_id, "ids": list(example_ids)}))


def _units(session: Session, entries: Sequence[Entry]) -> dict[Place, int]:
    """The row ids of these judgements' units; those that no other run has judged are made."""
    wanted = {unit.place: unit for entry in entries for unit in entry.units}
    known = _unit_ids(session, entries)
    missing = [unit_values(unit) for place, unit in wanted.items() if place not in known]
    insert_rows(session, table_of(UnitRow), missing)
    return _unit_ids(session, entries) if missing else known


def _unit_ids(session: Session, entries: Sequence[Entry]) -> dict[Place, int]:
    found = session.execute(_UNITS, {"ids": [entry.example_id for entry in entries]})
    return {(example_id, key, position): i for example_id, key, position, i in found}


def _write_verdicts(
    session: Session,
    entries: Sequence[Entry],
    judgement_ids: dict[int, int],
    unit_ids: dict[Place, int],
) -> None:
    verdicts = {
        (judgement_ids[entry.example_id], unit_ids[unit.place]): unit.verdict
        for entry in entries
        for unit in entry.units
    }
    rows = [verdict_values(*place, verdict) for place, verdict in verdicts.items()]
    insert_rows(session, table_of(VerdictRow), rows)
    if not any(verdict.evidence for verdict in verdicts.values()):
        return
    found = session.execute(_VERDICTS, {"ids": [judgement_ids[e.example_id] for e in entries]})
    evidence = [
        values
        for judgement_id, unit_id, verdict_id in found
        for values in evidence_values(verdict_id, verdicts[judgement_id, unit_id])
    ]
    insert_rows(session, table_of(EvidenceRow), evidence)

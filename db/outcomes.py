"""Recording what a judge said: small batches, nothing twice, every unit and quote as a row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any

from sqlalchemy import Engine, delete, insert, select, update
from sqlalchemy.orm import Session

from db.columns import decimal_text, whole_text
from db.copies import copies_of
from db.disagreement import refresh_disagreement
from db.engine import transaction
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
from recall_core.details import scores_of
from recall_core.disagreement import OUTPUT, verbatim_in
from recall_core.judges.base import Judge
from recall_core.results import Result, result_of
from recall_core.types import Example, FailureKind, JudgeFailure, Outcome, Skipped, Unit, Verdict
from recall_core.unit_key import unit_key
from recall_core.units import with_every_unit

BATCH = 50
"""At most so many judgements a transaction, so that a reviewer's write never waits long."""


@dataclass(frozen=True, slots=True)
class Judged:
    """An outcome with the example it is about (`example_id` is the row's, not the file's)."""

    example_id: int
    position: int
    example: Example
    outcome: Outcome


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


@dataclass(frozen=True, slots=True)
class _Entry:
    """One judgement to be written: its result, the texts that its units were looked for in, and the
    units' keys in the verdicts' order.
    """

    judged: Judged
    result: Result
    texts: tuple[str, ...]
    keys: tuple[str, ...]

    @property
    def example_id(self) -> int:
        return self.judged.example_id

    def verbatim_rank(self, unit: Unit) -> int | None:
        """The rank of the first text in which the unit stands word for word."""
        place = verbatim_in(unit.text, self.texts)
        if place is None:
            return None
        retrieved = self.judged.example.retrieved or ()
        same = self.texts == tuple(passage.text for passage in retrieved)
        return retrieved[place].rank if same else OUTPUT

    def units(self) -> Iterator[tuple[tuple[int, str, int], Verdict]]:
        """Each verdict with what its unit is found by: example, key and position."""
        for key, verdict in zip(self.keys, self.result.units, strict=True):
            yield (self.example_id, key, verdict.unit.ref.index), verdict


def _record(
    engine: Engine, run_id: int, judge: Judge, judged: Sequence[Judged], now: datetime
) -> int:
    entries = [_entry(judge, one) for one in judged]
    with transaction(engine) as session:
        run = session.get(RunRow, run_id)
        if run is None or run.state == "deleting":
            return 0
        # Databases other than SQLite let two writers in at once; both might make the same unit.
        session.execute(
            select(DatasetRow.id).where(DatasetRow.id == run.dataset_id).with_for_update()
        )
        there = _judgement_ids(session, run_id, entries)
        again = _make_way(session, there.values())
        first = {e.example_id: e for e in entries if e.example_id not in there}
        better = {e.example_id: e for e in entries if there.get(e.example_id) in again}
        rows = {i: _judgement(run_id, judge, e, now) for i, e in (first | better).items()}
        if first:
            session.execute(insert(table_of(JudgementRow)), [rows[i] for i in first])
        if better:
            session.execute(update(JudgementRow), [{"id": there[i], **rows[i]} for i in better])
        new = [*first.values(), *better.values()]
        if new:
            ids = _judgement_ids(session, run_id, new)
            _write_verdicts(session, new, ids, _units(session, new))
            refresh_disagreement(session, [entry.example_id for entry in new])
        return len(new)


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


def _entry(judge: Judge, judged: Judged) -> _Entry:
    outcome = _keepable(judged)
    if isinstance(outcome, JudgeFailure):
        outcome = with_every_unit(outcome, judge.units(judged.example))
    texts = judge.scored_texts(judged.example)
    result = result_of(judged.example, judge, outcome)
    keys = tuple(unit_key(v.unit.ref.kind, v.unit.text, texts) for v in result.units)
    return _Entry(judged, result, texts, keys)


def _keepable(judged: Judged) -> Outcome:
    """The outcome, or a failure of this example where a judge's answer makes no sense to keep."""
    outcome = judged.outcome
    problem = _problem(judged.example, outcome)
    if problem is None:
        return outcome
    raw = None if isinstance(outcome, Skipped) else outcome.raw_response
    return JudgeFailure(judged.example.id, FailureKind.INTERNAL, problem, raw_response=raw)


def _problem(example: Example, outcome: Outcome) -> str | None:
    if outcome.example_id != example.id:
        return f"The judge answered for example {outcome.example_id} when asked about {example.id}."
    if isinstance(outcome, Skipped):
        return None
    refs = [verdict.unit.ref for verdict in outcome.verdicts]
    if len(set(refs)) < len(refs):
        twice = next(ref.label for ref in refs if refs.count(ref) > 1)
        return f"The judge gave more than one verdict for {twice}."
    for verdict in outcome.verdicts:
        try:
            decimal_text(verdict.score or Fraction(0))
        except ValueError as error:
            return f"The judge's score for {verdict.unit.ref.label} cannot be kept: {error}"
    return None


def _judgement_ids(session: Session, run_id: int, entries: Sequence[_Entry]) -> dict[int, int]:
    """The judgements that these examples have in the run, by example."""
    query = select(JudgementRow.example_id, JudgementRow.id).where(
        JudgementRow.run_id == run_id,
        JudgementRow.example_id.in_([e.example_id for e in entries]),
        JudgementRow.repeat == 1,
    )
    return dict(session.execute(query).all())


def _judgement(run_id: int, judge: Judge, entry: _Entry, now: datetime) -> dict[str, Any]:
    result = entry.result
    scores = scores_of(
        result.status, result.units, (), formula=judge.formula, rounding=judge.rounding_rule
    )
    return {
        "run_id": run_id,
        "example_id": entry.example_id,
        "position": entry.judged.position,
        "repeat": 1,
        "status": result.status.value,
        "error_type": None if result.error_type is None else result.error_type.value,
        "details": whole_text(result.details),
        "warnings": [whole_text(warning) for warning in result.warnings],
        "warning_count": len(result.warnings),
        "raw_response": None if result.raw_response is None else whole_text(result.raw_response),
        "cost": None if result.cost is None else str(result.cost.amount),
        "judged_at": now,
        **copies_of(result.status, scores),
    }


def _units(session: Session, entries: Sequence[_Entry]) -> dict[tuple[int, str, int], int]:
    """The row ids of these judgements' units; those that no other run has judged are made."""
    wanted = {place: (e, verdict.unit) for e in entries for place, verdict in e.units()}
    known = _unit_ids(session, entries)
    missing = [
        {
            "example_id": place[0],
            "kind": unit.ref.kind.value,
            "position": unit.ref.index,
            "text": whole_text(unit.text),
            "unit_key": place[1],
            "text_key": unit_key(unit.ref.kind, unit.text, ()),
            "verbatim_rank": entry.verbatim_rank(unit),
        }
        for place, (entry, unit) in wanted.items()
        if place not in known
    ]
    if missing:
        session.execute(insert(table_of(UnitRow)), missing)
        known = _unit_ids(session, entries)
    return known


def _unit_ids(session: Session, entries: Sequence[_Entry]) -> dict[tuple[int, str, int], int]:
    row = UnitRow
    query = select(row.example_id, row.unit_key, row.position, row.id)
    found = session.execute(query.where(row.example_id.in_([e.example_id for e in entries])))
    return {(example_id, key, position): i for example_id, key, position, i in found}


def _write_verdicts(
    session: Session,
    entries: Sequence[_Entry],
    judgement_ids: dict[int, int],
    unit_ids: dict[tuple[int, str, int], int],
) -> None:
    rows = {
        (judgement_ids[entry.example_id], unit_ids[place]): verdict
        for entry in entries
        for place, verdict in entry.units()
    }
    if not rows:
        return
    session.execute(
        insert(table_of(VerdictRow)), [_verdict(*place, v) for place, v in rows.items()]
    )
    query = select(VerdictRow.judgement_id, VerdictRow.unit_id, VerdictRow.id)
    found = session.execute(query.where(VerdictRow.judgement_id.in_(judgement_ids.values())))
    evidence = [
        values
        for judgement_id, unit_id, verdict_id in found
        for values in _evidence(verdict_id, rows[judgement_id, unit_id])
    ]
    if evidence:
        session.execute(insert(EvidenceRow), evidence)


def _verdict(judgement_id: int, unit_id: int, verdict: Verdict) -> dict[str, Any]:
    return {
        "judgement_id": judgement_id,
        "unit_id": unit_id,
        "score": verdict.score,
        "failure": None if verdict.failure is None else verdict.failure.value,
        "probability": verdict.probability,
        "similarity": verdict.similarity,
        "spread": verdict.spread,
        "marks": [mark.value for mark in verdict.marks],
        "reasoning": whole_text(verdict.reasoning),
    }


def _evidence(verdict_id: int, verdict: Verdict) -> Iterator[dict[str, Any]]:
    for position, evidence in enumerate(verdict.evidence, 1):
        yield {
            "verdict_id": verdict_id,
            "position": position,
            "rank": evidence.rank,
            "start": evidence.start,
            "end": evidence.end,
            "quote": whole_text(evidence.quote),
            "located": evidence.located,
        }

"""Decision rows as values, and the chain of hashes that shows a changed or missing one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Engine, Select, func, select
from sqlalchemy.orm import Session

from db.columns import decimal_text
from db.engine import reading
from db.tables import DecisionRow, UnitRow
from recall_core.chain import START, chain_hash
from recall_core.types import Action, Cause, Decision, UnitKind, UnitRef, UnitState


@dataclass(frozen=True, slots=True)
class DecisionsOn:
    """The decisions on one judgement, oldest first, and the batch of those made as one."""

    decisions: tuple[Decision, ...] = ()
    batches: dict[int, str] = field(default_factory=dict)

    @property
    def newest(self) -> dict[UnitRef, int]:
        """The id of the newest decision on each unit, undos included."""
        return {d.unit: d.id for d in self.decisions}


def decisions_of(session: Session, judgement_ids: Sequence[int]) -> dict[int, DecisionsOn]:
    """The decisions on each of these judgements; those without any are left out."""
    decisions: dict[int, list[Decision]] = defaultdict(list)
    batches: dict[int, dict[int, str]] = defaultdict(dict)
    query = _with_units().where(DecisionRow.judgement_id.in_(judgement_ids))
    for row, kind, position in session.execute(query.order_by(DecisionRow.id)):
        decisions[row.judgement_id].append(decision_of(row, UnitRef(UnitKind(kind), position)))
        if row.batch is not None:
            batches[row.judgement_id][row.id] = row.batch
    return {i: DecisionsOn(tuple(rows), batches[i]) for i, rows in decisions.items()}


def _with_units() -> Select[DecisionRow, str, int]:
    return select(DecisionRow, UnitRow.kind, UnitRow.position).join(
        UnitRow, UnitRow.id == DecisionRow.unit_id
    )


def decision_of(row: DecisionRow, ref: UnitRef) -> Decision:
    """The row as a value."""
    return Decision(
        id=row.id,
        unit=ref,
        action=Action(row.action),
        before=UnitState(UnitKind(row.before_kind), row.before_score, row.before_excluded),
        after=UnitState(UnitKind(row.after_kind), row.after_score, row.after_excluded),
        reviewer=row.reviewer,
        at=row.at,
        cause=None if row.cause is None else Cause(row.cause),
        note=row.note,
        undoes=row.undoes,
        twin=None if row.twin is None else UnitRef.of(row.twin),
        recalled=row.recalled,
    )


def acknowledged(engine: Engine, client_id: str) -> int:
    """The highest number of this client's writes that is stored; 0: none."""
    with reading(engine) as session:
        query = select(func.max(DecisionRow.client_seq)).where(DecisionRow.client_id == client_id)
        return session.scalar(query) or 0


def last_hash(session: Session, run_id: int) -> str:
    """The end of the run's chain, which the next decision continues."""
    query = select(DecisionRow.hash).where(DecisionRow.run_id == run_id)
    return session.scalar(query.order_by(DecisionRow.id.desc()).limit(1)) or START


def hash_of(row: DecisionRow) -> str:
    """The hash of the row's facts and of the hash before it."""
    return chain_hash(facts_of(row))


def facts_of(row: DecisionRow) -> dict[str, Any]:
    """What the chain holds fast of a decision, as plain values."""
    return {
        "run": row.run_id,
        "judgement": row.judgement_id,
        "review": row.review_id,
        "unit": row.unit_id,
        "action": row.action,
        "before": _state(row.before_kind, row.before_score, row.before_excluded),
        "after": _state(row.after_kind, row.after_score, row.after_excluded),
        "reviewer": row.reviewer,
        "cause": row.cause,
        "note": row.note,
        "based_on": row.based_on,
        "undoes": row.undoes,
        "twin": row.twin,
        "recalled": row.recalled,
        "batch": row.batch,
        "client": [row.client_id, row.client_seq, row.part],
        "at": row.at.isoformat(timespec="microseconds"),
        "previous": row.previous_hash,
    }


def _state(kind: str, score: Any, excluded: bool) -> list[Any]:
    return [kind, None if score is None else decimal_text(score), excluded]


@dataclass(frozen=True, slots=True)
class ChainReport:
    """Whether a run's decisions are as they were written; `problem` is a sentence, or empty."""

    run_id: int
    decisions: int
    problem: str = ""

    @property
    def intact(self) -> bool:
        return not self.problem


def verify_chain(engine: Engine, run_id: int) -> ChainReport:
    """Hash every decision of the run again, oldest first, up to the first that does not fit."""
    with reading(engine) as session:
        query = select(DecisionRow).where(DecisionRow.run_id == run_id).order_by(DecisionRow.id)
        previous, count = START, 0
        known: dict[int, tuple[int, int]] = {}
        try:
            for row in session.scalars(query.execution_options(yield_per=500)):
                problem = _problem(row, previous, known)
                if problem:
                    return ChainReport(run_id, count, problem)
                previous, count = row.hash, count + 1
                known[row.id] = (row.judgement_id, row.unit_id)
                session.expunge(row)
        except ValueError:
            found = _unreadable(session, run_id)
            if not found:
                raise
            return ChainReport(run_id, count, found)
        return ChainReport(run_id, count)


def _unreadable(session: Session, run_id: int) -> str:
    """Which decision holds something that the program never writes, such as a score of `abc`."""
    query = select(DecisionRow.id).where(DecisionRow.run_id == run_id).order_by(DecisionRow.id)
    for decision_id in session.scalars(query).all():
        try:
            session.scalars(select(DecisionRow).where(DecisionRow.id == decision_id)).one()
        except ValueError as error:
            return f"Decision {decision_id} was changed after it was written: {error}."
    return ""


def _problem(row: DecisionRow, previous: str, known: dict[int, tuple[int, int]]) -> str:
    if row.previous_hash != previous:
        return (
            f"Decision {row.id} does not continue the one before it: "
            "a decision was removed, added or reordered just before it."
        )
    if hash_of(row) != row.hash:
        return f"Decision {row.id} of {row.reviewer} was changed after it was written."
    for earlier in (row.based_on, row.undoes):
        if earlier and known.get(earlier) != (row.judgement_id, row.unit_id):
            return f"Decision {row.id} refers to decision {earlier}, which is not on its unit."
    return ""

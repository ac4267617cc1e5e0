"""What reviewers do: each act appends decisions and renews what is copied, in one transaction.

A write is known by `(client_id, client_seq)`: sent twice, it is stored once, and the second answer
is the first one's. A write that did not see the newest decision on its unit is refused
(`ChangedMeanwhile`), so nobody's value is overwritten unseen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from uuid import NAMESPACE_URL, uuid5

from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from db.copies import refresh_copies
from db.decisions import acknowledged, decision_of, hash_of, last_hash, verify_chain
from db.details import detail_of, read_judgement, read_judgements
from db.engine import transaction
from db.review_errors import ChangedMeanwhile, NoteRequired
from db.tables import DecisionRow, ReviewRow, RunRow, UnitRow, VerdictRow
from recall_core.deciding import state_after
from recall_core.details import JudgementDetail, scores_of
from recall_core.effective import effective_score, standing_decisions
from recall_core.errors import InvalidDecision
from recall_core.ledger import Ledger, ledger_of
from recall_core.types import (
    Action,
    Cause,
    Decision,
    EffectiveScore,
    UnitKind,
    UnitRef,
    UnitState,
)

__all__ = [
    "ChangedMeanwhile",
    "Decided",
    "NoteRequired",
    "acknowledged",
    "confirm_left",
    "decide",
    "history",
    "read_judgement",
    "read_judgements",
    "undo",
    "undo_batch",
    "verify_chain",
]


@dataclass(frozen=True, slots=True)
class Decided:
    """What a write left: its own decisions, and the judgement as it is now.

    `batch` names decisions made as one, to be undone as one; `repeated` says that this write had
    arrived before and nothing was stored anew.
    """

    decisions: tuple[Decision, ...]
    judgement: JudgementDetail
    batch: str | None = None
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class _Write:
    """Who sends which write, and when."""

    reviewer: str
    client_id: str
    client_seq: int
    now: datetime


@dataclass(frozen=True, slots=True)
class _Act:
    """One decision that is about to be stored."""

    unit: UnitRef
    action: Action
    before: UnitState
    after: UnitState
    seen: int
    cause: Cause | None = None
    note: str = ""
    undoes: int | None = None


def decide(
    engine: Engine,
    judgement_id: int,
    unit: UnitRef,
    action: Action,
    *,
    reviewer: str,
    seen: int,
    client_id: str,
    client_seq: int,
    now: datetime,
    score: Fraction | None = None,
    to_kind: UnitKind | None = None,
    cause: Cause | None = None,
    note: str = "",
) -> Decided:
    """Store one act on one unit: set, confirm, exclude, move or unset (`undo` is its own).

    `seen` is the newest decision on the unit that the person saw (`JudgementDetail.newest`; 0:
    none). A move may bring a `score`, and must where the old one is off the new scale. Raises
    `ChangedMeanwhile`, `InvalidScore`, `InvalidDecision`, `NoteRequired`, `NotKept`.
    """
    write = _Write(reviewer, client_id, client_seq, now)
    with transaction(engine) as session:
        if (stored := _stored(session, judgement_id, write)) is not None:
            return stored
        detail = detail_of(session, judgement_id)
        current = _current(detail, unit, seen)
        halves = detail.run.halves
        after = state_after(current, action, score=score, to_kind=to_kind, halves=halves)
        act = _Act(unit, action, current.state, after, seen, cause, note.strip())
        _require_note(detail, act)
        return _append(session, detail, [act], write)


def undo(
    engine: Engine,
    judgement_id: int,
    unit: UnitRef,
    *,
    reviewer: str,
    seen: int,
    client_id: str,
    client_seq: int,
    now: datetime,
) -> Decided:
    """Take back the reviewer's own newest standing decision on the unit, by one more decision.

    What stood before it counts again. `InvalidDecision` if there is none of theirs.
    """
    write = _Write(reviewer, client_id, client_seq, now)
    with transaction(engine) as session:
        if (stored := _stored(session, judgement_id, write)) is not None:
            return stored
        detail = detail_of(session, judgement_id)
        current = _current(detail, unit, seen)
        own = [d for d in _standing(detail, unit) if d.reviewer == reviewer]
        if not own:
            raise InvalidDecision(f"{reviewer} has no decision on {unit.label} to take back.")
        return _append(session, detail, [_undoing(detail, current, own[-1], seen)], write)


def undo_batch(
    engine: Engine,
    judgement_id: int,
    batch: str,
    *,
    reviewer: str,
    client_id: str,
    client_seq: int,
    now: datetime,
) -> Decided:
    """Take back, as one, what is left standing of the reviewer's decisions of that batch.

    Decisions made later on the same units stay and go on counting.
    """
    write = _Write(reviewer, client_id, client_seq, now)
    with transaction(engine) as session:
        if (stored := _stored(session, judgement_id, write)) is not None:
            return stored
        detail = detail_of(session, judgement_id)
        acts = [
            _undoing(detail, current, decision, detail.newest[current.ref])
            for current in detail.effective
            for decision in _standing(detail, current.ref)
            if detail.batches.get(decision.id) == batch and decision.reviewer == reviewer
        ]
        if not acts:
            raise InvalidDecision(f"{reviewer} has nothing left to take back of that step.")
        return _append(session, detail, acts, write, batch=_batch_name(write))


def confirm_left(
    engine: Engine,
    judgement_id: int,
    *,
    reviewer: str,
    seen: Mapping[UnitRef, int],
    client_id: str,
    client_seq: int,
    now: datetime,
) -> Decided:
    """Confirm, as one batch, every unit that has a score and that nobody has reviewed yet.

    `seen` holds, for the units that the person saw as left, the newest decision they saw (0:
    none); only these are confirmed. Any that changed meanwhile stops the whole batch.
    """
    write = _Write(reviewer, client_id, client_seq, now)
    with transaction(engine) as session:
        if (stored := _stored(session, judgement_id, write)) is not None:
            return stored
        detail = detail_of(session, judgement_id)
        currents = [_current(detail, unit, number) for unit, number in seen.items()]
        acts = [
            _Act(c.ref, Action.CONFIRM, c.state, c.state, seen[c.ref])
            for c in currents
            if not c.reviewed and c.state.score is not None
        ]
        if not acts:
            raise InvalidDecision("No unit is left that has a score and waits for a review.")
        return _append(session, detail, acts, write, batch=_batch_name(write))


def history(engine: Engine, judgement_id: int) -> Ledger:
    """Every decision on the judgement, oldest first, with what it did to the final."""
    return ledger_of(read_judgement(engine, judgement_id))


def _stored(session: Session, judgement_id: int, write: _Write) -> Decided | None:
    """The answer to a write that had arrived before, or `None` for a new one."""
    if not write.reviewer.strip():
        raise InvalidDecision("A decision needs the name of the person who makes it.")
    query = select(DecisionRow).where(
        DecisionRow.client_id == write.client_id, DecisionRow.client_seq == write.client_seq
    )
    rows = session.scalars(query.order_by(DecisionRow.part)).all()
    if not rows:
        return None
    if rows[0].judgement_id != judgement_id or rows[0].reviewer != write.reviewer:
        raise InvalidDecision(
            f"Write {write.client_seq} of this browser is already stored as another decision. "
            "Reload the page and decide again."
        )
    detail = detail_of(session, judgement_id)
    ids = {row.id for row in rows}
    decisions = tuple(d for d in detail.decisions if d.id in ids)
    return Decided(decisions, detail, rows[0].batch, repeated=True)


def _current(detail: JudgementDetail, unit: UnitRef, seen: int) -> EffectiveScore:
    """What counts for the unit now, if it is still what the person saw."""
    current = detail.unit(unit)
    if current is None:
        raise InvalidDecision(f"Example {detail.example.id} has no unit {unit.label} to review.")
    newest = detail.newest.get(unit, 0)
    if newest != seen:
        decision = next((d for d in reversed(detail.decisions) if d.unit == unit), None)
        raise ChangedMeanwhile(current, decision)
    return current


def _standing(detail: JudgementDetail, unit: UnitRef) -> list[Decision]:
    return standing_decisions([d for d in detail.decisions if d.unit == unit])


def _undoing(
    detail: JudgementDetail, current: EffectiveScore, decision: Decision, seen: int
) -> _Act:
    left = [d for d in _standing(detail, current.ref) if d.id != decision.id]
    after = effective_score(current.verdict, left).state
    return _Act(current.ref, Action.UNDO, current.state, after, seen, undoes=decision.id)


def _require_note(detail: JudgementDetail, act: _Act) -> None:
    if detail.run.notes_required and act.after != act.before and not act.note:
        raise NoteRequired(f"This run asks for a note with every change: say why {act.unit.label}.")


def _batch_name(write: _Write) -> str:
    return str(uuid5(NAMESPACE_URL, f"{write.client_id}/{write.client_seq}"))


def _append(
    session: Session,
    detail: JudgementDetail,
    acts: Sequence[_Act],
    write: _Write,
    *,
    batch: str | None = None,
) -> Decided:
    # Databases other than SQLite let two writers in at once; the chain needs one after another.
    session.execute(select(RunRow.id).where(RunRow.id == detail.run.id).with_for_update())
    review = _review(session, detail.id, write)
    unit_ids = _unit_ids(session, detail.id)
    previous = last_hash(session, detail.run.id)
    rows = []
    for part, act in enumerate(acts):
        row = _row(detail, review.id, unit_ids[act.unit], act, write)
        row.part, row.batch, row.previous_hash = part, batch, previous
        row.hash = previous = hash_of(row)
        session.add(row)
        session.flush()
        rows.append(row)
    made = tuple(decision_of(row, act.unit) for row, act in zip(rows, acts, strict=True))
    after = _with(detail, made, batch)
    reviewed = all(e.reviewed for e in after.effective)
    review.finished_at = (review.finished_at or write.now) if reviewed else None
    refresh_copies(session, [detail.id])
    return Decided(made, after, batch)


def _row(
    detail: JudgementDetail, review_id: int, unit_id: int, act: _Act, write: _Write
) -> DecisionRow:
    return DecisionRow(
        run_id=detail.run.id,
        judgement_id=detail.id,
        review_id=review_id,
        unit_id=unit_id,
        action=act.action.value,
        before_kind=act.before.kind.value,
        before_score=act.before.score,
        before_excluded=act.before.excluded,
        after_kind=act.after.kind.value,
        after_score=act.after.score,
        after_excluded=act.after.excluded,
        reviewer=write.reviewer,
        cause=None if act.cause is None else act.cause.value,
        note=act.note,
        based_on=act.seen,
        undoes=act.undoes,
        client_id=write.client_id,
        client_seq=write.client_seq,
        at=write.now,
    )


def _review(session: Session, judgement_id: int, write: _Write) -> ReviewRow:
    """The person's review of this judgement, opened now if there was none."""
    query = select(ReviewRow).where(
        ReviewRow.judgement_id == judgement_id, ReviewRow.reviewer == write.reviewer
    )
    review = session.scalar(query)
    if review is None:
        review = ReviewRow(
            judgement_id=judgement_id,
            reviewer=write.reviewer,
            selection="chosen",
            judge_visible=True,
            opened_at=write.now,
        )
        session.add(review)
        session.flush()
    return review


def _unit_ids(session: Session, judgement_id: int) -> dict[UnitRef, int]:
    query = (
        select(UnitRow.kind, UnitRow.position, UnitRow.id)
        .join(VerdictRow, VerdictRow.unit_id == UnitRow.id)
        .where(VerdictRow.judgement_id == judgement_id)
    )
    return {UnitRef(UnitKind(kind), i): unit for kind, i, unit in session.execute(query)}


def _with(detail: JudgementDetail, made: Iterable[Decision], batch: str | None) -> JudgementDetail:
    """The judgement as it is after these decisions."""
    decisions = (*detail.decisions, *made)
    return replace(
        detail,
        decisions=decisions,
        newest={d.unit: d.id for d in decisions},
        batches={**detail.batches, **({} if batch is None else {d.id: batch for d in made})},
        scores=scores_of(
            detail.status,
            detail.verdicts,
            decisions,
            formula=detail.run.formula,
            rounding=detail.run.rounding,
        ),
    )

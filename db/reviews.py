"""What reviewers do: each act appends decisions and renews what is copied, in one transaction.

A write is known by `(client_id, client_seq)`: sent twice, it is stored once, and the second answer
is the first one's. A write that did not see the newest decision on its unit is refused
(`ChangedMeanwhile`), so nobody's value is overwritten unseen.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from fractions import Fraction

from sqlalchemy import Engine

from db.appending import Act, Decided, Write, append, batch_name, stored_before
from db.decisions import acknowledged, verify_chain
from db.details import detail_of, read_judgement, read_judgements
from db.engine import transaction
from db.review_errors import ChangedMeanwhile, NoteRequired
from recall_core.deciding import state_after
from recall_core.details import JudgementDetail
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
    write = Write(reviewer, client_id, client_seq, now)
    with transaction(engine) as session:
        if (stored := stored_before(session, judgement_id, write)) is not None:
            return stored
        detail = detail_of(session, judgement_id)
        current = _current(detail, unit, seen)
        halves = detail.run.halves
        after = state_after(current, action, score=score, to_kind=to_kind, halves=halves)
        act = Act(unit, action, current.state, after, seen, cause, note.strip())
        _require_note(detail, act)
        return append(session, detail, [act], write)


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
    write = Write(reviewer, client_id, client_seq, now)
    with transaction(engine) as session:
        if (stored := stored_before(session, judgement_id, write)) is not None:
            return stored
        detail = detail_of(session, judgement_id)
        current = _current(detail, unit, seen)
        own = [d for d in _standing(detail, unit) if d.reviewer == reviewer]
        if not own:
            raise InvalidDecision(f"{reviewer} has no decision on {unit.label} to take back.")
        return append(session, detail, [_undoing(detail, current, own[-1], seen)], write)


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
    write = Write(reviewer, client_id, client_seq, now)
    with transaction(engine) as session:
        if (stored := stored_before(session, judgement_id, write)) is not None:
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
        return append(session, detail, acts, write, batch=batch_name(write))


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
    write = Write(reviewer, client_id, client_seq, now)
    with transaction(engine) as session:
        if (stored := stored_before(session, judgement_id, write)) is not None:
            return stored
        detail = detail_of(session, judgement_id)
        currents = [_current(detail, unit, number) for unit, number in seen.items()]
        acts = [
            Act(c.ref, Action.CONFIRM, c.state, c.state, seen[c.ref])
            for c in currents
            if not c.reviewed and c.state.score is not None
        ]
        if not acts:
            raise InvalidDecision("No unit is left that has a score and waits for a review.")
        return append(session, detail, acts, write, batch=batch_name(write))


def history(engine: Engine, judgement_id: int) -> Ledger:
    """Every decision on the judgement, oldest first, with what it did to the final."""
    return ledger_of(read_judgement(engine, judgement_id))


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
) -> Act:
    left = [d for d in _standing(detail, current.ref) if d.id != decision.id]
    after = effective_score(current.verdict, left).state
    return Act(current.ref, Action.UNDO, current.state, after, seen, undoes=decision.id)


def _require_note(detail: JudgementDetail, act: Act) -> None:
    if detail.run.notes_required and act.after != act.before and not act.note:
        raise NoteRequired(f"This run asks for a note with every change: say why {act.unit.label}.")

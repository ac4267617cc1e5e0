"""What reviewers do: each act appends decisions and renews what is copied, in one transaction.

A write is known by `(client_id, client_seq)`: sent twice, it is stored once, and the second answer
is the first one's. A write that did not see the newest decision on its unit is refused
(`ChangedMeanwhile`), so nobody's value is overwritten unseen.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from fractions import Fraction

from sqlalchemy import Engine

from db.appending import Act, Decided, Write, append, batch_name, stored_before
from db.decisions import acknowledged, verify_chain
from db.details import read_judgement, read_judgements
from db.engine import transaction
from db.review_errors import ChangedMeanwhile, NoteRequired
from db.review_rows import commit, hides_judge, open_review, runs_hiding_judge
from db.review_stand import Standing, require_note, require_twin, standing_of
from recall_core.deciding import state_after
from recall_core.details import JudgementDetail
from recall_core.effective import effective_score, effective_scores, judged_state
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
    "commit",
    "confirm_left",
    "decide",
    "hides_judge",
    "history",
    "open_review",
    "read_judgement",
    "read_judgements",
    "runs_hiding_judge",
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
    twin: UnitRef | None = None,
) -> Decided:
    """Store one act on one unit: set, confirm, exclude, move or unset (`undo` is its own).

    `seen` is the newest decision on the unit that the person saw (`JudgementDetail.newest`; 0:
    none). A move may bring a `score`, and must where the old one is off the new scale. `twin` is
    the unit that an excluded duplicate repeats. What the person may not see yet (a judge's score,
    others' decisions) has no part in it. Raises `ChangedMeanwhile`, `InvalidScore`,
    `InvalidDecision`, `NoteRequired`, `NotKept`.
    """
    write = Write(reviewer, client_id, client_seq, now)
    with transaction(engine) as session:
        if (stored := stored_before(session, judgement_id, write)) is not None:
            return stored
        stand = standing_of(session, judgement_id, reviewer)
        current = stand.current(unit, seen)
        stand.require_open(unit)
        halves = stand.detail.run.halves
        after = state_after(current, action, score=score, to_kind=to_kind, halves=halves)
        if action is Action.UNSET:
            after = judged_state(stand.counted(unit).verdict)
        before = stand.counted(unit).state
        act = Act(unit, action, before, after, seen, cause, note.strip(), twin=twin)
        require_twin(stand, act)
        require_note(stand.detail, act)
        return append(session, stand.detail, [act], write)


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
        stand = standing_of(session, judgement_id, reviewer)
        stand.require_seen(unit, seen)
        own = [d for d in stand.standing(unit) if d.reviewer == reviewer]
        if not own:
            raise InvalidDecision(f"{reviewer} has no decision on {unit.label} to take back.")
        return append(session, stand.detail, [undoing(stand, own[-1], seen)], write)


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
        stand = standing_of(session, judgement_id, reviewer)
        acts = undoing_batch(stand, batch, reviewer)
        if not acts:
            raise InvalidDecision(f"{reviewer} has nothing left to take back of that step.")
        return append(session, stand.detail, acts, write, batch=batch_name(write))


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
        stand = standing_of(session, judgement_id, reviewer)
        currents = [stand.current(unit, number) for unit, number in seen.items()]
        acts = [
            Act(c.ref, Action.CONFIRM, c.state, c.state, seen[c.ref])
            for c in currents
            if not c.reviewed and c.state.score is not None
        ]
        if not acts:
            raise InvalidDecision("No unit is left that has a score and waits for a review.")
        return append(session, stand.detail, acts, write, batch=batch_name(write))


def history(engine: Engine, judgement_id: int, viewer: str | None = None) -> Ledger:
    """Every decision on the judgement, oldest first, with what it did to the final.

    With a `viewer`, as far as that person may see it.
    """
    return ledger_of(read_judgement(engine, judgement_id, viewer))


def undoing_batch(stand: Standing, batch: str, reviewer: str) -> list[Act]:
    """The acts that take back what is left standing of the reviewer's decisions of that batch."""
    detail = stand.detail
    return [
        undoing(stand, decision, detail.newest[verdict.unit.ref])
        for verdict in detail.verdicts
        for decision in stand.standing(verdict.unit.ref)
        if detail.batches.get(decision.id) == batch and decision.reviewer == reviewer
    ]


def undoing(
    stand: Standing, decision: Decision, seen: int, gone: Collection[int] = frozenset()
) -> Act:
    """The act that takes the decision back, after those that are `gone` already."""
    before = stand.counted(decision.unit)
    counting = [d for d in stand.counting(decision.unit) if d.id not in gone]
    left = [d for d in counting if d.id != decision.id]
    if gone:
        before = effective_score(before.verdict, counting)
    after = effective_score(before.verdict, left)
    if decision.action is Action.RESOLVE:
        before, after = _unresolved(stand.detail, decision)
    return Act(before.ref, Action.UNDO, before.state, after.state, seen, undoes=decision.id)


def _unresolved(
    detail: JudgementDetail, decision: Decision
) -> tuple[EffectiveScore, EffectiveScore]:
    """What counts for everybody with the resolution, and without it."""
    left = [d for d in detail.decisions if d.id != decision.id]
    without = effective_scores(detail.verdicts, left, needed=detail.run.needed)
    before, after = (
        next(e for e in every if e.ref == decision.unit) for every in (detail.effective, without)
    )
    return before, after

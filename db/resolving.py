"""Independent reviewers who differ: what each said, and settling it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from sqlalchemy import Engine, exists, or_, select
from sqlalchemy.orm import Session

from db.appending import Act, Decided, Write, append, stored_before
from db.details import BATCH, details_of, read_run_facts
from db.engine import reading, transaction
from db.review_stand import Standing, require_note, standing_of
from db.sights import views_of
from db.tables import DecisionRow, JudgementRow
from recall_core.details import JudgementDetail
from recall_core.errors import InvalidDecision
from recall_core.scoring import require_allowed
from recall_core.types import (
    Action,
    Basis,
    Cause,
    Decision,
    EffectiveScore,
    Opinion,
    UnitKind,
    UnitRef,
    UnitState,
    Verdict,
)


@dataclass(frozen=True, slots=True)
class Dispute:
    """A unit on which reviewers differ, or differed before somebody settled it.

    The opinions' reviewers are called Reviewer A, B … as long as any difference on the example is
    open. `newest` is what a resolution hands back as seen.
    """

    judgement_id: int
    example_id: str
    position: int
    question: str | None
    verdict: Verdict
    opinions: tuple[Opinion, ...]
    newest: int
    resolution: Decision | None

    @property
    def unit(self) -> UnitRef:
        return self.verdict.unit.ref


def disputes(engine: Engine, run_id: int, *, viewer: str) -> tuple[Dispute, ...]:
    """The run's differences in the dataset's order, settled ones among them; those of examples
    that this person still scores blind are left out.
    """
    row = JudgementRow
    resolved = exists().where(
        DecisionRow.judgement_id == row.id, DecisionRow.action == Action.RESOLVE.value
    )
    query = select(row.id).where(row.run_id == run_id, or_(row.disputed_units > 0, resolved))
    run = read_run_facts(engine, run_id)
    if not run.independent:
        return ()
    with reading(engine) as session:
        ids = session.scalars(query.order_by(row.position, row.id)).all()
        return tuple(_disputes(session, ids, viewer))


def disputes_of(engine: Engine, judgement_id: int, *, viewer: str) -> tuple[Dispute, ...]:
    """The differences on one example."""
    with reading(engine) as session:
        return tuple(_disputes(session, [judgement_id], viewer))


def _disputes(session: Session, ids: Sequence[int], viewer: str) -> Iterator[Dispute]:
    for start in range(0, len(ids), BATCH):
        details = details_of(session, ids[start : start + BATCH])
        for detail in views_of(session, details, viewer):
            if not detail.sight.judge_hidden and detail.run.independent:
                yield from (
                    _dispute(detail, effective)
                    for effective in detail.effective
                    if effective.basis in (Basis.DISPUTED, Basis.RESOLVED)
                )


def _dispute(detail: JudgementDetail, effective: EffectiveScore) -> Dispute:
    return Dispute(
        judgement_id=detail.id,
        example_id=detail.example.id,
        position=detail.position,
        question=detail.example.question,
        verdict=effective.verdict,
        opinions=effective.opinions,
        newest=detail.newest[effective.ref],
        resolution=effective.decision if effective.basis is Basis.RESOLVED else None,
    )


def resolve(
    engine: Engine,
    judgement_id: int,
    unit: UnitRef,
    *,
    reviewer: str,
    seen: int,
    client_id: str,
    client_seq: int,
    now: datetime,
    keep: int | None = None,
    score: Fraction | None = None,
    to_kind: UnitKind | None = None,
    exclude: bool = False,
    cause: Cause | None = None,
    note: str = "",
) -> Decided:
    """Settle a difference: keep the opinion whose decision is `keep`, or give a third value.

    A third value is a `score` (for a unit of `to_kind`, if it moves), or `exclude`. Resolving again
    replaces the resolution; `undo` takes it back. Raises as `decide` does.
    """
    write = Write(reviewer, client_id, client_seq, now)
    with transaction(engine) as session:
        if (stored := stored_before(session, judgement_id, write)) is not None:
            return stored
        stand = standing_of(session, judgement_id, reviewer)
        stand.require_seen(unit, seen)
        current = _in_dispute(stand, unit)
        after = (
            _third(stand.detail, current, score, to_kind, exclude)
            if keep is None
            else _kept(current, keep)
        )
        act = Act(unit, Action.RESOLVE, current.state, after, seen, cause, note.strip())
        require_note(stand.detail, act)
        return append(session, stand.detail, [act], write)


def _in_dispute(stand: Standing, unit: UnitRef) -> EffectiveScore:
    if stand.shown.sight.judge_hidden:
        raise InvalidDecision("Commit your own scores first, then differences can be settled.")
    current = stand.detail.unit(unit)
    if current is None or current.basis not in (Basis.DISPUTED, Basis.RESOLVED):
        raise InvalidDecision(f"Reviewers do not differ on {unit.label}: nothing is to be settled.")
    return current


def _kept(current: EffectiveScore, decision_id: int) -> UnitState:
    for opinion in current.opinions:
        if opinion.decision.id == decision_id:
            return opinion.state
    raise InvalidDecision(
        f"Nobody has {current.ref.label} by decision {decision_id} any more. Look at it again."
    )


def _third(
    detail: JudgementDetail,
    current: EffectiveScore,
    score: Fraction | None,
    to_kind: UnitKind | None,
    exclude: bool,
) -> UnitState:
    kind = to_kind or current.ref.kind
    movable = {UnitKind.ESSENTIAL, UnitKind.BONUS}
    if kind is not current.ref.kind and not {kind, current.ref.kind} <= movable:
        raise InvalidDecision(f"{current.ref.label} cannot become {kind.value.replace('_', ' ')}.")
    if exclude:
        return UnitState(kind, current.state.score, excluded=True)
    if score is None:
        raise InvalidDecision(f"Keep one of the scores of {current.ref.label}, or give a third.")
    require_allowed(kind, score, halves=detail.run.halves)
    return UnitState(kind, score)

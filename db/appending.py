"""Storing decisions: one chain a run, each write once, copies renewed in the same transaction."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from uuid import NAMESPACE_URL, uuid5

from sqlalchemy import select
from sqlalchemy.orm import Session

from db.columns import whole_text
from db.copies import refresh_copies
from db.decisions import decision_of, hash_of, last_hash
from db.details import detail_of
from db.review_rows import after_decisions, review_row
from db.sights import views_of
from db.tables import DecisionRow, JudgementRow, RunRow, UnitRow, VerdictRow
from recall_core.details import JudgementDetail, scores_of
from recall_core.errors import InvalidDecision
from recall_core.types import Action, Cause, Decision, UnitKind, UnitRef, UnitState


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
class Write:
    """Who sends which write, and when."""

    reviewer: str
    client_id: str
    client_seq: int
    now: datetime


@dataclass(frozen=True, slots=True)
class Act:
    """One decision that is about to be stored."""

    unit: UnitRef
    action: Action
    before: UnitState
    after: UnitState
    seen: int
    cause: Cause | None = None
    note: str = ""
    undoes: int | None = None
    twin: UnitRef | None = None
    recalled: int | None = None


def stored_before(session: Session, judgement_id: int, write: Write) -> Decided | None:
    """The answer to a write that had arrived before, or `None` for a new one.

    Every write begins with it, so it also makes the run's writers wait for each other.
    """
    require_name(write)
    run = select(JudgementRow.run_id).where(JudgementRow.id == judgement_id)
    lock_run(session, session.scalar(run) or 0)
    rows = rows_of(session, write)
    if not rows:
        return None
    if rows[0].judgement_id != judgement_id or rows[0].reviewer != write.reviewer:
        raise InvalidDecision(
            f"Write {write.client_seq} of this browser is already stored as another decision. "
            "Reload the page and decide again."
        )
    detail = detail_of(session, judgement_id)
    return _decided(session, detail, {row.id for row in rows}, write, rows[0].batch, repeated=True)


def _decided(
    session: Session,
    detail: JudgementDetail,
    ids: Collection[int],
    write: Write,
    batch: str | None,
    *,
    repeated: bool = False,
) -> Decided:
    """The answer to a write, as its writer may see it."""
    (seen,) = views_of(session, [detail], write.reviewer)
    decisions = tuple(d for d in seen.decisions if d.id in ids)
    return Decided(decisions, seen, batch, repeated)


def require_name(write: Write) -> None:
    """Raise unless the write says who makes it."""
    if not write.reviewer.strip():
        raise InvalidDecision("A decision needs the name of the person who makes it.")


def lock_run(session: Session, run_id: int) -> None:
    """SQLite lets one writer in; other databases need the lock, for the chain and for `seen`."""
    session.execute(select(RunRow.id).where(RunRow.id == run_id).with_for_update())


def rows_of(session: Session, write: Write) -> Sequence[DecisionRow]:
    """What is stored of this write, in the order of its parts."""
    query = select(DecisionRow).where(
        DecisionRow.client_id == write.client_id, DecisionRow.client_seq == write.client_seq
    )
    return session.scalars(query.order_by(DecisionRow.part)).all()


def batch_name(write: Write) -> str:
    """The name of what this write decides as one; the same when it is sent again."""
    return str(uuid5(NAMESPACE_URL, f"{write.client_id}/{write.client_seq}"))


def append(
    session: Session,
    detail: JudgementDetail,
    acts: Sequence[Act],
    write: Write,
    *,
    batch: str | None = None,
) -> Decided:
    """Store the acts at the end of the run's chain, as one batch where it has a name.

    `detail` is the judgement whole.
    """
    after, made = store(session, detail, acts, write, batch=batch)
    refresh_copies(session, [detail.id])
    return _decided(session, after, {d.id for d in made}, write, batch)


def store(
    session: Session,
    detail: JudgementDetail,
    acts: Sequence[Act],
    write: Write,
    *,
    batch: str | None,
    first_part: int = 0,
) -> tuple[JudgementDetail, tuple[Decision, ...]]:
    """`append` without the copies, which a large batch renews for many judgements at once.

    `first_part` counts on where the write has stored decisions on other judgements.
    """
    review = review_row(session, detail.run, detail.id, write.reviewer, now=write.now)
    unit_ids = _unit_ids(session, detail.id)
    previous = last_hash(session, detail.run.id)
    rows = []
    for part, act in enumerate(acts, first_part):
        row = _row(detail, review.id, unit_ids[act.unit], act, write)
        row.part, row.batch, row.previous_hash = part, batch, previous
        row.hash = previous = hash_of(row)
        session.add(row)
        session.flush()
        rows.append(row)
    made = tuple(decision_of(row, act.unit) for row, act in zip(rows, acts, strict=True))
    after = with_decisions(detail, made, batch)
    after_decisions(session, after, review, write.now)
    return after, made


def _row(
    detail: JudgementDetail, review_id: int, unit_id: int, act: Act, write: Write
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
        note=whole_text(act.note),
        based_on=act.seen,
        undoes=act.undoes,
        twin=None if act.twin is None else act.twin.label,
        recalled=act.recalled,
        client_id=write.client_id,
        client_seq=write.client_seq,
        at=write.now.astimezone(UTC),
    )


def _unit_ids(session: Session, judgement_id: int) -> dict[UnitRef, int]:
    query = (
        select(UnitRow.kind, UnitRow.position, UnitRow.id)
        .join(VerdictRow, VerdictRow.unit_id == UnitRow.id)
        .where(VerdictRow.judgement_id == judgement_id)
    )
    return {UnitRef(UnitKind(kind), i): unit for kind, i, unit in session.execute(query)}


def with_decisions(
    detail: JudgementDetail, made: Iterable[Decision], batch: str | None = None
) -> JudgementDetail:
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
            needed=detail.run.needed,
        ),
    )

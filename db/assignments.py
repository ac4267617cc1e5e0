"""Who has been asked to review which examples."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from sqlalchemy import Engine, and_, delete, exists, insert, or_, select, true
from sqlalchemy.orm import Session

from db.details import BATCH, run_facts
from db.engine import reading, transaction
from db.errors import Unkeepable
from db.queues import open_for
from db.run_cards import required_run
from db.tables import AssignmentRow, JudgementRow, ReviewRow
from recall_core.assigning import even_split
from recall_core.details import RunFacts


def assign(
    engine: Engine,
    judgement_ids: Iterable[int],
    reviewers: Sequence[str],
    *,
    by: str,
    now: datetime,
) -> None:
    """Ask each of these people to review each of these examples; once is enough."""
    pairs = [(i, name) for i in judgement_ids for name in _named(reviewers)]
    with transaction(engine) as session:
        _add(session, pairs, by, now)


def unassign(engine: Engine, judgement_ids: Sequence[int], reviewer: str) -> None:
    """The person need not review these; what they have decided stays."""
    with transaction(engine) as session:
        _remove(session, judgement_ids, reviewer)


def split_evenly(
    engine: Engine, run_id: int, reviewers: Sequence[str], *, by: str, now: datetime
) -> Mapping[str, int]:
    """Share out what is unreviewed and lacks people; how many examples each person gets anew.

    Each example goes to as many different people as the run needs, those who have it already
    included.
    """
    names = _named(reviewers)
    with transaction(engine) as session:
        run = run_facts(session, required_run(session, run_id).id)
        if len(names) < run.needed:
            raise Unkeepable(
                f"{run.name} needs {run.needed} reviewers for each example, and {len(names)} are "
                "named."
            )
        lacking = _lacking(session, run)
        taken = _taken(session, run)
        pairs: list[tuple[int, str]] = []
        for judgement_id, has in lacking.items():
            load = {name: taken[name] for name in names}
            free = [name for name in names if name not in has]
            new = even_split([judgement_id], free, each=run.needed - len(has), taken=load)
            taken.update(name for _, name in new)
            pairs += new
        _add(session, pairs, by, now)
        return {name: sum(name == who for _, who in pairs) for name in names}


def hand_over(engine: Engine, run_id: int, *, from_: str, to: str, by: str, now: datetime) -> int:
    """Give what one person has not finished to another: assigned to them, or begun, audit draws
    among it. How many examples that are.
    """
    (heir,) = _named([to])
    with transaction(engine) as session:
        run = run_facts(session, required_run(session, run_id).id)
        assigned = exists().where(
            AssignmentRow.judgement_id == JudgementRow.id, AssignmentRow.reviewer == from_
        )
        begun = exists().where(
            ReviewRow.judgement_id == JudgementRow.id,
            ReviewRow.reviewer == from_,
            ReviewRow.finished_at.is_(None),
        )
        query = select(JudgementRow.id).where(open_for(run, from_), or_(assigned, begun))
        ids = session.scalars(query).all()
        _remove(session, ids, from_)
        _add(session, [(i, heir) for i in ids], by, now)
        return len(ids)


def assignments_of(engine: Engine, judgement_ids: Sequence[int]) -> Mapping[int, tuple[str, ...]]:
    """Who has been asked to review each of these; those that nobody has are left out."""
    row = AssignmentRow
    query = select(row.judgement_id, row.reviewer).where(row.judgement_id.in_(judgement_ids))
    found: dict[int, list[str]] = defaultdict(list)
    with reading(engine) as session:
        for judgement_id, reviewer in session.execute(query.order_by(row.reviewer)):
            found[judgement_id].append(reviewer)
    return {i: tuple(names) for i, names in found.items()}


def _named(reviewers: Sequence[str]) -> list[str]:
    names = [name.strip() for name in reviewers]
    if not names or not all(names):
        raise Unkeepable("Say who is to review the examples.")
    return list(dict.fromkeys(names))


def _lacking(session: Session, run: RunFacts) -> dict[int, set[str]]:
    """The unreviewed judgements that lack people, in order, with those who have them already:
    assigned, drawn for them in the audit, or done with their part. Who only looked has no part.
    """
    row = JudgementRow
    unreviewed = and_(row.run_id == run.id, row.units > 0, row.reviewed_units < row.units)
    ids = session.scalars(select(row.id).where(unreviewed).order_by(row.position, row.id))
    people: dict[int, set[str]] = {i: set() for i in ids}
    taken = or_(ReviewRow.finished_at.is_not(None), ReviewRow.audit_draw_id.is_not(None))
    for table, which in ((AssignmentRow, true()), (ReviewRow, taken)):
        query = select(table.judgement_id, table.reviewer).join(row, row.id == table.judgement_id)
        for judgement_id, reviewer in session.execute(query.where(unreviewed, which)):
            people[judgement_id].add(reviewer)
    return {i: names for i, names in people.items() if len(names) < run.needed}


def _taken(session: Session, run: RunFacts) -> Counter[str]:
    """How many examples of the run each person has been asked to review."""
    query = (
        select(AssignmentRow.reviewer)
        .join(JudgementRow, JudgementRow.id == AssignmentRow.judgement_id)
        .where(JudgementRow.run_id == run.id)
    )
    return Counter(session.scalars(query))


def _add(session: Session, pairs: Sequence[tuple[int, str]], by: str, now: datetime) -> None:
    """Those that are there stay as they are; judgements that are gone are left out."""
    row = AssignmentRow
    for start in range(0, len(pairs), BATCH):
        batch = dict.fromkeys(pairs[start : start + BATCH])
        ids = {judgement_id for judgement_id, _ in batch}
        query = select(row.judgement_id, row.reviewer).where(row.judgement_id.in_(ids))
        there = {(judgement_id, name) for judgement_id, name in session.execute(query)}
        kept = set(session.scalars(select(JudgementRow.id).where(JudgementRow.id.in_(ids))))
        new = [
            {"judgement_id": i, "reviewer": name, "assigned_by": by, "assigned_at": now}
            for i, name in batch
            if i in kept and (i, name) not in there
        ]
        if new:
            session.execute(insert(row), new)


def _remove(session: Session, judgement_ids: Sequence[int], reviewer: str) -> None:
    row = AssignmentRow
    for start in range(0, len(judgement_ids), BATCH):
        ids = judgement_ids[start : start + BATCH]
        session.execute(delete(row).where(row.judgement_id.in_(ids), row.reviewer == reviewer))

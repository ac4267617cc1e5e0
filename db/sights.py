"""Who may see what: which judgements keep the judge's word from a person who reviews blind."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Engine, Select, exists, or_, select
from sqlalchemy.orm import Session

from db.engine import reading, transaction
from db.tables import JudgementRow, PersonRow, ReviewRow, RunRow
from recall_core.details import JudgementDetail, RunFacts
from recall_core.viewing import seen_by

NOBODY = ""
"""Stands for a reader without a name: a file, a program."""


@dataclass(frozen=True, slots=True)
class Person:
    """How somebody likes to work; `blind`: without the judge's word, in every run."""

    name: str
    blind: bool = False


def person(engine: Engine, name: str) -> Person:
    """What this person has set for themselves; nothing, unless they have."""
    with reading(engine) as session:
        return Person(name, _is_blind(session, name))


def set_blind(engine: Engine, name: str, blind: bool) -> None:
    """Whether this person reviews blind from now on; reviews that are open stay as they are."""
    with transaction(engine) as session:
        session.merge(PersonRow(name=name, blind=blind))


def hidden_judges(
    session: Session, run: RunFacts, viewer: str, judgement_ids: Collection[int] | None = None
) -> set[int]:
    """The judgements of the run (or of these) on which the judge's word is kept from the person.

    Who has begun a review sees what they saw when they began, until they commit. Others see the
    judge's word unless they have set themselves to review blind, or the run is blind and the
    example still waits for somebody to commit.
    """
    personal = _is_blind(session, viewer)
    begun, settled = _reviews(session, run, viewer, judgement_ids)
    hidden = {i for i, visible in begun.items() if not visible}
    if not (personal or run.blind):
        return hidden
    unseen = set(_with_units(session, run, judgement_ids)) - begun.keys()
    return hidden | (unseen if personal else unseen - settled)


def blind_runs(session: Session, viewer: str) -> Select[int]:
    """The runs in which `hidden_judges` can find any for this person."""
    if _is_blind(session, viewer):
        return select(RunRow.id)
    begun = exists().where(
        JudgementRow.run_id == RunRow.id,
        ReviewRow.judgement_id == JudgementRow.id,
        ReviewRow.reviewer == viewer,
        ReviewRow.judge_visible.is_(False),
    )
    return select(RunRow.id).where(or_(RunRow.blind, begun))


def _reviews(
    session: Session, run: RunFacts, viewer: str, judgement_ids: Collection[int] | None
) -> tuple[dict[int, bool], set[int]]:
    """Whether the judge is visible in each review that the viewer has begun, and the judgements on
    which as many people as the run needs have committed.
    """
    row = ReviewRow
    columns = (row.judgement_id, row.reviewer, row.judge_visible, row.finished_at, row.committed_at)
    query = select(*columns).join(JudgementRow, JudgementRow.id == row.judgement_id)
    query = query.where(JudgementRow.run_id == run.id)
    if judgement_ids is not None:
        query = query.where(row.judgement_id.in_(judgement_ids))
    begun: dict[int, bool] = {}
    committed: Counter[int] = Counter()
    for judgement_id, reviewer, visible, finished_at, committed_at in session.execute(query):
        if reviewer == viewer:
            begun[judgement_id] = visible or committed_at is not None
        if committed_at is not None or (visible and finished_at is not None):
            committed[judgement_id] += 1
    return begun, {i for i, count in committed.items() if count >= run.needed}


def _with_units(
    session: Session, run: RunFacts, judgement_ids: Collection[int] | None
) -> Iterable[int]:
    """Those that somebody could score at all."""
    row = JudgementRow
    query = select(row.id).where(row.run_id == run.id, row.units > 0)
    if judgement_ids is not None:
        query = query.where(row.id.in_(judgement_ids))
    return session.scalars(query)


def _is_blind(session: Session, name: str) -> bool:
    return bool(name) and bool(
        session.scalar(select(PersonRow.blind).where(PersonRow.name == name))
    )


def views_of(
    session: Session, details: Sequence[JudgementDetail], viewer: str
) -> list[JudgementDetail]:
    """These judgements as far as the person may see them."""
    by_run: dict[int, list[JudgementDetail]] = defaultdict(list)
    for detail in details:
        by_run[detail.run.id].append(detail)
    hidden: set[int] = set()
    for same in by_run.values():
        hidden |= hidden_judges(session, same[0].run, viewer, [d.id for d in same])
    return [seen_by(d, viewer, judge_hidden=d.id in hidden) for d in details]

"""Comments on an example, which tell those who work on it that there is something to read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Engine, Select, func, select, update
from sqlalchemy.orm import Session

from db.columns import whole_text
from db.details import detail_of, details_of
from db.engine import reading, transaction
from db.errors import Unkeepable
from db.flags import require_judgement
from db.sights import views_of
from db.tables import (
    AssignmentRow,
    CommentRow,
    ExampleRow,
    FlagRow,
    JudgementRow,
    NoticeRow,
    ReviewRow,
    RunRow,
)
from recall_core.ingest.storing import visible


@dataclass(frozen=True, slots=True)
class Comment:
    """What somebody said about an example, and when."""

    id: int
    judgement_id: int
    author: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Notice:
    """A comment by somebody else on an example that one works on."""

    comment_id: int
    judgement_id: int
    run_id: int
    run: str
    example: str
    author: str
    at: datetime
    read: bool


def comment(
    engine: Engine,
    judgement_id: int,
    text: str,
    *,
    author: str,
    now: datetime,
    client_id: str,
    client_seq: int,
) -> Comment:
    """Say something about the example; a comment that is sent twice is kept once.

    Who has reviewed the example, has been asked to, has flagged it or commented on it is notified.
    """
    if not visible(text):
        raise Unkeepable("A comment needs some words.")
    with transaction(engine) as session:
        require_judgement(session, judgement_id)
        kept = session.scalar(
            select(CommentRow).where(
                CommentRow.client_id == client_id, CommentRow.client_seq == client_seq
            )
        )
        if kept is not None:
            return _comment(kept)
        row = CommentRow(judgement_id=judgement_id, author=author, text=whole_text(text.strip()))
        row.at, row.client_id, row.client_seq = now, client_id, client_seq
        session.add(row)
        session.flush()
        for name in sorted(_concerned(session, judgement_id) - {author}):
            session.add(NoticeRow(comment_id=row.id, reviewer=name))
        return _comment(row)


def _concerned(session: Session, judgement_id: int) -> set[str]:
    sources = (
        (ReviewRow.reviewer, ReviewRow.judgement_id),
        (AssignmentRow.reviewer, AssignmentRow.judgement_id),
        (FlagRow.flagged_by, FlagRow.judgement_id),
        (CommentRow.author, CommentRow.judgement_id),
    )
    return {
        name
        for who, where in sources
        for name in session.scalars(select(who).where(where == judgement_id))
    }


def comments_of(engine: Engine, judgement_id: int, viewer: str) -> tuple[Comment, ...]:
    """The comments on the example, oldest first; only the person's own while the judge's word or
    others' decisions are hidden from them, for a comment may give either away.
    """
    with reading(engine) as session:
        (detail,) = views_of(session, [detail_of(session, judgement_id)], viewer)
        hidden = detail.sight.judge_hidden or detail.sight.others_hidden
        query = select(CommentRow).where(CommentRow.judgement_id == judgement_id)
        if hidden:
            query = query.where(CommentRow.author == viewer)
        rows: Iterable[CommentRow] = session.scalars(query.order_by(CommentRow.id))
        return tuple(_comment(row) for row in rows)


def comment_counts(
    engine: Engine, judgement_ids: Collection[int], viewer: str
) -> Mapping[int, int]:
    """How many comments each of these examples has that the person may read now; those without
    are not in it.
    """
    query = (
        select(CommentRow.judgement_id, func.count())
        .where(CommentRow.judgement_id.in_(judgement_ids))
        .group_by(CommentRow.judgement_id)
    )
    with reading(engine) as session:
        there = dict(session.execute(query).all())
        details = details_of(session, list(there))
        veiled = {
            d.id
            for d in views_of(session, details, viewer)
            if d.sight.judge_hidden or d.sight.others_hidden
        }
        own = query.where(CommentRow.author == viewer)
        mine = dict(session.execute(own).all())
        return {i: mine.get(i, 0) if i in veiled else n for i, n in there.items()}


def _comment(row: CommentRow) -> Comment:
    return Comment(row.id, row.judgement_id, row.author, row.text, row.at)


def notices(engine: Engine, reviewer: str, *, at_most: int = 50) -> tuple[Notice, ...]:
    """What others have said on examples of this person, newest first; without the words, which may
    have to wait until the person has decided.
    """
    columns: tuple[Any, ...] = (
        *(CommentRow.id, CommentRow.judgement_id, RunRow.id, RunRow.name),
        *(ExampleRow.external_id, CommentRow.author, CommentRow.at, NoticeRow.read_at),
    )
    query: Select[Any] = (
        select(*columns)
        .join(NoticeRow, NoticeRow.comment_id == CommentRow.id)
        .join(JudgementRow, JudgementRow.id == CommentRow.judgement_id)
        .join(RunRow, RunRow.id == JudgementRow.run_id)
        .join(ExampleRow, ExampleRow.id == JudgementRow.example_id)
        .where(NoticeRow.reviewer == reviewer, RunRow.state != "deleting")
        .order_by(CommentRow.id.desc())
        .limit(at_most)
    )
    with reading(engine) as session:
        return tuple(_notice(row) for row in session.execute(query))


def _notice(row: Any) -> Notice:
    comment_id, judgement_id, run_id, run, example, author, at, read_at = row
    return Notice(
        comment_id, judgement_id, run_id, run, example, author, at, read=read_at is not None
    )


def unread(engine: Engine, reviewer: str) -> int:
    """How many comments wait to be read by this person."""
    query = (
        select(func.count())
        .select_from(NoticeRow)
        .join(CommentRow, CommentRow.id == NoticeRow.comment_id)
        .join(JudgementRow, JudgementRow.id == CommentRow.judgement_id)
        .join(RunRow, RunRow.id == JudgementRow.run_id)
        .where(NoticeRow.reviewer == reviewer, NoticeRow.read_at.is_(None))
        .where(RunRow.state != "deleting")
    )
    with reading(engine) as session:
        return session.scalar(query) or 0


def mark_read(
    engine: Engine, reviewer: str, *, now: datetime, judgement_id: int | None = None
) -> None:
    """The person has read the comments on this example, or all there are."""
    waiting = update(NoticeRow).where(NoticeRow.reviewer == reviewer, NoticeRow.read_at.is_(None))
    if judgement_id is not None:
        here = select(CommentRow.id).where(CommentRow.judgement_id == judgement_id)
        waiting = waiting.where(NoticeRow.comment_id.in_(here))
    with transaction(engine) as session:
        session.execute(waiting.values(read_at=now))

"""Reviews: who looks at which judgement, what brought it to them, and what they could see."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from sqlalchemy import Engine, func, select, update
from sqlalchemy.orm import Session

from db.details import detail_of, read_run_facts, run_facts
from db.engine import reading, transaction
from db.sights import NOBODY, blind_runs, hidden_judges, views_of
from db.tables import AuditDrawRow, DecisionRow, JudgementRow, ReviewRow, RunRow
from recall_core.details import JudgementDetail, RunFacts
from recall_core.effective import reviewers_done
from recall_core.errors import InvalidDecision
from recall_core.queues import Queue
from recall_core.viewing import own_view


def hides_judge(engine: Engine, run_id: int, viewer: str = NOBODY) -> bool:
    """Whether the judge's word on any example of the run is kept from this person."""
    run = read_run_facts(engine, run_id)
    with reading(engine) as session:
        return bool(hidden_judges(session, run, viewer))


def runs_hiding_judge(engine: Engine, run_ids: Collection[int], viewer: str) -> frozenset[int]:
    """Those of the runs in which the judge's word on any example is kept from this person."""
    with reading(engine) as session:
        asked = session.scalars(blind_runs(session, viewer).where(RunRow.id.in_(run_ids)))
        return frozenset(i for i in asked if hidden_judges(session, run_facts(session, i), viewer))


def withheld_from_files(engine: Engine, run_id: int, viewer: str = NOBODY) -> set[int]:
    """The judgements whose judge's word no file may hold yet: somebody still scores them blind, or
    the person who asks for the file does.
    """
    run = read_run_facts(engine, run_id)
    with reading(engine) as session:
        return hidden_judges(session, run, NOBODY) | hidden_judges(session, run, viewer)


def open_review(
    engine: Engine, judgement_id: int, *, reviewer: str, queue: Queue, now: datetime
) -> None:
    """Remember that the example was shown to the person, and which queue brought it; once.

    An audit item is opened by `db.audits.draw_audit`.
    """
    with transaction(engine) as session:
        detail = detail_of(session, judgement_id)
        review_row(session, detail.run, judgement_id, reviewer, now=now, queue=queue)


def review_row(
    session: Session,
    run: RunFacts,
    judgement_id: int,
    reviewer: str,
    *,
    now: datetime,
    queue: Queue = Queue.CHOSEN,
) -> ReviewRow:
    """The person's review of this judgement, opened now if there was none."""
    query = select(ReviewRow).where(
        ReviewRow.judgement_id == judgement_id, ReviewRow.reviewer == reviewer
    )
    review = session.scalar(query)
    if review is None:
        review = ReviewRow(
            judgement_id=judgement_id,
            reviewer=reviewer,
            selection=queue.value,
            judge_visible=not hidden_judges(session, run, reviewer, [judgement_id]),
            opened_at=now,
        )
        session.add(review)
        session.flush()
    return review


def commit(engine: Engine, judgement_id: int, *, reviewer: str, now: datetime) -> JudgementDetail:
    """End scoring blind: the judge's word is shown from now on, and the person may revise.

    What they decided up to here stays their first value. `InvalidDecision` names the units on
    which they have not decided. Committing again, or without being blind, changes nothing.
    """
    with transaction(engine) as session:
        detail = detail_of(session, judgement_id)
        review = review_row(session, detail.run, judgement_id, reviewer, now=now)
        if not review.judge_visible and review.committed_at is None:
            _require_done(detail, reviewer)
            review.committed_at = now
            _reveal(session, [review], now)
            session.flush()
        return views_of(session, [detail], reviewer)[0]


def _require_done(detail: JudgementDetail, reviewer: str) -> None:
    own = own_view(detail, reviewer).effective
    left = [e.ref.label for e in own if not e.reviewed]
    if left:
        raise InvalidDecision(f"Decide on {', '.join(left)} first: then the judge's word is shown.")
    if not own:
        raise InvalidDecision("The example has no units, so there is nothing to commit.")


def after_decisions(
    session: Session, detail: JudgementDetail, review: ReviewRow, now: datetime
) -> None:
    """Bring the reviews and the audit draw of a judgement up to what has just been decided."""
    done = reviewers_done(detail.verdicts, detail.decisions)
    settled = all(e.reviewed for e in detail.effective)
    alone = detail.run.independent or not review.judge_visible
    finished = review.reviewer in done if alone else settled
    review.finished_at = (review.finished_at or now) if finished else None
    if detail.run.independent and len(done) >= detail.run.needed:
        rows = select(ReviewRow).where(
            ReviewRow.judgement_id == detail.id, ReviewRow.reviewer.in_(done)
        )
        _reveal(session, session.scalars(rows), now)
    example = select(JudgementRow.example_id).where(JudgementRow.id == detail.id)
    draw = update(AuditDrawRow).where(
        AuditDrawRow.run_id == detail.run.id,
        AuditDrawRow.example_id == example.scalar_subquery(),
    )
    session.execute(draw.values(state="done" if settled else "pending"))


def _reveal(session: Session, reviews: Iterable[ReviewRow], now: datetime) -> None:
    newest = session.scalar(select(func.max(DecisionRow.id))) or 0
    for review in reviews:
        if review.revealed_at is None:
            review.revealed_at, review.revealed_after = now, newest

"""Whether a run's figures can have changed: what is worked out once may be kept until they have."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Engine, func, select

from db.engine import reading
from db.sights import NOBODY
from db.tables import AuditDrawRow, DecisionRow, JudgementRow, PersonRow, ReviewRow, RunRow


def run_stamp(engine: Engine, run_id: int, viewer: str = NOBODY) -> str:
    """A text that is another one after every judgement, draw, review or decision in the run, when
    its state or name changes, and when the viewer begins or ends to review blind.
    """
    judgement, review = JudgementRow, ReviewRow
    mine = judgement.run_id == run_id
    queries: list[Any] = [
        select(func.count(), func.max(judgement.judged_at)).where(mine),
        select(func.max(DecisionRow.id)).where(DecisionRow.run_id == run_id),
        select(func.max(AuditDrawRow.id)).where(AuditDrawRow.run_id == run_id),
        select(func.max(review.id), func.max(review.committed_at))
        .join(judgement, judgement.id == review.judgement_id)
        .where(mine),
        select(RunRow.state, RunRow.name).where(RunRow.id == run_id),
        select(PersonRow.blind).where(PersonRow.name == viewer),
    ]
    with reading(engine) as session:
        found = [tuple(session.execute(query).first() or ()) for query in queries]
    return repr((run_id, viewer, found))

"""How far unreviewed units can still move a run's mean (`recall_core.stop_rule`)."""

from __future__ import annotations

from fractions import Fraction

from sqlalchemy import Engine, func, select
from sqlalchemy.orm import Session

from db.details import run_facts
from db.engine import reading
from db.tables import JudgementRow
from recall_core.details import RunFacts
from recall_core.stop_rule import Reach, StopRule, stop_rule_of
from recall_core.summary import Mean, mean_of
from recall_core.types import TraceState


def stop_rule(engine: Engine, run_id: int, mark: Fraction | None = None) -> StopRule:
    """The run's lowest and highest reachable mean, held against `mark` (else its pass mark)."""
    row = JudgementRow
    query = (
        select(row.lowest, row.highest, func.count())
        .where(row.run_id == run_id, row.lowest.is_not(None))
        .group_by(row.lowest, row.highest)
    )
    judged = select(func.count()).where(row.run_id == run_id, row.repeat == 1)
    with reading(engine) as session:
        run = run_facts(session, run_id)
        left = max(0, run.examples - (session.scalar(judged) or 0))
        counted = [
            (Reach(lowest, highest), count)
            for lowest, highest, count in session.execute(query)
            if lowest is not None and highest is not None
        ]
    return stop_rule_of(
        counted, run.formula, left=left, mark=run.pass_mark if mark is None else mark
    )


def run_mean(session: Session, run: RunFacts) -> Mean:
    """The run's mean as it counts now."""
    row = JudgementRow
    covered = row.trace_state == TraceState.SCORED.value
    query = select(row.final, func.count()).where(row.run_id == run.id, covered)
    rows = session.execute(query.group_by(row.final))
    return mean_of([(final, n) for final, n in rows if final is not None], of=run.examples)

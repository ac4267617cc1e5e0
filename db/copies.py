"""The copies kept beside a judgement for lists: what sorts, filters and averages without counting.

They are made here and nowhere else, in the transaction that writes what they copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import Session
from sqlalchemy.orm.util import identity_key

from db.decisions import DecisionsOn, decisions_of
from db.details import reviewers_needed, verdicts_of
from db.tables import JudgementRow, RunRow
from recall_core.details import Scores, scores_of
from recall_core.results import Status
from recall_core.stop_rule import reach_of
from recall_core.types import Basis, Decision, Formula, Rounding, Unit, UnitRef, Verdict


def refresh_copies(session: Session, judgement_ids: Sequence[int]) -> None:
    """Compute the copies of these judgements again from verdicts and decisions, and write them."""
    session.flush()
    rows = [{"id": i, **copies} for i, copies in computed_copies(session, judgement_ids).items()]
    if rows:
        _write(session, rows)


def computed_copies(session: Session, judgement_ids: Sequence[int]) -> dict[int, dict[str, Any]]:
    """What the copies of each judgement ought to be, without writing them."""
    return {
        judgement_id: copies_of(status, scores, decisions)
        for judgement_id, (status, scores, decisions) in _computed(session, judgement_ids).items()
    }


def scores_by_id(
    session: Session, judgement_ids: Sequence[int]
) -> dict[int, tuple[Scores, tuple[Decision, ...]]]:
    """Each judgement's scores and the decisions behind them, without its example."""
    return {i: computed[1:] for i, computed in _computed(session, judgement_ids).items()}


def _computed(
    session: Session, judgement_ids: Sequence[int]
) -> dict[int, tuple[Status, Scores, tuple[Decision, ...]]]:
    verdicts = verdicts_of(session, judgement_ids)
    decided = decisions_of(session, judgement_ids)
    query = (
        select(JudgementRow.id, JudgementRow.status, RunRow)
        .join(RunRow, RunRow.id == JudgementRow.run_id)
        .where(JudgementRow.id.in_(judgement_ids))
    )
    found = {}
    for judgement_id, status, run in session.execute(query).all():
        decisions = decided.get(judgement_id, DecisionsOn()).decisions
        scores = scores_of(
            Status(status),
            verdicts.get(judgement_id, ()),
            decisions,
            formula=Formula(run.formula),
            rounding=Rounding(run.rounding),
            needed=reviewers_needed(run),
        )
        found[judgement_id] = (Status(status), scores, decisions)
    return found


def copies_of(status: Status, scores: Scores, decisions: Sequence[Decision] = ()) -> dict[str, Any]:
    """The values of a judgement's copied columns, by column name."""
    judged, now = scores.judge_trace.final, scores.trace.final
    trace = scores.judge_trace
    rounding = trace.rounding or Rounding.HALF_UP
    reach = reach_of(trace.formula, rounding, status, scores.effective)
    return {
        "judge_final": judged,
        "judge_final_number": _number(judged),
        "final": now,
        "final_number": _number(now),
        "trace_state": scores.trace.state.value,
        "essential": scores.trace.essential,
        "essential_number": _number(scores.trace.essential),
        "bonus": scores.trace.bonus,
        "bonus_number": _number(scores.trace.bonus),
        "change": None if judged is None or now is None else float(now - judged),
        "lowest": None if reach is None else reach.lowest,
        "highest": None if reach is None else reach.highest,
        "units": len(scores.effective),
        "reviewed_units": sum(e.reviewed for e in scores.effective),
        "disputed_units": sum(e.basis is Basis.DISPUTED for e in scores.effective),
        "changed_units": sum(e.changed for e in scores.effective),
        "last_decision_at": max((d.at for d in decisions), default=None),
    }


def fresh_copies(
    status: Status, verdicts: Sequence[Verdict], formula: Formula, rounding: Rounding
) -> dict[str, Any]:
    """`copies_of` for a judgement on which nobody has decided yet."""
    scores = tuple((verdict.unit.ref, verdict.score) for verdict in verdicts)
    return _fresh(status, scores, formula, rounding).copy()


@lru_cache(maxsize=4096)
def _fresh(
    status: Status,
    scores: tuple[tuple[UnitRef, Fraction | None], ...],
    formula: Formula,
    rounding: Rounding,
) -> dict[str, Any]:
    """Remembered, because the same few scores come again and again in a run."""
    verdicts = [Verdict(Unit(ref, ""), score) for ref, score in scores]
    return copies_of(status, scores_of(status, verdicts, (), formula=formula, rounding=rounding))


def _write(session: Session, rows: list[dict[str, Any]]) -> None:
    """One statement for all; judgements that the session holds are read again when next used."""
    session.execute(update(JudgementRow), rows)
    for row in rows:
        held = session.identity_map.get(identity_key(JudgementRow, row["id"]))
        if held is not None:
            session.expire(held)


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)

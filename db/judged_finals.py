"""What a judge made of each example, as estimates use it: by SQL, for runs of any length.

The lexical screen cuts its probabilities into grades. Before the cut they say more about what
people will find, so where every unit has one, the formula is taken over 1 + 4p, 5p and p.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Float, Subquery, and_, case, cast, func, select, true

from db.tables import JudgementRow, UnitRow, VerdictRow
from recall_core.details import RunFacts
from recall_core.scoring import CAP
from recall_core.types import Formula, UnitKind

ESSENTIAL, BONUS = UnitKind.ESSENTIAL.value, UnitKind.BONUS.value


def judged_finals(
    run: RunFacts, *, where: ColumnElement[bool] | None = None, parts: bool = False
) -> Subquery:
    """One row a judgement of the run: `judgement_id`, and the judge's `final`, `essential` and
    `bonus` parts as numbers, null where it gave none (or, for the bonus, nothing is bonus). The
    parts are left null unless asked for. `where` names the judgements that are needed.
    """
    wanted = true() if where is None else where
    if not parts and not run.screen:
        row = JudgementRow
        nothing = cast(None, Float)
        columns: tuple[Any, ...] = (
            row.id.label("judgement_id"),
            row.judge_final_number.label("final"),
            nothing.label("essential"),
            nothing.label("bonus"),
        )
        return select(*columns).where(row.run_id == run.id, wanted).subquery()
    return _from_verdicts(run, wanted)


def _from_verdicts(run: RunFacts, wanted: ColumnElement[bool]) -> Subquery:
    judgement, unit, verdict = JudgementRow, UnitRow, VerdictRow
    score, p = cast(verdict.score, Float), verdict.probability
    is_essential, is_bonus = unit.kind == ESSENTIAL, unit.kind == BONUS
    grade = case((is_essential, 1 + 4 * p), (is_bonus, 5 * p), else_=p)
    value = case((p.is_not(None), grade), else_=score)
    e_sum, e_count = _sum(is_essential, value), _count(is_essential)
    b_sum, b_count = _sum(is_bonus, value), _count(is_bonus)
    essential = case((e_count > 0, e_sum / e_count))
    bonus = case((and_(e_count > 0, b_count > 0), b_sum / (e_count * b_count * 2.0)))
    passages = run.formula is Formula.PASSAGE
    combined = essential + func.coalesce(bonus, 0.0)
    capped = case((combined > float(CAP), float(CAP)), else_=combined)
    continuous: ColumnElement[Any] = capped if passages else func.avg(value)
    answered = judgement.judge_final_number.is_not(None)
    all_continuous = func.count(p) == func.count(verdict.id)
    final = case((all_continuous, continuous), else_=judgement.judge_final_number)
    nothing = cast(None, Float)
    return (
        select(
            judgement.id.label("judgement_id"),
            case((answered, final)).label("final"),
            (case((answered, essential)) if passages else nothing).label("essential"),
            (case((answered, bonus)) if passages else nothing).label("bonus"),
        )
        .join(verdict, verdict.judgement_id == judgement.id)
        .join(unit, unit.id == verdict.unit_id)
        .where(judgement.run_id == run.id, wanted)
        .group_by(judgement.id, judgement.judge_final_number)
        .subquery()
    )


def _sum(which: ColumnElement[bool], value: ColumnElement[Any]) -> ColumnElement[Any]:
    return func.sum(case((which, value), else_=0.0))


def _count(which: ColumnElement[bool]) -> ColumnElement[Any]:
    return func.sum(case((which, 1), else_=0))

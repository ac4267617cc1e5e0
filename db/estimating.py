"""A run's recall with its interval, from what the judge said and what people reviewed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Engine,
    Row,
    Select,
    String,
    Subquery,
    and_,
    exists,
    false,
    func,
    or_,
    select,
    type_coerce,
)
from sqlalchemy.orm import Session

from db.audit_frame import Drawn, DrawnExample, drawn_of, left_frame_at, out_of_frame, stratum_now
from db.details import run_facts
from db.engine import reading
from db.judged_finals import judged_finals
from db.run_cards import RunState
from db.stopping import run_mean
from db.tables import AuditDrawRow, JudgementRow, RunRow
from recall_core.details import RunFacts
from recall_core.estimation import GRADE, Observed, Target, estimate_mean
from recall_core.headline import Headline
from recall_core.queues import FAILED, FAILURES_FIRST
from recall_core.scoring import FINAL_RANGE
from recall_core.summary import Mean, mean_of
from recall_core.types import TraceState

_STILL_JUDGING = (RunState.QUEUED, RunState.RUNNING, RunState.PAUSED)


def headline(
    engine: Engine, run_id: int, viewer: str | None = None, *, target: Target = Target.THESE
) -> Headline:
    """What is said of the run's recall; `NotKept` if the run is gone.

    It is a figure of the whole run and names no example, so it is the same for every `viewer`;
    whether somebody who scores blind is shown it is for the page to say (`hides_judge`).
    """
    with reading(engine) as session:
        return headline_of(session, run_id, target)


def headlines(engine: Engine, run_ids: Iterable[int]) -> dict[int, Headline]:
    """The headlines of these runs."""
    with reading(engine) as session:
        return {run_id: headline_of(session, run_id) for run_id in run_ids}


def headline_of(session: Session, run_id: int, target: Target = Target.THESE) -> Headline:
    """`headline` within a transaction that is already open."""
    run = run_facts(session, run_id)
    drawn = drawn_of(session, run_id)
    rows = list(observed(session, run, drawn))
    lowest, highest = FINAL_RANGE[run.formula]
    first = max(0, FAILURES_FIRST - sum(draw.stratum == FAILED for draw in drawn.draws))
    state = session.scalar(select(RunRow.state).where(RunRow.id == run_id))
    return Headline(
        formula=run.formula,
        estimated=estimate_mean(
            rows,
            scale=(float(lowest), float(highest)),
            grade=GRADE[run.formula],
            target=target,
            failures_first=first,
        ),
        judge=judge_mean(session, run),
        now=run_mean(session, run),
        still_judging=state in _STILL_JUDGING,
    )


def judge_mean(session: Session, run: RunFacts) -> Mean:
    """The mean of the judge's own finals; what was vacuous does not count."""
    row = JudgementRow
    covered = and_(row.judge_final.is_not(None), row.trace_state != TraceState.VACUOUS.value)
    query = select(row.judge_final, func.count()).where(row.run_id == run.id, covered)
    rows = session.execute(query.group_by(row.judge_final))
    return mean_of([(final, n) for final, n in rows if final is not None], of=run.examples)


def observed(session: Session, run: RunFacts, drawn: Drawn) -> Iterator[Observed]:
    """What is known of each example of the run that has a final or can get one.

    Examples that nobody has drawn or reviewed are summed up, one row a stratum.
    """
    mine = exists().where(
        AuditDrawRow.run_id == run.id, AuditDrawRow.example_id == JudgementRow.example_id
    )
    touched = or_(mine, out_of_frame())
    rows = session.execute(_each(run, judged_finals(run, where=touched), touched)).all()
    left: Mapping[int, datetime] = {}
    if drawn.draws:
        taken = {d.example_id for d in drawn.draws}
        units = {r.id: r.units for r in rows if r.example_id not in taken and r.out}
        left = left_frame_at(session, run, units)
    draws = drawn.by_example()
    for row in rows:
        yield _observed(row, draws.get(row.example_id), drawn, left)
    # Without an audit nothing follows from the judge's finals, and they need not be worked out.
    which = ~touched if drawn.draws else false()
    rest = _summed(run, judged_finals(run, where=which), ~touched)
    yield from _strata(session.execute(rest))


def _population(run: RunFacts) -> ColumnElement[bool]:
    """The examples that the mean is over: what is skipped, vacuous or void has no reach."""
    row = JudgementRow
    return and_(row.run_id == run.id, row.repeat == 1, row.lowest.is_not(None))


def human_final() -> ColumnElement[bool]:
    """Whether the final that counts now is people's: they have decided on every unit."""
    row = JudgementRow
    reviewed = and_(row.units > 0, row.reviewed_units >= row.units, row.disputed_units == 0)
    return and_(reviewed, row.trace_state == TraceState.SCORED.value, row.final.is_not(None))


def _each(run: RunFacts, finals: Subquery, which: ColumnElement[bool]) -> Select[Any]:
    row = JudgementRow
    columns: tuple[Any, ...] = (
        row.id,
        row.example_id,
        row.units,
        row.final_number,
        finals.c.final,
        stratum_now().label("stratum"),
        out_of_frame().label("out"),
        human_final().label("human"),
        type_coerce(row.lowest, String).label("lowest"),
        type_coerce(row.highest, String).label("highest"),
    )
    joined = select(*columns).outerjoin(finals, finals.c.judgement_id == row.id)
    return joined.where(_population(run), which).order_by(row.position)


def _observed(
    row: Row[Any], draw: DrawnExample | None, drawn: Drawn, left: Mapping[int, datetime]
) -> Observed:
    human = row.final_number if row.human else None
    lowest, highest = as_number(row.lowest), as_number(row.highest)
    position = chosen = None
    if draw is not None and draw.stratum == row.stratum:
        position = draw.position
    elif draw is not None:
        # It was drawn as a failure and has been judged again, or the other way: it was no random
        # choice among the examples that it is with now.
        chosen = draw.position - 1
    elif row.out:
        moment = left.get(row.id)
        chosen = 0 if moment is None else drawn.before(moment)
    return Observed(row.final, human, lowest, highest, draw=position, chosen_after=chosen)


def _summed(run: RunFacts, finals: Subquery, which: ColumnElement[bool]) -> Select[Any]:
    row = JudgementRow
    columns: tuple[Any, ...] = (
        type_coerce(row.lowest, String).label("lowest"),
        type_coerce(row.highest, String).label("highest"),
        stratum_now().label("stratum"),
        func.count().label("number"),
        func.sum(finals.c.final).label("judged"),
    )
    joined = select(*columns).outerjoin(finals, finals.c.judgement_id == row.id)
    kept = joined.where(_population(run), which)
    return kept.group_by(row.lowest, row.highest, stratum_now())


@dataclass
class _Total:
    count: int = 0
    lowest: float = 0.0
    highest: float = 0.0
    judged: float = 0.0


def _strata(rows: Iterable[Row[Any]]) -> Iterator[Observed]:
    totals: dict[str, _Total] = {}
    for row in rows:
        total = totals.setdefault(row.stratum, _Total())
        total.count += row.number
        total.lowest += row.number * as_number(row.lowest)
        total.highest += row.number * as_number(row.highest)
        total.judged += row.judged or 0.0
    for stratum, total in totals.items():
        yield Observed(
            judge=None if stratum == FAILED else total.judged / total.count,
            human=None,
            lowest=total.lowest / total.count,
            highest=total.highest / total.count,
            count=total.count,
        )


@lru_cache(maxsize=4096)
def as_number(text: str) -> float:
    """A kept exact final (`367/100`) as a number; a run has few different ones."""
    return float(as_fraction(text))


@lru_cache(maxsize=4096)
def as_fraction(text: str) -> Fraction:
    """A kept exact final as it is."""
    return Fraction(text)

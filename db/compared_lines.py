"""The examples of a run as comparisons read them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any

from sqlalchemy import Select, String, Subquery, select, type_coerce
from sqlalchemy.orm import Session

from db.audit_frame import drawn_of, left_frame_at, out_of_frame, stratum_now
from db.estimating import as_fraction, as_number, human_final
from db.judged_finals import judged_finals
from db.tables import ExampleRow, JudgementRow
from recall_core.details import RunFacts
from recall_core.estimation import Dated
from recall_core.scoring import SCALES
from recall_core.types import UnitKind

ESSENTIAL = SCALES[UnitKind.ESSENTIAL]
BONUS_PART = SCALES[UnitKind.BONUS].highest / 2
"""The bonus part is at most this: full bonus scores, divided by twice one essential passage."""


@dataclass(frozen=True, slots=True)
class Line:
    """One example in one run: the finals and parts that count now, whether people have reviewed it
    (`human`) and the audit has drawn it, and what an estimate of each part is made from.
    """

    judgement_id: int
    example_id: str
    question: str | None
    now: Fraction | None
    essential_now: Fraction | None
    bonus_now: Fraction | None
    human: bool
    drawn: bool
    in_mean: bool
    parts: Mapping[str, Dated]


@dataclass(frozen=True, slots=True)
class RunLines:
    """A run and its lines by the row id of their example."""

    run: RunFacts
    lines: Mapping[int, Line]


def run_lines(session: Session, run: RunFacts) -> RunLines:
    """Every example of the run that has a judgement."""
    rows = session.execute(_query(run, judged_finals(session, run, parts=True))).all()
    drawn = drawn_of(session, run.id).by_example()
    left: Mapping[int, datetime] = {}
    if drawn:
        by_choice = {r.id: r.units for r in rows if r.out and r.example_id not in drawn}
        left = left_frame_at(session, run, by_choice)
    lines = {}
    for found in rows:
        draw = drawn.get(found.example_id)
        random = draw is not None and draw.stratum == found.stratum
        drawn_at = draw.drawn_at if draw is not None and random else None
        chosen_at = left.get(found.id) if draw is None or random else draw.drawn_at
        lines[found.example_id] = _line(found, drawn_at, chosen_at)
    return RunLines(run, lines)


def _query(run: RunFacts, finals: Subquery) -> Select[Any]:
    row = JudgementRow
    columns: tuple[Any, ...] = (
        row.id,
        row.example_id,
        row.units,
        row.final_number,
        row.essential_number,
        row.bonus_number,
        *(type_coerce(exact, String).label(exact.key) for exact in _EXACT),
        out_of_frame().label("out"),
        human_final().label("human"),
        stratum_now().label("stratum"),
        finals.c.final.label("judge"),
        finals.c.essential.label("judge_essential"),
        finals.c.bonus.label("judge_bonus"),
        ExampleRow.external_id,
        ExampleRow.question,
    )
    return (
        select(*columns)
        .join(ExampleRow, ExampleRow.id == row.example_id)
        .outerjoin(finals, finals.c.judgement_id == row.id)
        .where(row.run_id == run.id, row.repeat == 1)
        .order_by(row.position)
    )


_EXACT = (
    JudgementRow.final,
    JudgementRow.essential,
    JudgementRow.bonus,
    JudgementRow.lowest,
    JudgementRow.highest,
)
"""Read as texts: a run has few different ones, and these are made into numbers once."""


def _line(row: Any, drawn_at: datetime | None, chosen_at: datetime | None) -> Line:
    in_mean = row.lowest is not None
    parts: dict[str, Dated] = {}
    if in_mean:
        ends = (as_number(row.lowest), as_number(row.highest))
        human = row.final_number if row.human else None
        parts["final"] = Dated(row.judge, human, *ends, drawn_at, chosen_at)
        human = row.essential_number if row.human else None
        ends = (float(ESSENTIAL.lowest), float(ESSENTIAL.highest))
        parts["essential"] = _part(row.judge_essential, human, ends, drawn_at, chosen_at)
        if row.judge_bonus is not None:
            human = row.bonus_number if row.human else None
            parts["bonus"] = _part(row.judge_bonus, human, (0.0, BONUS_PART), drawn_at, chosen_at)
    return Line(
        judgement_id=row.id,
        example_id=row.external_id,
        question=row.question,
        now=_exact(row.final) if in_mean else None,
        essential_now=_exact(row.essential),
        bonus_now=_exact(row.bonus),
        human=bool(row.human),
        drawn=drawn_at is not None,
        in_mean=in_mean,
        parts=parts,
    )


def _exact(text: str | None) -> Fraction | None:
    return None if text is None else as_fraction(text)


def _part(
    judge: float | None,
    human: float | None,
    ends: tuple[float, float],
    drawn_at: datetime | None,
    chosen_at: datetime | None,
) -> Dated:
    lowest, highest = ends if human is None else (human, human)
    return Dated(judge, human, lowest, highest, drawn_at, chosen_at)

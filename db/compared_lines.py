"""The examples of a run as comparisons read them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
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


class Part(StrEnum):
    """Of what a difference is taken; the values are those of the columns."""

    FINAL = "final"
    ESSENTIAL = "essential"
    BONUS = "bonus"


_ENDS = {
    Part.ESSENTIAL: (float(ESSENTIAL.lowest), float(ESSENTIAL.highest)),
    Part.BONUS: (0.0, BONUS_PART),
}


@dataclass(frozen=True, slots=True)
class Line:
    """One example in one run.

    `judged` holds the judge's final and parts as numbers, `now` those that count now, which are
    people's if they have reviewed it whole (`human`). It is `out` of the audit's frame when people
    have. `reach` is the lowest and the highest final that it can have; `None`: it is in no mean.
    """

    judgement_id: int
    example_id: str
    question: str | None
    judged: Mapping[Part, float | None]
    now: Mapping[Part, Fraction | None]
    reach: tuple[float, float] | None
    human: bool
    out: bool
    drawn_at: datetime | None
    chosen_at: datetime | None

    @property
    def touched(self) -> bool:
        """Whether anybody has drawn or reviewed it."""
        return self.out or self.drawn_at is not None

    def ends(self, part: Part) -> tuple[float, float]:
        """The lowest and the highest that this part of the final can still be."""
        final = self.now[part]
        if self.human and final is not None:
            return float(final), float(final)
        return _ENDS.get(part) or self.reach or (0.0, 0.0)

    def dated(self, part: Part) -> Dated:
        """What an estimate is made from."""
        final = self.now[part] if self.human else None
        human = None if final is None else float(final)
        return Dated(self.judged[part], human, *self.ends(part), self.drawn_at, self.chosen_at)


@dataclass(frozen=True, slots=True)
class RunLines:
    """A run and its lines by the row id of their example."""

    run: RunFacts
    lines: Mapping[int, Line]


def run_lines(session: Session, run: RunFacts) -> RunLines:
    """Every example of the run that has a judgement."""
    rows = session.execute(_query(run, judged_finals(run, parts=True))).all()
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
    return Line(
        judgement_id=row.id,
        example_id=row.external_id,
        question=row.question,
        judged={
            Part.FINAL: row.judge,
            Part.ESSENTIAL: row.judge_essential,
            Part.BONUS: row.judge_bonus,
        },
        now={
            Part.FINAL: _exact(row.final) if in_mean else None,
            Part.ESSENTIAL: _exact(row.essential),
            Part.BONUS: _exact(row.bonus),
        },
        reach=(as_number(row.lowest), as_number(row.highest)) if in_mean else None,
        human=bool(row.human),
        out=bool(row.out),
        drawn_at=drawn_at,
        chosen_at=chosen_at,
    )


def _exact(text: str | None) -> Fraction | None:
    return None if text is None else as_fraction(text)

"""Several judges on the same examples: their scores side by side, and where they disagree.

Runs share the row of a unit where they judged the same text against the same texts, so what two
judges said of one unit is one join away.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sqlalchemy import ColumnElement, Engine, Row, Select, select, update
from sqlalchemy.orm import Session

from db.details import read_judge
from db.engine import reading
from db.errors import NotKept
from db.run_cards import IMPORTED
from db.tables import JudgementRow, RunRow, UnitRow, VerdictRow
from recall_core.disagreement import Disagreement, Said, counts_verbatim, disagreements, distance
from recall_core.judges import Judge
from recall_core.types import UnitKind, UnitRef

SCREEN = "the lexical screen"


@dataclass(frozen=True, slots=True)
class OtherScore:
    """What another judge said of a unit. `same_texts`: it looked in the same texts for it."""

    score: Fraction | None
    reasoning: str
    same_texts: bool


@dataclass(frozen=True, slots=True)
class OtherJudgement:
    """Another run's judgement of the same example, unit by unit; people's decisions aside."""

    judgement_id: int
    run_id: int
    run: str
    judge: str
    judge_title: str
    screen: bool
    judge_final: Fraction | None
    scores: Mapping[UnitRef, OtherScore]


def refresh_disagreement(session: Session, example_ids: Collection[int]) -> None:
    """Write how far each judgement of these examples is from what else is known of its units."""
    measured, kept = _measured(session, example_ids)
    changed = [
        {"id": judgement_id, "disagreement": size}
        for judgement_id, size in measured.items()
        if kept[judgement_id] != size
    ]
    if changed:
        session.execute(update(JudgementRow), changed)


def measured_disagreement(
    session: Session, example_ids: Collection[int]
) -> dict[int, float | None]:
    """What `judgement.disagreement` ought to be, by judgement."""
    return _measured(session, example_ids)[0]


def _measured(
    session: Session, example_ids: Collection[int]
) -> tuple[dict[int, float | None], dict[int, float | None]]:
    """Computed and kept, by judgement; of runs that are there."""
    session.flush()
    v, u, j = VerdictRow, UnitRow, JudgementRow
    judgements = (
        select(j.id, j.disagreement)
        .join(RunRow, RunRow.id == j.run_id)
        .where(j.example_id.in_(example_ids), RunRow.state != "deleting")
    )
    kept: dict[int, float | None] = dict(session.execute(judgements).all())
    columns: tuple[Any, ...] = (
        *(v.judgement_id, v.unit_id, v.score),
        *(u.kind, u.verbatim_rank, j.run_id),
    )
    verdicts: Select[Any] = (
        select(*columns)
        .join(u, u.id == v.unit_id)
        .join(j, j.id == v.judgement_id)
        .where(j.example_id.in_(example_ids), v.score.is_not(None))
    )
    by_unit: dict[int, list[Row[Any]]] = defaultdict(list)
    for row in session.execute(verdicts):
        if row.judgement_id in kept:
            by_unit[row.unit_id].append(row)
    sizes: dict[int, float | None] = dict.fromkeys(kept)
    for rows in by_unit.values():
        for row in rows:
            size = _size(row, rows)
            if size is not None:
                sizes[row.judgement_id] = max(size, sizes[row.judgement_id] or 0.0)
    return sizes, kept


def _size(row: Row[Any], rows: Sequence[Row[Any]]) -> float | None:
    """The distance of one verdict; `None` where there is nothing to compare it with."""
    kind = UnitKind(row.kind)
    others = [other.score for other in rows if other.run_id != row.run_id]
    verbatim = row.verbatim_rank is not None and counts_verbatim(kind)
    return distance(kind, row.score, others, verbatim) if others or verbatim else None


@dataclass(frozen=True, slots=True)
class Beside:
    """What stands beside a judgement: other judges' words about its units, oldest run first, and
    the sentences that say where they, or the text itself, differ from it."""

    others: tuple[OtherJudgement, ...] = ()
    sentences: tuple[Disagreement, ...] = ()


def other_judgements(engine: Engine, judgement_id: int) -> tuple[OtherJudgement, ...]:
    """What other runs say of the same example, for the units that this judgement has.

    Units are the same where kind, number and text are, even if another run looked in other texts.
    """
    return _one(engine, judgement_id).others


def disagreements_of(engine: Engine, judgement_id: int) -> tuple[Disagreement, ...]:
    """The sentences that say where this judgement differs from the text and from other judges."""
    return _one(engine, judgement_id).sentences


def _one(engine: Engine, judgement_id: int) -> Beside:
    found = beside(engine, [judgement_id]).get(judgement_id)
    if found is None:
        raise NotKept(f"There is no judgement {judgement_id}. Its run may have been deleted.")
    return found


def beside(engine: Engine, judgement_ids: Collection[int]) -> dict[int, Beside]:
    """What stands beside each of these judgements, in a few queries for all of them together;
    those that are no longer kept are left out. Runs that are reviewed blind stand beside none."""
    with reading(engine) as session:
        found = _judgements(session, JudgementRow.id.in_(judgement_ids))
        examples = {judgement.example_id for judgement, _ in found}
        around: dict[int, list[tuple[JudgementRow, RunRow]]] = defaultdict(list)
        for judgement, run in _judgements(session, JudgementRow.example_id.in_(examples)):
            around[judgement.example_id].append((judgement, run))
        rows: dict[int, list[Row[Any]]] = defaultdict(list)
        ids = [judgement.id for group in around.values() for judgement, _ in group]
        for row in _unit_rows(session, ids):
            rows[row.judgement_id].append(row)
        judges = {run.id: read_judge(run) for group in around.values() for _, run in group}
        return {
            judgement.id: _beside(judgement, run, around[judgement.example_id], rows, judges)
            for judgement, run in found
        }


def _judgements(session: Session, where: ColumnElement[bool]) -> list[tuple[JudgementRow, RunRow]]:
    query = (
        select(JudgementRow, RunRow)
        .join(RunRow, RunRow.id == JudgementRow.run_id)
        .where(where, RunRow.state != "deleting")
        .order_by(RunRow.id, JudgementRow.id)
    )
    return [(row.JudgementRow, row.RunRow) for row in session.execute(query)]


def _beside(
    mine: JudgementRow,
    run: RunRow,
    around: Sequence[tuple[JudgementRow, RunRow]],
    rows: Mapping[int, Sequence[Row[Any]]],
    judges: Mapping[int, Judge | None],
) -> Beside:
    own = rows.get(mine.id, ())
    units = {_place(row): row.unit_id for row in own}
    others = [
        _other(other, its_run, judges[its_run.id], rows.get(other.id, ()), units)
        for other, its_run in around
        if its_run.id != mine.run_id and not its_run.blind
    ]
    others = [other for other in others if other.scores]
    return Beside(tuple(others), tuple(_sentences(run, judges[run.id], own, others)))


def _other(
    judgement: JudgementRow,
    run: RunRow,
    judge: Judge | None,
    rows: Sequence[Row[Any]],
    units: Mapping[Any, int],
) -> OtherJudgement:
    return OtherJudgement(
        judgement_id=judgement.id,
        run_id=run.id,
        run=run.name,
        judge=run.judge,
        judge_title=run.judge if judge is None else judge.title,
        screen=judge is not None and judge.screen,
        judge_final=judgement.judge_final,
        scores={
            UnitRef(UnitKind(row.kind), row.position): OtherScore(
                row.score, row.reasoning, units[_place(row)] == row.unit_id
            )
            for row in rows
            if _place(row) in units
        },
    )


def _sentences(
    run: RunRow, judge: Judge | None, rows: Sequence[Row[Any]], others: Sequence[OtherJudgement]
) -> Iterator[Disagreement]:
    who = _who(run, judge)
    screen = judge is not None and judge.screen
    for row in rows:
        if row.score is None:
            continue
        ref = UnitRef(UnitKind(row.kind), row.position)
        said = [
            Said(_named(other), score.score, other.screen)
            for other in others
            if (score := other.scores.get(ref)) and score.same_texts and score.score is not None
        ]
        yield from disagreements(ref, Said(who, row.score, screen), said, row.verbatim_rank)


def _who(run: RunRow, judge: Judge | None) -> str:
    """What the judge is called in the sentences about its own judgement."""
    if run.endpoint is not None:
        return "the model"
    if run.kind == IMPORTED:
        return "the imported reply"
    return SCREEN if judge is not None and judge.screen else "this judge"


def _named(other: OtherJudgement) -> str:
    return f"{SCREEN if other.screen else other.judge_title} in “{other.run}”"


def _unit_rows(session: Session, judgement_ids: Collection[int]) -> Sequence[Row[Any]]:
    v, u = VerdictRow, UnitRow
    columns: tuple[Any, ...] = (
        *(v.judgement_id, v.unit_id, v.score, v.reasoning),
        *(u.kind, u.position, u.text, u.verbatim_rank),
    )
    query: Select[Any] = (
        select(*columns)
        .join(u, u.id == v.unit_id)
        .where(v.judgement_id.in_(judgement_ids))
        .order_by(v.id)
    )
    return session.execute(query).all()


def _place(row: Row[Any]) -> tuple[str, int, str]:
    return row.kind, row.position, row.text

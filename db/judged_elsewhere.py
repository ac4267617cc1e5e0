"""What other judges said of the same text that people have reviewed in one run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from db.details import run_facts
from db.engine import reading
from db.sights import hidden_judges
from db.tables import JudgementRow, RunRow, UnitRow, VerdictRow
from recall_core.calibration import JudgeKey, ScoredUnit
from recall_core.types import UnitKind

_BATCH = 400


def judged_elsewhere(
    engine: Engine, kind: UnitKind, units: Sequence[ScoredUnit], viewer: str | None = None
) -> Mapping[JudgeKey, tuple[ScoredUnit, ...]]:
    """The same units with people's values and the score of another judge, version, prompt or
    model, by which judge that is. Runs that are put away are left out; of several by the same
    judge the newest counts. What is hidden from the `viewer` is left out.
    """
    wanted: dict[tuple[int, int, str], list[ScoredUnit]] = defaultdict(list)
    for unit in units:
        wanted[unit.example, unit.unit.index, unit.text].append(unit)
    examples = sorted({unit.example for unit in units})
    own = {unit.run_id for unit in units}
    found: dict[JudgeKey, dict[tuple[int, int, str], list[ScoredUnit]]] = defaultdict(dict)
    with reading(engine) as session:
        runs = _runs(session, own, viewer)
        for start in range(0, len(examples), _BATCH):
            some = examples[start : start + _BATCH]
            for run_id, judgement_id, place, score in _verdicts(session, kind, some):
                if run_id in runs and place in wanted and judgement_id not in runs[run_id][1]:
                    found[runs[run_id][0]][place] = [
                        replace(unit, run_id=run_id, judgement_id=judgement_id, judge=score)
                        for unit in wanted[place]
                    ]
    return {
        key: tuple(u for same in places.values() for u in same) for key, places in found.items()
    }


def _runs(
    session: Session, own: Iterable[int], viewer: str | None
) -> dict[int, tuple[JudgeKey, set[int]]]:
    """The runs of other judges over the same datasets, and what of them is hidden."""
    row = RunRow
    mine = session.scalars(select(row).where(row.id.in_(own))).all()
    keys = {_key(session, run) for run in mine}
    query = select(row).where(
        row.dataset_id.in_({run.dataset_id for run in mine}),
        row.archived_at.is_(None),
        row.state != "deleting",
    )
    others = {}
    for run in session.scalars(query.order_by(row.id)):
        key = _key(session, run)
        if key not in keys:
            facts = run_facts(session, run.id)
            hidden = set() if viewer is None else hidden_judges(session, facts, viewer)
            others[run.id] = key, hidden
    return others


def _key(session: Session, run: RunRow) -> JudgeKey:
    title = run_facts(session, run.id).judge_title
    return JudgeKey(run.judge, run.judge_version, run.model or "", run.prompt_hash or "", title)


def _verdicts(
    session: Session, kind: UnitKind, examples: Sequence[int]
) -> list[tuple[int, int, tuple[int, int, str], Fraction]]:
    """Each score of a unit of the examples: run, judgement, place, score; older runs first."""
    judgement, unit, verdict = JudgementRow, UnitRow, VerdictRow
    query = (
        select(
            judgement.run_id,
            judgement.id,
            unit.example_id,
            unit.position,
            unit.text,
            verdict.score,
        )
        .join(unit, unit.id == verdict.unit_id)
        .join(judgement, judgement.id == verdict.judgement_id)
        .where(unit.example_id.in_(examples), unit.kind == kind.value, judgement.repeat == 1)
        .order_by(judgement.run_id)
    )
    return [
        (run_id, judgement_id, (example, position, text), score)
        for run_id, judgement_id, example, position, text, score in session.execute(query)
        if score is not None
    ]

"""What other judges said of the same text that people have reviewed in one run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
    model, by which judge that is.

    A unit is the same where its kind, its text and the texts it was looked for in are (`unit_key`),
    in whichever dataset. Runs that are put away are left out; of several by the same judge the
    newest counts. What is hidden from the `viewer` is left out.
    """
    own = {unit.run_id for unit in units}
    found: dict[JudgeKey, dict[str, list[ScoredUnit]]] = defaultdict(dict)
    with reading(engine) as session:
        wanted = _by_key(session, kind, units)
        keys = sorted(wanted)
        runs = _runs(session, own, viewer)
        for start in range(0, len(keys), _BATCH):
            for said in _verdicts(session, keys[start : start + _BATCH]):
                if said.run_id in runs and said.judgement_id not in runs[said.run_id][1]:
                    found[runs[said.run_id][0]][said.unit_key] = [
                        replace(
                            unit,
                            run_id=said.run_id,
                            judgement_id=said.judgement_id,
                            judge=said.score,
                        )
                        for unit in wanted[said.unit_key]
                    ]
    return {
        key: tuple(u for same in places.values() for u in same) for key, places in found.items()
    }


def _by_key(
    session: Session, kind: UnitKind, units: Sequence[ScoredUnit]
) -> Mapping[str, list[ScoredUnit]]:
    """The units by their `unit_key`."""
    by_place: dict[tuple[int, int], list[ScoredUnit]] = defaultdict(list)
    for unit in units:
        by_place[unit.judgement_id, unit.unit.index].append(unit)
    judgements = sorted({unit.judgement_id for unit in units})
    row = UnitRow
    query = select(VerdictRow.judgement_id, row.position, row.unit_key).join(
        row, row.id == VerdictRow.unit_id
    )
    found: dict[str, list[ScoredUnit]] = defaultdict(list)
    for start in range(0, len(judgements), _BATCH):
        some = VerdictRow.judgement_id.in_(judgements[start : start + _BATCH])
        for judgement_id, position, key in session.execute(
            query.where(some, row.kind == kind.value)
        ):
            found[key] += by_place.get((judgement_id, position), [])
    return {key: same for key, same in found.items() if same}


def _runs(
    session: Session, own: Iterable[int], viewer: str | None
) -> dict[int, tuple[JudgeKey, set[int]]]:
    """The runs of other judges, and what of them is hidden."""
    row = RunRow
    mine = session.scalars(select(row).where(row.id.in_(own))).all()
    keys = {_key(session, run) for run in mine}
    query = select(row).where(row.archived_at.is_(None), row.state != "deleting")
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


@dataclass(frozen=True, slots=True)
class _Said:
    """What a judge said of a unit in one run."""

    run_id: int
    judgement_id: int
    unit_key: str
    score: Fraction


def _verdicts(session: Session, keys: Sequence[str]) -> Iterator[_Said]:
    """Each score of a unit with one of these keys; older runs first."""
    judgement, unit, verdict = JudgementRow, UnitRow, VerdictRow
    query = (
        select(judgement.run_id, judgement.id, unit.unit_key, verdict.score)
        .join(unit, unit.id == verdict.unit_id)
        .join(judgement, judgement.id == verdict.judgement_id)
        .where(unit.unit_key.in_(keys), judgement.repeat == 1)
        .order_by(judgement.run_id, judgement.id)
    )
    for run_id, judgement_id, key, score in session.execute(query):
        if score is not None:
            yield _Said(run_id, judgement_id, key, score)

"""Reads what judges and people said of the same units, and what judges say when asked again."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Engine, exists, select
from sqlalchemy.orm import Session

from db.details import run_facts
from db.engine import reading
from db.first_values import FirstValue, first_values
from db.sights import hidden_judges
from db.tables import CallUseRow, ExampleRow, JudgementRow, ReviewRow, RunRow
from recall_core.agreement import (
    Opinion,
    PeopleAgreement,
    SelfAgreement,
    people_agreement,
    self_agreement,
)
from recall_core.calibration import Calibration, JudgeKey, ScoredUnit
from recall_core.types import UnitKind


def calibrations(
    engine: Engine,
    run_ids: Iterable[int] | None = None,
    viewer: str | None = None,
    *,
    audit_only: bool = False,
) -> tuple[Calibration, ...]:
    """One calibration for each judge (with version, prompt and model) and kind of unit on which
    people have finished a review, in these runs or in all that are not put away.

    What is hidden from a `viewer` who scores blind is left out. `audit_only` reads less of runs
    that people have confirmed in bulk.
    """
    found: dict[tuple[JudgeKey, UnitKind], _Found] = defaultdict(_Found)
    for run in _runs(engine, run_ids, viewer):
        for value in first_values(engine, run.id, audit_only=audit_only):
            if value.finished and value.judgement_id not in run.hidden:
                found[run.key, value.verdict.unit.ref.kind].add(run, value)
    return tuple(
        Calibration(key, kind, tuple(one.units), one.left["excluded"], one.left["moved"])
        for (key, kind), one in sorted(found.items(), key=lambda item: (item[0][0], item[0][1]))
    )


def between_people(
    engine: Engine, run_ids: Iterable[int] | None = None, viewer: str | None = None
) -> Mapping[UnitKind, PeopleAgreement]:
    """How well people agree with each other on each kind of unit, by their first values."""
    opinions: dict[UnitKind, list[Opinion]] = defaultdict(list)
    for run in _runs(engine, run_ids, viewer):
        for value in first_values(engine, run.id):
            unit, state = value.verdict.unit.ref, value.state
            if not value.finished or value.judgement_id in run.hidden:
                continue
            if state.score is None or state.excluded or state.kind is not unit.kind:
                continue
            # Runs over one dataset share its examples; their units are alike all the same.
            example = run.judgements[value.judgement_id].example
            place = (value.judgement_id, unit)
            opinion = Opinion(example, place, value.reviewer, float(state.score))
            opinions[unit.kind].append(opinion)
    return {kind: people_agreement(kind, opinions[kind]) for kind in UnitKind if kind in opinions}


def with_itself(engine: Engine, run_id: int) -> SelfAgreement:
    """How well the run's judge agrees with itself: on the finals of all runs with the same judge,
    version, prompt, model and settings over the same dataset. Kept replies that answered a second
    run are one answer and no repeat.
    """
    with reading(engine) as session:
        run = session.get_one(RunRow, run_facts(session, run_id).id)
        finals: dict[int, list[float]] = defaultdict(list)
        row = JudgementRow
        reused = exists().where(
            CallUseRow.run_id == row.run_id, CallUseRow.example_id == row.example_id
        )
        query = select(row.example_id, row.judge_final_number).where(
            row.run_id.in_(_same_judge(session, run)), ~reused
        )
        for example_id, final in session.execute(query.order_by(row.id)):
            if final is not None:
                finals[example_id].append(final)
    return self_agreement(list(finals.values()))


def _same_judge(session: Session, run: RunRow) -> list[int]:
    row = RunRow
    query = select(row).where(
        row.dataset_id == run.dataset_id,
        row.judge == run.judge,
        row.judge_version == run.judge_version,
        row.kind == run.kind,
        row.state != "deleting",
    )
    return [
        other.id
        for other in session.scalars(query)
        if (other.prompt_hash, other.model, other.endpoint, other.settings)
        == (run.prompt_hash, run.model, run.endpoint, run.settings)
    ]


@dataclass(frozen=True, slots=True)
class _Run:
    """A run whose reviews are read; `judgements` are those that somebody has reviewed."""

    id: int
    key: JudgeKey
    hidden: set[int]
    judgements: Mapping[int, _Judged]


@dataclass(frozen=True, slots=True)
class _Judged:
    example: int
    example_id: str
    judged_at: datetime


class _Found:
    """The units of one calibration as they are read, and how many were left out and why."""

    def __init__(self) -> None:
        self.units: list[ScoredUnit] = []
        self.left: Counter[str] = Counter()

    def add(self, run: _Run, value: FirstValue) -> None:
        verdict, state = value.verdict, value.state
        if state.excluded:
            self.left["excluded"] += 1
        elif state.kind is not verdict.unit.ref.kind:
            self.left["moved"] += 1
        elif verdict.score is not None and state.score is not None:
            judged = run.judgements[value.judgement_id]
            self.units.append(
                ScoredUnit(
                    run_id=run.id,
                    judgement_id=value.judgement_id,
                    example=judged.example,
                    example_id=judged.example_id,
                    unit=verdict.unit.ref,
                    text=verdict.unit.text,
                    judge=verdict.score,
                    human=state.score,
                    reviewer=value.reviewer,
                    audit=value.audit_draw_id is not None,
                    blind=not value.judge_visible,
                    cause=value.decision.cause,
                    note=value.decision.note,
                    judged_at=judged.judged_at,
                )
            )


def _runs(engine: Engine, run_ids: Iterable[int] | None, viewer: str | None) -> Iterator[_Run]:
    with reading(engine) as session:
        ids = list(run_ids) if run_ids is not None else _all_runs(session)
    for run_id in ids:
        with reading(engine) as session:
            facts = run_facts(session, run_id)
            row = session.get_one(RunRow, run_id)
            found = _Run(
                run_id,
                JudgeKey(
                    judge=row.judge,
                    version=row.judge_version,
                    model=row.model or "",
                    prompt_hash=row.prompt_hash or "",
                    title=facts.judge_title,
                ),
                hidden=set() if viewer is None else hidden_judges(session, facts, viewer),
                judgements=_judged(session, run_id),
            )
        yield found


def _all_runs(session: Session) -> Sequence[int]:
    row = RunRow
    query = select(row.id).where(row.archived_at.is_(None), row.state != "deleting")
    return session.scalars(query.order_by(row.id)).all()


def _judged(session: Session, run_id: int) -> dict[int, _Judged]:
    row = JudgementRow
    reviewed = exists().where(ReviewRow.judgement_id == row.id)
    columns: tuple[Any, ...] = (row.example_id, ExampleRow.external_id, row.judged_at)
    query = (
        select(row.id, *columns)
        .join(ExampleRow, ExampleRow.id == row.example_id)
        .where(row.run_id == run_id, reviewed)
    )
    return {judgement_id: _Judged(*rest) for judgement_id, *rest in session.execute(query)}

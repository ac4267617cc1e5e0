"""Other ways of counting a run's scores: what they are counted from, and policies that are kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from typing import Any

from sqlalchemy import Engine, Select, and_, delete, select
from sqlalchemy.orm import Session, aliased

from db.copies import scores_by_id
from db.details import START, next_batch, run_facts
from db.engine import reading, transaction
from db.errors import NotKept, NotPossibleNow
from db.importing import required_name
from db.run_cards import required_run
from db.tables import JudgementRow, PolicyRow, RunRow, UnitRow, VerdictRow
from recall_core.details import RunFacts
from recall_core.policy import NamedPolicy, Policy, WhatIf, WhatIfExample, WhatIfUnit, policy_of
from recall_core.results import Status
from recall_core.types import EffectiveScore, UnitKind, UnitRef


@dataclass(frozen=True, slots=True)
class OtherJudge:
    """A run whose judge could count instead: of the same dataset, with the same formula."""

    run_id: int
    run: str
    judge: str


@dataclass(frozen=True, slots=True)
class PolicyCard:
    """A policy that somebody has saved for a run."""

    id: int
    run_id: int
    name: str
    policy: Policy
    created_by: str
    created_at: datetime


def other_judges(engine: Engine, run_id: int) -> tuple[OtherJudge, ...]:
    """Whose scores could count in this run where nobody has reviewed, oldest first."""
    with reading(engine) as session:
        return tuple(_other_judges(session, run_facts(session, run_id)))


def _other_judges(session: Session, run: RunFacts) -> Iterator[OtherJudge]:
    query = select(RunRow.id, RunRow.name, RunRow.judge).where(
        RunRow.dataset_id == run.dataset_id,
        RunRow.formula == run.formula.value,
        RunRow.id != run.id,
        RunRow.state != "deleting",
    )
    for run_id, name, judge in session.execute(query.order_by(RunRow.id)):
        yield OtherJudge(run_id, name, judge)


def load_what_if(engine: Engine, run_id: int, judge_run: int | None = None) -> WhatIf:
    """The run's scores as they count now, to be counted in other ways; read once, kept by pages.

    With `judge_run`, units that nobody has reviewed have the score which that run's judge gave.
    """
    examples: list[WhatIfExample] = []
    after = START
    with reading(engine) as session:
        run = run_facts(session, run_id)
        if judge_run is not None and judge_run not in {
            other.run_id for other in _other_judges(session, run)
        }:
            raise NotPossibleNow(
                f"Run {judge_run} has not judged the same dataset by the same formula, so its "
                f"judge cannot count in {run.name}."
            )
    while True:
        with reading(engine) as session:
            batch = next_batch(session, run_id, after)
            examples += _examples(session, batch.ids, judge_run)
        if not batch.ids:
            break
        after = batch.last
    return WhatIf(
        run.formula, run.rounding, run.pass_mark, run.examples, tuple(examples), judge_run
    )


def _examples(
    session: Session, ids: Sequence[int], judge_run: int | None
) -> Iterator[WhatIfExample]:
    row = JudgementRow
    query = select(row.id, row.status, row.last_decision_at.is_not(None)).where(row.id.in_(ids))
    facts = {i: (Status(status), decided) for i, status, decided in session.execute(query)}
    said = _said(session, ids)
    other = None if judge_run is None else _said_elsewhere(session, ids, judge_run)
    scores = scores_by_id(session, [i for i in ids if facts[i][1]])
    for judgement_id in ids:
        counting = said[judgement_id] if other is None else other[judgement_id]
        effective = scores[judgement_id][0].effective if judgement_id in scores else ()
        states = {e.ref: e for e in effective}
        units = [
            _unit(ref, key, states.get(ref), counting.units.get((ref, key)))
            for ref, key in said[judgement_id].units
        ]
        status = facts[judgement_id][0] if other is None else counting.status
        answered = status is Status.PROCESSED or any(e.reviewed for e in effective)
        yield WhatIfExample(judgement_id, tuple(u for u in units if u is not None), answered)


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What a judge said of a unit, without its words."""

    score: Fraction | None
    similarity: float | None


@dataclass(frozen=True, slots=True)
class _Said:
    """What a judge said of an example, by unit and the hash of the unit's words."""

    status: Status = Status.SKIPPED
    units: dict[tuple[UnitRef, str], _Verdict] = field(default_factory=dict)


def _unit(
    ref: UnitRef, key: str, effective: EffectiveScore | None, verdict: _Verdict | None
) -> WhatIfUnit | None:
    """The unit as it counts; `None` where people have excluded it."""
    if effective is not None and effective.state.excluded:
        return None
    if effective is not None and effective.reviewed:
        return WhatIfUnit(effective.state.kind, effective.state.score)
    if verdict is None:
        return WhatIfUnit(ref.kind, None)
    return WhatIfUnit(ref.kind, verdict.score, verdict.similarity)


def _said(session: Session, ids: Sequence[int]) -> Mapping[int, _Said]:
    """What the judge of these judgements said, in the units' order."""
    v, u = VerdictRow, UnitRow
    columns: tuple[Any, ...] = (
        *(v.judgement_id, u.kind, u.position, u.text_key, v.score, v.similarity),
    )
    query: Select[Any] = select(*columns).join(u, u.id == v.unit_id).where(v.judgement_id.in_(ids))
    status = select(JudgementRow.id, JudgementRow.status).where(JudgementRow.id.in_(ids))
    found = {i: _Said(Status(said)) for i, said in session.execute(status)}
    for judgement_id, kind, position, key, score, similarity in session.execute(query):
        unit = UnitRef(UnitKind(kind), position)
        found[judgement_id].units[unit, key] = _Verdict(score, similarity)
    return found


def _said_elsewhere(session: Session, ids: Sequence[int], judge_run: int) -> Mapping[int, _Said]:
    """What the other run's judge said of the same examples, by this run's judgement."""
    here, there = JudgementRow, aliased(JudgementRow)
    query = (
        select(here.id, there.id)
        .join(there, and_(there.example_id == here.example_id, there.repeat == here.repeat))
        .where(here.id.in_(ids), there.run_id == judge_run)
    )
    pairs: dict[int, int] = dict(session.execute(query).all())
    said = _said(session, list(pairs.values()))
    return defaultdict(_Said, {mine: said[other] for mine, other in pairs.items()})


def save_policy(
    engine: Engine, run_id: int, name: str, policy: Policy, *, author: str, now: datetime
) -> int:
    """Keep the policy under a name, for exports to carry; one that had the name is replaced."""
    title = required_name(name)
    with transaction(engine) as session:
        required_run(session, run_id)
        session.execute(
            delete(PolicyRow).where(PolicyRow.run_id == run_id, PolicyRow.name == title)
        )
        row = PolicyRow(run_id=run_id, name=title, values=policy.as_json())
        row.created_by, row.created_at = author, now
        session.add(row)
        session.flush()
        return row.id


def policies(engine: Engine, run_id: int) -> tuple[PolicyCard, ...]:
    """The policies that were saved for the run, by name."""
    query = select(PolicyRow).where(PolicyRow.run_id == run_id).order_by(PolicyRow.name)
    with reading(engine) as session:
        return tuple(_card(row) for row in session.scalars(query))


def named_policy(engine: Engine, policy_id: int) -> NamedPolicy:
    """A saved policy with what it makes of its run now; `NotKept` if it is gone."""
    with reading(engine) as session:
        row = session.get(PolicyRow, policy_id)
        if row is None:
            raise NotKept("That policy is not kept any more.")
        card = _card(row)
    loaded = load_what_if(engine, card.run_id, card.policy.judge_run)
    return NamedPolicy(card.name, loaded.under(card.policy))


def delete_policy(engine: Engine, policy_id: int) -> None:
    """Forget the policy; no score hangs on it."""
    with transaction(engine) as session:
        session.execute(delete(PolicyRow).where(PolicyRow.id == policy_id))


def _card(row: PolicyRow) -> PolicyCard:
    policy = policy_of(row.values)
    return PolicyCard(row.id, row.run_id, row.name, policy, row.created_by, row.created_at)

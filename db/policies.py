"""Other ways of counting a run's scores: what they are counted from, and policies that are kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Engine, delete, select
from sqlalchemy.orm import Session

from db.copies import scores_by_id
from db.details import START, next_batch, run_facts, verdicts_of
from db.engine import reading, transaction
from db.errors import NotKept, NotPossibleNow
from db.importing import required_name
from db.run_cards import required_run
from db.tables import JudgementRow, PolicyRow, RunRow
from recall_core.details import RunFacts
from recall_core.policy import NamedPolicy, Policy, WhatIf, WhatIfExample, WhatIfUnit, policy_of
from recall_core.results import Status
from recall_core.types import EffectiveScore, Unit, Verdict


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
    query = select(JudgementRow.id, JudgementRow.status).where(JudgementRow.id.in_(ids))
    statuses = {i: Status(status) for i, status in session.execute(query)}
    others = {} if judge_run is None else _others(session, ids, judge_run)
    scores = scores_by_id(session, ids)
    for judgement_id in ids:
        effective = scores[judgement_id][0].effective
        status, said = statuses[judgement_id], None
        if judge_run is not None:
            status, said = others.get(judgement_id, (Status.SKIPPED, {}))
        answered = status is Status.PROCESSED or any(e.reviewed for e in effective)
        units = tuple(_unit(e, said) for e in effective if not e.state.excluded)
        yield WhatIfExample(judgement_id, units, answered)


def _unit(effective: EffectiveScore, said: Mapping[Unit, Verdict] | None) -> WhatIfUnit:
    if effective.reviewed:
        return WhatIfUnit(effective.state.kind, effective.state.score)
    verdict = effective.verdict if said is None else said.get(effective.verdict.unit)
    if verdict is None:
        return WhatIfUnit(effective.state.kind, None)
    return WhatIfUnit(effective.state.kind, verdict.score, verdict.similarity)


def _others(
    session: Session, ids: Sequence[int], judge_run: int
) -> dict[int, tuple[Status, Mapping[Unit, Verdict]]]:
    """What the other run's judge said of the same examples, by this run's judgement."""
    row = JudgementRow
    query = select(row.id, row.example_id, row.repeat).where(row.id.in_(ids))
    wanted = {(example, repeat): i for i, example, repeat in session.execute(query)}
    query_others = select(row.id, row.example_id, row.repeat, row.status).where(
        row.run_id == judge_run, row.example_id.in_([example for example, _ in wanted])
    )
    found = [
        (other, wanted[example, repeat], Status(status))
        for other, example, repeat, status in session.execute(query_others)
        if (example, repeat) in wanted
    ]
    verdicts = defaultdict(tuple, verdicts_of(session, [other for other, _, _ in found]))
    return {mine: (status, {v.unit: v for v in verdicts[other]}) for other, mine, status in found}


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

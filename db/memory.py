"""Memory: the same unit with the same texts, decided on in another run, offers that decision here.

Taking it over is a person's act, marked with where it came from (`Decision.recalled`), and undone
like any other. Where a text has changed, the difference is shown and nothing is taken over.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Engine, exists, select
from sqlalchemy.orm import Session, aliased

from db.appending import Act, Decided, Write, append, batch_name, stored_before
from db.batches import BulkDone, LeaveOut, write_batch
from db.details import BATCH, details_of, run_facts
from db.engine import reading, transaction
from db.memory_search import Candidate, candidates_for
from db.queues import open_for
from db.review_stand import Standing, standing_of, standings_of
from db.sights import hidden_judges
from db.tables import DecisionRow, JudgementRow, UnitRow, VerdictRow
from recall_core.deciding import state_after
from recall_core.details import JudgementDetail, RunFacts
from recall_core.errors import InvalidDecision, InvalidScore
from recall_core.memory import TextChange, text_changes
from recall_core.types import (
    Action,
    Decision,
    EffectiveScore,
    UnitRef,
    UnitState,
)


@dataclass(frozen=True, slots=True)
class Source:
    """The earlier human decision: where, whose, when, and why."""

    run_id: int
    run: str
    judgement_id: int
    example_id: str
    decision: Decision

    @property
    def words(self) -> str:
        """`From “Retriever v6”, Ben, 12 May 2026`."""
        at = self.decision.at
        return f"From “{self.run}”, {self.decision.reviewer}, {at.day} {at:%B %Y}"


@dataclass(frozen=True, slots=True)
class Memory:
    """What a unit counted as elsewhere, because a person had said so.

    `same_text`: the unit and the texts it was looked for in are the same, so the decision can be
    taken over; else `changes` says what differs.
    """

    judgement_id: int
    unit: UnitRef
    state: UnitState
    source: Source
    same_text: bool
    changes: tuple[TextChange, ...]
    twin: UnitRef | None = None
    """Which unit here it repeats, where it was excluded there as a duplicate."""


@dataclass(frozen=True, slots=True)
class RunMemory:
    """How much of a run earlier decisions could fill: `units` of `examples` with the same texts,
    and `changed_units` with texts that have changed.
    """

    examples: int
    units: int
    changed_units: int


def remembered(
    engine: Engine, judgement_ids: Sequence[int], *, viewer: str
) -> Mapping[int, tuple[Memory, ...]]:
    """The memories for the units of these judgements of one run that wait for this person.

    Nothing is remembered for who scores blind and has not committed: it would sway them.
    """
    with reading(engine) as session:
        found: dict[int, list[Memory]] = defaultdict(list)
        for stands in _standings(session, judgement_ids, viewer):
            for memory in _memories(session, stands, viewer):
                found[memory.judgement_id].append(memory)
    return {i: tuple(memories) for i, memories in found.items()}


def _standings(
    session: Session, judgement_ids: Sequence[int], viewer: str
) -> Iterator[list[Standing]]:
    query = select(JudgementRow.run_id).where(JudgementRow.id.in_(judgement_ids)).distinct()
    for run_id in session.scalars(query).all():
        run = run_facts(session, run_id)
        for start in range(0, len(judgement_ids), BATCH):
            yield standings_of(session, run, judgement_ids[start : start + BATCH], viewer)


def remembered_in_run(engine: Engine, run_id: int, *, viewer: str) -> RunMemory:
    """How much of the run's unreviewed part this person could take over from other runs."""
    examples = units = changed = 0
    with reading(engine) as session:
        run = run_facts(session, run_id)
        ids = _candidates(session, run, viewer)
        for start in range(0, len(ids), BATCH):
            stands = standings_of(session, run, ids[start : start + BATCH], viewer)
            memories = list(_memories(session, stands, viewer))
            same = [memory.judgement_id for memory in memories if memory.same_text]
            examples += len(set(same))
            units += len(same)
            changed += len(memories) - len(same)
    return RunMemory(examples, units, changed)


def apply_memory(
    engine: Engine,
    judgement_id: int,
    units: Collection[UnitRef] | None = None,
    *,
    reviewer: str,
    client_id: str,
    client_seq: int,
    now: datetime,
) -> Decided:
    """Take over what is remembered for these units of an example (`None`: for all of them).

    `InvalidDecision` where nothing is remembered any more, or a score does not fit this run.
    """
    write = Write(reviewer, client_id, client_seq, now)
    with transaction(engine) as session:
        if (stored := stored_before(session, judgement_id, write)) is not None:
            return stored
        stand = standing_of(session, judgement_id, reviewer)
        offered = [m for m in _memories(session, [stand], reviewer) if m.same_text]
        wanted = [m for m in offered if units is None or m.unit in units]
        if not wanted or (units is not None and len(wanted) < len(set(units))):
            raise InvalidDecision(
                "Nothing is remembered for that any more: somebody has decided on it here, or the "
                "earlier decision was taken back."
            )
        acts = [_act(stand, memory) for memory in wanted]
        return append(session, stand.detail, acts, write, batch=batch_name(write))


def apply_memory_all(
    engine: Engine,
    run_id: int,
    *,
    reviewer: str,
    client_id: str,
    client_seq: int,
    now: datetime,
) -> BulkDone:
    """Take over everything that is remembered with the same texts, as one batch."""
    with reading(engine) as session:
        ids = _candidates(session, run_facts(session, run_id), reviewer)

    def acts_of(session: Session, stand: Standing) -> list[Act]:
        memories = [m for m in _memories(session, [stand], reviewer) if m.same_text]
        try:
            return [_act(stand, memory) for memory in memories]
        except (InvalidScore, InvalidDecision) as error:
            raise LeaveOut(str(error)) from None

    write = Write(reviewer, client_id, client_seq, now)
    return write_batch(engine, run_id, ids, write, acts_of)


def _act(stand: Standing, memory: Memory) -> Act:
    current = stand.counted(memory.unit)
    stand.require_open(memory.unit)
    action, after = _taken_over(current, memory.state, halves=stand.detail.run.halves)
    decision = memory.source.decision
    note = ": ".join(part for part in (memory.source.words, decision.note) if part)
    return Act(
        memory.unit,
        action,
        current.state,
        after,
        stand.detail.newest.get(memory.unit, 0),
        decision.cause,
        note,
        twin=memory.twin if action is Action.EXCLUDE else None,
        recalled=decision.id,
    )


def _taken_over(
    current: EffectiveScore, state: UnitState, *, halves: bool
) -> tuple[Action, UnitState]:
    """The act that leaves the remembered state, if this run's scales allow it."""
    if state == current.state:
        return Action.CONFIRM, state
    if state.excluded:
        return Action.EXCLUDE, UnitState(current.state.kind, current.state.score, excluded=True)
    if state.kind is not current.state.kind:
        after = state_after(
            current, Action.MOVE, score=state.score, to_kind=state.kind, halves=halves
        )
        return Action.MOVE, after
    return Action.SET, state_after(current, Action.SET, score=state.score, halves=halves)


def _candidates(session: Session, run: RunFacts, viewer: str) -> list[int]:
    """The judgements of the run that wait for the person and have a unit decided on elsewhere."""
    other, row = aliased(UnitRow), JudgementRow
    elsewhere = exists().where(
        other.text_key == UnitRow.text_key,
        DecisionRow.unit_id == other.id,
        DecisionRow.run_id != run.id,
    )
    query = (
        select(row.id)
        .join(VerdictRow, VerdictRow.judgement_id == row.id)
        .join(UnitRow, UnitRow.id == VerdictRow.unit_id)
        .where(open_for(run, viewer), elsewhere)
        .group_by(row.id, row.position)
        .order_by(row.position, row.id)
    )
    return list(session.scalars(query))


def _memories(session: Session, stands: Sequence[Standing], viewer: str) -> Iterator[Memory]:
    """The best memory for each unit of these judgements of a run that waits for the person."""
    waiting = {
        stand.detail.id: [e.ref for e in stand.acted_on.effective if not e.reviewed]
        for stand in stands
        if not stand.shown.sight.judge_hidden
    }
    details = [stand.detail for stand in stands if waiting.get(stand.detail.id)]
    candidates = candidates_for(session, details) if details else {}
    ids = {c.judgement_id for here in candidates.values() for c in here}
    there = _visible(session, details_of(session, sorted(ids)), viewer) if ids else {}
    for detail in details:
        best = _best(detail, candidates[detail.id], there)
        yield from (best[ref] for ref in waiting[detail.id] if ref in best)


def _best(
    detail: JudgementDetail,
    candidates: Sequence[Candidate],
    there: Mapping[int, JudgementDetail],
) -> dict[UnitRef, Memory]:
    best: dict[UnitRef, Memory] = {}
    for candidate in sorted(candidates, key=lambda c: c.closeness):
        source = there.get(candidate.judgement_id)
        memory = None if source is None else _memory(detail, source, candidate)
        if memory is not None and _is_better(memory, best.get(candidate.unit)):
            best[candidate.unit] = memory
    return best


def _is_better(memory: Memory, than: Memory | None) -> bool:
    """Same texts before changed ones, and among equals what was decided last."""
    if than is None:
        return True
    newer = memory.source.decision.id > than.source.decision.id
    return memory.same_text == than.same_text and newer


def _visible(
    session: Session, details: Sequence[JudgementDetail], viewer: str
) -> dict[int, JudgementDetail]:
    """Those that the person does not still score blind themselves."""
    hidden: set[int] = set()
    for run in {d.run.id: d.run for d in details}.values():
        ids = [d.id for d in details if d.run.id == run.id]
        hidden |= hidden_judges(session, run, viewer, ids)
    return {d.id: d for d in details if d.id not in hidden}


def _memory(now: JudgementDetail, there: JudgementDetail, candidate: Candidate) -> Memory | None:
    effective = there.unit(candidate.there)
    if effective is None or effective.decision is None:
        return None
    unit_now = next(v.unit for v in now.verdicts if v.unit.ref == candidate.unit)
    same = candidate.closeness == 0
    unit_there = effective.verdict.unit
    changes = (
        () if same else text_changes(unit_there.text, there.example, unit_now.text, now.example)
    )
    source = Source(there.run.id, there.run.name, there.id, there.example.id, effective.decision)
    twin = _twin(now, there, effective.decision.twin)
    return Memory(now.id, candidate.unit, effective.state, source, same, changes, twin)


def _twin(now: JudgementDetail, there: JudgementDetail, ref: UnitRef | None) -> UnitRef | None:
    """The unit here that says what the twin said there; it may have another number."""
    words = next((v.unit.text for v in there.verdicts if v.unit.ref == ref), None)
    return next((v.unit.ref for v in now.verdicts if v.unit.text == words), None)

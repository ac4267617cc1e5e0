"""A selection of examples confirmed, set or excluded as one, after a look at what would change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from sqlalchemy import Engine, func, select
from sqlalchemy.orm import Session

from db.appending import Act, Write, with_decisions
from db.batches import BulkDone, LeaveOut, write_batch
from db.details import BATCH, read_run_facts, run_facts
from db.engine import reading
from db.review_errors import NoteRequired
from db.review_stand import Standing, standings_of
from db.stopping import run_mean
from db.tables import DecisionRow
from recall_core.deciding import state_after
from recall_core.details import JudgementDetail
from recall_core.errors import InvalidDecision, InvalidScore
from recall_core.summary import Mean
from recall_core.types import (
    Action,
    Cause,
    Decision,
    EffectiveScore,
    TraceState,
    UnitKind,
    UnitRef,
)

_ACTIONS = (Action.CONFIRM, Action.SET, Action.EXCLUDE)


@dataclass(frozen=True, slots=True)
class BulkAct:
    """What is to be done to every unit of a selection: confirm, set to `score`, or exclude.

    `kind` restricts it to units of one kind. Units that are reviewed stay as they are, unless
    `reviewed_too` (which confirming never needs).
    """

    action: Action
    kind: UnitKind | None = None
    score: Fraction | None = None
    cause: Cause | None = None
    note: str = ""
    reviewed_too: bool = False

    def __post_init__(self) -> None:
        if self.action not in _ACTIONS:
            raise InvalidDecision(f"A selection cannot be decided on by {self.action.value}.")
        if self.action is Action.SET and self.score is None:
            raise InvalidDecision("Say which score the selection is to get.")


@dataclass(frozen=True, slots=True)
class Refused:
    """A unit of the selection (`None`: the whole example) that the act cannot be done to."""

    judgement_id: int
    unit: UnitRef | None
    sentence: str


@dataclass(frozen=True, slots=True)
class BulkPreview:
    """What the act would do. `newest` goes back as `seen`, so that nothing is overwritten unread.

    `units` would be decided on, `changed_units` of them differently from what counts now.
    """

    examples: int
    units: int
    changed_units: int
    refused: tuple[Refused, ...]
    mean_before: Mean
    mean_after: Mean
    newest: int


def preview_bulk(
    engine: Engine, run_id: int, judgement_ids: Sequence[int], act: BulkAct, *, reviewer: str
) -> BulkPreview:
    """What deciding on the selection would change; changes nothing."""
    tally = _Tally(reviewer)
    ids = list(dict.fromkeys(judgement_ids))
    with reading(engine) as session:
        run = run_facts(session, run_id)
        newest = session.scalar(
            select(func.max(DecisionRow.id)).where(DecisionRow.run_id == run_id)
        )
        before = run_mean(session, run)
        for start in range(0, len(ids), BATCH):
            for stand in standings_of(session, run, ids[start : start + BATCH], reviewer):
                tally.add(stand, *acts_of(stand, act))
    return BulkPreview(
        tally.examples,
        tally.units,
        tally.changed,
        tuple(tally.refused),
        before,
        tally.mean_after(before),
        newest or 0,
    )


class _Tally:
    """Sums over the judgements of the selection."""

    def __init__(self, reviewer: str) -> None:
        self.examples = self.units = self.changed = self.n = 0
        self.moved = Fraction(0)
        self.refused: list[Refused] = []
        self._reviewer = reviewer

    def add(self, stand: Standing, acts: Sequence[Act], refused: Sequence[Refused]) -> None:
        self.refused += refused
        if not acts:
            return
        self.examples += 1
        self.units += len(acts)
        self.changed += sum(act.before != act.after for act in acts)
        after = with_decisions(stand.detail, _imagined(stand.detail, acts, self._reviewer))
        for detail, sign in ((stand.detail, -1), (after, 1)):
            if detail.trace.state is TraceState.SCORED and detail.trace.final is not None:
                self.n += sign
                self.moved += sign * detail.trace.final

    def mean_after(self, before: Mean) -> Mean:
        total = (before.value or Fraction(0)) * before.n + self.moved
        n = before.n + self.n
        return Mean(total / n if n else None, n, before.of)


def _imagined(detail: JudgementDetail, acts: Sequence[Act], reviewer: str) -> Iterator[Decision]:
    """The acts as decisions that nobody has made, newer than all that there are."""
    last = max((d.id for d in detail.decisions), default=0)
    for number, act in enumerate(acts, last + 1):
        yield Decision(
            number, act.unit, act.action, act.before, act.after, reviewer, detail.judged_at
        )


def decide_bulk(
    engine: Engine,
    run_id: int,
    judgement_ids: Sequence[int],
    act: BulkAct,
    *,
    reviewer: str,
    seen: int,
    client_id: str,
    client_seq: int,
    now: datetime,
) -> BulkDone:
    """Decide on the whole selection as one batch; `undo_bulk` takes it back as one.

    `seen` is the preview's `newest`: examples on which anybody has decided since are left out, and
    said to be. Sent again, it completes what a crash has cut short and stores nothing twice.
    """
    run = read_run_facts(engine, run_id)
    if run.notes_required and act.action is not Action.CONFIRM and not act.note.strip():
        raise NoteRequired("This run asks for a note with every change: say why.")
    write = Write(reviewer, client_id, client_seq, now)

    def unread(_: Session, stand: Standing) -> Sequence[Act]:
        newer = [d for d in stand.shown.decisions if d.id > seen]
        if newer:
            raise LeaveOut(f"{newer[-1].reviewer} has decided on it meanwhile.")
        return acts_of(stand, act)[0]

    return write_batch(engine, run_id, judgement_ids, write, unread)


def acts_of(stand: Standing, act: BulkAct) -> tuple[list[Act], list[Refused]]:
    """What the act does to one judgement, and what it cannot be done to."""
    if act.action is Action.CONFIRM and stand.shown.sight.judge_hidden:
        sentence = "It is reviewed blind, so there is no score to confirm."
        return [], [Refused(stand.detail.id, None, sentence)]
    acts: list[Act] = []
    refused: list[Refused] = []
    for effective in stand.acted_on.effective:
        if not _concerns(act, effective):
            continue
        try:
            made = _act(stand, effective, act)
        except (InvalidScore, InvalidDecision) as error:
            refused.append(Refused(stand.detail.id, effective.ref, str(error)))
            continue
        if made.after != effective.state or not effective.reviewed:
            acts.append(made)
    return acts, refused


def _concerns(act: BulkAct, effective: EffectiveScore) -> bool:
    if act.kind is not None and effective.state.kind is not act.kind:
        return False
    return not effective.reviewed or (act.reviewed_too and act.action is not Action.CONFIRM)


def _act(stand: Standing, effective: EffectiveScore, act: BulkAct) -> Act:
    stand.require_open(effective.ref)
    halves = stand.detail.run.halves
    after = state_after(effective, act.action, score=act.score, halves=halves)
    before = stand.counted(effective.ref).state
    seen = stand.detail.newest.get(effective.ref, 0)
    return Act(effective.ref, act.action, before, after, seen, act.cause, act.note.strip())

"""Several decisions of a run taken back at once, after a look at what that would do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from db.appending import Act, Write
from db.batches import BulkDone, LeaveOut, write_batch
from db.details import BATCH, details_of, read_run_facts
from db.engine import reading
from db.review_stand import Standing
from db.reviews import undoing
from db.stopping import run_mean
from db.tables import DecisionRow
from recall_core.details import JudgementDetail
from recall_core.effective import with_reasons
from recall_core.errors import InvalidDecision
from recall_core.ledger import Reverting, reverting_of
from recall_core.summary import Mean
from recall_core.types import Action, Decision, TraceState, UnitRef


@dataclass(frozen=True, slots=True)
class ExampleReverting:
    """What taking decisions back would do to one example."""

    judgement_id: int
    example_id: str
    reverting: Reverting


@dataclass(frozen=True, slots=True)
class ManyReverting:
    """What taking decisions back would do to their examples and to the mean of the run."""

    examples: tuple[ExampleReverting, ...]
    decisions: int
    mean_now: Mean
    mean_without: Mean


def what_reverting_would_do(
    engine: Engine, run_id: int, decision_ids: Iterable[int]
) -> ManyReverting:
    """The numbers without these decisions, before anybody takes them back; changes nothing.

    Decisions that do not stand any more are left out; `InvalidDecision` if none is left.
    """
    wanted = frozenset(decision_ids)
    effects = _Effects()
    run = read_run_facts(engine, run_id)
    with reading(engine) as session:
        now = run_mean(session, run)
        ids = _judgements(session, run_id, wanted)
        for start in range(0, len(ids), BATCH):
            for detail in details_of(session, ids[start : start + BATCH]):
                effects.add(detail, _standing(detail, wanted))
    if not effects.decisions:
        raise InvalidDecision("These decisions have been taken back already. Look at them again.")
    return ManyReverting(tuple(effects.examples), effects.decisions, now, effects.mean_without(now))


class _Effects:
    """Sums over the examples of which decisions would be taken back."""

    def __init__(self) -> None:
        self.examples: list[ExampleReverting] = []
        self.decisions = self._n = 0
        self._moved = Fraction(0)

    def add(self, detail: JudgementDetail, standing: Sequence[int]) -> None:
        if not standing:
            return
        without = reverting_of(detail, standing)
        self.decisions += len(standing)
        self.examples.append(ExampleReverting(detail.id, detail.example.id, without))
        for final, state, sign in (
            (without.final_now, detail.trace.state, -1),
            (without.final_without, without.state_without, 1),
        ):
            if state is TraceState.SCORED and final is not None:
                self._n += sign
                self._moved += sign * final

    def mean_without(self, now: Mean) -> Mean:
        total, n = (now.value or Fraction(0)) * now.n + self._moved, now.n + self._n
        return Mean(total / n if n else None, n, now.of)


def revert(
    engine: Engine,
    run_id: int,
    decision_ids: Iterable[int],
    *,
    reviewer: str,
    client_id: str,
    client_seq: int,
    now: datetime,
) -> BulkDone:
    """Take back these decisions of the reviewer as one batch, each by one more decision, and with
    them the reasons that were given for them afterwards.

    What others have decided stays: it is theirs to take back, or to be decided anew on the desk.
    Raises `InvalidDecision` if none of them is the reviewer's and stands.
    """
    wanted = frozenset(decision_ids)
    with reading(engine) as session:
        ids = _judgements(session, run_id, wanted)

    def acts(_: Session, stand: Standing) -> Sequence[Act]:
        made = list(_undoing(stand, wanted, reviewer))
        if not made:
            raise LeaveOut(f"{reviewer} has nothing left to take back there.")
        return made

    write = Write(reviewer, client_id, client_seq, now)
    done = write_batch(engine, run_id, ids, write, acts)
    if not done.units:
        raise InvalidDecision(
            f"None of these is a standing decision of {reviewer}. Others' can be taken back by "
            "those who made them, or decided anew on the desk."
        )
    return done


def _judgements(session: Session, run_id: int, decision_ids: frozenset[int]) -> list[int]:
    row = DecisionRow
    query = select(row.judgement_id).where(row.run_id == run_id, row.id.in_(decision_ids))
    return sorted(set(session.scalars(query)))


def _standing(detail: JudgementDetail, wanted: frozenset[int]) -> list[int]:
    undone = {d.undoes for d in detail.decisions if d.action is Action.UNDO}
    return [
        d.id
        for d in detail.decisions
        if d.id in wanted and d.id not in undone and d.action is not Action.UNDO
    ]


def _undoing(stand: Standing, wanted: frozenset[int], reviewer: str) -> Iterator[Act]:
    """Of each unit the newest first, so that what is left counts in between."""
    taken = with_reasons(stand.detail.decisions, _standing(stand.detail, wanted))
    standing = frozenset(_standing(stand.detail, taken))
    own = [d for d in stand.detail.decisions if d.id in standing and d.reviewer == reviewer]
    for unit, decisions in _by_unit(own).items():
        gone: set[int] = set()
        for decision in reversed(decisions):
            yield undoing(stand, decision, stand.detail.newest[unit], gone)
            gone.add(decision.id)


def _by_unit(decisions: Iterable[Decision]) -> Mapping[UnitRef, list[Decision]]:
    by_unit: dict[UnitRef, list[Decision]] = defaultdict(list)
    for decision in decisions:
        by_unit[decision.unit].append(decision)
    return by_unit

"""The ledger of a run, and what taking a decision back would do to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sqlalchemy import Engine, select

from db.details import BATCH, detail_of, read_judgements
from db.engine import reading
from db.results import run_summary
from db.sights import hidden_judges
from db.stopping import run_mean
from db.tables import JudgementRow
from recall_core.details import JudgementDetail
from recall_core.errors import InvalidDecision
from recall_core.ledger import LedgerLine, Reverting, ledger_of, reverting_of
from recall_core.movement import Grouping, Movement, MovementTally
from recall_core.summary import Mean
from recall_core.types import Action, TraceState
from recall_core.viewing import seen_by


@dataclass(frozen=True, slots=True)
class RunLine:
    """One decision of the run; `on_mean` is its effect on the mean, were it the only one."""

    judgement_id: int
    example_id: str
    position: int
    line: LedgerLine
    on_mean: Fraction | None


@dataclass(frozen=True, slots=True)
class RunLedger:
    """From the judge's mean to the one that counts now; the movements are `None` where one of the
    means covers nothing, the lines are in the order of the decisions.
    """

    judge: Mean
    now: Mean
    by_cause: Movement | None
    by_reviewer: Movement | None
    lines: tuple[RunLine, ...]


def run_ledger(engine: Engine, run_id: int, viewer: str | None = None) -> RunLedger:
    """Every decision of the run with what it did, and the way of the mean by cause and reviewer.

    For a `viewer` the lines of examples that they still score blind are left out, and names are
    where independent reviewers' differences are open.
    """
    summary = run_summary(engine, run_id)
    with reading(engine) as session:
        hidden = set() if viewer is None else hidden_judges(session, summary.run, viewer)
    tallies = {by: MovementTally(by) for by in Grouping}
    lines: list[RunLine] = []
    for detail in touched(engine, run_id):
        for tally in tallies.values():
            tally.add(detail)
        if detail.id not in hidden:
            seen = detail if viewer is None else seen_by(detail, viewer, judge_hidden=False)
            lines += _lines(seen, summary.mean.n)
    judge, now = summary.judge_mean, summary.mean
    return RunLedger(
        judge,
        now,
        tallies[Grouping.CAUSE].movement(judge, now),
        tallies[Grouping.REVIEWER].movement(judge, now),
        tuple(sorted(lines, key=lambda line: line.line.decision.id)),
    )


def _lines(detail: JudgementDetail, n: int) -> Iterator[RunLine]:
    for line in ledger_of(detail).lines:
        on_mean = None if line.effect is None or not n else line.effect / n
        yield RunLine(detail.id, detail.example.id, detail.position, line, on_mean)


def touched(engine: Engine, run_id: int) -> Iterator[JudgementDetail]:
    """The judgements of the run on which anybody has decided, in the dataset's order."""
    row = JudgementRow
    query = select(row.id).where(row.run_id == run_id, row.last_decision_at.is_not(None))
    with reading(engine) as session:
        ids: Sequence[int] = session.scalars(query.order_by(row.position, row.id)).all()
    for start in range(0, len(ids), BATCH):
        yield from read_judgements(engine, ids[start : start + BATCH])


@dataclass(frozen=True, slots=True)
class RunReverting:
    """What taking decisions back would do to the example and to the mean of its run."""

    example: Reverting
    mean_now: Mean
    mean_without: Mean


def what_reverting_would_do(
    engine: Engine, judgement_id: int, decision_ids: Sequence[int]
) -> RunReverting:
    """The numbers without these decisions, before anybody takes them back; changes nothing."""
    with reading(engine) as session:
        detail = detail_of(session, judgement_id)
        now = run_mean(session, detail.run)
    undone = {d.undoes for d in detail.decisions if d.action is Action.UNDO}
    standing = {d.id for d in detail.decisions if d.action is not Action.UNDO} - undone
    if not decision_ids or not standing.issuperset(decision_ids):
        raise InvalidDecision("That decision has been taken back already. Look at it again.")
    example = reverting_of(detail, decision_ids)
    return RunReverting(example, now, _mean_without(detail, example, now))


def _mean_without(detail: JudgementDetail, example: Reverting, now: Mean) -> Mean:
    total, n = (now.value or Fraction(0)) * now.n, now.n
    if detail.trace.state is TraceState.SCORED and detail.trace.final is not None:
        total, n = total - detail.trace.final, n - 1
    if example.state_without is TraceState.SCORED and example.final_without is not None:
        total, n = total + example.final_without, n + 1
    return Mean(total / n if n else None, n, now.of)

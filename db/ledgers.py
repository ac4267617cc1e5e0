"""The ledger of a run: every decision with what it did, and the way of the mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sqlalchemy import Engine, select

from db.details import BATCH, read_judgements
from db.engine import reading
from db.results import run_summary
from db.sights import hidden_judges
from db.tables import JudgementRow
from recall_core.details import JudgementDetail
from recall_core.ledger import LedgerLine, ledger_of
from recall_core.movement import Grouping, Movement, MovementTally
from recall_core.summary import Mean
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

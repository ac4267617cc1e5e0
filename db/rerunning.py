"""Asking a judge again about examples on which it failed: the new answer replaces the old one."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Engine, case, exists, func, select, update
from sqlalchemy.orm import Session

from db.engine import transaction
from db.errors import NotKept, NotPossibleNow
from db.run_cards import IMPORTED, RunState, required_run
from db.tables import DecisionRow, JudgementRow, ModelCallRow, RunRow
from recall_core.results import Status
from recall_core.types import FailureKind

REPLIED = frozenset(
    {
        FailureKind.REFUSAL,
        FailureKind.CONTENT_FILTER,
        FailureKind.TRUNCATED,
        FailureKind.EMPTY,
        FailureKind.UNPARSEABLE,
        FailureKind.AMBIGUOUS,
        FailureKind.INCOMPLETE,
        FailureKind.OUT_OF_RANGE,
    }
)
"""The failures of a model that did reply: its kept reply would only fail the same way again. After
all others, replies that had arrived are still good."""


def rerun_failed(engine: Engine, run_id: int) -> int:
    """Judge again the examples on which the judge failed; how many. What somebody has decided on,
    even in part, stays with that decision.
    """
    with transaction(engine) as session:
        run = required_run(session, run_id)
        _refuse_imported(run)
        if run.state == RunState.RUNNING:
            raise NotPossibleNow(f"{run.name} is running. Pause it, or wait until it is done.")
        failed = select(JudgementRow.id).where(
            JudgementRow.run_id == run_id,
            JudgementRow.status == Status.ERROR.value,
            ~exists().where(DecisionRow.judgement_id == JudgementRow.id),
        )
        ids = session.scalars(failed).all()
        if ids:
            _ask_again(session, ids)
            _queue(run)
        return len(ids)


def rerun_judgement(engine: Engine, judgement_id: int) -> None:
    """Judge this one example again, on which the judge failed or which it skipped.

    The judgement stays as it is until the new answer takes its place. `NotPossibleNow` says why
    not: there is a score, a person has decided, or the run does not go on by itself.
    """
    with transaction(engine) as session:
        row = session.get(JudgementRow, judgement_id)
        if row is None:
            raise NotKept(f"There is no judgement {judgement_id}. Its run may have been deleted.")
        run = required_run(session, row.run_id)
        _refuse_imported(run)
        if row.status == Status.PROCESSED.value:
            raise NotPossibleNow("The judge has scored this example; only failures are repeated.")
        if session.scalar(select(exists().where(DecisionRow.judgement_id == row.id))):
            raise NotPossibleNow("A person has decided on this example, so it is not judged again.")
        if run.state not in (RunState.DONE, RunState.QUEUED, RunState.RUNNING):
            raise NotPossibleNow(f"{run.name} is {run.state}. Resume it first.")
        _ask_again(session, [row.id])
        if run.state == RunState.DONE:
            _queue(run)


def _refuse_imported(run: RunRow) -> None:
    if run.kind == IMPORTED:
        raise NotPossibleNow(
            f"The judgements of {run.name} were imported, so no judge can be asked again. "
            "Score the examples by hand, or import better replies."
        )


def _ask_again(session: Session, judgement_ids: Sequence[int]) -> None:
    row = JudgementRow
    newest = session.scalar(select(func.max(ModelCallRow.id))) or 0
    replied = row.error_type.in_([kind.value for kind in REPLIED])
    session.execute(
        update(row)
        .where(row.id.in_(judgement_ids))
        .values(again=True, calls_after=case((replied, newest), else_=row.calls_after))
    )


def _queue(run: RunRow) -> None:
    run.state, run.ended_at, run.message = RunState.QUEUED.value, None, ""

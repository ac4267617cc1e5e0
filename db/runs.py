"""Runs: one judge, its settings frozen, over one dataset; and what people do with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from sqlalchemy import Engine

from db.claims import (
    Claim,
    claim_run,
    fail_run,
    finish_run,
    note_work,
    renew_lease,
)
from db.datasets import required_dataset
from db.deleting import bury_run, clear_run
from db.engine import reading, transaction
from db.errors import NotPossibleNow, Unkeepable
from db.estimates import estimate_values
from db.importing import required_name
from db.judged import Judged
from db.outcomes import record_outcomes
from db.progress import Progress, progress
from db.rerunning import rerun_failed, rerun_judgement
from db.run_cards import (
    IMPORTED,
    RunCard,
    RunOptions,
    RunState,
    RunTemplate,
    clone_settings,
    get_run,
    list_runs,
    required_run,
)
from db.spending import Spending, run_spending
from db.statements import statement_set_for
from db.tables import RunRow
from recall_core.asking.judge import ModelJudge
from recall_core.judges.base import Judge
from recall_core.llm.budgeted import dollars
from recall_core.llm.plan import RunPlan

__all__ = [
    "Claim",
    "Judged",
    "NewRun",
    "Progress",
    "RunCard",
    "RunOptions",
    "RunState",
    "RunTemplate",
    "Spending",
    "archive_run",
    "cancel_run",
    "claim_run",
    "clone_settings",
    "create_run",
    "create_runs",
    "delete_run",
    "fail_run",
    "finish_run",
    "get_run",
    "list_runs",
    "pause_run",
    "progress",
    "raise_budget",
    "record_outcomes",
    "rename_run",
    "renew_lease",
    "rerun_failed",
    "rerun_judgement",
    "resume_run",
    "run_spending",
    "unarchive_run",
]


@dataclass(frozen=True, slots=True)
class NewRun:
    """A run that is about to be queued. `estimate` is kept to be compared with what it comes to."""

    judge: Judge
    name: str
    estimate: RunPlan | None = None


def create_run(
    engine: Engine,
    *,
    dataset_id: int,
    judge: Judge,
    name: str,
    options: RunOptions,
    author: str,
    now: datetime,
    estimate: RunPlan | None = None,
) -> int:
    """Queue a run of `judge` over the dataset; its id. As `create_runs`."""
    wanted = [NewRun(judge, name, estimate)]
    (run_id,) = create_runs(
        engine, wanted, dataset_id=dataset_id, options=options, author=author, now=now
    )
    return run_id


def create_runs(
    engine: Engine,
    wanted: Sequence[NewRun],
    *,
    dataset_id: int,
    options: RunOptions,
    author: str,
    now: datetime,
) -> list[int]:
    """Queue these runs over the dataset, all or none of them; their ids. Settings and version of
    the judges are frozen with them.

    For judges of statements, the dataset's expected outputs are split once for all runs: into
    sentences before the run begins, by a model as the examples are judged.
    """
    titles = [required_name(run.name) for run in wanted]
    with reading(engine) as session:
        required_dataset(session, dataset_id)
    sets = [
        statement_set_for(engine, dataset_id, run.judge, author=author, now=now) for run in wanted
    ]
    with transaction(engine) as session:
        required_dataset(session, dataset_id)
        rows = []
        for run, title, set_id in zip(wanted, titles, sets, strict=True):
            row = new_run_row(run.judge, options)
            row.dataset_id, row.statement_set_id, row.name = dataset_id, set_id, title
            row.created_at, row.created_by = now, author
            row.estimate = None if run.estimate is None else estimate_values(run.estimate)
            rows.append(row)
        session.add_all(rows)
        session.flush()
        return [row.id for row in rows]


def new_run_row(judge: Judge, options: RunOptions) -> RunRow:
    """A row with what the judge and the options say, not yet of any dataset."""
    by_model = judge if isinstance(judge, ModelJudge) else None
    return RunRow(
        judge=judge.name,
        judge_version=judge.version,
        settings=judge.model_dump(mode="json"),
        formula=judge.formula.value,
        rounding=judge.rounding_rule.value,
        pass_mark=judge.pass_mark,
        prompt_hash=judge.prompt_hash,
        endpoint=None if by_model is None else by_model.endpoint,
        model=None if by_model is None else by_model.model,
        budget=None if by_model is None else _dollars(by_model.budget),
        state=RunState.QUEUED.value,
        review_mode=options.mode,
        blind=options.blind,
        reviewers_needed=options.reviewers_needed,
        halves=options.halves,
        notes_required=options.notes_required,
        audit_seed=options.audit_seed,
    )


def _dollars(amount: Decimal | None) -> str | None:
    return None if amount is None else str(amount)


def raise_budget(engine: Engine, run_id: int, budget: Decimal | None) -> None:
    """Let the run cost that much in all, or any amount (`None`). No score hangs on it, so it may be
    changed at any time; a run that stopped at its budget can then be resumed.
    """
    if budget is not None and budget <= 0:
        raise Unkeepable(f"A budget must be more than {dollars(Decimal(0))}.")
    with transaction(engine) as session:
        required_run(session, run_id).budget = _dollars(budget)


def pause_run(engine: Engine, run_id: int) -> None:
    """Stop judging for now; what is judged stays, and the worker finishes what it has begun."""
    _leave(engine, run_id, RunState.PAUSED, "paused", "queued", "running")


def cancel_run(engine: Engine, run_id: int, *, now: datetime) -> None:
    """Stop judging; what is judged stays."""
    _leave(engine, run_id, RunState.CANCELLED, "cancelled", "queued", "running", "paused", now=now)


def resume_run(engine: Engine, run_id: int) -> None:
    """Go on where it stopped: only examples without a judgement are judged."""
    _leave(engine, run_id, RunState.QUEUED, "resumed", "paused", "cancelled", "failed")


def _leave(
    engine: Engine,
    run_id: int,
    state: RunState,
    verb: str,
    *from_states: str,
    now: datetime | None = None,
) -> None:
    with transaction(engine) as session:
        row = required_run(session, run_id)
        if row.kind == IMPORTED:
            raise NotPossibleNow(f"{row.name} is imported, so it cannot be {verb}.")
        if row.state not in from_states:
            raise NotPossibleNow(f"{row.name} is {row.state}, so it cannot be {verb}.")
        note_work(session, row, until=now)
        row.state, row.owner, row.lease_until = state.value, None, None
        row.ended_at, row.message = now, ""


def rename_run(engine: Engine, run_id: int, name: str) -> None:
    """Give the run another name."""
    title = required_name(name)
    with transaction(engine) as session:
        required_run(session, run_id).name = title


def archive_run(engine: Engine, run_id: int, *, now: datetime) -> None:
    """Put the run away: out of the lists, with everything kept."""
    with transaction(engine) as session:
        required_run(session, run_id).archived_at = now


def unarchive_run(engine: Engine, run_id: int) -> None:
    """Bring it back into the lists."""
    with transaction(engine) as session:
        required_run(session, run_id).archived_at = None


def delete_run(engine: Engine, run_id: int, *, author: str, now: datetime) -> None:
    """Delete the run for good, with what people decided in it; a tombstone says who and when.

    It is out of sight at once, a worker stops judging it, and its rows go in short batches.
    """
    with transaction(engine) as session:
        bury_run(session, required_run(session, run_id), author=author, now=now)
    clear_run(engine, run_id)

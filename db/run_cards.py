"""Runs as people see them: what they were made from, where they are, how far they have come."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction

from sqlalchemy import Engine, Select, func, select
from sqlalchemy.orm import Session

from db.engine import reading
from db.errors import NotKept, Unkeepable
from db.estimates import Estimate, read_estimate
from db.tables import DatasetRow, JudgementRow, RunRow
from recall_core.types import Formula, Json, Rounding

MOST_REVIEWERS = 3

JUDGED, IMPORTED = "judged", "imported"
"""The kinds of a run: its judge judged the examples, or its judgements were made elsewhere."""


class RunState(StrEnum):
    """Where a run is between being asked for and being done."""

    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    DONE = "done"
    FAILED = "failed"
    """It could not go on as a whole; the run's message says why. Single failures do not do this."""
    CANCELLED = "cancelled"

    @property
    def active(self) -> bool:
        """Whether a worker is at it, or will be."""
        return self in (RunState.QUEUED, RunState.RUNNING)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How people will review the run.

    `mode` is shared (one sees the other's value before writing) or independent (`reviewers_needed`
    people who do not see each other, then a resolution). `blind` hides the judge's score until the
    person has given theirs. `halves` allows half scores, `notes_required` asks for a reason.
    """

    mode: str = "shared"
    blind: bool = False
    reviewers_needed: int = 1
    halves: bool = False
    notes_required: bool = False
    audit_seed: int = 0

    def __post_init__(self) -> None:
        if self.mode not in ("shared", "independent"):
            raise Unkeepable(f"{self.mode!r} is no review mode: it is shared or independent.")
        if not 1 <= self.reviewers_needed <= MOST_REVIEWERS:
            raise Unkeepable(f"An example takes 1 to {MOST_REVIEWERS} reviewers.")


@dataclass(frozen=True, slots=True)
class RunCard:
    """A run as lists and headings show it. `examples` are the dataset's; `processed`, `skipped`
    and `failed` count the judgements that are there.
    """

    id: int
    name: str
    dataset_id: int
    dataset: str
    judge: str
    judge_version: int
    settings: Mapping[str, Json]
    formula: Formula
    rounding: Rounding
    pass_mark: Fraction | None
    statement_set_id: int | None
    options: RunOptions
    state: RunState
    message: str
    examples: int
    processed: int
    skipped: int
    failed: int
    created_at: datetime
    created_by: str
    started_at: datetime | None
    ended_at: datetime | None
    archived_at: datetime | None
    worked_seconds: float = 0.0
    """How long workers have judged it, pauses and waiting aside; who is at it now comes on top."""
    kind: str = JUDGED
    endpoint: str | None = None
    model: str | None = None
    budget: Decimal | None = None
    """What it may cost in US dollars; it may have been raised since the settings were frozen."""
    estimate: Estimate | None = None
    """What was expected of it when it was made."""


@dataclass(frozen=True, slots=True)
class RunTemplate:
    """What a run was made from, to fill in the form for another one."""

    dataset_id: int
    judge: str
    settings: Mapping[str, Json]
    name: str
    options: RunOptions


def list_runs(
    engine: Engine, *, dataset_id: int | None = None, archived: bool = False
) -> list[RunCard]:
    """The runs, newest first, of all datasets or of one; those put away only where asked for."""
    query = _visible().order_by(RunRow.created_at.desc(), RunRow.id.desc())
    if dataset_id is not None:
        query = query.where(RunRow.dataset_id == dataset_id)
    if not archived:
        query = query.where(RunRow.archived_at.is_(None))
    with reading(engine) as session:
        return _cards(session, query)


def get_run(engine: Engine, run_id: int) -> RunCard:
    """The run of that number; `NotKept` if there is none (any more)."""
    with reading(engine) as session:
        found = _cards(session, _visible().where(RunRow.id == run_id))
    if not found:
        raise NotKept(_missing(run_id))
    return found[0]


def clone_settings(engine: Engine, run_id: int) -> RunTemplate:
    """What the run was made from, to make another one with changed settings."""
    run = get_run(engine, run_id)
    return RunTemplate(run.dataset_id, run.judge, run.settings, run.name, run.options)


def required_run(session: Session, run_id: int) -> RunRow:
    """The row of a visible run; `NotKept` if there is none (any more)."""
    row = session.get(RunRow, run_id)
    if row is None or row.state == "deleting":
        raise NotKept(_missing(run_id))
    return row


def _missing(run_id: int) -> str:
    return f"There is no run {run_id}. It may have been deleted."


def _visible() -> Select[RunRow, str, int]:
    return (
        select(RunRow, DatasetRow.name, DatasetRow.examples)
        .join(DatasetRow, DatasetRow.id == RunRow.dataset_id)
        .where(RunRow.state != "deleting")
    )


def _cards(session: Session, query: Select[RunRow, str, int]) -> list[RunCard]:
    found = session.execute(query).all()
    counts = status_counts(session, [row.RunRow.id for row in found])
    return [_card(run, dataset, n, counts.get(run.id, {})) for run, dataset, n in found]


def status_counts(session: Session, run_ids: list[int]) -> dict[int, dict[str, int]]:
    """How many judgements of each status these runs have; those to be replaced do not count."""
    query = (
        select(JudgementRow.run_id, JudgementRow.status, func.count())
        .where(JudgementRow.run_id.in_(run_ids), ~JudgementRow.again)
        .group_by(JudgementRow.run_id, JudgementRow.status)
    )
    counts: dict[int, dict[str, int]] = {}
    for run_id, status, count in session.execute(query):
        counts.setdefault(run_id, {})[status] = count
    return counts


def _card(row: RunRow, dataset: str, examples: int, counts: Mapping[str, int]) -> RunCard:
    return RunCard(
        id=row.id,
        name=row.name,
        dataset_id=row.dataset_id,
        dataset=dataset,
        judge=row.judge,
        judge_version=row.judge_version,
        settings=row.settings,
        formula=Formula(row.formula),
        rounding=Rounding(row.rounding),
        pass_mark=row.pass_mark,
        statement_set_id=row.statement_set_id,
        options=_options(row),
        state=RunState(row.state),
        message=row.message,
        examples=examples,
        processed=counts.get("processed", 0),
        skipped=counts.get("skipped", 0),
        failed=counts.get("error", 0),
        created_at=row.created_at,
        created_by=row.created_by,
        started_at=row.started_at,
        ended_at=row.ended_at,
        archived_at=row.archived_at,
        worked_seconds=row.worked_seconds,
        kind=row.kind,
        endpoint=row.endpoint,
        model=row.model,
        budget=budget_of(row),
        estimate=read_estimate(row.estimate),
    )


def budget_of(row: RunRow) -> Decimal | None:
    """What the run may cost in US dollars, or `None` for no limit."""
    return None if row.budget is None else Decimal(row.budget)


def _options(row: RunRow) -> RunOptions:
    return RunOptions(
        mode=row.review_mode,
        blind=row.blind,
        reviewers_needed=row.reviewers_needed,
        halves=row.halves,
        notes_required=row.notes_required,
        audit_seed=row.audit_seed,
    )

"""Reads judgements whole: a handful of queries for any number of them, never one a judgement."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from db.decisions import DecisionsOn, decisions_of
from db.engine import reading
from db.errors import NotKept
from db.examples import examples_by_id
from db.run_cards import IMPORTED
from db.sights import views_of
from db.tables import (
    DatasetRow,
    EvidenceRow,
    JudgementRow,
    RunRow,
    UnitRow,
    VerdictRow,
)
from recall_core.details import JudgementDetail, RunFacts, scores_of
from recall_core.errors import InvalidSetting
from recall_core.imported import ImportedReplies
from recall_core.judges import Judge, make_judge
from recall_core.results import Status
from recall_core.types import (
    Cost,
    Evidence,
    Example,
    FailureKind,
    Formula,
    Mark,
    Rounding,
    Unit,
    UnitKind,
    UnitRef,
    Verdict,
)
from recall_core.viewing import for_file

BATCH = 200
"""How many judgements are read at once when a whole run streams by."""

_KEPT = RunRow.state != "deleting"

_ORDER = {kind: place for place, kind in enumerate(UnitKind)}


def read_judgement(engine: Engine, judgement_id: int, viewer: str | None = None) -> JudgementDetail:
    """One judgement with its example, verdicts, decisions and scores; `NotKept` if it is gone.

    With a `viewer`, only what that person may see of it (`recall_core.viewing`).
    """
    with reading(engine) as session:
        detail = detail_of(session, judgement_id)
        return detail if viewer is None else views_of(session, [detail], viewer)[0]


def read_judgements(
    engine: Engine, ids: Sequence[int], viewer: str | None = None
) -> list[JudgementDetail]:
    """These judgements, in the order of `ids`; what is no longer kept is left out.

    With a `viewer`, only what that person may see of them.
    """
    with reading(engine) as session:
        details = details_of(session, ids)
        return details if viewer is None else views_of(session, details, viewer)


def stream_details(
    engine: Engine, run_id: int, *, withheld: Collection[int] | None = None
) -> Iterator[JudgementDetail]:
    """Every judgement of the run in the dataset's order, read in batches as it is consumed.

    For a file `withheld` are the judgements on which the judge's word is left out, if only none;
    other people's secrets are then left out as well (`viewing.for_file`).

    Each batch is a snapshot of its own, so that a long export holds no transaction open.
    """
    after = START
    while True:
        with reading(engine) as session:
            batch = next_batch(session, run_id, after)
            details = details_of(session, batch.ids)
        if not batch.ids:
            return
        for detail in details:
            if withheld is None:
                yield detail
            else:
                yield for_file(detail, withheld=detail.id in withheld)
        after = batch.last


@dataclass(frozen=True, slots=True)
class Batch:
    """The next judgements of a run; `last` is where the batch after it goes on."""

    ids: list[int]
    last: tuple[int, int]


START = (0, 0)
"""Before the first position and repeat of a run."""


def next_batch(session: Session, run_id: int, after: tuple[int, int]) -> Batch:
    """The next `BATCH` judgements of the run by position and repeat; empty at the end."""
    row = JudgementRow
    position, repeat = after
    query = (
        select(row.id, row.position, row.repeat)
        .where(row.run_id == run_id, row.position >= position)
        .where((row.position > position) | (row.repeat > repeat))
        .order_by(row.position, row.repeat)
        .limit(BATCH)
    )
    rows = session.execute(query).all()
    last = (rows[-1].position, rows[-1].repeat) if rows else after
    return Batch([found.id for found in rows], last)


def read_run_facts(engine: Engine, run_id: int) -> RunFacts:
    """What holds for the whole run; `NotKept` if it is gone."""
    with reading(engine) as session:
        return run_facts(session, run_id)


def run_facts(session: Session, run_id: int) -> RunFacts:
    """`read_run_facts` within a transaction that is already open."""
    query = select(RunRow, DatasetRow).join(DatasetRow, DatasetRow.id == RunRow.dataset_id)
    row = session.execute(query.where(RunRow.id == run_id, _KEPT)).one_or_none()
    if row is None:
        raise NotKept(f"There is no run {run_id}. It may have been deleted.")
    run, dataset = row
    judge = read_judge(run)
    return RunFacts(
        id=run.id,
        name=run.name,
        dataset_id=dataset.id,
        dataset=dataset.name,
        content_hash=dataset.content_hash,
        examples=dataset.examples,
        judge=run.judge,
        judge_title=run.judge if judge is None else judge.title,
        judge_version=run.judge_version,
        screen=judge is not None and judge.screen,
        settings=run.settings,
        pass_mark=run.pass_mark,
        formula=Formula(run.formula),
        rounding=Rounding(run.rounding),
        review_mode=run.review_mode,
        blind=run.blind,
        reviewers_needed=run.reviewers_needed,
        halves=run.halves,
        notes_required=run.notes_required,
        created_at=run.created_at,
        created_by=run.created_by,
    )


def reviewers_needed(run: RunRow) -> int:
    """`RunFacts.needed`, where only the run's row is at hand."""
    return run.reviewers_needed if run.review_mode == "independent" else 1


def read_judge(run: RunRow) -> Judge | None:
    """The run's judge as it is now; `None` where its file is gone or takes other settings."""
    if run.kind == IMPORTED:
        return ImportedReplies.model_validate(run.settings)
    try:
        return make_judge(run.judge, run.settings)
    except InvalidSetting:
        return None


def detail_of(session: Session, judgement_id: int) -> JudgementDetail:
    """`read_judgement` within a transaction that is already open."""
    found = details_of(session, [judgement_id])
    if not found:
        raise NotKept(f"There is no judgement {judgement_id}. Its run may have been deleted.")
    return found[0]


def details_of(session: Session, ids: Sequence[int]) -> list[JudgementDetail]:
    """`read_judgements` within a transaction that is already open."""
    query = select(JudgementRow).join(RunRow, RunRow.id == JudgementRow.run_id)
    rows = session.scalars(query.where(JudgementRow.id.in_(ids), _KEPT)).all()
    kept = {row.id: row for row in rows}
    runs = {run_id: run_facts(session, run_id) for run_id in {row.run_id for row in rows}}
    examples = _examples(session, rows)
    verdicts = verdicts_of(session, list(kept))
    decided = decisions_of(session, list(kept))
    return [
        _detail(
            kept[i],
            runs[kept[i].run_id],
            examples[i],
            verdicts.get(i, ()),
            decided.get(i, DecisionsOn()),
        )
        for i in dict.fromkeys(ids)
        if i in kept
    ]


def _detail(
    row: JudgementRow,
    run: RunFacts,
    example: Example,
    verdicts: tuple[Verdict, ...],
    decided: DecisionsOn,
) -> JudgementDetail:
    status = Status(row.status)
    return JudgementDetail(
        id=row.id,
        run=run,
        position=row.position,
        repeat=row.repeat,
        example=example,
        status=status,
        error_type=None if row.error_type is None else FailureKind(row.error_type),
        details=row.details,
        warnings=tuple(row.warnings),
        raw_response=row.raw_response,
        cost=None if row.cost is None else Cost(Decimal(row.cost)),
        judged_at=row.judged_at,
        verdicts=verdicts,
        decisions=decided.decisions,
        newest=decided.newest,
        batches=decided.batches,
        scores=scores_of(
            status,
            verdicts,
            decided.decisions,
            formula=run.formula,
            rounding=run.rounding,
            needed=run.needed,
        ),
        again=row.again,
    )


def verdicts_of(session: Session, judgement_ids: Sequence[int]) -> dict[int, tuple[Verdict, ...]]:
    """The verdicts of each judgement: essential before bonus, then by number."""
    query = (
        select(VerdictRow, UnitRow.kind, UnitRow.position, UnitRow.text)
        .join(UnitRow, UnitRow.id == VerdictRow.unit_id)
        .where(VerdictRow.judgement_id.in_(judgement_ids))
    )
    evidence = _evidence(session, judgement_ids)
    found: dict[int, list[Verdict]] = defaultdict(list)
    for row, kind, position, text in session.execute(query):
        unit = Unit(UnitRef(UnitKind(kind), position), text)
        found[row.judgement_id].append(_verdict(row, unit, tuple(evidence[row.id])))
    return {i: tuple(sorted(rows, key=_in_order)) for i, rows in found.items()}


def _in_order(verdict: Verdict) -> tuple[int, int]:
    ref = verdict.unit.ref
    return (_ORDER[ref.kind], ref.index)


def _verdict(row: VerdictRow, unit: Unit, evidence: tuple[Evidence, ...]) -> Verdict:
    return Verdict(
        unit,
        row.score,
        reasoning=row.reasoning,
        evidence=evidence,
        similarity=row.similarity,
        probability=row.probability,
        failure=None if row.failure is None else FailureKind(row.failure),
        spread=row.spread,
        marks=tuple(Mark(mark) for mark in row.marks),
    )


def _evidence(session: Session, judgement_ids: Sequence[int]) -> dict[int, list[Evidence]]:
    query = (
        select(EvidenceRow)
        .join(VerdictRow, VerdictRow.id == EvidenceRow.verdict_id)
        .where(VerdictRow.judgement_id.in_(judgement_ids))
        .order_by(EvidenceRow.verdict_id, EvidenceRow.position)
    )
    found: dict[int, list[Evidence]] = defaultdict(list)
    for row in session.scalars(query):
        found[row.verdict_id].append(Evidence(row.rank, row.start, row.end, row.quote, row.located))
    return found


def _examples(session: Session, judgements: Sequence[JudgementRow]) -> dict[int, Example]:
    """The example of each judgement, with the statements that its run judged."""
    runs: dict[int, set[int]] = defaultdict(set)
    for row in judgements:
        runs[row.run_id].add(row.example_id)
    query = select(RunRow.id, RunRow.statement_set_id).where(RunRow.id.in_(runs))
    by_run = {
        run_id: examples_by_id(session, runs[run_id], statement_set_id)
        for run_id, statement_set_id in session.execute(query)
    }
    return {row.id: by_run[row.run_id][row.example_id] for row in judgements}

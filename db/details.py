"""Reads judgements whole: a handful of queries for any number of them, never one a judgement."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from sqlalchemy import Engine, Select, select
from sqlalchemy.orm import Session

from db.decisions import DecisionsOn, decisions_of
from db.engine import reading
from db.errors import NotKept
from db.tables import (
    DatasetRow,
    EvidenceRow,
    ExampleRow,
    GroundTruthRow,
    JudgementRow,
    RetrievedRow,
    RunRow,
    StatementRow,
    UnitRow,
    VerdictRow,
)
from recall_core.details import JudgementDetail, RunFacts, scores_of
from recall_core.results import Status
from recall_core.types import (
    Evidence,
    Example,
    FailureKind,
    Formula,
    GroundTruthPassage,
    PassageKind,
    RetrievedPassage,
    Rounding,
    Unit,
    UnitKind,
    UnitRef,
    Verdict,
)

BATCH = 200
"""How many judgements are read at once when a whole run streams by."""

_ORDER = {kind: place for place, kind in enumerate(UnitKind)}


def read_judgement(engine: Engine, judgement_id: int) -> JudgementDetail:
    """One judgement with its example, verdicts, decisions and scores; `NotKept` if it is gone."""
    with reading(engine) as session:
        return detail_of(session, judgement_id)


def read_judgements(engine: Engine, ids: Sequence[int]) -> list[JudgementDetail]:
    """These judgements, in the order of `ids`; what is no longer kept is left out."""
    with reading(engine) as session:
        return details_of(session, ids)


def stream_details(engine: Engine, run_id: int) -> Iterator[JudgementDetail]:
    """Every judgement of the run in the dataset's order, read in batches as it is consumed.

    Each batch is a snapshot of its own, so that a long export holds no transaction open.
    """
    after = (0, 0)
    while True:
        with reading(engine) as session:
            rows = session.execute(_next_ids(run_id, after)).all()
            details = details_of(session, [row.id for row in rows])
        if not rows:
            return
        yield from details
        after = (rows[-1].position, rows[-1].repeat)


def _next_ids(run_id: int, after: tuple[int, int]) -> Select[int, int, int]:
    row = JudgementRow
    position, repeat = after
    return (
        select(row.id, row.position, row.repeat)
        .where(row.run_id == run_id)
        .where((row.position > position) | ((row.position == position) & (row.repeat > repeat)))
        .order_by(row.position, row.repeat)
        .limit(BATCH)
    )


def read_run_facts(engine: Engine, run_id: int) -> RunFacts:
    """What holds for the whole run; `NotKept` if it is gone."""
    with reading(engine) as session:
        return run_facts(session, run_id)


def run_facts(session: Session, run_id: int) -> RunFacts:
    """`read_run_facts` within a transaction that is already open."""
    query = select(RunRow, DatasetRow).join(DatasetRow, DatasetRow.id == RunRow.dataset_id)
    row = session.execute(query.where(RunRow.id == run_id)).one_or_none()
    if row is None:
        raise NotKept(f"There is no run {run_id}. It may have been deleted.")
    run, dataset = row._tuple()
    return RunFacts(
        id=run.id,
        name=run.name,
        dataset_id=dataset.id,
        dataset=dataset.name,
        content_hash=dataset.content_hash,
        examples=dataset.examples,
        judge=run.judge,
        judge_version=run.judge_version,
        settings=run.settings,
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


def detail_of(session: Session, judgement_id: int) -> JudgementDetail:
    """`read_judgement` within a transaction that is already open."""
    found = details_of(session, [judgement_id])
    if not found:
        raise NotKept(f"There is no judgement {judgement_id}. Its run may have been deleted.")
    return found[0]


def details_of(session: Session, ids: Sequence[int]) -> list[JudgementDetail]:
    """`read_judgements` within a transaction that is already open."""
    rows = session.scalars(select(JudgementRow).where(JudgementRow.id.in_(ids))).all()
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
        judged_at=row.judged_at,
        verdicts=verdicts,
        decisions=decided.decisions,
        newest=decided.newest,
        batches=decided.batches,
        scores=scores_of(
            status, verdicts, decided.decisions, formula=run.formula, rounding=run.rounding
        ),
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
    ids = {row.example_id for row in judgements}
    rows = {e.id: e for e in session.scalars(select(ExampleRow).where(ExampleRow.id.in_(ids)))}
    truth, retrieved = _passages(session, ids)
    statements = _statements(session, judgements)
    return {
        j.id: _example(
            rows[j.example_id],
            truth[j.example_id],
            retrieved[j.example_id],
            statements.get((j.run_id, j.example_id)),
        )
        for j in judgements
    }


def _example(
    row: ExampleRow,
    truth: list[GroundTruthPassage],
    retrieved: list[RetrievedPassage],
    statements: list[str] | None,
) -> Example:
    return Example(
        row.external_id,
        question=row.question,
        ground_truth=tuple(truth) if row.has_ground_truth else None,
        retrieved=tuple(retrieved) if row.has_retrieved else None,
        actual_output=row.actual_output,
        expected_output=row.expected_output,
        statements=None if statements is None else tuple(statements),
        metadata=row.details,
    )


def _passages(
    session: Session, ids: set[int]
) -> tuple[dict[int, list[GroundTruthPassage]], dict[int, list[RetrievedPassage]]]:
    truth: dict[int, list[GroundTruthPassage]] = defaultdict(list)
    t = GroundTruthRow
    for row in session.scalars(select(t).where(t.example_id.in_(ids)).order_by(t.position)):
        passage = GroundTruthPassage(PassageKind(row.kind), row.text, row.external_id)
        truth[row.example_id].append(passage)
    retrieved: dict[int, list[RetrievedPassage]] = defaultdict(list)
    r = RetrievedRow
    for found in session.scalars(select(r).where(r.example_id.in_(ids)).order_by(r.rank)):
        retrieved[found.example_id].append(
            RetrievedPassage(found.rank, found.text, found.external_id)
        )
    return truth, retrieved


def _statements(
    session: Session, judgements: Sequence[JudgementRow]
) -> dict[tuple[int, int], list[str]]:
    found: dict[tuple[int, int], list[str]] = defaultdict(list)
    query = (
        select(RunRow.id, StatementRow.example_id, StatementRow.text)
        .join(StatementRow, StatementRow.set_id == RunRow.statement_set_id)
        .where(RunRow.id.in_({j.run_id for j in judgements}))
        .where(StatementRow.example_id.in_({j.example_id for j in judgements}))
        .order_by(StatementRow.position)
    )
    for run_id, example_id, text in session.execute(query):
        found[run_id, example_id].append(text)
    return found

"""The parts of a sealed package, read from what is kept of the run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from typing import overload

from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from db.decisions import facts_of
from db.details import run_facts, stream_details
from db.engine import reading
from db.estimating import headline
from db.examples import examples_by_id
from db.policies import named_policy, policies
from db.tables import (
    AuditDrawRow,
    DecisionRow,
    ExampleRow,
    JudgementRow,
    ReviewRow,
    RunRow,
    StatementSetRow,
    UnitRow,
    VerdictRow,
)
from recall_core.chain import START
from recall_core.details import JudgementDetail
from recall_core.ingest.hashing import canonical
from recall_core.sealing.container import sha256
from recall_core.sealing.records import (
    SealedDataset,
    SealedDecision,
    SealedDraw,
    SealedEvidence,
    SealedExample,
    SealedJudgement,
    SealedMean,
    SealedNumbers,
    SealedPolicy,
    SealedPrompt,
    SealedReview,
    SealedRun,
    SealedState,
    SealedStatements,
    SealedVerdict,
)
from recall_core.summary import Mean
from recall_core.types import EffectiveScore, Json, UnitKind, UnitRef

PROMPT = "prompt"
"""The setting of a judge that is words for a model."""

_BATCH = 500


def sealed_run(session: Session, run_id: int) -> SealedRun:
    """The run with its judge, its settings and where its examples are from."""
    facts, row = run_facts(session, run_id), session.get_one(RunRow, run_id)
    return SealedRun(
        id=row.id,
        name=row.name,
        state=row.state,
        kind=row.kind,
        judge=row.judge,
        judge_title=facts.judge_title,
        judge_version=row.judge_version,
        screen=facts.screen,
        settings=dict(row.settings),
        prompt_hash=row.prompt_hash,
        endpoint=row.endpoint,
        model=row.model,
        formula=facts.formula,
        rounding=facts.rounding,
        pass_mark=_exact(row.pass_mark),
        review_mode="independent" if row.review_mode == "independent" else "shared",
        blind=row.blind,
        reviewers_needed=row.reviewers_needed,
        halves=row.halves,
        notes_required=row.notes_required,
        audit_seed=row.audit_seed,
        created_at=_time(row.created_at),
        created_by=row.created_by,
        dataset=SealedDataset(
            id=facts.dataset_id,
            name=facts.dataset,
            content_hash=facts.content_hash,
            examples=facts.examples,
        ),
        statements=_statements(session, row.statement_set_id),
    )


def _statements(session: Session, set_id: int | None) -> SealedStatements | None:
    if set_id is None:
        return None
    row = session.get_one(StatementSetRow, set_id)
    return SealedStatements(
        id=row.id, method=row.method, model=row.model, prompt_version=row.prompt_version
    )


def sealed_prompts(run: SealedRun) -> Iterator[SealedPrompt]:
    """The words with which the judge asks a model, if it asks one."""
    text = run.settings.get(PROMPT)
    if isinstance(text, str):
        yield SealedPrompt(setting=PROMPT, sha256=sha256(text.encode()), text=text)


def sealed_dataset(engine: Engine, run: SealedRun, *, texts: bool) -> Iterator[SealedExample]:
    """Every example of the dataset in its order, judged or not."""
    after = 0
    statement_set = None if run.statements is None else run.statements.id
    row = ExampleRow
    while True:
        query = select(row.id, row.position).where(
            row.dataset_id == run.dataset.id, row.position > after
        )
        with reading(engine) as session:
            places = session.execute(query.order_by(row.position).limit(_BATCH)).all()
            examples = examples_by_id(session, [p.id for p in places], statement_set)
        if not places:
            return
        for place in places:
            example = examples[place.id]
            content = canonical(example).decode()
            yield SealedExample(
                position=place.position,
                number=place.id,
                id=example.id,
                sha256=sha256(content.encode()),
                content=content if texts else None,
                statements=example.statements if texts else None,
            )
        after = places[-1].position


def sealed_judgements(engine: Engine, run_id: int, *, texts: bool) -> Iterator[SealedJudgement]:
    """Every judgement of the run in the dataset's order."""
    with reading(engine) as session:
        examples = _examples(session, run_id)
        units = _units(session, run_id)
    for detail in stream_details(engine, run_id):
        # One that came since then is in the next try, which its coming makes necessary.
        if detail.id in examples:
            yield _judgement(detail, examples[detail.id], units[detail.id], texts)


def _examples(session: Session, run_id: int) -> dict[int, int]:
    row = JudgementRow
    query = select(row.id, row.example_id).where(row.run_id == run_id)
    rows = session.execute(query).all()
    return {row.id: row.example_id for row in rows}


def _units(session: Session, run_id: int) -> Mapping[int, Mapping[UnitRef, int]]:
    query = (
        select(VerdictRow.judgement_id, UnitRow.kind, UnitRow.position, UnitRow.id)
        .join(UnitRow, UnitRow.id == VerdictRow.unit_id)
        .join(JudgementRow, JudgementRow.id == VerdictRow.judgement_id)
        .where(JudgementRow.run_id == run_id)
    )
    found: dict[int, dict[UnitRef, int]] = defaultdict(dict)
    for judgement_id, kind, position, unit_id in session.execute(query):
        found[judgement_id][UnitRef(UnitKind(kind), position)] = unit_id
    return found


def _judgement(
    detail: JudgementDetail, example: int, units: Mapping[UnitRef, int], texts: bool
) -> SealedJudgement:
    trace = detail.trace
    return SealedJudgement(
        judgement=detail.id,
        example=example,
        position=detail.position,
        repeat=detail.repeat,
        status=detail.status,
        error_type=detail.error_type,
        details=detail.details if texts else None,
        warnings=detail.warnings if texts else (),
        judged_at=_time(detail.judged_at),
        judge_final=_exact(detail.judge_trace.final),
        final=_exact(trace.final),
        state=trace.state,
        essential=_exact(trace.essential),
        bonus=_exact(trace.bonus),
        verdicts=tuple(_verdict(e, units[e.ref], texts) for e in detail.effective),
    )


def _verdict(effective: EffectiveScore, number: int, texts: bool) -> SealedVerdict:
    verdict, state = effective.verdict, effective.state
    return SealedVerdict(
        unit=effective.ref.label,
        number=number,
        text=verdict.unit.text if texts else None,
        score=_exact(verdict.score),
        failure=verdict.failure,
        probability=verdict.probability,
        similarity=verdict.similarity,
        spread=_exact(verdict.spread),
        marks=verdict.marks,
        reasoning=verdict.reasoning if texts else None,
        evidence=tuple(
            SealedEvidence(rank=e.rank, start=e.start, end=e.end, quote=e.quote, located=e.located)
            for e in (verdict.evidence if texts else ())
        ),
        now=SealedState(
            kind=state.kind,
            score=_exact(state.score),
            excluded=state.excluded,
            reviewed=effective.reviewed,
            basis=effective.basis,
        ),
    )


def sealed_ledger(session: Session, run_id: int) -> Iterator[SealedDecision]:
    """Every decision of the run with its place in the chain, oldest first."""
    query = (
        select(DecisionRow, UnitRow.kind, UnitRow.position)
        .join(UnitRow, UnitRow.id == DecisionRow.unit_id)
        .where(DecisionRow.run_id == run_id)
        .order_by(DecisionRow.id)
    )
    for row, kind, position in session.execute(query):
        label = UnitRef(UnitKind(kind), position).label
        facts = facts_of(row)
        for name in ("before", "after", "client"):
            facts[name] = tuple(facts[name])
        found = {"id": row.id, "hash": row.hash, "on": label, **facts}
        # As the database has it: what somebody wrote into it by hand is for the verifier to find.
        yield SealedDecision.model_validate(found, strict=False)


def sealed_reviews(session: Session, run_id: int) -> Iterator[SealedReview]:
    """Who looked at what, and how it came to them."""
    row = ReviewRow
    query = select(row).join(JudgementRow, JudgementRow.id == row.judgement_id)
    for review in session.scalars(query.where(JudgementRow.run_id == run_id).order_by(row.id)):
        yield SealedReview(
            id=review.id,
            judgement=review.judgement_id,
            reviewer=review.reviewer,
            selection=review.selection,
            draw=review.audit_draw_id,
            judge_visible=review.judge_visible,
            opened_at=_time(review.opened_at),
            finished_at=_time(review.finished_at),
            revealed_at=_time(review.revealed_at),
            revealed_after=review.revealed_after,
            committed_at=_time(review.committed_at),
        )


def sealed_draws(session: Session, run_id: int) -> Iterator[SealedDraw]:
    """The draws of the audit in their order."""
    row = AuditDrawRow
    for draw in session.scalars(select(row).where(row.run_id == run_id).order_by(row.position)):
        facts = {
            "id": draw.id,
            "position": draw.position,
            "seed": draw.seed,
            "stratum": draw.stratum,
            "undrawn": draw.undrawn,
            "example": draw.example_id,
            "drawn_at": _time(draw.drawn_at),
            "drawn_by": draw.drawn_by,
            "state": draw.state,
        }
        yield SealedDraw.model_validate(facts)


def sealed_policies(engine: Engine, run_id: int) -> Iterator[SealedPolicy]:
    """The saved policies with what they make of the run."""
    for card in policies(engine, run_id):
        alone = card.policy.judge_run is None
        result = named_policy(engine, card.id).result if alone else None
        facts = {
            "name": card.name,
            "rules": card.policy.as_json(),
            "created_by": card.created_by,
            "created_at": _time(card.created_at),
            "mean": None if result is None else _mean(result.mean),
            "passed": None if result is None else result.passed,
        }
        yield SealedPolicy.model_validate(facts, strict=False)


def sealed_numbers(engine: Engine, run_id: int, ledger: Sequence[SealedDecision]) -> SealedNumbers:
    """What is said of the run now: the same numbers as on every screen."""
    found = headline(engine, run_id)
    return SealedNumbers(
        judge_mean=_mean(found.judge),
        mean=_mean(found.now),
        headline={name: _rounded(value) for name, value in found.as_json().items()},
        decisions=len(ledger),
        chain_end=ledger[-1].hash if ledger else START,
    )


def _rounded(value: Json) -> Json:
    """Without the last digits, in which two machines may differ."""
    if isinstance(value, list):
        return [_rounded(part) for part in value]
    return round(value, 10) if isinstance(value, float) else value


def _mean(mean: Mean) -> SealedMean:
    return SealedMean(value=_exact(mean.value), n=mean.n, of=mean.of)


def _exact(value: Fraction | None) -> str | None:
    return None if value is None else str(value)


@overload
def _time(value: datetime) -> str: ...
@overload
def _time(value: None) -> None: ...
def _time(value: datetime | None) -> str | None:
    return None if value is None else value.astimezone(UTC).isoformat(timespec="microseconds")

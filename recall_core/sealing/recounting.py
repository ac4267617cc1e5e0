"""A sealed run computed again from its verdicts, decisions and draws; no database is asked."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from recall_core.audit_frame import Act, first_whole
from recall_core.details import Scores, scores_of
from recall_core.estimation import GRADE, Observed, estimate_mean
from recall_core.headline import Headline
from recall_core.policy import Policy, PolicyResult, WhatIf, WhatIfExample, WhatIfUnit
from recall_core.queues import FAILED, FAILURES_FIRST, JUDGED
from recall_core.results import Status
from recall_core.scoring import CAP, FINAL_RANGE
from recall_core.sealing.package import Package
from recall_core.sealing.records import (
    ChainState,
    SealedDecision,
    SealedDraw,
    SealedJudgement,
    SealedRun,
    SealedVerdict,
)
from recall_core.stop_rule import Reach, reach_of
from recall_core.summary import Mean, mean_of
from recall_core.types import (
    Action,
    Basis,
    Decision,
    EffectiveScore,
    Formula,
    TraceState,
    Unit,
    UnitKind,
    UnitRef,
    UnitState,
    Verdict,
)


@dataclass(frozen=True, slots=True)
class Recounted:
    """One judgement with the scores that its verdicts and decisions give."""

    judgement: SealedJudgement
    verdicts: tuple[Verdict, ...]
    decisions: tuple[SealedDecision, ...]
    scores: Scores

    @property
    def units(self) -> int:
        return len(self.scores.effective)

    @property
    def reviewed(self) -> bool:
        """Whether people have decided on every unit."""
        return self.units > 0 and all(e.reviewed for e in self.scores.effective)

    @property
    def disputed(self) -> bool:
        return any(e.basis is Basis.DISPUTED for e in self.scores.effective)

    @property
    def out(self) -> bool:
        """Whether no audit can draw it any more."""
        return self.reviewed or self.disputed

    @property
    def human(self) -> float | None:
        """The final of people who have decided on every unit."""
        trace = self.scores.trace
        settled = self.reviewed and not self.disputed and trace.state is TraceState.SCORED
        return float(trace.final) if settled and trace.final is not None else None

    @property
    def stratum(self) -> str:
        return FAILED if self.scores.judge_trace.final is None else JUDGED


def recounted(package: Package) -> tuple[Recounted, ...]:
    """Every judgement of the package computed again, in its order."""
    decided: dict[int, list[SealedDecision]] = defaultdict(list)
    for decision in package.ledger:
        decided[decision.judgement].append(decision)
    return tuple(_recounted(package.run, j, decided[j.judgement]) for j in package.judgements)


def _recounted(
    run: SealedRun, judgement: SealedJudgement, decisions: Sequence[SealedDecision]
) -> Recounted:
    verdicts = tuple(_verdict(verdict) for verdict in judgement.verdicts)
    scores = scores_of(
        judgement.status,
        verdicts,
        [_decision(decision) for decision in decisions],
        formula=run.formula,
        rounding=run.rounding,
        needed=run.needed,
    )
    return Recounted(judgement, verdicts, tuple(decisions), scores)


def _verdict(sealed: SealedVerdict) -> Verdict:
    return Verdict(
        Unit(UnitRef.of(sealed.unit), sealed.text or ""),
        exact(sealed.score),
        similarity=sealed.similarity,
        probability=sealed.probability,
        failure=sealed.failure,
    )


def _decision(sealed: SealedDecision) -> Decision:
    return Decision(
        id=sealed.id,
        unit=UnitRef.of(sealed.on),
        action=sealed.action,
        before=_state(sealed.before),
        after=_state(sealed.after),
        reviewer=sealed.reviewer,
        at=datetime.fromisoformat(sealed.at),
        cause=sealed.cause,
        note=sealed.note,
        undoes=sealed.undoes,
        twin=None if sealed.twin is None else UnitRef.of(sealed.twin),
        recalled=sealed.recalled,
    )


def _state(state: ChainState) -> UnitState:
    kind, score, excluded = state
    return UnitState(kind, exact(score), excluded)


def exact(text: str | None) -> Fraction | None:
    return None if text is None else Fraction(text)


def headline_of(package: Package, rows: Sequence[Recounted]) -> Headline:
    """What is said of the run's recall, as `db.estimating` says it from the database."""
    run, draws = package.run, package.audit
    lowest, highest = FINAL_RANGE[run.formula]
    failed_draws = sum(draw.stratum == FAILED for draw in draws)
    return Headline(
        formula=run.formula,
        estimated=estimate_mean(
            list(_observed(run, rows, draws)),
            scale=(float(lowest), float(highest)),
            grade=GRADE[run.formula],
            failures_first=max(0, FAILURES_FIRST - failed_draws),
        ),
        judge=judge_mean(run, rows),
        now=mean_now(run, rows),
    )


def judge_mean(run: SealedRun, rows: Iterable[Recounted]) -> Mean:
    """The mean of the judge's own finals; what was vacuous does not count."""
    counted = [r for r in rows if r.scores.trace.state is not TraceState.VACUOUS]
    finals = [r.scores.judge_trace.final for r in counted]
    return mean_of([(f, 1) for f in finals if f is not None], of=run.dataset.examples)


def mean_now(run: SealedRun, rows: Iterable[Recounted]) -> Mean:
    """The mean of the finals that count now."""
    traces = [r.scores.trace for r in rows]
    finals = [t.final for t in traces if t.state is TraceState.SCORED and t.final is not None]
    return mean_of([(f, 1) for f in finals], of=run.dataset.examples)


def _observed(
    run: SealedRun, rows: Iterable[Recounted], draws: Sequence[SealedDraw]
) -> Iterator[Observed]:
    by_example = {draw.example: draw for draw in draws}
    moments = [datetime.fromisoformat(draw.drawn_at) for draw in draws]
    for row in rows:
        reach = reach_of(run.formula, run.rounding, row.judgement.status, row.scores.effective)
        if row.judgement.repeat != 1 or reach is None:
            continue
        draw = by_example.get(row.judgement.example)
        position = chosen = None
        if draw is not None and draw.stratum == row.stratum:
            position = draw.position
        elif draw is not None:
            chosen = draw.position - 1
        elif row.out:
            moment = first_whole(list(_acts(row)), row.units, run.needed)
            chosen = 0 if moment is None else bisect_left(moments, moment)
        yield _seen(run, row, reach, position, chosen)


def _seen(
    run: SealedRun, row: Recounted, reach: Reach, position: int | None, chosen: int | None
) -> Observed:
    return Observed(
        _judged_final(run, row),
        row.human,
        float(reach.lowest),
        float(reach.highest),
        draw=position,
        chosen_after=chosen,
    )


def _acts(row: Recounted) -> Iterator[Act]:
    for d in row.decisions:
        if d.action is not Action.RESOLVE:
            yield Act(d.id, d.unit, d.reviewer, d.undoes, datetime.fromisoformat(d.at))


def _judged_final(run: SealedRun, row: Recounted) -> float | None:
    """The judge's final as estimates use it: a screen's before its probabilities are cut."""
    final = row.scores.judge_trace.final
    if final is None:
        return None
    grades = [_grade(v) for v in row.verdicts]
    if not run.screen or not grades or any(g is None for g in grades):
        return float(final)
    by_kind: dict[UnitKind, list[float]] = defaultdict(list)
    for verdict, grade in zip(row.verdicts, grades, strict=True):
        if grade is not None:
            by_kind[verdict.unit.ref.kind].append(grade)
    return _continuous(run.formula, by_kind)


def _continuous(formula: Formula, by_kind: Mapping[UnitKind, Sequence[float]]) -> float:
    if formula is Formula.SHARE:
        every = [grade for grades in by_kind.values() for grade in grades]
        return sum(every) / len(every)
    essential, bonus = by_kind[UnitKind.ESSENTIAL], by_kind[UnitKind.BONUS]
    part = sum(essential) / len(essential)
    if bonus:
        part += sum(bonus) / (len(essential) * len(bonus) * 2)
    return min(part, float(CAP))


def _grade(verdict: Verdict) -> float | None:
    p = verdict.probability
    if p is None:
        return None
    kind = verdict.unit.ref.kind
    if kind is UnitKind.ESSENTIAL:
        return 1 + 4 * p
    return 5 * p if kind is UnitKind.BONUS else p


def under_policy(run: SealedRun, rows: Iterable[Recounted], policy: Policy) -> PolicyResult:
    """What a policy makes of the run."""
    examples = tuple(_what_if(row) for row in rows)
    mark = exact(run.pass_mark)
    return WhatIf(run.formula, run.rounding, mark, run.dataset.examples, examples).under(policy)


def _what_if(row: Recounted) -> WhatIfExample:
    effective = row.scores.effective
    units = tuple(_counted(e) for e in effective if not e.state.excluded)
    answered = row.judgement.status is Status.PROCESSED or any(e.reviewed for e in effective)
    return WhatIfExample(row.judgement.judgement, units, answered)


def _counted(e: EffectiveScore) -> WhatIfUnit:
    if e.reviewed:
        return WhatIfUnit(e.state.kind, e.state.score)
    return WhatIfUnit(e.ref.kind, e.verdict.score, e.verdict.similarity)

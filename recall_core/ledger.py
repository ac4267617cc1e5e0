"""Why the final moved: people's decisions replayed in order, each with what it did to the score.

Each line is the printed combined score after it minus the one before it. What the cap at 5 takes
or gives back is a line of its own, so the lines always add up to the change of the final.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from recall_core.details import JudgementDetail, scores_of
from recall_core.effective import judged_state, with_reasons, with_remarks
from recall_core.types import Decision, ScoreTrace, TraceState


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """One decision, with the reason its author gave for it then or later, and what it did.

    `effect` is its step of the combined score, `None` where the example had no score after it;
    the line that gives it one again counts from the last score there was. `final` is the final
    after it, and `standing` says whether no undo has taken it back.
    """

    decision: Decision
    effect: Fraction | None
    final: Fraction | None
    state: TraceState
    standing: bool


@dataclass(frozen=True, slots=True)
class Ledger:
    """From the judge's final to the one that counts now; `cap` is what capping gave or took."""

    judge_final: Fraction | None
    lines: tuple[LedgerLine, ...]
    cap: Fraction
    final: Fraction | None


def ledger_of(detail: JudgementDetail) -> Ledger:
    """The decisions of one judgement, oldest first, with their effects.

    Of independent reviewers' decisions nothing counts before all are done and agree, or somebody
    has settled the difference; so there is one line for each unit that people have settled.
    """
    decisions = replayed(detail)
    undone = {d.undoes for d in decisions if d.undoes is not None}
    last = _combined(detail.judge_trace)
    lines: list[LedgerLine] = []
    for count, decision in enumerate(with_remarks(decisions), 1):
        trace = _trace_after(detail, decisions[:count])
        combined = _combined(trace)
        effect = None if combined is None or last is None else combined - last
        lines.append(
            LedgerLine(decision, effect, trace.final, trace.state, decision.id not in undone)
        )
        last = last if combined is None else combined
    cap = _taken_by_cap(detail.judge_trace) - _taken_by_cap(detail.trace)
    return Ledger(detail.judge_trace.final, tuple(lines), cap, detail.trace.final)


@dataclass(frozen=True, slots=True)
class Reverting:
    """What taking decisions back would do to an example's final, were it done now.

    `effect` is `final_without` minus `final_now`, `None` unless both are there.
    """

    final_now: Fraction | None
    final_without: Fraction | None
    state_without: TraceState

    @property
    def effect(self) -> Fraction | None:
        if self.final_now is None or self.final_without is None:
            return None
        return self.final_without - self.final_now


def reverting_of(detail: JudgementDetail, decision_ids: Collection[int]) -> Reverting:
    """The final if these decisions, with the reasons that their authors gave for them, were left
    out and all others stood: what undoing them would do.

    That is another number than the effect of their lines, which is what they did in their turn.
    """
    taken = with_reasons(detail.decisions, decision_ids)
    left = [d for d in detail.decisions if d.id not in taken]
    run = detail.run
    trace = scores_of(
        detail.status,
        detail.verdicts,
        left,
        formula=run.formula,
        rounding=run.rounding,
        needed=run.needed,
    ).trace
    return Reverting(detail.trace.final, trace.final, trace.state)


def replayed(detail: JudgementDetail) -> tuple[Decision, ...]:
    """The decisions whose replay, one after the other, ends at what counts now."""
    sight = detail.sight
    if not detail.run.independent or sight.judge_hidden or sight.others_hidden:
        return detail.decisions
    settled = (
        replace(e.decision, before=judged_state(e.verdict), after=e.state)
        for e in detail.effective
        if e.decision is not None
    )
    return tuple(sorted(settled, key=lambda d: d.id))


def _trace_after(detail: JudgementDetail, decisions: Sequence[Decision]) -> ScoreTrace:
    run = detail.run
    return scores_of(
        detail.status,
        detail.verdicts,
        decisions,
        formula=run.formula,
        rounding=run.rounding,
    ).trace


def _combined(trace: ScoreTrace) -> Fraction | None:
    return trace.final if trace.combined is None else trace.combined


def _taken_by_cap(trace: ScoreTrace) -> Fraction:
    if trace.combined is None or trace.final is None:
        return Fraction(0)
    return trace.combined - trace.final

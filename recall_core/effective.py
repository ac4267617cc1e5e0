"""What counts now: a judge's verdicts with people's decisions laid over them.

Every decision carries the whole state it leaves, so the newest one that stands decides, and
nothing has to be accumulated. An `undo` is a decision too: it takes one earlier decision back and
leaves whatever stood before it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from recall_core.types import (
    Action,
    Decision,
    EffectiveScore,
    UnitRef,
    UnitState,
    Verdict,
)


def effective_scores(
    verdicts: Iterable[Verdict], decisions: Iterable[Decision]
) -> tuple[EffectiveScore, ...]:
    """One effective score a verdict, in the verdicts' order; `decisions` in any order."""
    by_unit: dict[UnitRef, list[Decision]] = defaultdict(list)
    for decision in sorted(decisions, key=lambda d: d.id):
        by_unit[decision.unit].append(decision)
    return tuple(effective_score(v, by_unit[v.unit.ref]) for v in verdicts)


def effective_score(verdict: Verdict, decisions: Sequence[Decision]) -> EffectiveScore:
    """What counts for one unit: a resolution, else the newest standing decision, else the verdict.

    `decisions` are this unit's, oldest first.
    """
    standing = with_remarks(standing_decisions(decisions))
    resolved = [d for d in standing if d.action is Action.RESOLVE]
    deciding = resolved or standing
    decision = deciding[-1] if deciding else None
    if decision is None or decision.action is Action.UNSET:
        return EffectiveScore(verdict, judged_state(verdict))
    if decision.after != judged_state(verdict):
        # Who agreed with a change later has not made it.
        changes = [d for d in deciding if d.before != d.after]
        return EffectiveScore(verdict, decision.after, changes[-1] if changes else decision)
    return EffectiveScore(verdict, decision.after, decision)


def with_remarks(decisions: Sequence[Decision]) -> list[Decision]:
    """The decisions in their order, each change with the cause and note of its author's last word.

    A reason that somebody gives after the score is stored as one more decision, which leaves the
    state as it is; it belongs to the change that it explains. `decisions` are oldest first, of one
    unit or of several.
    """
    said = list(decisions)
    undone = {d.undoes for d in decisions if d.action is Action.UNDO}
    newest: dict[UnitRef, int] = {}
    for place, decision in enumerate(decisions):
        if decision.action is Action.UNDO or decision.id in undone:
            continue
        if decision.before != decision.after:
            newest[decision.unit] = place
            continue
        change = newest.get(decision.unit)
        if change is not None and said[change].reviewer == decision.reviewer:
            said[change] = replace(said[change], cause=decision.cause, note=decision.note)
    return said


def standing_decisions(decisions: Sequence[Decision]) -> list[Decision]:
    """The decisions that no `undo` has taken back, without the undos themselves."""
    undone = {d.undoes for d in decisions if d.action is Action.UNDO}
    return [d for d in decisions if d.action is not Action.UNDO and d.id not in undone]


def judged_state(verdict: Verdict) -> UnitState:
    """What counts for a unit before any person has decided."""
    return UnitState(verdict.unit.ref.kind, verdict.score)

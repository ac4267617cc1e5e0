"""What counts now: a judge's verdicts with people's decisions laid over them.

Every decision carries the whole state it leaves, so the newest one that stands decides, and
nothing has to be accumulated. An `undo` is a decision too: it takes one earlier decision back and
leaves whatever stood before it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

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
    standing = standing_decisions(decisions)
    resolved = [d for d in standing if d.action is Action.RESOLVE]
    deciding = resolved or standing
    decision = deciding[-1] if deciding else None
    if decision is None or decision.action is Action.UNSET:
        return EffectiveScore(verdict, judged_state(verdict))
    return EffectiveScore(verdict, decision.after, decision)


def standing_decisions(decisions: Sequence[Decision]) -> list[Decision]:
    """The decisions that no `undo` has taken back, without the undos themselves."""
    undone = {d.undoes for d in decisions if d.action is Action.UNDO}
    return [d for d in decisions if d.action is not Action.UNDO and d.id not in undone]


def judged_state(verdict: Verdict) -> UnitState:
    """What counts for a unit before any person has decided."""
    return UnitState(verdict.unit.ref.kind, verdict.score)

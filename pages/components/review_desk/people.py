"""What other people, and one's own earlier self, have to do with an example, as the desk's JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from db.disagreement import Beside
from db.flags import Flag
from db.memory import Memory
from recall_core.details import JudgementDetail, Sight
from recall_core.memory import TextChange
from recall_core.second_look import SelfAgreement
from recall_core.types import (
    Action,
    Decision,
    EffectiveScore,
    Opinion,
    UnitRef,
    UnitState,
    Verdict,
)


@dataclass(frozen=True, slots=True)
class Around:
    """What is known of an example beside its own judgement: other judges, decisions of other runs,
    what the person had said before something hidden was revealed, how many comments there are.
    """

    beside: Beside | None = None
    memories: Sequence[Memory] = ()
    first: Mapping[UnitRef, UnitState] = field(default_factory=dict)
    comments: int = 0
    flag: Flag | None = None
    twice: SelfAgreement | None = None


def sight_of(detail: JudgementDetail) -> dict[str, Any]:
    """What is kept from the person, and how many people are done."""
    sight = detail.sight
    return {
        "judge_hidden": sight.judge_hidden,
        "others_hidden": sight.others_hidden,
        "names_hidden": sight.names_hidden,
        "done": sight.done,
        "reviewers_done": sight.reviewers_done,
    }


def flag_of(flag: Flag | None, sight: Sight) -> dict[str, Any] | None:
    """Who asks for another look at the example, since when, and why; the reason waits while it
    could sway the person."""
    if flag is None:
        return None
    note = "" if sight.judge_hidden or sight.others_hidden else flag.note
    return {"by": flag.by, "at": flag.at.isoformat(), "note": note}


def twice_of(agreement: SelfAgreement | None) -> dict[str, int] | None:
    """Of how many units the person said the same the second time, if they looked twice."""
    return None if agreement is None else {"units": agreement.units, "same": agreement.same}


def unit_people(verdict: Verdict, detail: JudgementDetail, around: Around) -> dict[str, Any]:
    """What people have to do with one unit; nothing while the judge is hidden, for it could sway
    them or give the judge's value away.
    """
    ref = verdict.unit.ref
    if detail.sight.judge_hidden:
        return {"counts": None, "first": None, "memory": None}
    first = around.first.get(ref)
    memory = next((m for m in around.memories if m.unit == ref), None)
    return {
        "counts": _counts(detail.unit(ref)) if _from_server(detail) else None,
        "first": None if first is None else desk_state(first),
        "memory": None if memory is None else _memory(memory),
    }


def _from_server(detail: JudgementDetail) -> bool:
    """Whether what counts is more than the newest decision: independent reviewers are all done."""
    return detail.run.independent and not detail.sight.others_hidden


def _counts(effective: EffectiveScore | None) -> dict[str, Any] | None:
    if effective is None:
        return None
    decision = effective.decision
    return {
        "state": desk_state(effective.state),
        "basis": effective.basis.value,
        "decision": None if decision is None else desk_decision(decision),
        "opinions": [_opinion(opinion) for opinion in effective.opinions],
    }


def _opinion(opinion: Opinion) -> dict[str, Any]:
    decision = opinion.decision
    return {
        "reviewer": opinion.reviewer,
        "state": desk_state(opinion.state),
        "decision": decision.id,
        "cause": None if decision.cause is None else decision.cause.value,
        "note": decision.note,
    }


def _memory(memory: Memory) -> dict[str, Any]:
    source = memory.source
    decision = source.decision
    return {
        "state": desk_state(memory.state),
        "run": source.run,
        "run_id": source.run_id,
        "judgement": source.judgement_id,
        "reviewer": decision.reviewer,
        "at": decision.at.isoformat(),
        "cause": None if decision.cause is None else decision.cause.value,
        "note": decision.note,
        "same": memory.same_text,
        "changes": [_change(change) for change in memory.changes],
    }


def _change(change: TextChange) -> dict[str, Any]:
    return {
        "before": change.rank_before,
        "now": change.rank_now,
        "pieces": [[piece.kind.value, piece.text] for piece in change.pieces],
    }


def desk_decision(decision: Decision) -> dict[str, Any]:
    """One decision, as it stands in the history."""
    return {
        "id": decision.id,
        "unit": decision.unit.label,
        "action": decision.action.value,
        "before": desk_state(decision.before),
        "after": desk_state(decision.after),
        "reviewer": decision.reviewer,
        "at": decision.at.isoformat(),
        "cause": None if decision.cause is None else decision.cause.value,
        "note": decision.note,
        "undoes": decision.undoes if decision.action is Action.UNDO else None,
        "twin": None if decision.twin is None else decision.twin.label,
        "recalled": decision.recalled,
    }


def desk_state(state: UnitState) -> dict[str, Any]:
    """What counts for a unit at one moment."""
    return {
        "kind": state.kind.value,
        "score": exact_text(state.score),
        "excluded": state.excluded,
    }


def exact_text(score: Fraction | None) -> str | None:
    """`7/2`, `3`, or `None`."""
    return None if score is None else str(score)

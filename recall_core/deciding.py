"""What one act of a reviewer does to one unit, or why it cannot be done."""

from __future__ import annotations

from fractions import Fraction

from recall_core.effective import judged_state
from recall_core.errors import InvalidDecision, InvalidScore
from recall_core.scoring import SCALES, printed, require_allowed
from recall_core.types import Action, EffectiveScore, UnitKind, UnitState

_MOVABLE = (UnitKind.ESSENTIAL, UnitKind.BONUS)


def state_after(
    now: EffectiveScore,
    action: Action,
    *,
    score: Fraction | None = None,
    to_kind: UnitKind | None = None,
    halves: bool = False,
) -> UnitState:
    """The state that the act leaves on the unit whose effective score is `now`.

    `score` is the new value (`set`, and `move` where the old one does not fit the new scale),
    `to_kind` where it moves to, `halves` whether the run lets people give halves. `InvalidScore`
    names the scale, `InvalidDecision` says what else is in the way. A score that is set on an
    excluded unit counts it again.
    """
    match action:
        case Action.SET:
            return _set(now, score, halves)
        case Action.CONFIRM:
            return _confirm(now)
        case Action.EXCLUDE:
            return UnitState(now.state.kind, now.state.score, excluded=True)
        case Action.MOVE:
            return _move(now, to_kind, score, halves)
        case Action.UNSET:
            return judged_state(now.verdict)
        case Action.UNDO | Action.RESOLVE:
            raise InvalidDecision(f"{action.value} is not an act on the score of a single unit.")


def _set(now: EffectiveScore, score: Fraction | None, halves: bool) -> UnitState:
    if score is None:
        raise InvalidDecision(f"{now.ref.label} needs a score to be set.")
    require_allowed(now.state.kind, score, halves=halves)
    return UnitState(now.state.kind, score)


def _confirm(now: EffectiveScore) -> UnitState:
    if now.state.score is None and not now.state.excluded:
        raise InvalidDecision(
            f"{now.ref.label} has no score that could be confirmed: set one, or exclude the unit."
        )
    return now.state


def _move(
    now: EffectiveScore, to_kind: UnitKind | None, score: Fraction | None, halves: bool
) -> UnitState:
    kind = now.state.kind
    if kind not in _MOVABLE or to_kind not in _MOVABLE or kind is to_kind:
        raise InvalidDecision(
            f"{now.ref.label} is {_name(kind)} and cannot become {_name(to_kind)}: "
            "only an essential unit can become bonus, and a bonus unit essential."
        )
    if score is not None:
        require_allowed(to_kind, score, halves=halves)
        return UnitState(to_kind, score)
    kept, scale = now.state.score, SCALES[to_kind]
    if kept is not None and not scale.lowest <= kept <= scale.highest:
        raise InvalidScore(
            f"{now.ref.label} has the score {printed(kept)}, and {_name(to_kind)} units are scored "
            f"from {scale.lowest} to {scale.highest}: give it a new score with the move."
        )
    return UnitState(to_kind, kept)


def _name(kind: UnitKind | None) -> str:
    return "nothing" if kind is None else kind.value.replace("_", " ")

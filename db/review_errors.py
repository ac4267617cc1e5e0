"""Why a review could not be stored."""

from __future__ import annotations

from recall_core.errors import RecallError
from recall_core.scoring import printed
from recall_core.types import Decision, EffectiveScore, UnitState


class NoteRequired(RecallError):
    """The run asks for a note with every change."""


class ChangedMeanwhile(RecallError):
    """Somebody decided on the unit after the person had read it; nothing was stored.

    `current` is what counts now, `decision` the newest decision on the unit, with who and when.
    """

    def __init__(self, current: EffectiveScore, decision: Decision | None) -> None:
        self.current = current
        self.decision = decision
        super().__init__(_sentence(current, decision))


def _sentence(current: EffectiveScore, decision: Decision | None) -> str:
    label, value = current.ref.label, state_text(current.state)
    if decision is None:
        return f"{label} is {value}, and nobody has decided on it. Read it again, then decide."
    when = decision.at.strftime("%H:%M UTC on %d %B %Y").replace(" 0", " ")
    act = "took a decision back" if decision.undoes is not None else "decided"
    return (
        f"{decision.reviewer} {act} on {label} at {when}: it is {value} now. "
        "Yours is not stored. Read it again, then decide."
    )


def state_text(state: UnitState) -> str:
    """`4`, `bonus 3`, `excluded`, `without a score`: the state as people read it."""
    if state.excluded:
        return "excluded"
    return "without a score" if state.score is None else printed(state.score)

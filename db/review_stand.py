"""Where a judgement stands for the person who is about to decide on it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from db.appending import Act
from db.details import detail_of, details_of
from db.review_errors import ChangedMeanwhile, NoteRequired
from db.sights import hidden_judges
from recall_core.details import JudgementDetail, RunFacts
from recall_core.effective import standing_decisions
from recall_core.errors import InvalidDecision
from recall_core.types import Action, Basis, Cause, Decision, EffectiveScore, UnitRef
from recall_core.viewing import decided_on, seen_by


@dataclass(frozen=True, slots=True)
class Standing:
    """`detail` is the judgement whole, `shown` what the person may see of it, `start` what their
    next decision starts from: only their own where they decide without looking at others.
    """

    detail: JudgementDetail
    shown: JudgementDetail
    start: JudgementDetail

    def current(self, unit: UnitRef, seen: int) -> EffectiveScore:
        """The unit as the person acts on it, if nothing has changed since they saw it."""
        self.require_seen(unit, seen)
        return self._unit(self.acted_on, unit)

    @property
    def acted_on(self) -> JudgementDetail:
        """The start as far as the person may see it: what they confirm or change."""
        return self.shown if self.shown.sight.judge_hidden else self.start

    def require_seen(self, unit: UnitRef, seen: int) -> None:
        """Raise unless `seen` is the newest decision on the unit that the person may see."""
        now = self._unit(self.shown, unit)
        if self.shown.newest.get(unit, 0) != seen:
            decision = next((d for d in reversed(self.shown.decisions) if d.unit == unit), None)
            raise ChangedMeanwhile(now, decision)

    def counted(self, unit: UnitRef) -> EffectiveScore:
        """The unit as it counts at the start, the judge's score with it even if it is hidden."""
        return self._unit(self.start, unit)

    def counting(self, unit: UnitRef) -> list[Decision]:
        """The standing decisions on the unit that the start is made of, oldest first."""
        return standing_decisions([d for d in self.start.decisions if d.unit == unit])

    def standing(self, unit: UnitRef) -> list[Decision]:
        """The standing decisions of everybody on the unit, oldest first."""
        return standing_decisions([d for d in self.detail.decisions if d.unit == unit])

    def require_open(self, unit: UnitRef) -> None:
        """Raise if independent reviewers' difference on the unit has been settled."""
        whole = self._unit(self.detail, unit)
        if self.detail.run.independent and whole.basis is Basis.RESOLVED and whole.decision:
            raise InvalidDecision(
                f"{whole.decision.reviewer} has settled {unit.label}. A new score for it is given "
                "where differences are settled."
            )

    def _unit(self, detail: JudgementDetail, unit: UnitRef) -> EffectiveScore:
        found = detail.unit(unit)
        if found is None:
            raise InvalidDecision(
                f"Example {detail.example.id} has no unit {unit.label} to review."
            )
        return found


def standing_of(session: Session, judgement_id: int, reviewer: str) -> Standing:
    """Where the judgement stands for this person; `NotKept` if it is gone."""
    detail = detail_of(session, judgement_id)
    return _standing(detail, reviewer, hidden_judges(session, detail.run, reviewer, [detail.id]))


def standings_of(
    session: Session, run: RunFacts, judgement_ids: Sequence[int], reviewer: str
) -> list[Standing]:
    """Where these judgements of the run stand for this person; what is gone is left out."""
    hidden = hidden_judges(session, run, reviewer, judgement_ids)
    details = details_of(session, judgement_ids)
    return [_standing(d, reviewer, hidden) for d in details if d.run.id == run.id]


def _standing(detail: JudgementDetail, reviewer: str, hidden: Collection[int]) -> Standing:
    judge_hidden = detail.id in hidden
    return Standing(
        detail,
        seen_by(detail, reviewer, judge_hidden=judge_hidden),
        decided_on(detail, reviewer, judge_hidden=judge_hidden),
    )


def require_note(detail: JudgementDetail, act: Act) -> None:
    """Raise `NoteRequired` where the run asks for a note and a change has none."""
    if detail.run.notes_required and act.after != act.before and not act.note:
        raise NoteRequired(f"This run asks for a note with every change: say why {act.unit.label}.")


def require_twin(stand: Standing, act: Act) -> None:
    """Raise unless the twin is another unit that counts, named by an excluded duplicate."""
    if act.twin is None:
        return
    if act.action is not Action.EXCLUDE or act.cause is not Cause.DUPLICATE:
        raise InvalidDecision("Only a unit that is excluded as a duplicate names its twin.")
    twin = stand.detail.unit(act.twin)
    if twin is None or act.twin == act.unit:
        raise InvalidDecision(f"{act.unit.label} cannot be a duplicate of {act.twin.label}.")
    if stand.counted(act.twin).state.excluded:
        raise InvalidDecision(
            f"{act.twin.label} is excluded itself, so {act.unit.label} has to stay."
        )

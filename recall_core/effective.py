"""What counts now: a judge's verdicts with people's decisions laid over them.

Every decision carries the whole state it leaves, so the newest one that stands decides, and
nothing has to be accumulated. An `undo` is a decision too: it takes one earlier decision back and
leaves whatever stood before it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from recall_core.types import (
    Action,
    Basis,
    Decision,
    EffectiveScore,
    Opinion,
    UnitRef,
    UnitState,
    Verdict,
)


def effective_scores(
    verdicts: Iterable[Verdict], decisions: Iterable[Decision], *, needed: int = 1
) -> tuple[EffectiveScore, ...]:
    """One effective score a verdict, in the verdicts' order; `decisions` in any order.

    `needed` above 1 is the number of reviewers who decide without seeing each other: their values
    count once that many have decided on every unit, and then only where they are the same or
    somebody has resolved the difference.
    """
    every = list(verdicts)
    by_unit = _by_unit(decisions)
    if needed == 1:
        return tuple(effective_score(v, by_unit[v.unit.ref]) for v in every)
    done = reviewers_done(every, [d for unit in by_unit.values() for d in unit])
    return tuple(
        _independent_score(v, by_unit[v.unit.ref], done if len(done) >= needed else None)
        for v in every
    )


def _by_unit(decisions: Iterable[Decision]) -> dict[UnitRef, list[Decision]]:
    by_unit: dict[UnitRef, list[Decision]] = defaultdict(list)
    for decision in sorted(decisions, key=lambda d: d.id):
        by_unit[decision.unit].append(decision)
    return by_unit


def effective_score(verdict: Verdict, decisions: Sequence[Decision]) -> EffectiveScore:
    """What counts for one unit: a resolution, else the newest standing decision, else the verdict.

    `decisions` are this unit's, oldest first, of people who see each other's.
    """
    standing = with_remarks(standing_decisions(decisions))
    resolved = [d for d in standing if d.action is Action.RESOLVE]
    if resolved:
        return EffectiveScore(verdict, resolved[-1].after, resolved[-1], Basis.RESOLVED)
    decision = standing[-1] if standing else None
    if decision is None or decision.action is Action.UNSET:
        return EffectiveScore(verdict, judged_state(verdict))
    if decision.after != judged_state(verdict):
        # Who agreed with a change later has not made it.
        changes = [d for d in standing if d.before != d.after]
        decision = changes[-1] if changes else decision
        return EffectiveScore(verdict, standing[-1].after, decision, Basis.REVIEWER)
    return EffectiveScore(verdict, decision.after, decision, Basis.REVIEWER)


def reviewers_done(verdicts: Iterable[Verdict], decisions: Iterable[Decision]) -> tuple[str, ...]:
    """Who has a decision standing on every unit, in the order in which they began."""
    made = sorted(decisions, key=lambda d: d.id)
    by_unit = _by_unit(made)
    opinions = [{o.reviewer for o in opinions_on(v, by_unit[v.unit.ref])} for v in verdicts]
    names = dict.fromkeys(d.reviewer for d in made)
    return tuple(name for name in names if opinions and all(name in unit for unit in opinions))


def opinions_on(verdict: Verdict, decisions: Sequence[Decision]) -> tuple[Opinion, ...]:
    """What each reviewer has the unit at by their own decisions alone, resolutions aside.

    `decisions` are this unit's, oldest first; who took everything back has no opinion.
    """
    own: dict[str, list[Decision]] = defaultdict(list)
    undone = {d.undoes for d in decisions if d.action is Action.UNDO}
    for decision in decisions:
        if decision.action not in (Action.RESOLVE, Action.UNDO) and decision.id not in undone:
            own[decision.reviewer].append(decision)
    scores = {name: effective_score(verdict, made) for name, made in own.items()}
    return tuple(
        Opinion(name, score.state, score.decision)
        for name, score in scores.items()
        if score.decision is not None
    )


def first_opinion(
    verdict: Verdict, decisions: Sequence[Decision], reviewer: str, *, until: int | None
) -> Opinion | None:
    """What the reviewer had the unit at before anything hidden was revealed to them: by their
    decisions up to `until` (`None`: nothing was hidden, or nothing has been revealed yet).
    """
    own = [d for d in decisions if d.reviewer == reviewer and (until is None or d.id <= until)]
    return next(iter(opinions_on(verdict, own)), None)


def _independent_score(
    verdict: Verdict, decisions: Sequence[Decision], done: Sequence[str] | None
) -> EffectiveScore:
    """`effective_score` for reviewers who do not see each other; `done`: whose values count."""
    judged = judged_state(verdict)
    opinions = opinions_on(verdict, decisions)
    resolved = [d for d in standing_decisions(decisions) if d.action is Action.RESOLVE]
    if resolved:
        newest = resolved[-1]
        return EffectiveScore(verdict, newest.after, newest, Basis.RESOLVED, opinions)
    if done is None:
        basis = Basis.WAITING if opinions else Basis.JUDGE
        return EffectiveScore(verdict, judged, None, basis, opinions)
    counting = [o for o in opinions if o.reviewer in done]
    if len({_what_counts(o.state) for o in counting}) > 1:
        return EffectiveScore(verdict, judged, None, Basis.DISPUTED, opinions)
    newest_opinion = max(counting, key=lambda o: o.decision.id)
    return EffectiveScore(
        verdict, newest_opinion.state, newest_opinion.decision, Basis.AGREED, opinions
    )


def _what_counts(state: UnitState) -> UnitState | None:
    """Two exclusions are the same, whatever score they keep out."""
    return None if state.excluded else state


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


def with_reasons(decisions: Sequence[Decision], ids: Collection[int]) -> frozenset[int]:
    """These decisions, and the reasons that their authors gave for them afterwards.

    A reason is stored as a decision that keeps the state (`with_remarks`), so it would keep alive
    the change that it explains. `decisions` are oldest first, of one unit or of several.
    """
    undone = {d.undoes for d in decisions if d.action is Action.UNDO}
    newest: dict[UnitRef, Decision] = {}
    taken = set(ids)
    for decision in decisions:
        if decision.action is Action.UNDO or decision.id in undone:
            continue
        if decision.before != decision.after:
            newest[decision.unit] = decision
            continue
        change = newest.get(decision.unit)
        if change and change.id in taken and change.reviewer == decision.reviewer:
            taken.add(decision.id)
    return frozenset(taken)


def standing_decisions(decisions: Sequence[Decision]) -> list[Decision]:
    """The decisions that no `undo` has taken back, without the undos themselves."""
    undone = {d.undoes for d in decisions if d.action is Action.UNDO}
    return [d for d in decisions if d.action is not Action.UNDO and d.id not in undone]


def judged_state(verdict: Verdict) -> UnitState:
    """What counts for a unit before any person has decided."""
    return UnitState(verdict.unit.ref.kind, verdict.score)

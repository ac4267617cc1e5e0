"""What one person may see of a judgement: others' decisions, or the judge's word, may wait.

Who reviews blind gets no score, reasoning or evidence of the judge before they have committed
their own; independent reviewers do not see each other before all of them are done. What is hidden
is not there in the value that leaves this module, so that no page or file can show it by accident.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from recall_core.details import JudgementDetail, Sight, scores_of
from recall_core.effective import effective_score, reviewers_done
from recall_core.results import Status
from recall_core.types import Action, Basis, Decision, UnitRef, UnitState, Verdict

HIDDEN = "Withheld: the example is reviewed blind, and not everybody has committed a score yet."
"""Stands in the place of what the judge said of the whole example."""


def seen_by(detail: JudgementDetail, viewer: str, *, judge_hidden: bool) -> JudgementDetail:
    """`detail`, whole as the database has it, as far as `viewer` may see it.

    `judge_hidden` says that they review it blind and have not committed yet.
    """
    sight = _sight(detail, viewer, judge_hidden)
    if sight.judge_hidden:
        return _without_judge(own_view(detail, viewer), sight)
    if sight.others_hidden:
        return replace(own_view(detail, viewer), sight=sight)
    if sight.names_hidden:
        return _without_names(detail, viewer, sight)
    return replace(detail, sight=sight)


def for_file(detail: JudgementDetail, *, withheld: bool) -> JudgementDetail:
    """`detail` as files and programs get it, which nobody in particular reads.

    `withheld`: somebody still has to score it blind, so it goes as skipped, with the reason.
    """
    seen = seen_by(detail, "", judge_hidden=withheld)
    return replace(seen, status=Status.SKIPPED) if withheld else seen


def decided_on(detail: JudgementDetail, viewer: str, *, judge_hidden: bool) -> JudgementDetail:
    """What the person's next decision starts from, with the judge's word, whatever they may see.

    That is what counts, or only their own where they decide without looking at others.
    """
    alone = judge_hidden or detail.run.independent
    return own_view(detail, viewer) if alone else detail


def _sight(detail: JudgementDetail, viewer: str, judge_hidden: bool) -> Sight:
    done = reviewers_done(detail.verdicts, detail.decisions)
    others_hidden = detail.run.independent and len(done) < detail.run.needed
    disputed = any(e.basis is Basis.DISPUTED for e in detail.effective)
    return Sight(judge_hidden, others_hidden, disputed, viewer in done, len(done))


def second_look(
    detail: JudgementDetail, viewer: str, states: Mapping[UnitRef, tuple[UnitState, datetime]]
) -> JudgementDetail:
    """`detail` for somebody who scores it a second time: as if nobody had judged or decided, with
    the states that they have given units so far, in that order.
    """
    again = tuple(
        Decision(
            number,
            ref,
            Action.EXCLUDE if state.excluded else Action.SET,
            UnitState(ref.kind, None),
            state,
            viewer,
            at,
        )
        for number, (ref, (state, at)) in enumerate(states.items(), 1)
    )
    afresh = replace(detail, decisions=again, newest=newest_of(again), batches={})
    return _without_judge(afresh, Sight(judge_hidden=True))


def own_view(detail: JudgementDetail, viewer: str) -> JudgementDetail:
    """As if nobody else had decided: what the person has said lies over the judge's verdicts."""
    own = tuple(d for d in detail.decisions if d.reviewer == viewer)
    kept = {d.id for d in own}
    return replace(
        detail,
        decisions=own,
        newest=newest_of(own),
        batches={number: name for number, name in detail.batches.items() if number in kept},
        scores=scores_of(
            detail.status,
            detail.verdicts,
            own,
            formula=detail.run.formula,
            rounding=detail.run.rounding,
        ),
    )


def _without_judge(detail: JudgementDetail, sight: Sight) -> JudgementDetail:
    verdicts = tuple(Verdict(v.unit, None) for v in detail.verdicts)
    decisions = tuple(_blind_decisions(verdicts, detail.decisions))
    run = detail.run
    # Without its scores the judge has answered nothing, whatever it really said.
    scores = scores_of(
        Status.ERROR, verdicts, decisions, formula=run.formula, rounding=run.rounding
    )
    return replace(
        detail,
        verdicts=verdicts,
        decisions=decisions,
        details=HIDDEN,
        warnings=(),
        raw_response=None,
        scores=scores,
        sight=sight,
    )


def _blind_decisions(
    verdicts: Iterable[Verdict], decisions: Sequence[Decision]
) -> Iterable[Decision]:
    """The person's own decisions with states that do not give the judge's score away."""
    by_ref = {v.unit.ref: v for v in verdicts}
    for count, decision in enumerate(decisions):
        verdict = by_ref[decision.unit]
        earlier = [d for d in decisions[:count] if d.unit == decision.unit]
        before = effective_score(verdict, earlier).state
        after = decision.after
        if decision.action in (Action.UNSET, Action.UNDO):
            after = effective_score(verdict, [*earlier, decision]).state
        yield replace(decision, before=before, after=after)


def _without_names(detail: JudgementDetail, viewer: str, sight: Sight) -> JudgementDetail:
    """Others are called Reviewer A, B …, in an order that does not tell who was first."""
    names = aliases(detail, viewer)
    decisions = tuple(replace(d, reviewer=names[d.reviewer]) for d in detail.decisions)
    run = detail.run
    return replace(
        detail,
        decisions=decisions,
        scores=scores_of(
            detail.status,
            detail.verdicts,
            decisions,
            formula=run.formula,
            rounding=run.rounding,
            needed=run.needed,
        ),
        sight=sight,
    )


def aliases(detail: JudgementDetail, viewer: str = "") -> dict[str, str]:
    """What each reviewer is called while names are hidden; the viewer keeps their own."""
    reviewers = {d.reviewer for d in detail.decisions}
    others = sorted(reviewers - {viewer}, key=lambda name: _shuffled(detail.id, name))
    names = {name: f"Reviewer {chr(ord('A') + place)}" for place, name in enumerate(others)}
    return {**names, **({viewer: viewer} if viewer in reviewers else {})}


def _shuffled(judgement_id: int, name: str) -> str:
    return hashlib.sha256(f"{judgement_id}/{name}".encode("utf-8", "surrogatepass")).hexdigest()


def newest_of(decisions: Iterable[Decision]) -> dict[UnitRef, int]:
    """The id of the newest of these decisions on each unit, undos included."""
    return {d.unit: d.id for d in decisions}

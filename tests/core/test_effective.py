"""What counts now: verdicts with decisions laid over them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from recall_core.effective import effective_score, effective_scores, with_remarks
from recall_core.scoring import trace_of_effective
from recall_core.types import (
    Action,
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

E1 = UnitRef(UnitKind.ESSENTIAL, 1)
E2 = UnitRef(UnitKind.ESSENTIAL, 2)
B1 = UnitRef(UnitKind.BONUS, 1)
NOON = datetime(2025, 1, 1, 12, tzinfo=UTC)


def verdict(ref: UnitRef, score: int | None) -> Verdict:
    return Verdict(Unit(ref, "text"), None if score is None else Fraction(score))


def state(score: int | None, kind: UnitKind = UnitKind.ESSENTIAL, out: bool = False) -> UnitState:
    return UnitState(kind, None if score is None else Fraction(score), out)


def act(
    id: int, before: int, after: int, by: str = "ada", *, note: str = "", unit: UnitRef = E1
) -> Decision:
    """What one person did to a unit of some score: a change, or a remark that leaves it."""
    action = Action.SET if before != after else Action.CONFIRM
    return Decision(id, unit, action, state(before), state(after), by, NOON, note=note)


def decision(
    id: int, ref: UnitRef, action: Action, after: UnitState, undoes: int | None = None
) -> Decision:
    # `before` is history for people; what counts is worked out from `after` alone.
    return Decision(id, ref, action, state(None), after, "ada", NOON, undoes=undoes)


def final_of(scores: tuple[EffectiveScore, ...]) -> Fraction | None:
    return trace_of_effective(Formula.PASSAGE, scores).final


def test_without_decisions_the_judge_counts() -> None:
    (score,) = effective_scores([verdict(E1, 4)], [])

    assert score.state == state(4)
    assert not score.reviewed
    assert not score.changed


def test_an_override_counts_instead_of_the_verdict_and_changes_the_final() -> None:
    verdicts = [verdict(E1, 4), verdict(E2, 2)]

    scores = effective_scores(verdicts, [decision(1, E2, Action.SET, state(5))])

    assert final_of(effective_scores(verdicts, [])) == 3
    assert final_of(scores) == Fraction(9, 2)
    assert scores[1].changed
    assert not scores[0].reviewed


def test_the_newest_decision_wins_in_whatever_order_they_arrive() -> None:
    older = decision(1, E1, Action.SET, state(2))
    newer = decision(2, E1, Action.SET, state(3))

    for arrival in ([older, newer], [newer, older]):
        (score,) = effective_scores([verdict(E1, 5)], arrival)
        assert score.state == state(3)
        assert score.decision == newer


def test_confirming_is_reviewed_without_being_changed() -> None:
    (score,) = effective_scores([verdict(E1, 4)], [decision(1, E1, Action.CONFIRM, state(4))])

    assert score.reviewed
    assert not score.changed


def test_undo_brings_back_what_stood_before() -> None:
    decisions = [
        decision(1, E1, Action.SET, state(2)),
        decision(2, E1, Action.SET, state(3)),
        decision(3, E1, Action.UNDO, state(2), undoes=2),
    ]

    (score,) = effective_scores([verdict(E1, 5)], decisions)

    assert score.state == state(2)
    assert score.decision == decisions[0]


def test_undoing_the_only_decision_brings_back_the_judge() -> None:
    decisions = [
        decision(1, E1, Action.SET, state(2)),
        decision(2, E1, Action.UNDO, state(5), undoes=1),
    ]

    (score,) = effective_scores([verdict(E1, 5)], decisions)

    assert score.state == state(5)
    assert not score.reviewed


def test_undoing_an_older_decision_leaves_the_newer_one_standing() -> None:
    decisions = [
        decision(1, E1, Action.SET, state(2)),
        decision(2, E1, Action.SET, state(3)),
        decision(3, E1, Action.UNDO, state(3), undoes=1),
    ]

    (score,) = effective_scores([verdict(E1, 5)], decisions)

    assert score.state == state(3)


def test_unset_returns_to_the_judge_and_a_later_undo_of_it_to_the_override() -> None:
    override = decision(1, E1, Action.SET, state(2))
    unset = decision(2, E1, Action.UNSET, state(5))
    undo = decision(3, E1, Action.UNDO, state(2), undoes=2)

    (after_unset,) = effective_scores([verdict(E1, 5)], [override, unset])
    (after_undo,) = effective_scores([verdict(E1, 5)], [override, unset, undo])

    assert after_unset.state == state(5)
    assert not after_unset.reviewed
    assert after_undo.state == state(2)


def test_excluding_a_passage_takes_it_out_of_the_formula() -> None:
    verdicts = [verdict(E1, 4), verdict(E2, 2)]

    scores = effective_scores(verdicts, [decision(1, E2, Action.EXCLUDE, state(2, out=True))])

    assert final_of(scores) == 4


def test_excluding_the_last_essential_makes_the_example_void() -> None:
    verdicts = [verdict(E1, 4), verdict(B1, 5)]

    scores = effective_scores(verdicts, [decision(1, E1, Action.EXCLUDE, state(4, out=True))])
    trace = trace_of_effective(Formula.PASSAGE, scores)

    assert trace.state is TraceState.VOID
    assert trace.final is None


def test_excluding_every_statement_is_void_and_not_vacuous() -> None:
    s1 = UnitRef(UnitKind.STATEMENT, 1)
    out = state(1, UnitKind.STATEMENT, out=True)

    scores = effective_scores([verdict(s1, 1)], [decision(1, s1, Action.EXCLUDE, out)])

    assert trace_of_effective(Formula.SHARE, scores).state is TraceState.VOID


def test_moving_an_essential_to_bonus_changes_both_terms_and_keeps_its_name() -> None:
    verdicts = [verdict(E1, 4), verdict(E2, 2)]

    scores = effective_scores(verdicts, [decision(1, E2, Action.MOVE, state(2, UnitKind.BONUS))])
    trace = trace_of_effective(Formula.PASSAGE, scores)

    assert scores[1].ref.label == "E2"
    assert [str(line) for line in trace.lines[:2]] == [
        "RECALL_Essential_Formula: (4) / 1 = 4",
        "RECALL_Bonus_Formula: (2) / (1 * 1 * 2) = 1",
    ]
    assert trace.final == 5


def test_moving_the_only_essential_makes_the_example_void() -> None:
    scores = effective_scores(
        [verdict(E1, 4)], [decision(1, E1, Action.MOVE, state(4, UnitKind.BONUS))]
    )

    assert trace_of_effective(Formula.PASSAGE, scores).state is TraceState.VOID


def test_a_persons_score_completes_what_the_judge_left_open() -> None:
    verdicts = [verdict(E1, 4), verdict(E2, None)]

    open_trace = trace_of_effective(Formula.PASSAGE, effective_scores(verdicts, []))
    filled = effective_scores(verdicts, [decision(1, E2, Action.SET, state(2))])

    assert open_trace.state is TraceState.INCOMPLETE
    assert final_of(filled) == 3


def test_a_resolution_wins_over_newer_decisions() -> None:
    decisions = [
        decision(1, E1, Action.SET, state(2)),
        decision(2, E1, Action.RESOLVE, state(3)),
        decision(3, E1, Action.SET, state(5)),
    ]

    (score,) = effective_scores([verdict(E1, 4)], decisions)

    assert score.state == state(3)


def test_an_undone_resolution_gives_way_to_the_newest_decision() -> None:
    decisions = [
        decision(1, E1, Action.RESOLVE, state(3)),
        decision(2, E1, Action.SET, state(5)),
        decision(3, E1, Action.UNDO, state(5), undoes=1),
    ]

    (score,) = effective_scores([verdict(E1, 4)], decisions)

    assert score.state == state(5)


def test_decisions_on_one_unit_leave_the_others_alone() -> None:
    scores = effective_scores(
        [verdict(E1, 4), verdict(B1, 0)], [decision(1, E1, Action.SET, state(1))]
    )

    assert scores[1].state == state(0, UnitKind.BONUS)
    assert scores[1].decision is None


def test_a_reason_that_is_given_after_the_score_belongs_to_the_change() -> None:
    made = [act(1, 4, 2), act(2, 2, 2, note="half of it"), act(3, 2, 2, note="a third of it")]

    score = effective_score(verdict(E1, 4), made)

    assert score.decision == replace(made[0], note="a third of it")
    assert with_remarks(made) == [score.decision, *made[1:]]


def test_a_reason_that_was_taken_back_is_gone() -> None:
    made = [act(1, 4, 2), act(2, 2, 2, note="half of it")]
    undo = decision(3, E1, Action.UNDO, state(2), undoes=2)

    assert effective_score(verdict(E1, 4), [*made, undo]).decision == made[0]


def test_who_agrees_with_a_change_has_not_made_it() -> None:
    change, agreed = act(1, 4, 2, "ada", note="half of it"), act(2, 2, 2, "ben", note="yes")

    assert effective_score(verdict(E1, 4), [change, agreed]).decision == change
    assert effective_score(verdict(E1, 4), [change, act(2, 2, 4, "ben")]).decision.reviewer == "ben"


def test_a_remark_belongs_to_its_own_unit() -> None:
    made = [act(1, 4, 2), act(2, 3, 1, unit=E2), act(3, 2, 2, note="half of it")]

    assert [d.note for d in with_remarks(made)] == ["half of it", "", "half of it"]


@given(st.lists(st.integers(1, 5), max_size=8), st.integers(1, 5))
def test_setting_and_undoing_everything_leaves_the_judge(sets: list[int], judged: int) -> None:
    made = [decision(i, E1, Action.SET, state(s)) for i, s in enumerate(sets, 1)]
    undone = [
        decision(100 + d.id, E1, Action.UNDO, state(judged), undoes=d.id) for d in reversed(made)
    ]

    for taken_back in range(len(made) + 1):
        score = effective_score(verdict(E1, judged), [*made, *undone[:taken_back]])
        left = made[: len(made) - taken_back]
        assert score.state == (left[-1].after if left else state(judged))

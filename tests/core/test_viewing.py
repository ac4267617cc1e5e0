"""What is hidden from a person is not in what they read, wherever one looks."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from recall_core.types import Action, Evidence, Mark, UnitKind
from recall_core.viewing import aliases, for_file, seen_by
from tests.core.details import RUN, decision, detail, verdict

BLIND = replace(RUN, blind=True)
TWO = replace(RUN, review_mode="independent", reviewers_needed=2)

SECRET = "the judge's very own words"
judged = (
    verdict(
        "E1",
        3,
        reasoning=SECRET,
        evidence=[Evidence(1, 0, 5, SECRET, located=True)],
        similarity=0.375,
        marks=(Mark.CONTRADICTION,),
        spread=Fraction(2),
    ),
    verdict("E2", 3, reasoning=SECRET),
)


def test_blind_there_is_nothing_of_the_judge_and_nothing_of_others() -> None:
    made = [
        decision(1, "E1", 3, 5, note="I gave 5", reviewer="Ben"),
        decision(2, "E1", 3, 4),
        decision(3, "E2", 3, 3, action=Action.EXCLUDE, excluded=True, reviewer="Ben"),
    ]
    whole = detail(
        *judged,
        decisions=made,
        run=BLIND,
        details=SECRET,
        warnings=(SECRET,),
        raw_response=SECRET,
    )

    seen = seen_by(whole, "Mara", judge_hidden=True)

    assert SECRET not in repr(seen)
    assert "0.375" not in repr(seen)
    assert "I gave 5" not in repr(seen)
    assert [d.reviewer for d in seen.decisions] == ["Mara"]
    assert [d.before.score for d in seen.decisions] == [None]
    assert all(v.score is None and not v.evidence and not v.marks for v in seen.verdicts)
    assert seen.judge_trace.final is None
    assert seen.trace.final is None
    assert seen.trace.missing == ("E2",)
    assert seen.newest == {judged[0].unit.ref: 2}


def test_blind_ones_own_scores_make_a_final() -> None:
    made = [decision(1, "E1", 3, 4), decision(2, "E2", 3, 5)]

    seen = seen_by(detail(*judged, decisions=made, run=BLIND), "Mara", judge_hidden=True)

    assert seen.trace.final == Fraction(9, 2)
    assert seen.sight.done


@given(judge=st.integers(1, 5), other=st.integers(1, 5))
def test_two_judges_that_differ_look_the_same_to_who_reviews_blind(judge: int, other: int) -> None:
    def seen(score: int) -> str:
        made = [
            decision(1, "E1", score, 2),
            decision(2, "E1", 2, score, action=Action.UNDO, undoes=1),
            decision(3, "E1", score, 4),
            decision(4, "E1", 4, score, action=Action.UNSET),
        ]
        whole = detail(verdict("E1", score), decisions=made, run=BLIND)
        return repr(seen_by(whole, "Mara", judge_hidden=True))

    assert seen(judge) == seen(other)


def test_independent_reviewers_see_the_judge_and_their_own_until_all_are_done() -> None:
    made = [
        decision(1, "E1", 3, 5, reviewer="Ben"),
        decision(2, "E2", 3, 5, reviewer="Ben"),
        decision(3, "E1", 3, 4),
    ]
    whole = detail(*judged, decisions=made, run=TWO)

    seen = seen_by(whole, "Mara", judge_hidden=False)

    assert [d.id for d in seen.decisions] == [3]
    assert seen.trace.final == Fraction(7, 2)
    assert whole.trace.final == 3
    assert seen.sight.others_hidden
    assert seen.sight.reviewers_done == 1
    assert not seen.sight.done
    assert seen_by(whole, "Ben", judge_hidden=False).sight.done


def test_names_stay_hidden_until_every_difference_is_settled() -> None:
    made = [
        *(decision(i, f"E{i}", 3, 5, reviewer="Ben") for i in (1, 2)),
        *(decision(i + 2, f"E{i}", 3, 4) for i in (1, 2)),
    ]
    whole = detail(*judged, decisions=made, run=TWO)

    stranger = seen_by(whole, "Ana", judge_hidden=False)
    mara = seen_by(whole, "Mara", judge_hidden=False)

    assert stranger.sight.names_hidden
    assert "Ben" not in repr(stranger)
    assert "Mara" not in repr(stranger)
    assert {d.reviewer for d in stranger.decisions} == {"Reviewer A", "Reviewer B"}
    assert {d.reviewer for d in mara.decisions} == {"Reviewer A", "Mara"}
    assert set(aliases(whole, "Mara").values()) == {"Reviewer A", "Mara"}

    settled = [
        *made,
        decision(5, "E1", 3, 4, action=Action.RESOLVE, reviewer="Ana"),
        decision(6, "E2", 3, 4, action=Action.RESOLVE, reviewer="Ana"),
    ]
    after = seen_by(detail(*judged, decisions=settled, run=TWO), "Ana", judge_hidden=False)
    assert {d.reviewer for d in after.decisions} == {"Ben", "Mara", "Ana"}


def test_a_file_has_a_blind_example_as_skipped_with_the_reason() -> None:
    whole = detail(*judged, decisions=[decision(1, "E1", 3, 4)], run=BLIND)

    kept = for_file(whole, withheld=True)

    assert kept.status.value == "skipped"
    assert kept.details.startswith("Withheld")
    assert kept.decisions == ()
    assert for_file(whole, withheld=False).decisions == whole.decisions


def test_a_move_made_blind_leaves_the_judges_score_out() -> None:
    made = [decision(1, "E1", 3, None, action=Action.MOVE, kind=UnitKind.BONUS)]

    seen = seen_by(detail(*judged, decisions=made, run=BLIND), "Mara", judge_hidden=True)

    assert seen.decisions[0].after.kind is UnitKind.BONUS
    assert "E1" in seen.trace.missing

"""What is said of a run's recall, from an unreviewed run to a fully reviewed one."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from recall_core.estimation import GRADE, Observed, estimate_mean
from recall_core.headline import Headline, Standing
from recall_core.summary import Gate, Mean
from recall_core.types import Formula
from tests.core.estimation.runs import PASSAGE, audited, chosen, pending, some_audit, unread


def said_of(rows: list[Observed], *, still_judging: bool = False) -> Headline:
    grade = GRADE[Formula.PASSAGE]
    n = sum(row.count for row in rows)
    mean = Mean(Fraction(7, 2) if rows else None, n, n)
    found = estimate_mean(rows, scale=PASSAGE, grade=grade)
    return Headline(Formula.PASSAGE, found, mean, mean, still_judging)


def test_a_judge_alone_is_said_to_be_a_judge_alone() -> None:
    found = said_of([unread(3.5, 240)])

    assert (found.standing, found.faint) == (Standing.JUDGE_ONLY, True)
    assert (found.number, found.interval) == ("3.50", "")
    assert found.label == "Judge’s mean, 240 examples"
    assert found.made_from == "judge only, unreviewed"
    assert found.sentence == (
        "This is the judge's word, which no person has checked. "
        "No audit reviews: an interval needs 5."
    )


def test_chosen_reviews_alone_give_no_interval() -> None:
    found = said_of([*(chosen(4, 3) for _ in range(12)), unread(3.5, 228)])

    assert (found.standing, found.faint, found.interval) == (Standing.NO_INTERVAL, True, "")
    assert found.label == "Mean so far, 240 examples"
    assert found.made_from == "0 audited, 12 chosen"


def test_an_audit_gives_the_estimate_and_its_interval() -> None:
    rows = [*some_audit(40, 228), *(chosen(4, 3) for _ in range(12)), pending(4, 41)]

    found = said_of([*rows, audited(None, 2, 42), unread(None)])

    assert found.estimate is not None
    assert (found.standing, found.faint) == (Standing.ESTIMATED, False)
    assert found.number == f"{found.estimate.point:.2f}"
    assert found.interval == f"{found.estimate.low:.2f} to {found.estimate.high:.2f}"
    assert found.label == "Recall of these 243 examples"
    assert found.made_from == "41 audited, 12 chosen, 1 drawn and waiting, 2 failed"
    assert "95 times in 100" in found.sentence
    assert "It is provisional: 1 drawn example waits for a review." in found.sentence


def test_with_everything_reviewed_the_number_is_a_fact() -> None:
    found = said_of(some_audit(12, 12))

    assert (found.standing, found.interval) == (Standing.EXACT, "")
    assert found.sentence.startswith("People have reviewed every example")
    assert found.reviews_for() is None


def test_a_half_is_rounded_up_as_in_every_other_place() -> None:
    found = replace(said_of([unread(3.5, 240)]), now=Mean(Fraction("3.625"), 240, 240))
    exact = said_of([audited(h, h, place) for place, h in enumerate((2.67, 2.68))])

    assert found.number == "3.63"
    assert exact.number == "2.68"


def test_what_is_left_to_reach_is_certain_and_says_no_odds() -> None:
    found = said_of([*(chosen(4, 3) for _ in range(9)), unread(None)])

    assert found.standing is Standing.ESTIMATED
    assert found.interval == "2.80 to 3.20"
    assert "times in 100" not in found.sentence


def test_it_says_what_more_reviews_would_buy() -> None:
    told = said_of(some_audit(12, 300)).reviews_for(0.25)

    assert told is not None
    assert told.sentence.endswith("more audit reviews to reach ±0.25")
    assert said_of([unread(3.5, 9)]).reviews_for() is None


def test_a_mark_is_passed_by_the_lower_end_and_not_by_the_middle() -> None:
    found = said_of(some_audit(30, 300))
    assert found.estimate is not None

    assert found.gate(found.estimate.low - 0.01) is Gate.PASSED
    assert found.gate(found.estimate.point) is Gate.INCONCLUSIVE
    assert found.gate(found.estimate.high + 0.01) is Gate.FAILED


def test_while_a_drawn_example_waits_the_interval_decides_nothing() -> None:
    found = said_of([*some_audit(30, 299), pending(4, 31)])
    assert found.estimate is not None
    assert found.estimate.provisional

    assert found.gate(found.estimate.low - 0.01) is Gate.INCONCLUSIVE
    assert found.gate(found.estimate.high + 0.01) is Gate.INCONCLUSIVE


def test_a_judge_alone_passes_no_mark_that_people_could_still_miss() -> None:
    found = said_of([unread(4.9, 100)])

    assert found.gate(1.0) is Gate.PASSED
    assert found.gate(3.0) is Gate.INCONCLUSIVE


def test_a_run_that_is_still_judged_says_when_the_audit_begins() -> None:
    assert (
        "the audit begins when it is done" in said_of([unread(4, 9)], still_judging=True).sentence
    )
    nothing = said_of([])
    assert (nothing.standing, nothing.number) == (Standing.NOTHING, "–")
    assert nothing.sentence == "No example has a final score yet."


@pytest.mark.parametrize("rows", [[unread(3.5, 240)], some_audit(40, 240), some_audit(9, 9)])
def test_it_can_be_written_as_json_without_any_nan(rows: list[Observed]) -> None:
    found = said_of(rows)

    kept = json.loads(json.dumps(found.as_json(), allow_nan=False))

    assert kept["standing"] == found.standing.value
    assert (kept["low"] is None) == (found.estimate is None)

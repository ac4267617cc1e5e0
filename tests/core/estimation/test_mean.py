"""Which estimate follows from which reviews, and when there is none."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_core.estimation import Method, Target
from tests.core.estimation.runs import (
    audited,
    chosen,
    estimated,
    mean,
    pending,
    refused,
    some_audit,
    unread,
)


def test_without_an_audit_there_is_no_interval() -> None:
    found = refused([chosen(4, 3), chosen(4, 2), unread(4, 30)])

    assert found.reason == "No audit reviews: an interval needs 5."
    assert (found.grounds.chosen, found.grounds.audited) == (2, 0)


@pytest.mark.parametrize(
    ("n", "reason"),
    [
        (1, "1 audit review: an interval needs 4 more."),
        (2, "2 audit reviews: an interval needs 3 more."),
        (4, "4 audit reviews: an interval needs 1 more."),
    ],
)
def test_a_handful_of_audit_reviews_gives_the_reachable_band_only(n: int, reason: str) -> None:
    found = refused(some_audit(n, 40))

    assert (found.reason, found.more) == (reason, 5 - n)
    assert found.grounds.reachable is not None
    assert found.grounds.reachable.low < 2 < 4 < found.grounds.reachable.high


def test_a_run_with_fewer_examples_than_an_interval_needs_asks_for_those_it_has() -> None:
    assert refused(some_audit(2, 3)).reason == "2 audit reviews: an interval needs 1 more."


def test_failures_that_are_drawn_first_are_counted_into_what_is_missing() -> None:
    rows = [audited(None, 2, 1), audited(None, 3, 2), unread(None), unread(4, 50)]

    found = refused(rows, failures_first=18)

    assert found.reason == (
        "2 audit reviews, 2 of them on examples that the judge failed on: an interval needs 6 more."
    )


def test_an_audit_corrects_a_kind_judge() -> None:
    rows = some_audit(30, 300)
    judge = mean(r.judge for r in rows if r.judge is not None)

    found = estimated(rows)

    assert found.method is Method.AUDIT
    assert found.low < 3 < found.high < judge
    assert found.df == 29
    assert (found.grounds.audited, found.grounds.examples) == (30, 300)


def test_all_reviewed_is_the_plain_mean_without_an_interval() -> None:
    rows = some_audit(12, 12)

    found = estimated(rows)

    assert found.method is Method.EXACT
    assert found.exact
    assert found.point == found.low == found.high
    assert found.point == pytest.approx(mean(r.human for r in rows if r.human is not None))


def test_what_was_chosen_before_the_audit_counts_as_itself() -> None:
    audit = some_audit(10, 40)
    alone = estimated(audit)

    found = estimated([*audit, *(chosen(1, 1) for _ in range(10))])

    assert found.method is Method.CHOSEN_FIRST
    assert found.point == pytest.approx((10 * 1 + 40 * alone.point) / 50)
    assert found.se == pytest.approx(0.8 * alone.se)


def test_what_was_chosen_after_the_last_draw_leaves_the_audit_as_it_is() -> None:
    audit = some_audit(10, 40)
    later = [replace(audit[-1], human=1.0, lowest=1.0, highest=1.0, chosen_after=10)]

    found = estimated([*audit[:-1], *later])

    assert found.method is Method.AUDIT
    assert found.se == estimated(audit).se


def test_choosing_while_the_audit_goes_on_takes_the_form_that_bears_it() -> None:
    rows = [*some_audit(10, 40), chosen(4, 2, after=3)]

    assert estimated(rows).method is Method.INTERLEAVED


def test_each_draw_counts_against_what_was_unreviewed_when_it_was_made() -> None:
    drawn = [(4.0, 3.0), (5.0, 4.5), (2.0, 1.0), (3.0, 3.0), (4.0, 2.5)]
    picked = (5.0, 1.0)  # after the second draw
    rows = [audited(judge, human, place) for place, (judge, human) in enumerate(drawn, 1)]

    found = estimated([*rows, chosen(*picked, after=2), unread(3.5, 6)])

    judge_sum = sum(judge for judge, _ in drawn) + picked[0] + 6 * 3.5
    singles = []
    for place, (judge, human) in enumerate(drawn):
        before = drawn[:place] + ([picked] if place >= 2 else [])
        left = 12 - len(before)
        left_judge = judge_sum - sum(j for j, _ in before)
        guess = left * (human - 0.7 * judge)
        singles.append((sum(h for _, h in before) + 0.7 * left_judge + guess) / 12)
    assert found.method is Method.INTERLEAVED
    assert found.point == pytest.approx(mean(singles))


def test_chosen_reviews_alone_cannot_move_the_estimate_of_the_others() -> None:
    audit = some_audit(10, 400)
    before = estimated(audit).point

    flattering = estimated([*audit, *(chosen(5, 5) for _ in range(4))])

    assert flattering.point - before == pytest.approx(4 * (5 - before) / 404)


def test_a_drawn_example_that_waits_keeps_the_interval_provisional() -> None:
    rows = [*some_audit(10, 40), pending(4, 11)]

    found = estimated(rows)

    assert found.provisional
    assert (found.grounds.pending, found.grounds.audited) == (1, 10)
    assert not estimated(some_audit(10, 40)).provisional


def test_an_example_that_left_the_audit_by_choice_without_a_final_may_still_be_anything() -> None:
    # Independent reviewers dispute it: the audit could not draw it, so no sample speaks for it.
    disputed = replace(unread(4), chosen_after=0)
    audit = some_audit(10, 39)

    found = estimated([*audit, disputed])

    inner = estimated(audit)
    assert found.method is Method.CHOSEN_FIRST
    assert found.high - found.low == pytest.approx((39 * (inner.high - inner.low) + 4) / 40)


def test_an_example_that_is_disputed_amid_the_audit_breaks_nothing() -> None:
    disputed = replace(unread(4), chosen_after=4)

    found = estimated([*some_audit(10, 39), disputed], target=Target.LIKE_THESE)

    assert found.method is Method.INTERLEAVED
    assert found.low < found.point < found.high


def test_failures_are_a_stratum_of_their_own() -> None:
    scored = some_audit(20, 100)
    inner = estimated(scored)

    found = estimated([*scored, audited(None, 1, 21), audited(None, 2, 22)])

    assert found.point == pytest.approx((100 * inner.point + 3) / 102)
    assert found.se == pytest.approx(100 / 102 * inner.se)
    assert found.df == 19
    assert (found.grounds.failed, found.grounds.failed_reviewed) == (2, 2)


def test_failures_that_nobody_has_scored_widen_the_interval_by_all_they_can_be() -> None:
    scored = some_audit(20, 98)
    inner = estimated(scored)

    found = estimated([*scored, unread(None, 2)])

    assert found.high - found.low == pytest.approx((98 * (inner.high - inner.low) + 2 * 4) / 100)


def test_many_failures_are_estimated_from_people_alone() -> None:
    scored = some_audit(20, 100)
    failures = [audited(None, 1 + i % 3, 21 + i) for i in range(10)]

    found = estimated([*scored, *failures, unread(None, 30)])

    human = mean(1 + i % 3 for i in range(10))
    assert found.point == pytest.approx((100 * estimated(scored).point + 40 * human) / 140)
    assert found.df == 9


def test_when_only_failures_are_left_the_ends_are_what_they_can_reach() -> None:
    rows = [*(chosen(4, 3) for _ in range(9)), unread(None)]

    found = estimated(rows)

    assert found.method is Method.REACHABLE
    assert (found.low, found.high) == pytest.approx(((27 + 1) / 10, (27 + 5) / 10))


def test_an_interval_never_leaves_what_unreviewed_examples_can_reach() -> None:
    rows = some_audit(10, 12)
    band = (
        sum(r.lowest for r in rows) / 12,
        sum(r.highest for r in rows) / 12,
    )

    found = estimated(rows)

    assert band[0] <= found.low <= found.point <= found.high <= band[1]


def test_examples_like_these_are_less_certain_than_these() -> None:
    rows = some_audit(30, 60)

    these, like = estimated(rows), estimated(rows, target=Target.LIKE_THESE)

    finals = [r.human for r in rows if r.human is not None]
    variance = sum((f - mean(finals)) ** 2 for f in finals) / 29
    assert like.se**2 == pytest.approx(these.se**2 + variance / 60)
    assert like.point == these.point


def test_with_all_reviewed_examples_like_these_still_have_an_interval() -> None:
    found = estimated(some_audit(20, 20), target=Target.LIKE_THESE)

    assert found.low < found.point < found.high


def test_a_row_for_many_unread_examples_is_as_good_as_one_for_each() -> None:
    rows = [*some_audit(10, 10), *(unread(3.5) for _ in range(40)), chosen(2, 2, after=4)]
    summed = [*some_audit(10, 10), unread(3.5, 40), chosen(2, 2, after=4)]

    assert estimated(rows).point == pytest.approx(estimated(summed).point)
    assert estimated(rows).se == pytest.approx(estimated(summed).se)


@given(st.permutations(range(40)))
def test_the_order_of_rows_never_matters(order: list[int]) -> None:
    rows = [*some_audit(10, 35), *(chosen(4, 2, after=k) for k in (2, 2, 5, 9, 10))]

    shuffled = [rows[i] for i in order]

    assert estimated(shuffled).low == pytest.approx(estimated(rows).low)


def test_a_run_without_any_example_to_score_says_so() -> None:
    assert refused([]).reason == "No example has a final, or can get one."

"""Whether one run is better than another, and when that cannot be said."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from recall_core.estimation import (
    Dated,
    Difference,
    Estimate,
    Method,
    NoEstimate,
    bonferroni,
    differences,
    holm,
    p_value,
    paired,
)

START = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
Pair = tuple[Dated, Dated]


def at(minute: float) -> datetime:
    return START + timedelta(minutes=minute)


def read(judge: float, human: float, **moments: datetime) -> Dated:
    return Dated(judge, human, human, human, **moments)


def unread(judge: float | None, **moments: datetime) -> Dated:
    return Dated(judge, None, 1, 5, **moments)


def runs(gain: float, *, n: int, of: int, seed: int = 5, favour: float = 0.0) -> list[Pair]:
    """B is `gain` better than A; the judge is kind to both, and by `favour` kinder to B."""
    rng = np.random.default_rng(seed)
    a = rng.uniform(1.5, 3.5, of)
    b = a + gain + rng.normal(0, 0.4, of)
    pairs = []
    for i, (one, other) in enumerate(zip(a, b, strict=True)):
        judged = one + 0.5 + rng.normal(0, 0.2), other + 0.5 + favour + rng.normal(0, 0.2)
        if i < n:
            pairs.append(
                (
                    read(judged[0], one, drawn_at=at(i)),
                    read(judged[1], other, drawn_at=at(i)),
                )
            )
        else:
            pairs.append((unread(judged[0]), unread(judged[1])))
    return pairs


def difference(pairs: list[Pair]) -> Difference:
    return differences([pairs], span=4, grade=0.5)[0]


def estimated(pairs: list[Pair]) -> Estimate:
    found = difference(pairs).estimated
    assert isinstance(found, Estimate), found
    return found


def test_a_better_run_is_said_to_be_better_with_an_interval() -> None:
    found = difference(runs(0.5, n=40, of=200))

    assert isinstance(found.estimated, Estimate)
    assert found.decided
    assert 0 < found.estimated.low < 0.5 < found.estimated.high
    assert found.sentence() == (
        f"B is better by {found.estimated.point:.2f} "
        f"({found.estimated.low:.2f} to {found.estimated.high:.2f})."
    )
    assert difference([(b, a) for a, b in runs(0.5, n=40, of=200)]).sentence().startswith("A is")


def test_a_judge_that_favours_one_run_decides_nothing() -> None:
    found = difference(runs(0.0, n=40, of=200, favour=0.4))

    assert found.judge == pytest.approx(0.4, abs=0.1)
    assert not found.decided
    assert "shared audit reviews would" in found.sentence() or "left would" in found.sentence()


def test_what_cannot_be_told_yet_says_how_many_reviews_would_do() -> None:
    found = difference(runs(0.1, n=12, of=900, seed=6))

    assert not found.decided
    words = found.sentence().split()
    assert found.sentence().startswith("Cannot tell yet: about ")
    assert found.sentence().endswith(" more shared audit reviews would.")
    assert int(words[4]) > 5


def test_a_few_shared_reviews_give_no_interval() -> None:
    found = difference(runs(0.5, n=3, of=50))

    assert found.sentence() == "3 shared audit reviews: an interval needs 2 more."
    assert found.p is None


def test_an_example_that_a_judge_failed_on_is_left_out_and_counted() -> None:
    pairs = runs(0.5, n=20, of=50)
    pairs[-1] = (unread(None), pairs[-1][1])

    found = difference(pairs)

    assert (found.shared, found.failed) == (49, 1)


def test_only_what_both_audits_drew_counts_as_drawn() -> None:
    a, b = read(3, 3, drawn_at=at(1)), unread(4)

    assert [row.draw for row in paired([(a, b), (a, read(4, 4, drawn_at=at(9)))])] == [None, 1]


def test_all_reviewed_in_both_is_a_fact_and_no_estimate() -> None:
    pairs = runs(0.5, n=8, of=8)

    found = difference(pairs)

    assert estimated(pairs).method is Method.EXACT
    assert found.decided
    assert found.sentence().endswith("all shared examples are reviewed.")
    same = [(a, a) for a, _ in pairs]
    assert difference(same).sentence() == "A and B are equal on the 8 shared examples."


def test_what_was_chosen_in_one_run_only_may_still_differ_by_anything() -> None:
    pairs = runs(0.5, n=20, of=99)
    inner = estimated(pairs)
    one_sided = (read(3, 3, chosen_at=at(-5)), unread(4))

    found = estimated([*pairs, one_sided])

    # its difference lies from 1 - 3 to 5 - 3
    width = (99 * (inner.high - inner.low) + 4) / 100
    assert found.high - found.low == pytest.approx(width)


def test_a_difference_that_nothing_can_turn_any_more_is_decided() -> None:
    """Finals spread so far that the audit alone could not tell."""
    finals = [(1, 5)] * 10 + [(5, 1)] * 9 + [(3, 4)]
    pairs = [
        (read(3, a, drawn_at=at(i)), read(3, b, drawn_at=at(i))) for i, (a, b) in enumerate(finals)
    ]
    found = difference([*pairs, (unread(3), unread(3))])

    assert isinstance(found.estimated, Estimate)
    assert found.estimated.low > 0
    assert found.decided
    assert found.sentence().startswith("B is better by ")


def test_differences_that_cancel_out_are_equal_runs() -> None:
    gains = (0.1, 0.2, -0.3)
    pairs = [(read(2, 0, drawn_at=at(i)), read(2, b, drawn_at=at(i))) for i, b in enumerate(gains)]

    found = difference(pairs)

    assert not found.decided
    assert found.sentence() == "A and B are equal on the 3 shared examples."


def test_chosen_in_both_before_the_audit_counts_as_itself() -> None:
    pairs = runs(0.5, n=20, of=90)
    both = (read(3, 3, chosen_at=at(-5)), read(4, 4, chosen_at=at(-4)))

    found = estimated([*pairs, both])

    assert found.method is Method.CHOSEN_FIRST
    assert found.point == pytest.approx((90 * estimated(pairs).point + 1) / 91)


def test_choices_amid_one_audit_for_both_runs_are_borne() -> None:
    pairs = runs(0.5, n=20, of=90)
    both = (read(3, 3, chosen_at=at(7)), read(4, 4, chosen_at=at(7)))

    assert estimated([*pairs, both]).method is Method.INTERLEAVED


def test_choices_amid_two_separate_audits_give_no_interval() -> None:
    pairs = runs(0.5, n=20, of=90)
    a, b = pairs[0]
    pairs[0] = (read(a.judge or 0, a.human or 0, drawn_at=at(-3)), b)
    both = (read(3, 3, chosen_at=at(7)), read(4, 4, chosen_at=at(7)))

    found = difference([*pairs, both]).estimated

    assert isinstance(found, NoEstimate)
    assert "one audit that draws for both runs" in found.reason


def test_several_comparisons_are_held_to_a_higher_standard() -> None:
    pairs = runs(0.25, n=30, of=300)
    alone = difference(pairs)

    among = differences([pairs, runs(0.0, n=30, of=300, seed=8)], span=4, grade=0.5)[0]

    assert isinstance(alone.estimated, Estimate)
    assert isinstance(among.estimated, Estimate)
    assert among.estimated.half_width > alone.estimated.half_width
    assert among.p is not None
    assert alone.p is not None
    assert among.p == pytest.approx(min(1, 2 * alone.p))


def test_holm_raises_the_smallest_most_and_keeps_the_order() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx((0.03, 0.06, 0.06))
    assert holm([]) == ()
    assert bonferroni(0.95, 5) == pytest.approx(0.99)


def test_a_p_value_of_five_percent_is_an_interval_that_ends_at_nought() -> None:
    found = estimated(runs(0.2, n=30, of=300))

    q = (found.high - found.point) / found.se
    assert (p_value(found) < 0.05) == (abs(found.point) / found.se > q)

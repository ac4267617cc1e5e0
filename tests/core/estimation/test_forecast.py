"""What more audit reviews would buy."""

from __future__ import annotations

from math import ceil

from recall_core.estimation import estimate_mean, forecast, next_half_width
from recall_core.estimation.formulas import t_quantile
from tests.core.estimation.runs import chosen, estimated, pending, some_audit, unread


def test_the_forecast_solves_the_formula_of_the_docs() -> None:
    found = estimated(some_audit(12, 300))
    assert found.spread is not None

    told = forecast(found, 0.25)

    assert told.more is not None
    n = found.spread.n + told.more
    n0 = found.spread.residual * (t_quantile(n - 1, 0.95) / 0.25) ** 2
    assert n == ceil(n0 / (1 + n0 / 300))
    assert told.sentence == f"{told.more} more audit reviews to reach ±0.25"


def test_so_many_more_reviews_do_bring_that_interval_or_a_narrower_one() -> None:
    told = forecast(estimated(some_audit(12, 300)), 0.2)
    assert told.more is not None

    later = estimated(some_audit(12 + told.more, 300))

    # The guard counts for less and less, so a good judge gets there sooner than was told.
    assert 0.1 < later.half_width <= 0.2


def test_what_is_reached_needs_nothing_more() -> None:
    told = forecast(estimated(some_audit(40, 60)), 2)

    assert (told.more, told.sentence) == (0, "±2.00 is reached.")


def test_below_ten_reviews_there_is_no_forecast() -> None:
    told = forecast(estimated(some_audit(7, 300)), 0.25)

    assert told.more is None
    assert told.sentence == "How many it takes to reach ±0.25 can be told after 3 more."


def test_what_failures_leave_open_cannot_be_bought_by_auditing_others() -> None:
    told = forecast(estimated([*some_audit(12, 60), unread(None, 30)]), 0.25)

    assert told.more is None
    assert told.sentence == "More audit reviews alone cannot reach ±0.25."


def test_with_chosen_reviews_only_the_rest_has_to_be_audited() -> None:
    audit = some_audit(12, 60)
    plain = forecast(estimated(audit), 0.15)

    helped = forecast(estimated([*audit, *(chosen(4, 3) for _ in range(40))]), 0.15)

    assert plain.more is not None
    assert helped.more is not None
    assert helped.more < plain.more


def test_among_choices_a_forecast_never_asks_for_more_than_there_is() -> None:
    rows = [*some_audit(12, 60), chosen(4, 3, after=5), pending(4, 13)]
    left = 48 + 1

    told = forecast(estimated(rows), 0.01)

    assert told.more is not None
    assert 0 < told.more <= left


def test_the_next_step_is_narrower_than_what_there_is() -> None:
    found = estimated(some_audit(12, 300))

    assert next_half_width(found, 1.0) < found.half_width
    share = estimate_mean(some_audit(12, 300), scale=(0, 5), grade=0.2)
    assert next_half_width(share, 0.2) in (0.1, 0.08, 0.06, 0.05, 0.04)  # type: ignore[arg-type]

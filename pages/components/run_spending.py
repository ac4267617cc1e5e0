"""What a run by a model costs: so far, and in the end beside what was expected of it."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

import streamlit as st

from db.estimates import Estimate
from db.progress import Progress
from db.runs import RunCard, raise_budget
from db.spending import Spending
from pages.components.run_plan import duration
from pages.components.session import engine
from pages.components.style import count, dollars, facts, number_table, plain, short_number
from recall_core.errors import RecallError


def draw_spending(at: Progress) -> None:
    """Dollars, calls and tokens up to this moment."""
    if at.spending is None:
        return
    spending = at.spending
    pairs = [
        ("Spent", _spent(spending, at.budget)),
        ("Calls", f"{spending.calls:,}"),
        ("From the store", f"{spending.from_store:,}"),
        ("Tokens in", short_number(spending.tokens_in)),
        ("Tokens out", short_number(spending.tokens_out)),
    ]
    st.html(facts(pairs))
    trouble = _trouble(spending)
    if trouble:
        st.caption(plain(trouble))


def _spent(spending: Spending, budget: Decimal | None) -> str:
    """An unknown price is unknown, never 0; what is known besides is said."""
    if spending.spent is None:
        known = f", {dollars(spending.known)} of it known" if spending.known else ""
        return f"unknown{known}"
    return dollars(spending.spent) + ("" if budget is None else f" of {dollars(budget)}")


def _trouble(spending: Spending) -> str:
    said = []
    if spending.retries:
        said.append(f"{count(spending.retries, 'try', 'tries')} had to be repeated")
    if spending.asked_again:
        said.append(f"{count(spending.asked_again, 'answer')} had to be asked for again")
    if spending.failed_calls:
        said.append(f"{count(spending.failed_calls, 'call')} brought no answer")
    if spending.uncertain:
        said.append(
            f"{dollars(spending.uncertain)} of the spending is what calls without an answer may "
            "have cost at most"
        )
    return f"{'; '.join(said)}." if said else ""


def draw_comparison(run: RunCard, spending: Spending) -> None:
    """What was expected when the run was made, beside what it came to."""
    if run.estimate is None:
        return
    with st.container(key="comparison"):
        st.markdown("**Expected and actual**")
        st.html(number_table(("", "expected", "actual"), _lines(run, run.estimate, spending)))
        if run.examples > run.processed + run.failed + run.skipped:
            st.caption("Not every example is judged, so the actual numbers are not final.")


def _lines(run: RunCard, expected: Estimate, spending: Spending) -> list[tuple[str, str, str]]:
    tokens_in, tokens_out = expected.tokens_in, expected.tokens_out
    cost = expected.cost
    expected_cost = (
        "unknown"
        if cost is None
        else f"{dollars(cost.expected)} ({dollars(cost.low)} to {dollars(cost.high)})"
    )
    seconds = expected.seconds
    return [
        ("Calls", f"{expected.to_make:,}", f"{spending.calls:,}"),
        ("From the store", f"{expected.from_store:,}", f"{spending.from_store:,}"),
        (
            "Tokens in",
            _tokens(tokens_in.expected, tokens_in.low, tokens_in.high),
            short_number(spending.tokens_in),
        ),
        (
            "Tokens out",
            _tokens(tokens_out.expected, tokens_out.low, tokens_out.high),
            short_number(spending.tokens_out),
        ),
        ("Cost", expected_cost, dollars(spending.spent)),
        (
            "Time",
            f"{duration(seconds.expected)} ({duration(seconds.low)} to {duration(seconds.high)})",
            _took(run),
        ),
    ]


def _tokens(expected: int, low: int, high: int) -> str:
    return f"{short_number(expected)} ({short_number(low)} to {short_number(high)})"


def _took(run: RunCard) -> str:
    """Pauses and waiting aside, as they are in what was expected."""
    return "not over" if run.ended_at is None else duration(run.worked_seconds)


def budget_control(run: RunCard) -> None:
    """The budget of a run that is not being judged, which may be raised or taken away."""
    with st.popover("Budget"), st.form("budget", border=False):
        typed = st.text_input(
            "Budget in US dollars",
            "" if run.budget is None else f"{run.budget:f}",
            help="For the whole run, what is spent already included. Empty: no budget.",
            key="budget_typed",
        )
        if st.form_submit_button("Set the budget", type="primary"):
            _set_budget(run, typed)


def _set_budget(run: RunCard, typed: str) -> None:
    text = typed.strip().lstrip("$").strip()
    try:
        budget = Decimal(text.replace(",", ".")) if text else None
        if budget is not None and not budget.is_finite():
            raise InvalidOperation
        raise_budget(engine(), run.id, budget)
    except InvalidOperation:
        st.error(f"{plain(typed)} is not a number of dollars.")
    except RecallError as error:
        st.error(plain(str(error)))
    else:
        st.rerun()

"""What the run's figures would be under another rule, beside what they are; rules can be kept."""

from __future__ import annotations

from fractions import Fraction

import streamlit as st

from db.errors import NotKept
from db.policies import PolicyCard, delete_policy, policies, save_policy
from pages.components.kept_figures import what_if_for
from pages.components.page_parts import number_in_address
from pages.components.result_charts import curve_chart
from pages.components.session import author, engine, now
from pages.components.style import (
    MISSING,
    ago,
    count,
    number_table,
    percent,
    plain,
    section,
    signed,
    two_decimals,
)
from pages.components.what_if_controls import (
    ROUNDINGS,
    draw_judge,
    draw_sliders,
    own_threshold,
    policy_in_address,
    show_policy,
)
from recall_core.details import RunFacts
from recall_core.errors import RecallError
from recall_core.policy import AS_IT_IS, Policy, PolicyResult, WhatIf
from recall_core.scoring import FINAL_RANGE, printed
from recall_core.summary import RunSummary

_SAVED = "whatif.saved"
NOTHING_IS_JUDGED = (
    "Counted anew from the scores that are stored: no judge runs, no model is called, and nothing "
    "of the run changes. What people have decided stands under every rule."
)


def what_if_view(summary: RunSummary) -> None:
    """The sliders on the left; figures, curves and kept policies on the right."""
    run = summary.run
    _open_saved(run)
    policy = policy_in_address(st.query_params.to_dict())
    left, right = st.columns([1, 2.3], gap="large")
    with left:
        section("What if")
        st.caption(NOTHING_IS_JUDGED)
        draw_judge(run, policy)
        try:
            counted = what_if_for(run.id, policy.judge_run)
        except RecallError as error:
            st.error(plain(str(error)))
            return
        draw_sliders(run, counted, policy)
        _save(run, policy)
    with right:
        _figures(run, counted, policy)
        _curves(run, counted, policy)
        _kept(run)


def _open_saved(run: RunFacts) -> None:
    """`?policy=7` shows what was saved under that number; its words then stand in the address."""
    asked = number_in_address("policy")
    if asked is None:
        return
    st.query_params.pop("policy", None)
    card = next((c for c in policies(engine(), run.id) if c.id == asked), None)
    if card is None:
        st.caption(":red[! That policy is not kept any more.]")
    else:
        show_policy(card.policy)


def _figures(run: RunFacts, counted: WhatIf, policy: Policy) -> None:
    now_counts = what_if_for(run.id, None).under(AS_IT_IS)
    then = counted.under(policy)
    section("As it is, and as it would be")
    moved = None
    if now_counts.mean.value is not None and then.mean.value is not None:
        moved = then.mean.value - now_counts.mean.value
    lines = [
        ("Mean", two_decimals(now_counts.mean.value), two_decimals(then.mean.value), signed(moved)),
        ("It covers", _covers(now_counts), _covers(then), ""),
        ("Pass mark", _mark(now_counts), _mark(then), ""),
        ("Pass", _passed(now_counts), _passed(then), _passed_change(now_counts, then)),
    ]
    st.html(number_table(("", "the run as it is", "what if", "difference"), lines))
    st.caption(plain(f"What if: {policy_words(policy)}."))


def _covers(result: PolicyResult) -> str:
    return f"{result.mean.n:,} of {result.mean.of:,}"


def _mark(result: PolicyResult) -> str:
    return MISSING if result.mark is None else printed(result.mark)


def _passed(result: PolicyResult) -> str:
    if result.passed is None:
        return MISSING
    return f"{result.passed:,} ({percent(result.share_passed)})"


def _passed_change(before: PolicyResult, after: PolicyResult) -> str:
    if before.passed is None or after.passed is None:
        return MISSING
    more = after.passed - before.passed
    return f"{'+' if more > 0 else '−' if more < 0 else ''}{abs(more):,}"


def _curves(run: RunFacts, counted: WhatIf, policy: Policy) -> None:
    """A curve for each slider that has one, with a line where the slider stands."""
    threshold, bonus = counted.threshold_curve(policy), counted.bonus_curve(policy)
    mark = policy.pass_mark if policy.pass_mark is not None else run.pass_mark
    places = st.columns(2, gap="medium")
    with places[0]:
        section("Share that passes, by pass mark")
        curve_chart(counted.pass_curve(policy), at=mark, share=True, key="pass_curve")
    scale = FINAL_RANGE[run.formula]
    with places[1]:
        if threshold:
            section("Mean, by similarity threshold")
            at = policy.similarity_threshold
            here = Fraction(str(own_threshold(run))) if at is None else at
            curve_chart(threshold, at=here, scale=scale, key="threshold_curve")
        elif bonus:
            section("Mean, by weight of the bonus")
            weight = Fraction(1) if policy.bonus_weight is None else policy.bonus_weight
            curve_chart(bonus, at=weight, scale=scale, key="bonus_curve")


def _save(run: RunFacts, policy: Policy) -> None:
    with st.form("save_policy", border=False, clear_on_submit=True):
        name = st.text_input("Keep this as a policy named", max_chars=100, key="policy_name")
        save = st.form_submit_button("Save policy", type="primary")
    kept = st.session_state.pop(_SAVED, None)
    if kept is not None:
        st.caption(plain(f"✓ {kept} is kept, and exports can carry it."))
    if not save:
        return
    try:
        save_policy(engine(), run.id, name, policy, author=author(), now=now())
    except RecallError as error:
        st.caption(f":red[! {plain(str(error))}]")
    else:
        st.session_state[_SAVED] = name
        st.rerun()  # The menu of exports, at the head of the page, offers it then.


def _kept(run: RunFacts) -> None:
    """What people have saved for the run, each with what it makes of it now."""
    section("Policies of this run")
    cards = policies(engine(), run.id)
    if not cards:
        st.caption("None is kept yet. An export can carry a policy once it has a name.")
        return
    for card in cards:
        with st.container(horizontal=True, vertical_alignment="center", key=f"policy-{card.id}"):
            st.markdown(_card_words(card), width="stretch")
            st.button("Show", key=f"policy_show_{card.id}", on_click=_show, args=(card,))
            st.button(
                "Delete",
                key=f"policy_delete_{card.id}",
                type="tertiary",
                on_click=delete_policy,
                args=(engine(), card.id),
            )


def _show(card: PolicyCard) -> None:
    show_policy(card.policy)


def _card_words(card: PolicyCard) -> str:
    """Markdown: name, rule, what it makes of the run, who saved it."""
    try:
        result = what_if_for(card.run_id, card.policy.judge_run).under(card.policy)
    except (NotKept, RecallError) as error:
        return f"**{plain(card.name)}**, {plain(str(error))}"
    passed = "" if result.passed is None else f", {count(result.passed, 'passes', 'pass')}"
    made = f"{card.created_by}, {ago(card.created_at, now())}"
    return (
        f"**{plain(card.name)}**: {plain(policy_words(card.policy))}  \n"
        f"{plain(f'{result.mean}{passed} · {made}')}"
    )


def policy_words(policy: Policy) -> str:
    """`pass mark 4, weight of the bonus 0.5`: what differs from the run."""
    numbers = (
        ("pass mark", policy.pass_mark),
        ("weight of the bonus", policy.bonus_weight),
        ("similarity threshold", policy.similarity_threshold),
    )
    said = [f"{name} {printed(value)}" for name, value in numbers if value is not None]
    if policy.rounding is not None:
        said.append(f"third decimal {ROUNDINGS[policy.rounding]}")
    if policy.judge_run is not None:
        said.append(f"the judge of run {policy.judge_run}")
    return ", ".join(said) or "everything as the run has it"

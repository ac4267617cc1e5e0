"""A run's recall as every screen shows it: the number, how sure it is, and what it is made from.

All of it comes from one `Headline`, so that no two screens can say different things.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.components.address_choice import segments
from pages.components.rows import Cell, Figure, Text, interval
from pages.components.style import facts, plain, two_decimals
from recall_core.estimation import NoEstimate, Target
from recall_core.headline import Headline, Standing
from recall_core.queues import Queue
from recall_core.scoring import FINAL_RANGE
from recall_core.stop_rule import StopRule

EXPLAINED = "trust.py"
"""The page with the methods behind every figure."""
BAR_AND_RING = (
    "A filled bar is an estimate from audited reviews. A ring is a mean without an audit: it is "
    "mostly the judge's, and not recall until people have audited some of it."
)
"""What stands below a list that shows headlines."""


def headline_facts(
    found: Headline, rule: StopRule, *, judge: str = "Judge", more: Sequence[tuple[str, str]] = ()
) -> None:
    """The number with its interval, and beside it what it is made from and what would narrow it.

    `judge` is what the judge is called here; `more` are further facts of the screen.
    """
    pairs = []
    if found.standing not in (Standing.JUDGE_ONLY, Standing.NOTHING):
        pairs.append(("Made from", found.made_from))
        alone = f"{two_decimals(found.judge.value)}, {found.judge.n:,} of {found.judge.of:,}"
        pairs.append((f"{judge} alone", alone))
    needed = found.reviews_for()
    if needed is not None and needed.more:
        reviews = f"{needed.more:,} more audit review{'' if needed.more == 1 else 's'}"
        pairs.append((f"For ±{needed.half_width:.2f}", reviews))
    pairs.append(("Still reachable", "nothing" if rule.ends is None else " to ".join(rule.ends)))
    provisional = found.estimate is not None and found.estimate.provisional
    label = found.label + (", provisional" if provisional else "")
    head = (label, found.number, _beside(found))
    st.html(facts([*pairs, *more], headline=head, judge_only=found.faint))


def headline_words(found: Headline, rule: StopRule, run_id: int) -> None:
    """How the number came about in plain sentences, where the methods are, and the way on: to the
    audit, wherever more of it would say more.
    """
    words = f"{found.sentence} {rule.sentence} {beforehand(found)}"
    with st.container(horizontal=True, vertical_alignment="center", wrap=False):
        st.caption(plain(words.strip()), width="stretch")
        st.page_link(
            "calibration.py", label="How good is the judge", query_params={"run": str(run_id)}
        )
        st.page_link(EXPLAINED, label="How far to trust it", icon=":material/menu_book:")
        if wants_audit(found) and st.button(audit_label(found), key="to_audit"):
            to_audit(run_id)


def choose_target(found: Headline) -> Target:
    """What the number is to speak of, where that makes a difference; the address keeps it."""
    if found.standing not in (Standing.ESTIMATED, Standing.EXACT):
        return Target.THESE
    chosen = segments(
        "What the number speaks of", "target", {"": "These examples", "like": "Examples like these"}
    )
    return Target.LIKE_THESE if chosen else Target.THESE


def beforehand(found: Headline) -> str:
    """That one should not stop reviewing when the number pleases, and a number to fix instead."""
    needed = found.reviews_for()
    if needed is None or not needed.more:
        return ""
    return (
        f"Decide beforehand how many you will review, say {needed.more:,} more: who stops when the "
        "number pleases makes the interval too sure of itself."
    )


def wants_audit(found: Headline) -> bool:
    """Whether the audit is what the number lacks, and can begin."""
    if found.still_judging or found.standing is Standing.NOTHING:
        return False
    return found.estimate is None or found.estimate.provisional


def audit_label(found: Headline) -> str:
    """What the audit's button says."""
    grounds = found.grounds
    if grounds.pending:
        return f"Finish the audit, {grounds.pending} waiting"
    return "Go on with the audit" if grounds.audited else "Begin the audit"


def to_audit(run_id: int) -> None:
    """Open the desk at the run's audit queue."""
    query = {"run": str(run_id), "queue": Queue.AUDIT.value}
    st.switch_page("review.py", query_params=query)


def headline_cells(found: Headline) -> tuple[Cell, Cell]:
    """The number with its grounds in short, and its place on the scale, for a line of a list."""
    figure = Figure(found.number, short_grounds(found), strong=True, judge_only=found.faint)
    if found.value is None:
        return figure, Text("")
    ends = None if found.estimate is None else (found.estimate.low, found.estimate.high)
    return figure, interval(found.value, FINAL_RANGE[found.formula], ends)


def short_grounds(found: Headline) -> str:
    """`3.93 to 4.31 · 40 audited`, `3 audited, 2 more needed` or `judge only, unreviewed`."""
    grounds = found.grounds
    match found.standing:
        case Standing.NOTHING:
            return ""
        case Standing.JUDGE_ONLY:
            part = found.now.n < found.now.of
            return f"{found.now.n:,} of {found.now.of:,}, judge only" if part else found.made_from
        case Standing.NO_INTERVAL:
            lacks = found.estimated.more if isinstance(found.estimated, NoEstimate) else 0
            needed = f", {lacks} more needed" if lacks and not found.still_judging else ""
            return f"{grounds.audited} audited{needed}"
        case Standing.EXACT:
            return f"all {grounds.examples:,} reviewed"
        case Standing.ESTIMATED:
            waits = f", {grounds.pending} waiting" if grounds.pending else ""
            return f"{found.interval} · {grounds.audited} audited{waits}"


def _beside(found: Headline) -> str:
    match found.standing:
        case Standing.ESTIMATED:
            return found.interval
        case Standing.NOTHING:
            return ""
        case _:
            return found.standing.value

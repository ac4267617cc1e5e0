"""One audit for two runs: the same examples drawn in both, and the way to their reviews."""

from __future__ import annotations

import streamlit as st

from db.errors import NotPossibleNow
from db.shared_audits import Together, draw_together
from pages.components.headline import to_audit
from pages.components.kept_figures import headline_for
from pages.components.session import engine, now, reviewer
from pages.components.style import count, plain, section
from recall_core.comparison import Comparison
from recall_core.estimation import SHARED_REVIEWS, Estimate, NoEstimate, forecast

_DRAWN = "compare.drawn"
_SUGGESTED, _MOST = 10, 100


def shared_audit(found: Comparison) -> None:
    """Draws for both, and what of it still waits in each."""
    section("Audit both at once")
    st.markdown(
        plain(
            f"{found.audited_in_both:,} of {count(found.shared, 'shared example')} "
            f"{'is' if found.audited_in_both == 1 else 'are'} audited in both runs. One draw "
            "serves both: what you review counts in each run and in the comparison."
        )
    )
    if drawn := st.session_state.pop(_DRAWN, None):
        st.markdown(f"✓ {plain(drawn)}")
    name = reviewer()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        number = st.number_input(
            "Examples to draw",
            min_value=1,
            max_value=_MOST,
            value=suggested(found),
            key="compare.count",
            width=140,
        )
        if st.button(
            f"Draw {number} for both",
            type="primary",
            key="draw_together",
            disabled=name is None,
            help=None if name else "Say who you are first, at the top right.",
        ):
            _draw(found, int(number), name or "")
    _waiting(found)


def suggested(found: Comparison) -> int:
    """How many more it is likely to take, within what one sits down for."""
    estimated = found.final.estimated
    left = max(1, min(_MOST, found.shared - found.audited_in_both))
    if isinstance(estimated, NoEstimate):
        return min(left, max(_SUGGESTED, estimated.more))
    return min(left, _more(estimated) or _SUGGESTED)


def _more(found: Estimate) -> int | None:
    return forecast(found, abs(found.point), reviews=SHARED_REVIEWS).more if found.point else None


def _draw(found: Comparison, number: int, name: str) -> None:
    try:
        drawn = draw_together(
            engine(), found.a.id, found.b.id, count=number, reviewer=name, now=now()
        )
    except NotPossibleNow as error:
        st.error(plain(str(error)))
        return
    st.session_state[_DRAWN] = drawn_words(drawn)
    st.rerun()


def drawn_words(drawn: Together) -> str:
    """`10 drawn in both runs, 2 only in A: …`."""
    if not drawn.both:
        return "No example is left that could be drawn in both runs."
    alone = [
        f"{number} only in {side}"
        for number, side in ((drawn.only_a, "A"), (drawn.only_b, "B"))
        if number
    ]
    why = " (drawn, reviewed or missing in the other)" if alone else ""
    return f"{', '.join([f'{drawn.both} drawn in both runs', *alone])}{why}."


def _waiting(found: Comparison) -> None:
    waiting = [
        (side, run, headline_for(run.id).grounds.pending)
        for side, run in (("A", found.a), ("B", found.b))
    ]
    with st.container(horizontal=True):
        for side, run, pending in waiting:
            if pending and st.button(f"Review in {side}, {pending} waiting", key=f"review_{side}"):
                to_audit(run.id)

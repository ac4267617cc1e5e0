"""A run's ledger: the way from the judge's mean to now, and every decision that made it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from db.ledgers import RunLedger, RunLine
from pages.components.kept_figures import ledger_for
from pages.components.ledger_lines import LEDGER_COLUMNS, ledger_row, lines_in_words
from pages.components.result_charts import movement_chart
from pages.components.revert_dialog import PICKS, REVERTED, open_revert, revert_dialog
from pages.components.rows import rows
from pages.components.session import viewer
from pages.components.style import count, plain, section, two_decimals
from recall_core.movement import Grouping
from recall_core.summary import RunSummary
from recall_core.types import Action

SIZE: Final = 50
OF: Final = "ledger.picked.of"
BY: Final = {"By cause": Grouping.CAUSE, "By reviewer": Grouping.REVIEWER}
CHANGES, ALL = "Changes that stand", "All decisions"


def run_ledger_view(summary: RunSummary) -> None:
    """The waterfall with its switch, then the lines with what taking them back would do."""
    ledger = ledger_for(summary.run.id)
    if st.session_state.get(OF) != summary.run.id:
        st.session_state[OF] = summary.run.id
        PICKS.put(())
    if not ledger.lines:
        st.markdown(
            "Nobody has decided on anything that you may see here yet. Every decision will be a "
            "line: unit, from and to, who, when, why, and what it did to the final."
        )
        return
    _waterfall(ledger)
    _lines(summary, ledger)


def _waterfall(ledger: RunLedger) -> None:
    left, right = st.columns([2.2, 1], gap="large")
    with left:
        with st.container(
            horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
        ):
            section("From the judge's mean to now")
            chosen = st.segmented_control(
                "Grouped",
                list(BY),
                default="By cause",
                required=True,
                key="way",
                bind="query-params",
                label_visibility="collapsed",
            )
        by_reviewer = BY[chosen or "By cause"] is Grouping.REVIEWER
        movement = ledger.by_reviewer if by_reviewer else ledger.by_cause
        if movement is None:
            st.markdown("One of the two means covers no example, so there is no way between them.")
        else:
            movement_chart(movement)
    with right:
        section("How to read it")
        st.caption(_reading(ledger))


def _reading(ledger: RunLedger) -> str:
    judge, now = ledger.judge, ledger.now
    return plain(
        f"The judge's mean is {two_decimals(judge.value)} over {judge.n:,} of {judge.of:,} "
        f"examples, the mean that counts now {two_decimals(now.value)} over {now.n:,}. Decisions "
        "are replayed in the order they were made; each bar is what those of one cause or one "
        "person did together, and the number beside a name says how many units. What the cap at 5 "
        "takes or gives back is a bar of its own, and so are examples that came into the mean or "
        "left it. The bars always add up to the difference."
    )


def _lines(summary: RunSummary, ledger: RunLedger) -> None:
    shown, key = _chosen(ledger)
    pages = max(1, -(-len(shown) // SIZE))
    page = min(pages, st.session_state.get(key) or 1)
    on_page = shown[(page - 1) * SIZE : page * SIZE]
    _bar(summary, ledger)
    if not shown:
        st.markdown("No decision fits. Choose all decisions, or everybody.")
        return
    opened = rows(
        LEDGER_COLUMNS, [ledger_row(line) for line in on_page], key=f"ledger-{page}", picks=PICKS
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        place = f", page {page} of {pages}" if pages > 1 else ""
        st.caption(lines_in_words(len(shown), len(ledger.lines)) + place, width="content")
        if pages > 1:
            st.pagination(pages, key=key)
    for line in on_page:
        if str(line.line.decision.id) == opened:
            here = {"run": str(summary.run.id), "judgement": str(line.judgement_id)}
            st.switch_page("review.py", query_params=here)


def _chosen(ledger: RunLedger) -> tuple[list[RunLine], str]:
    """The lines that the controls ask for, the newest first, and where their page is kept."""
    everybody = "everybody"
    names = sorted({line.line.decision.reviewer for line in ledger.lines}, key=str.casefold)
    changes = [line for line in ledger.lines if _moves(line)]
    section("Lines, the newest first")
    with st.container(horizontal=True, vertical_alignment="center"):
        what = st.segmented_control(
            "Which lines",
            [CHANGES, ALL],
            default=CHANGES,
            required=True,
            key="lines",
            bind="query-params",
            label_visibility="collapsed",
        )
        who = st.selectbox(
            "Whose",
            [everybody, *names],
            key="who",
            bind="query-params",
            width=200,
            label_visibility="collapsed",
        )
    lines: Sequence[RunLine] = ledger.lines if what == ALL else changes
    kept = [line for line in lines if who in (everybody, line.line.decision.reviewer)]
    return kept[::-1], f"ledger_page.{what}.{who}"


def _moves(line: RunLine) -> bool:
    decision = line.line.decision
    changed = decision.before != decision.after and decision.action is not Action.UNDO
    return changed and line.line.standing


def _bar(summary: RunSummary, ledger: RunLedger) -> None:
    """What is picked, and the way to what taking it back would do."""
    picked = [line for line in ledger.lines if str(line.line.decision.id) in PICKS.ids]
    with st.container(horizontal=True, vertical_alignment="center"):
        said = f"**{count(len(picked), 'line')} selected**" if picked else "Nothing selected"
        st.markdown(said, width="content")
        st.button(
            "Clear",
            key="ledger_clear",
            type="tertiary",
            disabled=not picked,
            on_click=PICKS.put,
            args=((),),
        )
        st.button(
            "What would taking back do?",
            key="revert_preview",
            disabled=not picked,
            on_click=open_revert,
        )
        done = st.session_state.get(REVERTED)
        if done:
            st.markdown(f"✓ {plain(done)}", width="content")
    if picked:
        revert_dialog(summary.run.id, summary.run.formula, picked, viewer())

"""How people will review a run: asked when it is made, and said in words ever after."""

from __future__ import annotations

import streamlit as st

from db.run_cards import MOST_REVIEWERS
from db.runs import RunOptions, RunTemplate
from pages.components.style import section

LARGEST_SEED = 2**31 - 1


def draw_review_options(start: RunTemplate | None, key: str) -> RunOptions:
    """The part of the form for new runs that says how people will review them."""
    before = start.options if start is not None else RunOptions()
    section("Review")
    blind = st.toggle(
        "Blind",
        value=before.blind,
        key=f"{key}.blind",
        help="Reviewers score first and see the judge's score, reasoning and evidence after they "
        "commit. Only such scores say how well judge and people agree.",
    )
    needed = _reviewers(before, key)
    halves = st.toggle(
        "Half scores",
        value=before.halves,
        key=f"{key}.halves",
        help="Reviewers may give 3.5 and the like, not only whole numbers.",
    )
    notes = st.toggle(
        "A note with every change",
        value=before.notes_required,
        key=f"{key}.notes",
        help="A change is stored only with a reason in words.",
    )
    with st.expander("More about reviewing"):
        seed = st.number_input(
            "Audit seed",
            min_value=0,
            max_value=LARGEST_SEED,
            value=before.audit_seed,
            step=1,
            key=f"{key}.seed",
            help="Fixes the random order of the audit. The same seed over the same dataset draws "
            "the same examples, so a drawing can be repeated and checked.",
        )
    return RunOptions(
        mode="independent" if needed > 1 else "shared",
        blind=blind,
        reviewers_needed=needed,
        halves=halves,
        notes_required=notes,
        audit_seed=int(seed),
    )


def _reviewers(before: RunOptions, key: str) -> int:
    choice = st.segmented_control(
        "Reviewers for each example",
        range(1, MOST_REVIEWERS + 1),
        default=before.reviewers_needed,
        required=True,
        key=f"{key}.reviewers",
        help="With two or three, each decides without seeing the others. Their scores count once "
        "all of them are done; where they differ, somebody settles it.",
    )
    return int(choice)


def review_words(options: RunOptions) -> list[str]:
    """The same as lines, for a run that exists."""
    lines = []
    if options.blind:
        lines.append("reviewed blind: the judge is shown after one's own score")
    if options.mode == "independent" and options.reviewers_needed > 1:
        lines.append(f"{options.reviewers_needed} reviewers for each example, each alone")
    lines.append("half scores allowed" if options.halves else "whole scores only")
    if options.notes_required:
        lines.append("a note with every change")
    lines.append(f"audit seed {options.audit_seed}")
    return lines

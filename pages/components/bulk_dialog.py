"""Deciding on a selection: what to do, what it would change, and then doing it as one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, NoReturn

import streamlit as st

from db.batches import BulkDone
from db.bulk import BulkAct, BulkPreview, decide_bulk, preview_bulk
from db.reviews import hides_judge
from pages.components.rows import Picks
from pages.components.session import engine, now
from pages.components.style import count, facts, plain, two_decimals
from pages.components.writes import write_done, write_number
from recall_core.details import RunFacts
from recall_core.errors import RecallError
from recall_core.scoring import SCALES, exact
from recall_core.types import Action, Cause, Formula, UnitKind

PICKS: Final = Picks("list.picked")
DONE: Final = "list.done"
"""Where session state keeps the sentence about the last act."""
OPEN: Final = "list.dialog"
"""Where it keeps which dialog is open."""
_ACTIONS: Final = {
    "Confirm": Action.CONFIRM,
    "Set a score": Action.SET,
    "Exclude": Action.EXCLUDE,
}
_PASSAGES: Final = {
    "All passages": None,
    "Essential ones": UnitKind.ESSENTIAL,
    "Bonus ones": UnitKind.BONUS,
}
_FOUND: Final = {"Yes, found": Fraction(1), "No, not found": Fraction(0)}
_SHOWN_REFUSED: Final = 5
_ASKED: Final = "list.asked"
AT_ONCE: Final = 1000
"""Up to so many examples are looked at with every change of the form."""
STEP: Final = 100
"""So many are decided on between two steps of the bar."""


def open_dialog(name: str) -> None:
    """Show this dialog from the next script run on, until it is done or closed."""
    st.session_state[OPEN] = name


def close_dialog() -> None:
    """Show none."""
    st.session_state.pop(OPEN, None)


def say_done(sentence: str) -> NoReturn:
    """Close the dialog, and have the page say what it has done."""
    close_dialog()
    st.session_state[DONE] = sentence
    st.rerun()


@dataclass(frozen=True, slots=True)
class _Wish:
    """What the form says, before it is known whether it can be done."""

    action: Action
    kind: UnitKind | None
    score: Fraction | None
    cause: Cause | None
    note: str
    reviewed_too: bool


@st.dialog("Decide on the selection", width="medium", on_dismiss=close_dialog)
def decide_dialog(run: RunFacts, ids: Sequence[int], name: str) -> None:
    """The form, the preview of what it would change, and the button that names its effect."""
    st.markdown(f"**{count(len(ids), 'example')}** of {plain(run.name)}.")
    wish = _form(run)
    act = BulkAct(wish.action, wish.kind, wish.score, wish.cause, wish.note, wish.reviewed_too)
    if not _wanted(ids, act):
        return
    try:
        with st.spinner(f"Looking what it would change in {count(len(ids), 'example')} …"):
            preview = preview_bulk(engine(), run.id, ids, act, reviewer=name)
    except RecallError as error:
        st.caption(f":red[! {plain(str(error))}]")
        return
    _show(preview, blind=hides_judge(engine(), run.id, name))
    lacks_note = run.notes_required and act.action is not Action.CONFIRM and not act.note.strip()
    if lacks_note:
        st.caption(":red[! This run asks for a note with every change: say why.]")
    if st.button(
        _label(act, preview),
        type="primary",
        disabled=not preview.units or lacks_note,
        key="bulk_go",
    ):
        _do(run, ids, act, preview, name)


def _wanted(ids: Sequence[int], act: BulkAct) -> bool:
    """Whether to work out what it would change: in a large selection only when asked, since every
    change of the form would cost some seconds."""
    if len(ids) <= AT_ONCE or st.session_state.get(_ASKED) == act:
        return True
    st.caption(f"To look at {count(len(ids), 'example')} takes a moment.")
    if st.button("Look what it would change", key="bulk_look"):
        st.session_state[_ASKED] = act
        return True
    return False


def _form(run: RunFacts) -> _Wish:
    left, right = st.columns([1.6, 1], vertical_alignment="bottom")
    with left:
        chosen = st.segmented_control(
            "What", list(_ACTIONS), default="Confirm", required=True, key="bulk_action"
        )
    action = _ACTIONS[chosen or "Confirm"]
    kind = None
    with right:
        if run.formula is Formula.PASSAGE:
            kind = _PASSAGES[st.selectbox("Of which units", list(_PASSAGES), key="bulk_kind")]
    if action is Action.CONFIRM:
        st.caption("Every unit that nobody has reviewed keeps its score and counts as reviewed.")
        return _Wish(action, kind, None, None, "", reviewed_too=False)
    score = _score(run, kind) if action is Action.SET else None
    cause, note = _why(run)
    too = st.toggle(
        "Those that are reviewed already too",
        key="bulk_reviewed_too",
        help="Otherwise only units that nobody has reviewed are decided on.",
    )
    return _Wish(action, kind, score, cause, note, too)


def _score(run: RunFacts, kind: UnitKind | None) -> Fraction:
    if run.formula is Formula.SHARE:
        said = st.segmented_control(
            "Score", list(_FOUND), default="Yes, found", required=True, key="bulk_found"
        )
        return _FOUND[said or "Yes, found"]
    scale = SCALES[kind or UnitKind.BONUS]
    number = st.number_input(
        "Score",
        min_value=float(scale.lowest),
        max_value=float(scale.highest),
        value=float(scale.highest),
        step=0.5 if run.halves else 1.0,
        format="%g",
        key=f"bulk_score_{scale.lowest}",
        width=160,
    )
    return exact(number)


def _why(run: RunFacts) -> tuple[Cause | None, str]:
    left, right = st.columns([1, 1.6])
    with left:
        cause = st.selectbox(
            "Cause",
            list(Cause),
            index=None,
            placeholder="none",
            key="bulk_cause",
            format_func=lambda cause: cause.value,
        )
    with right:
        asked = "required in this run" if run.notes_required else "optional"
        note = st.text_input("Note", placeholder=asked, key="bulk_note")
    return cause, note


def _show(preview: BulkPreview, *, blind: bool) -> None:
    """What would change; what it would change *from* is not for somebody who scores blind."""
    before, after = preview.mean_before, preview.mean_after
    covers = f"{after.n:,} of {after.of:,}"
    if before.n != after.n:
        covers = f"{before.n:,} → {covers}"
    pairs = [
        ("Decided on", f"{count(preview.units, 'unit')}, {count(preview.examples, 'example')}"),
        ("Counts differently", count(preview.changed_units, "unit")),
        ("Mean", f"{two_decimals(before.value)} → {two_decimals(after.value)}"),
        ("It covers", covers),
    ]
    st.html(facts(pairs[:1] if blind else pairs))
    if blind:
        st.caption("How the mean would move is not shown: it would tell what the judge gave.")
    if preview.refused:
        lines = [plain(f"! {said}") for said in _refusals(preview)]
        st.caption("  \n".join(lines))
    elif not preview.units:
        st.caption("Nothing to do: every unit of the selection is reviewed, or none is there.")


def _refusals(preview: BulkPreview) -> list[str]:
    """The reasons, each once with how many units or examples it keeps out."""
    reasons: Counter[str] = Counter()
    for refused in preview.refused:
        why = refused.sentence
        if refused.unit is not None:
            why = why.replace(refused.unit.label, "the unit", 1)
        reasons[why[:1].upper() + why[1:]] += 1
    shown = reasons.most_common(_SHOWN_REFUSED)
    said = [f"{times:,} left out: {why}" for why, times in shown]
    more = len(reasons) - len(shown)
    return [*said, f"And {count(more, 'more reason')}."] if more else said


def _label(act: BulkAct, preview: BulkPreview) -> str:
    verbs = {Action.CONFIRM: "Confirm", Action.SET: "Set", Action.EXCLUDE: "Exclude"}
    return f"{verbs[act.action]} {count(preview.units, 'unit')}"


def _do(run: RunFacts, ids: Sequence[int], act: BulkAct, preview: BulkPreview, name: str) -> None:
    try:
        done = _decided(run, ids, act, preview, name)
    except RecallError as error:
        st.error(plain(str(error)))
        return
    write_done(_purpose(run, act))
    st.session_state.pop(_ASKED, None)
    verbs = {Action.CONFIRM: "Confirmed", Action.SET: "Set", Action.EXCLUDE: "Excluded"}
    last = done[-1]
    said = f"{verbs[act.action]} {count(last.units, 'unit')} of {count(last.examples, 'example')}."
    left_out = [left for step in done for left in step.left_out]
    if left_out:
        said += f" {count(len(left_out), 'example')} left out, for example: {left_out[0].sentence}"
    PICKS.put(())
    say_done(f"{said} Undo takes that back as one.")


def _purpose(run: RunFacts, act: BulkAct) -> str:
    """What is cut short and then asked for again goes on under the same number."""
    return f"bulk {run.id} {act}"


def _decided(
    run: RunFacts, ids: Sequence[int], act: BulkAct, preview: BulkPreview, name: str
) -> list[BulkDone]:
    """Some at a time, all under one number, which makes them one batch; each step says how much
    the batch holds so far."""
    number = write_number(_purpose(run, act))
    bar = st.progress(0.0, f"Storing {count(preview.units, 'decision')} …")
    done = []
    for start in range(0, len(ids), STEP):
        done.append(
            decide_bulk(
                engine(),
                run.id,
                ids[start : start + STEP],
                act,
                reviewer=name,
                seen=preview.newest,
                client_id=number.client_id,
                client_seq=number.client_seq,
                now=now(),
            )
        )
        bar.progress(min(1.0, (start + STEP) / len(ids)))
    return done

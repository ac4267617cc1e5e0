"""How good each judge is, against people: per version, prompt, model and kind of unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from db.calibrating import with_itself
from db.details import read_run_facts
from db.errors import NotKept
from db.runs import list_runs
from pages.components.address_choice import segments, selection
from pages.components.agreement_rows import (
    MEASURE_COLUMNS,
    PAIR_COLUMNS,
    UNIT_NOUNS,
    alpha_row,
    pair_row,
    self_facts,
)
from pages.components.calibration_view import (
    cell_units,
    drift,
    largest,
    left_out,
    matrix,
    measures,
    other_judges,
    sentence,
    sides,
    where_wrong,
)
from pages.components.few_shot_view import few_shot
from pages.components.headline import EXPLAINED, to_audit
from pages.components.kept_figures import (
    between_people_for,
    calibrations_for,
    judged_elsewhere_for,
)
from pages.components.page_parts import gone, head, nothing_here, number_in_address
from pages.components.result_charts import KIND_NAMES
from pages.components.rows import rows
from pages.components.session import engine
from pages.components.style import facts, plain, section
from recall_core.agreement import PeopleAgreement
from recall_core.calibration import Calibration, Side
from recall_core.types import UnitKind

KINDS = tuple(UnitKind)


def main() -> None:
    run_id = number_in_address("run")
    try:
        over = "all runs" if run_id is None else read_run_facts(engine(), run_id).name
    except NotKept as error:
        gone(error)
    run_ids = [card.id for card in list_runs(engine())] if run_id is None else [run_id]
    found = calibrations_for(run_ids)
    if not found:
        _nothing_yet(run_id, over)
    _page(found, run_ids, run_id, over)


def _nothing_yet(run_id: int | None, over: str) -> None:
    sentence = (
        f"This lays what judges said beside what people said, and in {over} nobody has finished "
        "the review of an example. Audit reviews count most: they are drawn at random."
    )
    if run_id is None:
        nothing_here("Calibration", sentence, "To all runs", "overview.py")
    query = {"run": str(run_id), "queue": "audit"}
    nothing_here("Calibration", sentence, "Begin the audit", "review.py", query)


def _page(
    found: Sequence[Calibration], run_ids: Sequence[int], run_id: int | None, over: str
) -> None:
    with head("Calibration", f"Judges against people, in {over}"):
        if run_id is not None:
            _one_run(run_id)
    shown = _choose(found)
    others = judged_elsewhere_for(shown, run_ids)
    side = _side(shown, parts=bool(others))
    agreed = shown.agreement(side)
    if side.audit:
        sentence(shown)
    left, right = st.columns([5, 6.4], gap="large")
    with left:
        matrix(shown, side)
        left_out(shown)
    with right:
        measures(agreed)
    cell_units(shown, side)
    left, right = st.columns(2, gap="large")
    with left:
        where_wrong(shown, side)
        drift(shown, side)
    with right:
        sides(shown, side)
    other_judges(shown, others, side)
    if shown.key.prompt_hash:
        few_shot(shown)
    largest(shown, side)
    _people(between_people_for(run_ids), shown.kind)
    _itself(shown, run_id)
    st.page_link(EXPLAINED, label="How every figure is worked out", icon=":material/menu_book:")


def _one_run(run_id: int) -> None:
    if st.button("All runs", key="all_runs"):
        st.switch_page("calibration.py")
    if st.button("Results", key="to_results"):
        st.switch_page("results.py", query_params={"run": str(run_id)})
    if st.button("Audit", key="to_audit", type="primary"):
        to_audit(run_id)


def _choose(found: Sequence[Calibration]) -> Calibration:
    """The judge and the kind of unit that the address names."""
    keys = list(dict.fromkeys(one.key for one in found))
    labels = {str(place): key.label for place, key in enumerate(keys)}
    if len(set(labels.values())) < len(labels):
        labels = {
            place: f"{keys[int(place)].label}, prompt {keys[int(place)].prompt_hash[:8]}"
            for place in labels
        }
    with st.container(horizontal=True, vertical_alignment="center"):
        place = selection("Judge", "judge", labels, width=320)
        of_judge = [one for one in found if one.key == keys[int(place)]]
        same = {one.kind.value: one for one in sorted(of_judge, key=lambda c: KINDS.index(c.kind))}
        kind = segments("Kind", "kind", {k: KIND_NAMES[one.kind] for k, one in same.items()})
    return same[kind]


def _side(found: Calibration, *, parts: bool) -> Side:
    """Which reviews are looked at; each button says how many examples it would show. `parts`: the
    units can be cut in those to learn from and those held out.
    """
    with st.container(horizontal=True, vertical_alignment="center"):
        reviews = {
            name: f"{label} {found.examples(Side(audit)):,}"
            for name, label, audit in (
                ("audit", "Audit", True),
                ("chosen", "Chosen", False),
                ("all", "Both", None),
            )
        }
        audit = {"audit": True, "chosen": False, "all": None}[
            segments("Which reviews", "reviews", reviews)
        ]
        blinds = {
            name: f"{label} {found.examples(Side(audit, blind)):,}"
            for name, label, blind in (
                ("both", "Blind or not", None),
                ("open", "Not blind", False),
                ("blind", "Blind", True),
            )
        }
        blind = {"both": None, "open": False, "blind": True}[
            segments("Whether they saw the judge's score", "sight", blinds)
        ]
        everybody = {"": "All reviewers"} | {name: name for name in found.reviewers}
        reviewer = selection("Reviewer", "reviewer", everybody, width=200)
        held_out = _part() if parts else None
    return Side(audit, blind, reviewer or None, held_out)


def _part() -> bool | None:
    parts = {"": "All units", "learn": "To learn from", "held-out": "Held out"}
    return {"": None, "learn": False, "held-out": True}[segments("Units", "part", parts)]


def _people(people: Mapping[UnitKind, PeopleAgreement], kind: UnitKind) -> None:
    found = people.get(kind)
    if found is None:
        return
    section("People against each other")
    if not found.units:
        st.markdown(
            "No unit has been scored by two people. A run can ask for two people on each example, "
            "who do not see each other; then their agreement shows here."
        )
        return
    left, right = st.columns(2, gap="large")
    with left:
        line = alpha_row(f"{UNIT_NOUNS[kind]}s", found)
        rows(MEASURE_COLUMNS, [line], key="alpha", opens=False)
    with right:
        pairs = [pair_row(pair) for pair in found.pairs if pair.units]
        rows(PAIR_COLUMNS, pairs, key="pairs", opens=False)


def _itself(shown: Calibration, run_id: int | None) -> None:
    """Repeats of the run that the figures rest on most."""
    runs = [unit.run_id for unit in shown.units]
    asked = with_itself(engine(), run_id or max(set(runs), key=runs.count))
    section("The judge against itself")
    if pairs := self_facts(asked):
        st.html(facts(pairs))
    st.caption(plain(asked.sentence))


main()

"""Calibration: a judge against people, audit and chosen apart, each figure with its sentence."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from db.engine import transaction
from db.runs import RunOptions
from db.tables import RunRow
from pages.components.agreement_rows import measure_row
from pages.components.guide import parts_of, with_its_own
from pages.components.rows import Interval
from recall_core.agreement import Measure, Name
from recall_core.held_out import held_out
from recall_core.types import Cause
from tests.db.reviewing import E1, told
from tests.db.test_estimating import Audit, audit_of, plain
from tests.db.test_judged_elsewhere import second_run
from tests.pages.screens import Screens, column, tables, texts


@pytest.fixture
def audit(screens: Screens) -> Audit:
    """The judge says 4 throughout; the audit found 3 on ten examples and 4 on two, and two more
    were chosen and found to be 1.
    """
    audit = audit_of(screens.engine, *plain(20))
    audit.choose([1, 1])
    for score in (3,) * 10 + (4,) * 2:
        audit.draw(score)
    return audit


def opened(screens: Screens, **address: object) -> AppTest:
    page = screens.open("calibration", **address)
    assert not page.exception
    return page


def grids(page: AppTest) -> list[dict[str, Any]]:
    return [
        json.loads(element.proto.json)
        for element in page.get("bidi_component")
        if element.proto.component_name == "recall_grid"
    ]


def figures(page: AppTest) -> dict[str, str]:
    table = next(t for t in tables(page) if t["columns"][0]["title"] == "Measure")
    return dict(zip(column(table, "Measure"), column(table, "Value"), strict=True))


def test_the_audit_alone_says_how_good_the_judge_is(screens: Screens, audit: Audit) -> None:
    said = figures(opened(screens))

    bias = next(value for name, value in said.items() if name.startswith("Bias"))
    assert bias.startswith("+0.83")
    assert any(name.startswith("Exactly") and v.startswith("17 %") for name, v in said.items())


def test_chosen_reviews_stand_apart_and_two_are_too_few_to_say(
    screens: Screens, audit: Audit
) -> None:
    page = opened(screens, reviews="chosen")

    assert set(figures(page).values()) == {"too few to say (8 more)"}
    sides = next(t for t in tables(page) if t["columns"][0]["title"] == "Reviews")
    assert column(sides, "Reviews")[:2] == [
        "Audit reviews (in 12 examples)",
        "Chosen reviews (in 2 examples)",
    ]


def test_the_matrix_has_people_down_and_the_judge_across(screens: Screens, audit: Audit) -> None:
    (matrix,) = grids(opened(screens))

    lines = {row["title"]: [cell["text"] for cell in row["cells"]] for row in matrix["rows"]}
    assert matrix["columns"] == ["1", "2", "3", "4", "5"]
    assert lines["3"] == ["", "", "", "10", ""]
    assert lines["4"] == ["", "", "", "2", ""]
    assert lines["1"] == [""] * 5, "what was chosen is not in the audit's matrix"


def test_a_cell_of_the_matrix_lists_its_units(screens: Screens, audit: Audit) -> None:
    page = opened(screens, cell="4-4")

    assert "Person 4, judge 4: 2 units" in texts(page).replace("\\", "")
    listed = next(t for t in tables(page) if t["columns"][0]["title"] == "Example")
    assert len(listed["rows"]) == 2
    assert "Person 9" not in texts(opened(screens, cell="9-9"))


def test_a_cause_says_what_usually_happens(screens: Screens) -> None:
    run = audit_of(screens.engine, told("a", [4])).run
    run.set("a", E1, 2, cause=Cause.JUDGE_WRONG)

    page = opened(screens, run=run.run_id, reviews="chosen")

    said = texts(page)
    assert "Judge wrong (most often the judge gives 4 where people give 2) | 1 | +2.00" in said


def test_blind_reviews_are_counted_apart(screens: Screens) -> None:
    blind = audit_of(screens.engine, *plain(6), options=RunOptions(audit_seed=1, blind=True))
    for _ in range(3):
        blind.run.commit(blind.draw(3))

    page = opened(screens)

    (control,) = (c for c in page.segmented_control if c.key == "address.sight")
    assert list(control.options) == ["Blind or not 3", "Not blind 0", "Blind 3"]


def test_without_a_finished_review_it_says_what_is_missing(screens: Screens) -> None:
    run = audit_of(screens.engine, *plain(3)).run.run_id

    page = opened(screens, run=run)

    assert "nobody has finished the review of an example" in texts(page).replace("\\", "")
    assert [b.label for b in page.button if b.label == "Begin the audit"]


def test_a_run_that_is_not_kept_is_said_to_be_gone(screens: Screens) -> None:
    assert "Not here any more" in texts(opened(screens, run=99))


def measure(examples: int, value: float | None) -> Measure:
    ends = None if value is None else (value - 0.1, value + 0.1)
    return Measure(Name.BIAS, "Bias", value, ends, 40, examples, "A sentence.")


def test_below_thirty_examples_a_figure_is_grey() -> None:
    few, enough = (measure_row(measure(n, 0.24)).cells for n in (29, 30))

    assert (few[1].judge_only, enough[1].judge_only) == (True, False)
    assert isinstance(few[2], Interval)
    assert few[2].faint
    assert not enough[2].faint


def test_a_part_of_the_guide_comes_with_the_deeper_parts_below_it() -> None:
    parts = parts_of("# T\n\nintro\n\n## A b\n\none\n\n### C\n\ntwo\n\n```\n## no\n```\n## D\n")

    assert [p.title for p in parts] == ["T", "A b", "C", "D"]
    assert [p.title for p in with_its_own(parts, "a-b")] == ["A b", "C"]
    assert with_its_own(parts, "nothing") == []


def test_other_judges_are_held_against_the_same_reviews(screens: Screens) -> None:
    run = audit_of(screens.engine, *(told(f"e{i}", [3]) for i in range(12))).run
    for i in range(12):
        run.set(f"e{i}", E1, 2)
    second_run(screens.engine, run.run_id)

    page = opened(screens, run=run.run_id, reviews="chosen")

    table = next(t for t in tables(page) if t["columns"][0]["title"] == "Beside")
    assert column(table, "Beside") == ["Passage recall (lexical screen) v1"]
    assert column(table, "Units") == ["12 (in 12 examples)"]
    assert "which favours it" in texts(page)


def test_units_held_out_for_a_new_prompt_can_be_looked_at_alone(screens: Screens) -> None:
    run = audit_of(screens.engine, *(told(f"e{i}", [3]) for i in range(12))).run
    for i in range(12):
        run.set(f"e{i}", E1, 2)
    second_run(screens.engine, run.run_id)

    page = opened(screens, run=run.run_id, reviews="chosen", part="held-out")

    kept = sum(held_out(f"essential 1 of e{i}") for i in range(12))
    table = next(t for t in tables(page) if t["columns"][0]["title"] == "Beside")
    assert column(table, "Units") == [f"{kept} (in {kept} examples)"]


def test_a_formula_at_the_head_of_a_part_stays_one() -> None:
    (part,) = parts_of("# Kappa\n\n    1 - a / b\n\nIt says so.\n")

    assert part.body == "    1 - a / b\n\nIt says so."


def test_a_judge_with_a_prompt_is_offered_reviewed_examples_for_it(screens: Screens) -> None:
    run = audit_of(screens.engine, *(told(f"e{i}", [3]) for i in range(8))).run
    for i in range(8):
        run.set(f"e{i}", E1, 2)
    without = opened(screens, run=run.run_id, reviews="chosen")
    assert not without.code
    with transaction(screens.engine) as session:
        session.get_one(RunRow, run.run_id).prompt_hash = "a" * 64
    run.set("e0", E1, 1)

    page = opened(screens, run=run.run_id, reviews="chosen")

    (code,) = page.code
    assert code.value.startswith("These were scored by people.")
    assert not any(
        f"To be found: essential 1 of e{i}\n" in code.value
        for i in range(8)
        if held_out(f"essential 1 of e{i}")
    )

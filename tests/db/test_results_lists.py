"""The list of a run's judgements: filters, orders, pages, neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest
from sqlalchemy import Engine, text

from db.engine import reading
from db.judgement_filters import conditions, sorting
from db.results import (
    JudgementFilter,
    JudgementOrder,
    OrderBy,
    list_judgements,
    neighbours,
    ordered_ids,
)
from db.tables import JudgementRow
from recall_core.summary import JudgementState
from recall_core.types import Action, GroundTruthPassage, PassageKind
from tests.db.reviewing import E1, E2, Desk, desk, told


def names(run: Desk, where: JudgementFilter | None = None, **order: Any) -> list[str]:
    page = list_judgements(
        run.engine,
        run.run_id,
        where=where or JudgementFilter(),
        order=JudgementOrder(**order) if order else JudgementOrder(),
    )
    return [row.example_id for row in page.rows]


def reviewed(engine: Engine) -> Desk:
    """One example in each state; `open` and `partly` are the judge's, `none` has no essential."""
    run = desk(
        engine,
        told("open", [4]),
        told("partly", [4, 3]),
        told("agreed", [2]),
        told("changed", [3]),
        told("failed", [1], fails="timeout"),
        told("none", []),
        told("void", [5]),
        told("gap", [5, None]),
    )
    run.decide("partly", E1, Action.CONFIRM)
    run.confirm_left("agreed")
    run.set("changed", E1, 5)
    run.decide("void", E1, Action.EXCLUDE)
    return run


STATES: Mapping[JudgementState, list[str]] = {
    JudgementState.JUDGE_ONLY: ["open"],
    JudgementState.STARTED: ["partly"],
    JudgementState.REVIEWED: ["agreed", "changed", "void"],
    JudgementState.CHANGED: ["changed", "void"],
    JudgementState.FAILED: ["failed"],
    JudgementState.SKIPPED: ["none"],
    JudgementState.VOID: ["void"],
    JudgementState.INCOMPLETE: ["gap"],
}


def test_each_state_finds_its_examples(engine: Engine) -> None:
    run = reviewed(engine)

    found = {state: names(run, JudgementFilter(states=(state,))) for state in JudgementState}

    assert found == STATES


def test_several_states_find_any_of_them(engine: Engine) -> None:
    run = reviewed(engine)
    states = (JudgementState.FAILED, JudgementState.SKIPPED)

    assert names(run, JudgementFilter(states=states)) == ["failed", "none"]


def test_a_score_range_holds_for_the_final_that_counts_and_includes_its_ends(
    engine: Engine,
) -> None:
    run = reviewed(engine)

    assert names(run, JudgementFilter(lowest=Fraction(4))) == ["open", "changed"]
    assert names(run, JudgementFilter(lowest=Fraction(2), highest=Fraction(4))) == [
        "open",
        "partly",
        "agreed",
    ]


def test_a_run_can_be_narrowed_to_what_has_a_score_or_a_warning(engine: Engine) -> None:
    run = desk(engine, told("a", [4], warns=("odd",)), told("b", [4]), told("c", []))

    assert names(run, JudgementFilter(scored=True)) == ["a", "b"]
    assert names(run, JudgementFilter(scored=False)) == ["c"]
    assert names(run, JudgementFilter(has_warnings=True)) == ["a"]
    assert names(run, JudgementFilter(has_warnings=False)) == ["b", "c"]


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("100%", ["percent"]),
        ("100", ["percent", "plain"]),
        ("a_b", ["under"]),
        ("back\\slash", ["slash"]),
        ("WHAT OF PLAIN", ["plain"]),
        ("ärzte", ["umlaut"]),
        ("ÄRZTE", ["umlaut"]),
        ("essential 1 of slash", ["slash"]),
        ("text of slash", ["slash"]),
        ("  plain  ", ["plain"]),
        ("nowhere", []),
    ],
)
def test_a_search_takes_every_character_as_itself(
    engine: Engine, search: str, found: list[str]
) -> None:
    run = desk(
        engine,
        told("percent", [4], question="Is it 100% sure?"),
        told("plain", [4], question="What of plain 100x?"),
        told("under", [4], question="What is a_b?"),
        told("axb", [4], question="What is axb?"),
        told("slash", [4], question="What is back\\slash?"),
        told("umlaut", [4], question="Welche Ärzte?"),
    )

    assert names(run, JudgementFilter(text=search)) == found


def test_a_search_is_counted_and_paged_like_any_list(engine: Engine) -> None:
    run = desk(engine, *(told(f"e{i}", [i]) for i in range(1, 6)))

    page = list_judgements(
        engine, run.run_id, where=JudgementFilter(text="text of"), page=2, size=2
    )

    assert ([r.example_id for r in page.rows], page.total, page.pages) == (["e3", "e4"], 5, 3)


@pytest.mark.parametrize(
    ("metadata", "found"),
    [
        ({"topic": "bikes"}, ["a", "c"]),
        ({"topic": "bikes", "year": "2020"}, ["a"]),
        ({"checked": "true"}, ["a"]),
        ({"tags": '["x", "y"]'}, ["c"]),
        ({"topic": "BIKES"}, []),
        ({"nothing": "at all"}, []),
        ({"checked": None}, ["b", "c", "d"]),
        ({"year": None}, ["d"]),
        ({"topic": ""}, ["d"]),
        ({"topic": "bikes", "checked": None}, ["c"]),
    ],
)
def test_metadata_is_filtered_by_the_values_that_slices_show(
    engine: Engine, metadata: dict[str, str | None], found: list[str]
) -> None:
    run = desk(
        engine,
        told("a", [4], topic="bikes", year=2020, checked=True),
        told("b", [4], topic="lamps", year=2020),
        told("c", [4], topic="bikes", year=2021, tags=["x", "y"]),
        told("d", [4], topic="", year=None),
    )

    assert names(run, JudgementFilter(metadata=metadata)) == found


def numbers(engine: Engine) -> Desk:
    run = desk(
        engine,
        told("mid", [3], [1]),
        told("low", [1], [5]),
        told("none", []),
        told("high", [5], [0]),
    )
    run.set("low", E1, 4)
    return run


@pytest.mark.parametrize(
    ("by", "ascending"),
    [
        (OrderBy.POSITION, ["mid", "low", "none", "high"]),
        (OrderBy.FINAL, ["mid", "low", "high", "none"]),
        (OrderBy.JUDGE_FINAL, ["mid", "low", "high", "none"]),
        (OrderBy.CHANGE, ["mid", "high", "low", "none"]),
        (OrderBy.ESSENTIAL, ["mid", "low", "high", "none"]),
        (OrderBy.BONUS, ["high", "mid", "low", "none"]),
    ],
)
def test_every_order_runs_both_ways_and_what_has_no_number_comes_last(
    engine: Engine, by: OrderBy, ascending: list[str]
) -> None:
    run = numbers(engine)

    assert names(run, by=by) == ascending
    backwards = list(reversed(ascending))
    if by is not OrderBy.POSITION:
        backwards = [*(n for n in backwards if n != "none"), "none"]
    assert names(run, by=by, descending=True) == backwards


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("by", list(OrderBy))
def test_pages_of_equal_numbers_hold_every_example_once(
    engine: Engine, by: OrderBy, descending: bool
) -> None:
    run = desk(engine, *(told(f"e{i:02}", [4], [2]) for i in range(12)))
    order = JudgementOrder(by, descending)

    pages = [
        list_judgements(engine, run.run_id, order=order, page=page, size=5) for page in (1, 2, 3, 4)
    ]

    ids = [row.id for page in pages for row in page.rows]
    assert sorted(ids) == sorted(run.judgements.values())
    assert ids == ordered_ids(engine, run.run_id, order=order)
    assert [len(page.rows) for page in pages] == [5, 5, 2, 0]
    assert {page.total for page in pages} == {12}


def test_a_line_carries_what_the_list_shows(engine: Engine) -> None:
    run = desk(engine, told("a", [4, 2], [3], warns=("odd",)))
    run.set("a", E2, 4)

    [row] = list_judgements(engine, run.run_id).rows

    assert (row.position, row.question, row.warnings) == (1, "What of a?", ("odd",))
    assert (row.judge_final, row.final, row.change) == (Fraction(15, 4), Fraction(19, 4), 1)
    assert (row.essential, row.bonus) == (4, Fraction(3, 4))
    assert (row.units, row.reviewed_units, row.changed_units) == (3, 1, 1)


def test_previous_and_next_follow_the_list_that_is_shown(engine: Engine) -> None:
    run = desk(engine, told("a", [3]), told("b", [1]), told("c", [2]), told("d", [5]))
    where, order = JudgementFilter(highest=Fraction(3)), JudgementOrder(OrderBy.FINAL)
    ids = run.judgements

    around = neighbours(engine, run.run_id, ids["c"], where, order)

    assert (around.previous, around.next) == (ids["b"], ids["a"])
    assert (around.place, around.total) == (2, 3)
    first = neighbours(engine, run.run_id, ids["b"], where, order)
    assert (first.previous, first.next) == (None, ids["c"])
    outside = neighbours(engine, run.run_id, ids["d"], where, order)
    assert (outside.previous, outside.next, outside.place, outside.total) == (None, None, None, 3)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("by", list(OrderBy))
def test_a_page_is_read_off_an_index_without_sorting(
    engine: Engine, by: OrderBy, descending: bool
) -> None:
    run = desk(engine, told("a", [4]))
    query = (
        JudgementRow.__table__.select()
        .with_only_columns(JudgementRow.id)
        .where(*conditions(run.run_id, JudgementFilter()))
        .order_by(*sorting(JudgementOrder(by, descending)))
        .limit(50)
    )
    sql = str(query.compile(engine, compile_kwargs={"literal_binds": True}))

    with reading(engine) as session:
        plan = [row.detail for row in session.execute(text(f"EXPLAIN QUERY PLAN {sql}"))]

    assert len(plan) == 1
    assert "USING COVERING INDEX ix_judgement_run_" in plan[0]


def test_another_runs_judgements_are_not_in_the_list(engine: Engine) -> None:
    first = desk(engine, told("a", [4]))
    second = desk(engine, told("a", [4]))

    assert ordered_ids(engine, second.run_id) == list(second.judgements.values())
    assert not set(first.judgements.values()) & set(second.judgements.values())


def test_passages_are_ground_truth_in_the_search_even_without_retrieval(engine: Engine) -> None:
    example = told("bare", [4])
    passage = GroundTruthPassage(PassageKind.ESSENTIAL, "unmistakable")
    run = desk(engine, type(example)("bare", ground_truth=(passage,), metadata={"said": [4]}))

    assert names(run, JudgementFilter(text="mistak")) == ["bare"]

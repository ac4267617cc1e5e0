"""Reviewing without the judge's word, until one has given one's own."""

from __future__ import annotations

import csv
import io
import json
from fractions import Fraction

import pytest
from sqlalchemy import Engine

from db.exporting import ExportFormat, export_run
from db.first_values import first_values
from db.results import (
    JudgementFilter,
    JudgementOrder,
    OrderBy,
    list_judgements,
    ordered_ids,
    recount,
    run_summary,
)
from db.reviews import hides_judge, verify_chain
from db.runs import RunOptions
from db.sights import Person, person, set_blind
from recall_core.errors import InvalidDecision
from recall_core.summary import JudgementState
from recall_core.types import Action, UnitKind
from tests.db.making import NOW
from tests.db.reviewing import B1, E1, E2, Desk, desk, told

BLIND = RunOptions(blind=True)


def blind_desk(engine: Engine, *names: str) -> Desk:
    return desk(engine, *(told(name, [3, 3]) for name in names or ("a",)), options=BLIND)


def test_the_judges_word_is_there_from_the_moment_one_commits(engine: Engine) -> None:
    run = blind_desk(engine)
    decided = run.set("a", E1, 4)
    run.set("a", E2, 5)

    assert decided.judgement.sight.judge_hidden
    assert decided.judgement.judge_trace.final is None
    assert decided.decisions[0].before.score is None
    before = run.view("a", "Mara")
    assert [v.score for v in before.verdicts] == [None, None]
    assert before.trace.final == Fraction(9, 2)

    committed = run.commit("a")

    assert committed == run.view("a", "Mara")
    assert not committed.sight.judge_hidden
    assert [v.score for v in committed.verdicts] == [3, 3]
    assert committed.judge_trace.final == 3
    assert [d.before.score for d in committed.decisions] == [3, 3]


def test_committing_takes_a_decision_on_every_unit(engine: Engine) -> None:
    run = blind_desk(engine)
    run.set("a", E1, 4)

    with pytest.raises(InvalidDecision, match="Decide on E2 first"):
        run.commit("a")
    with pytest.raises(InvalidDecision, match="no score that could be confirmed"):
        run.decide("a", E2, Action.CONFIRM)
    with pytest.raises(InvalidDecision, match="No unit is left"):
        run.confirm_left("a")


def test_one_may_revise_after_committing_and_both_values_are_kept(engine: Engine) -> None:
    run = blind_desk(engine)
    run.set("a", E1, 4)
    run.set("a", E2, 5)
    run.commit("a")
    run.commit("a")
    run.set("a", E1, 3)

    assert run.detail("a").trace.final == 4
    values = {v.verdict.unit.ref: v.state.score for v in first_values(engine, run.run_id)}
    assert values == {E1: 4, E2: 5}
    first = next(iter(first_values(engine, run.run_id)))
    assert not first.judge_visible
    assert first.finished


def test_what_is_taken_back_before_committing_is_no_first_value(engine: Engine) -> None:
    run = blind_desk(engine)
    run.set("a", E1, 4)
    run.undo("a", E1)
    run.set("a", E1, 2)
    run.set("a", E2, 5)
    run.commit("a")

    assert [v.state.score for v in first_values(engine, run.run_id)] == [2, 5]


def test_a_unit_moved_blind_needs_a_score_of_ones_own(engine: Engine) -> None:
    run = desk(engine, told("a", [3, 3], [2]), options=BLIND)
    run.decide("a", B1, Action.MOVE, to_kind=UnitKind.ESSENTIAL)

    assert "B1" in run.view("a", "Mara").trace.missing
    assert run.detail("a").trace.final is None


def test_unset_blind_counts_the_judges_score_again_without_telling_it(engine: Engine) -> None:
    run = blind_desk(engine)
    run.set("a", E1, 5)
    decided = run.decide("a", E1, Action.UNSET)

    assert decided.decisions[0].after.score is None
    assert run.detail("a").trace.final == 3
    assert run.detail("a").decisions[-1].after.score == 3


def test_others_are_hidden_as_well_and_nobody_is_refused_for_what_they_cannot_see(
    engine: Engine,
) -> None:
    run = blind_desk(engine)
    run.set("a", E1, 5, by="Ben")

    seen = run.view("a", "Mara")
    assert seen.decisions == ()
    assert seen.newest == {}
    run.set("a", E1, 4, by="Mara")
    assert run.detail("a").unit(E1).state.score == 4


def test_a_person_can_review_blind_by_themselves(engine: Engine) -> None:
    run = desk(engine, told("a", [3]), told("b", [3]))
    run.set("b", E1, 4)
    set_blind(engine, "Mara", True)

    assert person(engine, "Mara") == Person("Mara", blind=True)
    assert run.view("a", "Mara").sight.judge_hidden
    assert not run.view("a", "Ben").sight.judge_hidden
    # A review that was begun with the judge in sight stays so.
    assert not run.view("b", "Mara").sight.judge_hidden

    run.set("a", E1, 4)
    set_blind(engine, "Mara", False)
    assert run.view("a", "Mara").sight.judge_hidden
    run.commit("a")
    assert not run.view("a", "Mara").sight.judge_hidden
    assert not person(engine, "Mara").blind


def test_what_others_have_settled_is_no_longer_blind(engine: Engine) -> None:
    run = blind_desk(engine, "a", "b")
    for unit in (E1, E2):
        run.set("a", unit, 4, by="Ben")

    assert run.view("a", "Ana").sight.judge_hidden
    run.commit("a", by="Ben")
    assert not run.view("a", "Ana").sight.judge_hidden
    assert run.view("b", "Ana").sight.judge_hidden


def test_lists_show_no_score_that_is_hidden_and_sort_by_none(engine: Engine) -> None:
    run = desk(engine, told("low", [1]), told("high", [5]), told("mid", [3]), options=BLIND)
    run.set("high", E1, 4)
    run.commit("high")
    lowest_first = JudgementOrder(OrderBy.FINAL)
    only_low = JudgementFilter(highest=Fraction(2), states=(JudgementState.CHANGED,))

    page = list_judgements(engine, run.run_id, where=only_low, order=lowest_first, viewer="Mara")

    assert page.blind
    assert [row.example_id for row in page.rows] == ["low", "high", "mid"]
    assert [row.hidden for row in page.rows] == [True, False, True]
    assert [row.final for row in page.rows] == [None, 4, None]
    assert [row.judge_final for row in page.rows] == [None, 5, None]
    assert ordered_ids(engine, run.run_id, only_low, lowest_first, "Mara") == [
        run.judgements[name] for name in ("low", "high", "mid")
    ]
    everything = list_judgements(engine, run.run_id, order=lowest_first)
    assert not everything.blind
    assert [row.example_id for row in everything.rows] == ["low", "mid", "high"]


def test_a_summary_names_no_lowest_example_to_who_reviews_blind(engine: Engine) -> None:
    run = blind_desk(engine, "a", "b")

    assert hides_judge(engine, run.run_id, "Mara")
    summary = run_summary(engine, run.run_id, "Mara")
    assert (summary.lowest, summary.withheld) == ((), 2)
    for name in ("a", "b"):
        run.set(name, E1, 4)
        run.set(name, E2, 4)
        run.commit(name)
    assert not hides_judge(engine, run.run_id, "Mara")
    assert len(run_summary(engine, run.run_id, "Mara").lowest) == 2


@pytest.mark.parametrize("kind", [k for k in ExportFormat if k is not ExportFormat.SEALED])
def test_an_export_leaves_out_what_is_still_reviewed_blind_and_says_so(
    engine: Engine, kind: ExportFormat
) -> None:
    run = blind_desk(engine, "open", "committed")
    run.set("open", E1, 4, note="not yet to be read")
    for unit in (E1, E2):
        run.set("committed", unit, 5, note="to be read")
    run.commit("committed")

    file = export_run(engine, run.run_id, kind, now=NOW).content

    if kind is not ExportFormat.XLSX:
        text = file.decode("utf-8")
        assert "not yet to be read" not in text
        assert "blind" in text
        assert "to be read" in text
    if kind is ExportFormat.JSONL:
        records = [json.loads(line) for line in file.decode().splitlines()]
        assert [r["judge_score"] for r in records] == [None, 3]
        assert [r["status"] for r in records] == ["skipped", "processed"]
    if kind is ExportFormat.CSV:
        rows = list(csv.DictReader(io.StringIO(file.decode("utf-8-sig"))))
        assert [r["judge_score"] for r in rows] == ["", "", "3", "3"]
        assert [r["score_now"] for r in rows] == ["", "", "5", "5"]
        assert rows[0]["details"].startswith("Withheld")


def test_the_exporters_own_blind_review_is_left_out_of_a_run_that_is_not_blind(
    engine: Engine,
) -> None:
    run = desk(engine, told("a", [3]), told("b", [3]))
    set_blind(engine, "Mara", True)
    run.set("a", E1, 4)

    def judged(viewer: str) -> list[object]:
        file = export_run(engine, run.run_id, ExportFormat.JSONL, now=NOW, viewer=viewer)
        return [json.loads(line)["judge_score"] for line in file.content.decode().splitlines()]

    assert judged("Mara") == [None, None]
    assert judged("Ben") == [3, 3]


def test_copies_and_chain_hold_in_a_blind_run(engine: Engine) -> None:
    run = blind_desk(engine)
    run.set("a", E1, 4)
    run.undo("a", E1)
    run.decide("a", E1, Action.EXCLUDE)
    run.set("a", E2, 5)
    run.commit("a")

    assert recount(engine).equal
    assert verify_chain(engine, run.run_id).intact

"""A run's numbers: exact, and never silent about what they leave out."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, update

from db.engine import transaction
from db.errors import NotKept
from db.exporting import ExportFormat, export_run
from db.results import metadata_fields, recount, run_summary, slices
from db.reviews import verify_chain
from db.tables import DatasetRow
from recall_core.errors import RecallError
from recall_core.summary import Counts, Gate, gate
from recall_core.types import Action, Cause, UnitKind
from tests.db.making import NOW, example, examples, judge_everything, kept_dataset, queued_run
from tests.db.reviewing import B1, E1, E2, E3, desk, told


def test_a_mean_covers_what_has_a_score_and_counts_the_failures_beside_it(engine: Engine) -> None:
    run = desk(
        engine,
        told("a", [5]),
        told("b", [1], fails="timeout"),
        told("c", [1], fails="refusal"),
        told("d", [2]),
    )

    summary = run_summary(engine, run.run_id)

    assert (summary.mean.value, str(summary.mean)) == (Fraction(7, 2), "3.5 (2 of 4)")
    assert summary.counts == Counts(scored=2, failed=2)
    assert (summary.counts.coverage, summary.counts.left_out) == ("2 of 4", "2 failed")


def test_a_run_in_which_every_call_failed_has_no_score_at_all(engine: Engine) -> None:
    run = desk(engine, *(told(f"e{i}", [4], fails="timeout") for i in range(3)))

    summary = run_summary(engine, run.run_id)
    exported = export_run(engine, run.run_id, ExportFormat.JSONL, now=NOW).content.decode()

    assert (summary.mean.value, summary.judge_mean.value) == (None, None)
    assert summary.lowest == ()
    for record in map(json.loads, exported.splitlines()):
        assert (record["score"], record["status"], record["error_type"]) == (
            None,
            "error",
            "timeout",
        )
    assert "NaN" not in exported


def test_a_failed_example_does_not_turn_the_order_of_two_systems(engine: Engine) -> None:
    better = desk(engine, told("a", [5]), told("b", [5], fails="unparseable"))
    worse = desk(engine, told("a", [4]), told("b", [4]))

    assert str(run_summary(engine, better.run_id).mean) == "5 (1 of 2)"
    assert str(run_summary(engine, worse.run_id).mean) == "4 (2 of 2)"


def test_an_unreadable_reply_keeps_its_text_and_is_never_a_zero(engine: Engine) -> None:
    run = desk(engine, told("long", [4], fails="unparseable"))

    detail = run.detail("long")

    assert (detail.raw_response, detail.trace.final) == ("gibberish", None)
    assert [v.score for v in detail.verdicts] == [None]


def test_one_survivor_of_ten_does_not_pass_the_mark(engine: Engine) -> None:
    failed = (told(f"e{i}", [1], fails="timeout") for i in range(9))
    run = desk(engine, told("a", [5]), *failed)

    summary = run_summary(engine, run.run_id)

    assert summary.mean.value == 5
    assert gate(summary, Fraction(4)) is Gate.INCONCLUSIVE


def test_examples_not_judged_yet_are_counted(engine: Engine) -> None:
    dataset_id = kept_dataset(engine, examples(3))
    run_id = queued_run(engine, dataset_id)

    assert run_summary(engine, run_id).counts == Counts(left=3)
    judge_everything(engine, run_id)
    assert run_summary(engine, run_id).counts == Counts(scored=3)


def test_every_example_is_counted_once_whatever_became_of_it(engine: Engine) -> None:
    run = desk(
        engine,
        told("scored", [4]),
        told("failed", [4], fails="timeout"),
        told("gap", [4, None]),
        told("skipped", []),
        told("void", [4]),
    )
    run.decide("void", E1, Action.EXCLUDE)
    with transaction(engine) as session:
        session.execute(update(DatasetRow).values(examples=7))

    counts = run_summary(engine, run.run_id).counts

    assert counts == Counts(scored=1, void=1, incomplete=1, failed=1, skipped=1, left=2)
    assert counts.total == 7


def test_an_example_that_expected_nothing_is_counted_and_not_in_any_mean(engine: Engine) -> None:
    nothing = replace(example(3), ground_truth=(), metadata={"topic": "x"})
    dataset_id = kept_dataset(engine, [example(1), example(2, found=False), nothing])
    run_id = queued_run(engine, dataset_id)
    judge_everything(engine, run_id)

    summary = run_summary(engine, run_id)

    assert (str(summary.mean), str(summary.judge_mean)) == ("0.5 (2 of 3)", "0.5 (2 of 3)")
    assert (summary.counts.vacuous, sum(b.now for b in summary.finals)) == (1, 2)
    assert [str(s.mean) for s in slices(engine, run_id, "topic")] == [
        "no score (0 of 1)",
        "0.5 (2 of 2)",
    ]


def test_means_are_exact_and_not_sums_of_binary_fractions(engine: Engine) -> None:
    run = desk(engine, *(told(f"e{i}", [1, 2], [0, 0, 1]) for i in range(3)), told("z", [1, 1, 2]))

    summary = run_summary(engine, run.run_id)

    assert summary.mean.value == (3 * Fraction("1.58") + Fraction("1.33")) / 4


def test_the_mean_now_follows_every_override_and_the_judges_stays(engine: Engine) -> None:
    run = desk(engine, told("a", [4]), told("b", [2]))
    assert run_summary(engine, run.run_id).judge_only
    run.set("b", E1, 5)

    summary = run_summary(engine, run.run_id)

    assert (summary.judge_mean.value, summary.mean.value) == (3, Fraction(9, 2))
    assert not summary.judge_only
    assert [(b.judge, b.now) for b in summary.finals if b.judge or b.now] == [
        (1, 0),
        (1, 1),
        (0, 1),
    ]


def test_unit_scores_follow_changes_moves_and_exclusions(engine: Engine) -> None:
    run = desk(engine, told("a", [4, 3, 5], [2]))
    run.set("a", E1, 5)
    run.decide("a", E2, Action.MOVE, to_kind=UnitKind.BONUS)
    run.decide("a", E3, Action.EXCLUDE)
    run.decide("a", B1, Action.CONFIRM)

    counted = run_summary(engine, run.run_id).unit_scores

    assert [(u.kind.value[0], u.score, u.judge, u.now) for u in counted] == [
        ("e", 3, 1, 0),
        ("e", 4, 1, 0),
        ("e", 5, 1, 1),
        ("b", 2, 1, 1),
        ("b", 3, 0, 1),
    ]


def test_reviews_are_counted_in_examples_units_causes_and_people(engine: Engine) -> None:
    run = desk(engine, told("a", [4, 3]), told("b", [2]), told("c", [1]))
    run.set("a", E1, 5, cause=Cause.JUDGE_WRONG)
    run.confirm_left("a", by="Jonas")
    run.set("b", E1, 3)
    run.undo("b", E1)
    run.set("c", E1, 2)

    summary = run_summary(engine, run.run_id)

    review = summary.review
    assert (review.examples, review.examples_started, review.examples_changed) == (2, 0, 2)
    assert (review.units, review.units_reviewed, review.units_changed) == (4, 3, 2)
    assert dict(summary.causes) == {Cause.JUDGE_WRONG: 1, None: 1}
    assert summary.reviewers == (("Mara", 3), ("Jonas", 1))


def test_the_lowest_come_first_and_only_where_there_is_a_score(engine: Engine) -> None:
    run = desk(engine, told("mid", [3]), told("failed", [1], fails="timeout"), told("low", [1]))

    assert [row.example_id for row in run_summary(engine, run.run_id).lowest] == ["low", "mid"]


def test_a_run_that_is_gone_is_said_to_be_gone(engine: Engine) -> None:
    with pytest.raises(NotKept, match="no run 5"):
        run_summary(engine, 5)


def test_slices_have_a_mean_and_its_coverage_for_each_value(engine: Engine) -> None:
    run = desk(
        engine,
        told("a", [4], topic="lamps", year=2020),
        told("b", [2], topic="lamps", year=9),
        told("c", [3], topic="bikes", fails="timeout"),
        told("d", [5]),
    )
    run.set("b", E1, 3)

    cut = slices(engine, run.run_id, "topic")

    assert [(s.value, str(s.mean), str(s.judge_mean)) for s in cut] == [
        ("bikes", "no score (0 of 1)", "no score (0 of 1)"),
        ("lamps", "3.5 (2 of 2)", "3 (2 of 2)"),
        (None, "5 (1 of 1)", "5 (1 of 1)"),
    ]
    assert [s.value for s in slices(engine, run.run_id, "year")] == ["9", "2020", None]


def test_fields_of_metadata_say_how_many_have_them_and_how_many_values(engine: Engine) -> None:
    run = desk(engine, told("a", [4], topic="x"), told("b", [2], topic="y", lost=None))

    fields = {f.name: (f.examples, f.values) for f in metadata_fields(engine, run.run_id)}

    assert fields == {"said": (2, 2), "topic": (2, 2)}


ACTS = st.tuples(
    st.sampled_from(("a", "b")),
    st.sampled_from((E1, E2, B1)),
    st.sampled_from(("set", "confirm", "exclude", "move", "unset", "undo", "rest")),
    st.integers(0, 5),
    st.sampled_from(("Mara", "Jonas")),
)


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(acts=st.lists(ACTS, max_size=12))
def test_whatever_people_do_the_copies_agree_and_the_chain_holds(
    engine: Engine, acts: list[tuple[str, object, str, int, str]]
) -> None:
    run = desk(engine, told("a", [4, 3], [2]), told("b", [2, 2], [0], fails="timeout"))
    for name, unit, act, score, by in acts:
        try:
            if act == "undo":
                run.undo(name, unit, by=by)
            elif act == "rest":
                run.confirm_left(name, by=by)
            elif act == "move":
                kind = run.detail(name).unit(unit).state.kind
                other = UnitKind.BONUS if kind is UnitKind.ESSENTIAL else UnitKind.ESSENTIAL
                run.decide(name, unit, Action.MOVE, by=by, to_kind=other)
            else:
                number = Fraction(score) if act == "set" else None
                run.decide(name, unit, Action(act), by=by, score=number)
        except RecallError:
            continue

    assert recount(engine, run.run_id).differences == ()
    assert verify_chain(engine, run.run_id).intact
    summary = run_summary(engine, run.run_id)
    assert sum(b.now for b in summary.finals) == summary.mean.n == summary.counts.scored

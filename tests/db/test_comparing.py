"""Two runs on the examples that they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from fractions import Fraction

import pytest
from sqlalchemy import Engine

from db.comparing import compare, compare_all, passages_between
from db.engine import transaction
from db.errors import NotPossibleNow
from db.runs import RunOptions
from db.tables import AuditDrawRow, JudgementRow, RunRow
from recall_core.comparison import PassageMove, ScoredBy
from recall_core.estimation import Estimate
from recall_core.types import Example, RetrievedPassage
from tests.db.making import NOW, examples, judge_everything, kept_dataset, queued_run
from tests.db.reviewing import E1, Desk, desk, told

NAMES = [f"e{i:02d}" for i in range(12)]


def run_of(engine: Engine, scores: dict[str, int], bonus: Sequence[int] = ()) -> Desk:
    """A finished run whose judge says one score of each example's essential passage."""
    run = desk(engine, *(told(name, [score], bonus) for name, score in scores.items()))
    with transaction(engine) as session:
        session.get_one(RunRow, run.run_id).state = "done"
    return run


def draw(run: Desk, *names: str, at: datetime = NOW) -> None:
    """Draws of exactly these examples, as an audit that serves several runs makes them."""
    with transaction(run.engine) as session:
        for position, name in enumerate(names, 1):
            judgement = session.get_one(JudgementRow, run.judgements[name])
            session.add(
                AuditDrawRow(
                    run_id=run.run_id,
                    position=position,
                    seed=1,
                    stratum="judged",
                    undrawn=99,
                    example_id=judgement.example_id,
                    drawn_at=at + timedelta(minutes=position),
                    drawn_by="Mara",
                    state="done",
                )
            )


def test_examples_of_two_datasets_are_the_same_by_what_they_ask(engine: Engine) -> None:
    a = run_of(engine, dict.fromkeys(NAMES, 3))
    b = run_of(engine, {**dict.fromkeys(NAMES[2:], 4), "new": 5})

    found = compare(engine, a.run_id, b.run_id)

    assert (found.shared, found.only_a, found.only_b) == (10, 2, 1)
    assert {row.change for row in found.rows} == {Fraction(1)}
    assert found.final.judge == pytest.approx(1)
    assert found.sentence == "No shared audit reviews: an interval needs 5."


def test_what_got_worst_comes_first(engine: Engine) -> None:
    a = run_of(engine, dict.fromkeys(NAMES, 3))
    b = run_of(engine, {**dict.fromkeys(NAMES, 3), "e05": 1, "e07": 5})

    found = compare(engine, a.run_id, b.run_id)

    assert [row.example_id for row in found.rows][::11] == ["e05", "e07"]
    assert (found.worse, found.same, found.better) == (1, 10, 1)
    assert dict(found.changes(Fraction(1)))[Fraction(-2)] == 1
    assert found.rows[0].question == "What of e05?"


def test_what_both_audits_drew_makes_the_interval(engine: Engine) -> None:
    a = run_of(engine, dict.fromkeys(NAMES, 3))
    b = run_of(engine, dict.fromkeys(NAMES, 4))
    for run, score in ((a, 2), (b, 4)):
        draw(run, *NAMES[:8])
        for name in NAMES[:8]:
            run.set(name, E1, score)

    found = compare(engine, a.run_id, b.run_id)

    assert isinstance(found.final.estimated, Estimate)
    assert found.audited_in_both == 8
    assert found.final.estimated.point == pytest.approx(2)
    assert found.final.decided
    assert found.sentence.startswith("B is better by 2.00")
    assert found.essential is not None
    assert isinstance(found.essential.estimated, Estimate)
    assert found.essential.estimated.point == pytest.approx(2)
    drawn = {row.example_id: (row.scored_by, row.audited) for row in found.rows}
    assert drawn["e00"] == (ScoredBy.PEOPLE, 2)
    assert drawn["e11"] == (ScoredBy.JUDGE, 0)


def test_essential_and_bonus_are_told_apart(engine: Engine) -> None:
    a = run_of(engine, dict.fromkeys(NAMES, 3), bonus=[0])
    b = run_of(engine, dict.fromkeys(NAMES, 2), bonus=[5])

    found = compare(engine, a.run_id, b.run_id)

    assert found.essential is not None
    assert found.bonus is not None
    assert (found.essential.judge, found.bonus.judge) == (-1, 2.5)
    assert (found.rows[0].essential, found.rows[0].bonus) == (-1, Fraction(5, 2))
    assert found.rows[0].change == Fraction(3, 2)


def test_an_example_that_was_chosen_in_one_run_is_mixed(engine: Engine) -> None:
    a = run_of(engine, dict.fromkeys(NAMES, 3))
    b = run_of(engine, dict.fromkeys(NAMES, 4))
    b.set("e03", E1, 1)

    found = {r.example_id: r.scored_by for r in compare(engine, a.run_id, b.run_id).rows}

    assert found["e03"] is ScoredBy.MIXED


def test_several_runs_are_held_to_one_standard(engine: Engine) -> None:
    runs = [run_of(engine, dict.fromkeys(NAMES, score)) for score in (3, 4, 5)]

    found = compare_all(engine, runs[0].run_id, [run.run_id for run in runs[1:]])

    assert [c.b.id for c in found] == [run.run_id for run in runs[1:]]
    assert {c.final.comparisons for c in found} == {2}


def test_runs_on_different_scales_have_no_difference(engine: Engine) -> None:
    a = run_of(engine, {"one": 3})
    b = queued_run(engine, kept_dataset(engine, examples(1)))
    judge_everything(engine, b)

    with pytest.raises(NotPossibleNow, match="different scales"):
        compare(engine, a.run_id, b)


def test_shares_have_no_essential_part(engine: Engine) -> None:
    dataset = kept_dataset(engine, examples(3))
    a, b = (queued_run(engine, dataset) for _ in range(2))
    for run_id in (a, b):
        judge_everything(engine, run_id)

    found = compare(engine, a, b)

    assert (found.essential, found.bonus, found.shared) == (None, None, 3)


def test_examples_without_a_final_are_counted(engine: Engine) -> None:
    a = run_of(engine, dict.fromkeys(NAMES, 3))
    b = desk(
        engine,
        *(told(name, [4]) for name in NAMES[1:]),
        told("e00", [4], fails="timeout"),
    )

    found = compare(engine, a.run_id, b.run_id)

    assert (found.shared, found.without_final, found.final.failed) == (11, 1, 1)


def test_who_scores_blind_is_not_told_what_the_judge_said(engine: Engine) -> None:
    a = run_of(engine, dict.fromkeys(NAMES, 3))
    b = desk(engine, *(told(n, [4]) for n in NAMES), options=RunOptions(blind=True))
    b.set("e00", E1, 2)
    b.commit("e00")

    found = compare(engine, a.run_id, b.run_id, viewer="Mara")

    assert [row.example_id for row in found.rows] == ["e00"]
    assert (found.withheld, found.shared) == (11, 12)


def test_the_same_question_twice_is_matched_by_its_id_first(engine: Engine) -> None:
    def twins(*names: str) -> list[Example]:
        plain = told("x", [3])
        return [
            replace(plain, id=name, metadata={"said": [s]})
            for name, s in zip(names, (2, 5), strict=True)
        ]

    a, b = desk(engine, *twins("p", "q")), desk(engine, *twins("q", "p"))

    found = {row.example_id: row.change for row in compare(engine, a.run_id, b.run_id).rows}

    assert found == {"p": 3, "q": -3}


def test_the_passages_of_both_runs_are_held_against_each_other(engine: Engine) -> None:
    before, now = told("one", [3]), told("one", [4])
    now = replace(now, retrieved=(RetrievedPassage(1, "new"), RetrievedPassage(2, "text of one")))
    a, b = desk(engine, before), desk(engine, now)
    pair = (a.judgements["one"], b.judgements["one"])

    found = passages_between(engine, [pair])[pair]

    assert [(c.text, c.move) for c in found] == [
        ("text of one", PassageMove.MOVED),
        ("new", PassageMove.CAME_IN),
    ]

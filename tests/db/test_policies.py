"""Counting a run in other ways, and files that carry the way."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from fractions import Fraction

import pytest
from sqlalchemy import Engine

from db.errors import NotKept, NotPossibleNow
from db.exporting import ExportFormat, export_run
from db.policies import (
    delete_policy,
    load_what_if,
    named_policy,
    other_judges,
    policies,
    save_policy,
)
from db.results import list_judgements, run_summary
from db.runs import RunOptions
from recall_core.policy import AS_IT_IS, Policy
from recall_core.types import Action, Example, Judgement, Outcome
from tests.db.making import NOW, Found, example, judge_everything, kept_dataset, queued_run
from tests.db.reviewing import E1, E2, Desk, desk, told


def saved(run: Desk, name: str = "no bonus", policy: Policy | None = None) -> int:
    chosen = policy or Policy(pass_mark=Fraction(4), bonus_weight=Fraction(0))
    return save_policy(run.engine, run.run_id, name, chosen, author="Ana", now=NOW)


def test_as_it_is_the_finals_are_those_that_count(engine: Engine) -> None:
    run = desk(
        engine,
        told("a", [3, 4], [1]),
        told("b", [2]),
        told("failed", [2], fails="timeout"),
        told("gap", [None, 2]),
        told("void", [1]),
    )
    run.set("a", E1, 5)
    run.decide("a", E2, Action.EXCLUDE)
    run.decide("void", E1, Action.EXCLUDE)

    result = load_what_if(engine, run.run_id).under(AS_IT_IS)

    rows = list_judgements(engine, run.run_id).rows
    assert result.finals == {row.id: row.final for row in rows if row.final is not None}
    assert result.mean == run_summary(engine, run.run_id).mean


class Always(Found):
    """Finds everything."""

    def judge(self, example: Example) -> Outcome:
        judged = super().judge(example)
        assert isinstance(judged, Judgement)
        verdicts = tuple(replace(v, score=Fraction(1)) for v in judged.verdicts)
        return replace(judged, verdicts=verdicts)


def test_another_judge_counts_where_nobody_has_reviewed(engine: Engine) -> None:
    dataset_id = kept_dataset(engine, [example(1), example(2, found=False), example(3)])
    first, second = queued_run(engine, dataset_id), queued_run(engine, dataset_id)
    judge_everything(engine, first)
    judge_everything(engine, second, Always())

    assert [o.run_id for o in other_judges(engine, first)] == [second]
    assert load_what_if(engine, first).under(AS_IT_IS).mean.value == Fraction(2, 3)
    other = load_what_if(engine, first, second)
    assert other.under(Policy(judge_run=second)).mean.value == 1
    with pytest.raises(NotPossibleNow, match="has not judged the same dataset"):
        load_what_if(engine, first, 99)


def test_policies_are_kept_by_name_and_replaced_by_the_same_name(engine: Engine) -> None:
    run = desk(engine, told("a", [3], [5]))
    saved(run)
    second = saved(run, policy=Policy(bonus_weight=Fraction(1, 2)))
    third = saved(run, "any")

    assert [card.name for card in policies(engine, run.run_id)] == ["any", "no bonus"]
    assert policies(engine, run.run_id)[1].policy == Policy(bonus_weight=Fraction(1, 2))
    assert named_policy(engine, second).result.finals[run.judgements["a"]] == Fraction("4.25")
    delete_policy(engine, third)
    with pytest.raises(NotKept):
        named_policy(engine, third)


@pytest.mark.parametrize("kind", [k for k in ExportFormat if k.suffix not in ("xlsx", "zip")])
def test_a_file_carries_the_policy_it_was_asked_for_with(
    engine: Engine, kind: ExportFormat
) -> None:
    run = desk(engine, told("a", [3], [5]), told("b", [4]))
    policy = saved(run)

    text = export_run(engine, run.run_id, kind, now=NOW, policy=policy).content.decode("utf-8-sig")

    assert "no bonus" in text
    if kind is ExportFormat.CSV:
        rows = {r["example_id"]: r for r in csv.DictReader(io.StringIO(text))}
        assert [rows[n]["example_final"] for n in "ab"] == ["5", "4"]
        assert [rows[n]["policy_final"] for n in "ab"] == ["3", "4"]
        assert [rows[n]["policy_passed"] for n in "ab"] == ["no", "yes"]
    if kind is ExportFormat.JSONL:
        first = json.loads(text.splitlines()[0])
        assert first["score"] == 5
        assert first["policy"] == {
            "name": "no bonus",
            "rules": {"pass_mark": "4", "bonus_weight": "0"},
            "score": 3,
            "passed": False,
        }
    if kind in (ExportFormat.TEXT, ExportFormat.REPORT):
        assert "no bonus (pass mark 4, bonus weight 0): 3.5 (2 of 2), 1 pass." in text


def test_a_policy_tells_nothing_of_what_is_still_reviewed_blind(engine: Engine) -> None:
    run = desk(engine, told("a", [3], [5]), options=RunOptions(blind=True))
    policy = saved(run)

    file = export_run(engine, run.run_id, ExportFormat.JSONL, now=NOW, policy=policy)

    assert json.loads(file.content)["policy"]["score"] is None

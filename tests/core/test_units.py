"""What verdicts are about, also where a judge gave none."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from recall_core.judges import make_judge
from recall_core.types import (
    Example,
    FailureKind,
    GroundTruthPassage,
    JudgeFailure,
    PassageKind,
)
from recall_core.units import passage_units, with_every_unit
from tests.core.details import verdict

EXAMPLE = Example(
    "a",
    ground_truth=(
        GroundTruthPassage(PassageKind.BONUS, "extra"),
        GroundTruthPassage(PassageKind.ESSENTIAL, "first"),
        GroundTruthPassage(PassageKind.ESSENTIAL, "second"),
    ),
    expected_output="One is one. Two is two.",
)


@pytest.mark.parametrize(
    ("judge", "settings", "units"),
    [
        ("passage_recall_lexical", {}, ["E1 first", "E2 second", "B1 extra"]),
        ("context_recall", {}, ["C1 first", "C2 second"]),
        ("context_recall", {"include_bonus": True}, ["C1 extra", "C2 first", "C3 second"]),
        ("contextual_recall_lexical", {}, ["S1 One is one.", "S2 Two is two."]),
    ],
)
def test_each_judge_says_what_it_gives_verdicts_about(
    judge: str, settings: dict[str, bool], units: list[str]
) -> None:
    made = make_judge(judge, settings).units(EXAMPLE)

    assert [f"{unit.ref.label} {unit.text}" for unit in made] == units


@pytest.mark.parametrize(
    "judge", ["passage_recall_lexical", "context_recall", "contextual_recall_lexical"]
)
def test_those_are_the_units_that_the_judge_does_judge(judge: str) -> None:
    example = replace(EXAMPLE, retrieved=())
    made = make_judge(judge)

    outcome = made.judge(example)  # type: ignore[attr-defined]

    assert [v.unit for v in outcome.verdicts] == [*made.units(example)]


def test_frozen_statements_come_before_the_expected_output() -> None:
    frozen = replace(EXAMPLE, statements=("Frozen.",))

    made = make_judge("contextual_recall_lexical").units(frozen)

    assert [unit.text for unit in made] == ["Frozen."]


def test_a_failure_keeps_every_unit_and_what_had_arrived() -> None:
    arrived = verdict("E2", 4, text="second")
    failure = JudgeFailure("a", FailureKind.TRUNCATED, "It broke off.", (arrived,))

    whole = with_every_unit(failure, passage_units(EXAMPLE))

    assert [(v.unit.ref.label, v.score, v.failure) for v in whole.verdicts] == [
        ("E1", None, FailureKind.TRUNCATED),
        ("E2", Fraction(4), None),
        ("B1", None, FailureKind.TRUNCATED),
    ]

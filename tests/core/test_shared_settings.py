"""What a model judge and its lexical twin have in common."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from recall_core.judges import make_judge
from recall_core.shared_settings import mark_of

TWINS = [
    ("contextual_recall", "contextual_recall_lexical", ("threshold", "strict")),
    ("passage_recall", "passage_recall_lexical", ("scored_text", "rounding")),
]


def properties(judge: str) -> dict[str, Any]:
    described: dict[str, Any] = type(make_judge(judge, {})).model_json_schema()["properties"]
    return described


@pytest.mark.parametrize(("judge", "twin", "names"), TWINS)
def test_twins_describe_what_they_share_in_the_same_words(
    judge: str, twin: str, names: tuple[str, ...]
) -> None:
    for name in names:
        assert properties(judge)[name] == properties(twin)[name]


def test_a_form_asks_for_a_judges_own_settings_after_those_of_every_judge() -> None:
    assert list(properties("contextual_recall"))[-3:] == ["statements", "threshold", "strict"]
    assert list(properties("contextual_recall_lexical")) == ["pass_at", "threshold", "strict"]
    assert list(properties("passage_recall_lexical")) == ["pass_at", "scored_text", "rounding"]


@pytest.mark.parametrize(
    ("threshold", "strict", "pass_mark", "mark"),
    [
        (0.5, False, None, Fraction(1, 2)),
        (0.3, False, None, Fraction(3, 10)),
        (0.3, True, None, Fraction(1)),
        (0.3, False, Fraction(1, 2), Fraction(1, 2)),
        (0.8, False, Fraction(1, 2), Fraction(4, 5)),
        (0.0, False, Fraction(0), Fraction(0)),
    ],
)
def test_the_stricter_of_threshold_and_pass_mark_counts(
    threshold: float, strict: bool, pass_mark: Fraction | None, mark: Fraction
) -> None:
    assert mark_of(threshold, strict, pass_mark) == mark

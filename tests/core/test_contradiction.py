"""Reasoning at odds with its score: marked where it is plain, and nowhere else."""

from __future__ import annotations

from fractions import Fraction

import pytest

from recall_core.contradiction import contradiction
from recall_core.types import UnitKind

KINDS = {"E": UnitKind.ESSENTIAL, "B": UnitKind.BONUS, "S": UnitKind.STATEMENT}


def at_odds(reasoning: str, score: int, kind: str) -> bool:
    return contradiction(reasoning, Fraction(score), KINDS[kind]) is not None


@pytest.mark.parametrize(
    ("reasoning", "score", "kind"),
    [
        ("Passage 1 fully covers this.", 1, "E"),
        ("The passage is fully covered by passage 1.", 2, "E"),
        ("All key facts are present in passage 2.", 1, "E"),
        ("This stands word for word in passage 3.", 0, "B"),
        ("Nothing is missing.", 1, "E"),
        ("None of the facts are mentioned.", 5, "E"),
        ("The mill is not mentioned anywhere.", 4, "E"),
        ("The text does not mention any of it.", 4, "B"),
        ("The date is completely absent.", 5, "E"),
        ("There is no mention of the price.", 5, "E"),
        ("Most of it is there. Score: 4", 1, "E"),
        ("It is directly stated in passage 1.", 0, "S"),
        ("The statement is fully supported.", 0, "S"),
        ("The statement is not supported by any passage.", 1, "S"),
        ("No passage says so.", 1, "S"),
    ],
)
def test_what_is_plainly_at_odds_is_marked(reasoning: str, score: int, kind: str) -> None:
    assert at_odds(reasoning, score, kind)


@pytest.mark.parametrize(
    ("reasoning", "score", "kind"),
    [
        ("Passage 1 fully covers this.", 5, "E"),
        ("It is not fully covered.", 1, "E"),
        ("Not all facts are present.", 2, "E"),
        ("It fully covers the date, but the name is completely missing.", 2, "E"),
        ("There is no mention of the price.", 4, "E"),
        ("I first thought Score: 2, in the end Score: 4", 4, "E"),
        ("Only partly covered: half of the facts are present.", 3, "E"),
        ("If all facts are present the score is 5. None of them are present.", 1, "E"),
        ("The statement is not supported.", 0, "S"),
        ("It is supported except that the year differs.", 0, "S"),
        ("It is not mentioned in passage 1, but passage 2 states it.", 1, "S"),
        ("", 1, "E"),
        ("", 0, "S"),
        ("Il n'y a rien.", 5, "E"),
    ],
)
def test_what_is_not_plainly_at_odds_is_left_alone(reasoning: str, score: int, kind: str) -> None:
    assert not at_odds(reasoning, score, kind)

"""Disagreement is the distance on the scale, and the text itself is a witness."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_core.disagreement import OUTPUT, FoldedTexts, Said, disagreements, distance, share
from recall_core.scoring import SCALES
from recall_core.types import UnitKind, UnitRef

E2 = UnitRef(UnitKind.ESSENTIAL, 2)
S1 = UnitRef(UnitKind.STATEMENT, 1)


def sentences(
    ref: UnitRef, mine: Said, *others: Said, verbatim_rank: int | None = None
) -> list[str]:
    return [d.sentence for d in disagreements(ref, mine, others, verbatim_rank)]


def said(who: str, score: int, *, screen: bool = False) -> Said:
    return Said(who, Fraction(score), screen)


@pytest.mark.parametrize(
    ("unit", "text"),
    [
        ("The sky is blue.", "They say the  sky\nis BLUE today"),
        ("“The sky is blue”", "The sky is blue"),
        ("天空是蓝色的。", "他说天空是蓝色的吗"),
        ("cost is 1.5 (net)", "the cost is 1.5 (net) now"),
    ],
)
def test_a_unit_stands_word_for_word_whatever_blanks_case_and_ends(unit: str, text: str) -> None:
    assert FoldedTexts(["nothing", text]).place_of(unit) == 1


@pytest.mark.parametrize(
    ("unit", "text"),
    [
        ("The sky is 1", "the sky is 10"),
        ("he sky is blue", "the sky is blue"),
        ("The sky is not blue", "The sky is blue"),
        ("blue sky", "a blue sky"),
        ("蓝色", "天空是蓝色的"),
        ("", "anything"),
        ("...", "..."),
    ],
)
def test_parts_of_words_other_words_and_very_short_units_are_no_witness(
    unit: str, text: str
) -> None:
    assert FoldedTexts([text]).place_of(unit) is None


def test_a_copy_in_the_text_with_a_low_score_is_said() -> None:
    mine = said("the model", 1)

    assert sentences(E2, mine, verbatim_rank=2) == [
        "E2 stands word for word in retrieved passage 2, but the model gave 1."
    ]
    assert sentences(E2, mine, verbatim_rank=OUTPUT) == [
        "E2 stands word for word in the actual output, but the model gave 1."
    ]
    assert sentences(E2, said("the model", 4), verbatim_rank=2) == []


def test_a_screen_that_sees_nothing_is_named_with_what_it_cannot_see() -> None:
    screen = said("the lexical screen in “first”", 1, screen=True)

    assert sentences(E2, said("the model", 5), screen) == [
        "E2: the model gave 5, but the lexical screen in “first” sees nothing of it; "
        "it does not see paraphrase."
    ]


def test_two_judges_far_apart_are_both_named_and_near_ones_are_not() -> None:
    near, far = said("Near", 4), said("Far", 2)

    assert sentences(E2, said("the model", 5), near, far) == ["E2: the model gave 5, Far gave 2."]


def test_statements_are_spoken_of_as_yes_and_no() -> None:
    assert sentences(S1, said("the model", 0), said("Other", 1), verbatim_rank=1) == [
        "S1 stands word for word in retrieved passage 1, but the model gave no.",
        "S1: the model gave no, Other gave yes.",
    ]


def test_string_distance_is_not_blamed_for_a_sentence_in_a_long_context() -> None:
    kind = UnitKind.EXPECTED_CONTEXT

    assert sentences(UnitRef(kind, 1), said("this judge", 0), verbatim_rank=1) == []
    assert distance(kind, Fraction(0), [], verbatim=True) == 0


def test_the_farthest_witness_counts() -> None:
    assert distance(UnitKind.ESSENTIAL, Fraction(4), [Fraction(3), Fraction(2)], True) == 0.5
    assert distance(UnitKind.BONUS, Fraction(2), [], verbatim=True) == 0.6


@given(st.sampled_from(UnitKind), st.data())
def test_a_distance_lies_between_none_and_the_whole_scale_and_is_mutual(
    kind: UnitKind, data: st.DataObject
) -> None:
    scale = SCALES[kind]
    scores = st.integers(scale.lowest, scale.highest).map(Fraction)
    one, other = data.draw(scores), data.draw(scores)

    there, back = distance(kind, one, [other], False), distance(kind, other, [one], False)

    assert 0 <= there == back <= 1
    assert (there == 0) == (one == other)
    assert 0 <= share(kind, one) <= 1

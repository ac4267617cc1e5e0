"""At which rank what should come back first did."""

from __future__ import annotations

from fractions import Fraction

import pytest

from recall_core.ranks import Method, first_ranks, rank_recall
from recall_core.types import Example, GroundTruthPassage, PassageKind, RetrievedPassage

WANTED = ("The library is closed on Sundays.", "Members may borrow ten books.")
NOISE = "Rain is expected in the hills this evening."


def example(*retrieved: str, wanted: tuple[str, ...] = WANTED) -> Example:
    return Example(
        "one",
        ground_truth=tuple(GroundTruthPassage(PassageKind.ESSENTIAL, t) for t in wanted),
        retrieved=tuple(RetrievedPassage(rank, text) for rank, text in enumerate(retrieved, 1)),
    )


@pytest.mark.parametrize("method", Method)
def test_the_first_rank_that_holds_a_passage_counts(method: Method) -> None:
    found = first_ranks(example(NOISE, WANTED[1], WANTED[0], WANTED[1]), method)

    assert found == (3, 2)


@pytest.mark.parametrize("method", Method)
def test_what_never_came_back_has_no_rank(method: Method) -> None:
    assert first_ranks(example(NOISE, WANTED[0]), method) == (2, None)
    assert first_ranks(example(), method) == (None, None)


def test_the_screen_finds_a_passage_inside_a_longer_one_and_distance_does_not() -> None:
    one = example(f"{NOISE} {WANTED[0]} {NOISE} {NOISE}", wanted=WANTED[:1])

    assert first_ranks(one, Method.SCREEN) == (1,)
    assert first_ranks(one, Method.DISTANCE) == (None,)


def test_each_example_counts_the_same_however_many_passages_it_wants() -> None:
    found = rank_recall([((1,), 5), ((2, None, 4), 5)])

    assert found.at == {
        1: Fraction(1, 2),
        3: (1 + Fraction(1, 3)) / 2,
        5: (1 + Fraction(2, 3)) / 2,
    }, "no list is ten long"
    assert found.all == found.at[5]
    assert (found.examples, found.deepest) == (2, 5)


def test_an_example_that_wants_nothing_is_left_out() -> None:
    assert rank_recall([((), 3)]).examples == 0
    assert rank_recall([((), 3), ((1,), 3)]).at[1] == 1

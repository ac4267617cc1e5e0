"""At which rank what came back first held each essential."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from recall_core.distance import best_matches, first_similar
from recall_core.judges.passage_recall_lexical import PassageRecallLexical
from recall_core.ranks import Similar, Way, first_held, ranks_of
from recall_core.types import (
    Example,
    GroundTruthPassage,
    Judgement,
    PassageKind,
    RetrievedPassage,
)

TIN = "Tin melts at 232 degrees Celsius."
LEAD = "One soft grey metal is called lead, and it is heavier than most others are."
OTHER = "The library opens on Monday morning."
LONG = f"{OTHER} {TIN} Nobody asked about anything else in this long passage of text."


def example(essential: list[str], retrieved: list[str] | None) -> Example:
    return Example(
        "e",
        ground_truth=tuple(GroundTruthPassage(PassageKind.ESSENTIAL, text) for text in essential),
        retrieved=None
        if retrieved is None
        else tuple(RetrievedPassage(rank, text) for rank, text in enumerate(retrieved, 1)),
    )


def ranks(essential: list[str], retrieved: list[str], way: Way) -> list[int | None]:
    return [held.ranks[way] for held in first_held(example(essential, retrieved))]


def test_the_first_passage_that_is_similar_enough_counts_by_distance() -> None:
    assert ranks([TIN, LEAD], [OTHER, TIN, TIN, LEAD], Way.DISTANCE) == [2, 4]


def test_a_sentence_inside_a_long_passage_is_held_by_words_and_not_by_distance() -> None:
    assert ranks([TIN], [OTHER, LONG], Way.LEXICAL) == [2]
    assert ranks([TIN], [OTHER, LONG], Way.DISTANCE) == [None]


def test_an_essential_of_two_sentences_is_held_when_the_second_comes() -> None:
    # The first sentence alone is less than half of it.
    both = f"{TIN} {LEAD}"

    assert ranks([both], [OTHER, TIN, LEAD], Way.LEXICAL) == [3]


def test_what_never_comes_has_no_rank() -> None:
    assert ranks([LEAD], [OTHER], Way.LEXICAL) == [None]
    assert ranks([LEAD], [], Way.LEXICAL) == [None]
    assert ranks([LEAD], [], Way.DISTANCE) == [None]


def test_passages_are_read_in_the_order_of_their_ranks() -> None:
    given_backwards = Example(
        "e",
        ground_truth=(GroundTruthPassage(PassageKind.ESSENTIAL, TIN),),
        retrieved=(RetrievedPassage(7, TIN), RetrievedPassage(2, OTHER)),
    )

    (held,) = first_held(given_backwards)

    assert held.ranks == {Way.DISTANCE: 7, Way.LEXICAL: 7}


def test_recall_at_k_is_the_mean_over_examples_and_not_over_essentials() -> None:
    found = ranks_of(
        [
            example([TIN], [TIN]),
            example([TIN, LEAD], [OTHER, TIN, OTHER, LEAD]),
            example([TIN], []),
            example([TIN], None),
            example([], [TIN]),
        ]
    )

    assert (found.examples, found.left_out, found.deepest) == (3, 2, 4)
    for way in Way:
        by = found.by(way)
        assert [(at.k, at.recall) for at in by.recall] == [
            (1, Fraction(1, 3)),
            (3, Fraction(1, 2)),
            (5, Fraction(2, 3)),
            (10, Fraction(2, 3)),
        ]
        assert (by.first, by.never, by.essentials) == ({1: 1, 2: 1, 4: 1}, 1, 4)
        assert by.sentence == "3 of 4 essentials came back, the last of them at rank 4."


def test_without_any_example_there_is_no_recall_and_no_zero() -> None:
    found = ranks_of([example([TIN], None)])

    assert found.examples == 0
    assert {at.recall for way in found.ways for at in way.recall} == {None}
    assert found.by(Way.LEXICAL).sentence == "None of 0 essentials came back."


WORDS = st.lists(
    st.sampled_from(["tin", "lead", "melts", "at", "232", "soft", "library", "opens"]), min_size=1
)
TEXTS = st.lists(WORDS.map(" ".join), max_size=6)


@given(st.lists(WORDS.map(" ".join), min_size=1, max_size=3), TEXTS)
def test_an_essential_is_held_at_k_when_the_judge_would_find_it_in_k_passages(
    essential: list[str], retrieved: list[str]
) -> None:
    found = ranks(essential, retrieved, Way.LEXICAL)

    for k in range(1, len(retrieved) + 1):
        outcome = PassageRecallLexical().judge(example(essential, retrieved[:k]))
        assert isinstance(outcome, Judgement)
        for rank, verdict in zip(found, outcome.verdicts, strict=True):
            held = (verdict.probability or 0) >= 0.5
            assert held == (rank is not None and rank <= k)


@given(WORDS.map(" ".join), TEXTS, st.sampled_from(("levenshtein", "hamming", "jaro")))
def test_something_is_similar_enough_exactly_when_the_best_match_is(
    text: str, texts: list[str], measure: str
) -> None:
    for above in (0.0, 0.4, 0.5, 0.75, 1.0):
        first = first_similar(text, texts, measure, above=above)  # type: ignore[arg-type]
        alone = [best_matches([text], [other], measure)[0] for other in texts]  # type: ignore[arg-type]
        assert first == next((i for i, m in enumerate(alone) if m.similarity > above), None)


def test_the_threshold_is_the_one_that_was_asked_for() -> None:
    strict = first_held(example([TIN], [TIN[:-3], TIN]), Similar(threshold=0.99))

    assert strict[0].ranks[Way.DISTANCE] == 2

"""Best matches are those of a plain loop over all pairs, to the last bit."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Hamming, Jaro, JaroWinkler, Levenshtein

from recall_core.distance import BestMatch, DistanceMeasure, best_matches

MEASURES: dict[DistanceMeasure, Callable[[str, str], float]] = {
    "levenshtein": Levenshtein.normalized_distance,
    "hamming": Hamming.normalized_distance,
    "jaro": Jaro.normalized_distance,
    "jaro_winkler": JaroWinkler.normalized_distance,
}
SENTENCE = "the kiln valve opens when pressure falls below a set limit of nine bar"
WORDS = SENTENCE.split()
SHORT_TEXTS = st.text(alphabet="ab é日🚀\n", max_size=12)


def best_of_plain_loop(text: str, contexts: list[str], measure: DistanceMeasure) -> BestMatch:
    similarities = [1 - MEASURES[measure](text, context) for context in contexts]
    best = max(similarities)
    return BestMatch(similarities.index(best), best)


def prose(rng: random.Random, length: int) -> str:
    text = ""
    while len(text) < length:
        text += rng.choice(WORDS) + " "
    return text[:length]


def test_every_measure_is_tested() -> None:
    assert set(MEASURES) == set(get_args(DistanceMeasure))


@given(
    st.lists(SHORT_TEXTS, max_size=4),
    st.lists(SHORT_TEXTS, min_size=1, max_size=8),
    st.sampled_from(list(MEASURES)),
)
def test_short_texts_match_as_in_a_plain_loop(
    expected: list[str], contexts: list[str], measure: DistanceMeasure
) -> None:
    plain = tuple(best_of_plain_loop(text, contexts, measure) for text in expected)

    assert best_matches(expected, contexts, measure) == plain


@pytest.mark.parametrize("measure", MEASURES)
def test_long_texts_match_as_in_a_plain_loop(measure: DistanceMeasure) -> None:
    rng = random.Random(7)
    contexts = [prose(rng, rng.randint(200, 1500)) for _ in range(12)]
    edited = [c[:50] + "#" + c[60:] for c in contexts[:3]]
    expected = [*contexts[3:5], *edited, *(prose(rng, rng.randint(200, 1500)) for _ in range(6))]

    plain = tuple(best_of_plain_loop(text, contexts, measure) for text in expected)

    assert best_matches(expected, contexts, measure) == plain


def test_of_equally_distant_contexts_the_first_is_the_best_whatever_their_length() -> None:
    # All three are at distance 4 of 8; the last has the length that is tried first.
    text, contexts = "abcdefgh", ["abcd", "abcdx", "abcdwxyz"]

    assert best_matches([text], contexts) == (BestMatch(0, 0.5),)


@pytest.mark.parametrize("kept", range(1, 12))
def test_a_tie_is_a_tie_also_where_its_distance_is_no_short_binary_fraction(kept: int) -> None:
    # rapidfuzz rounds a cut-off to single precision, so the later of the two could get lost.
    text = "abcdefghijkl"
    short, as_long = text[:kept], text[:kept] + "#" * (len(text) - kept)

    (match,) = best_matches([text], [short, as_long])

    assert match == BestMatch(0, 1 - (len(text) - kept) / len(text))


def test_a_context_like_nothing_expected_still_is_the_best_there_is() -> None:
    assert best_matches(["aaaa"], ["bbbb", "cccc"]) == (BestMatch(0, 0.0),)


def test_nothing_expected_has_no_matches() -> None:
    assert best_matches([], ["a"]) == ()

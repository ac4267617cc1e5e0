"""Words that a model says it copied: found where they stand, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_core.quotes import Place, evidence_of, locate
from recall_core.scored_text import TextToScore
from recall_core.types import Evidence

TEXT = (
    "The mill, which stood by the river, burned down in 1904.  Nobody was\nhurt, and the "
    "“town council” rebuilt it within two years at a cost of £3,000."
)
CHINESE = "水坝建于一九三一年。它容纳三百万立方米的水，供应整个城市。"


def found(quote: str, text: str = TEXT) -> str | None:
    """The words at the place where the quote is found."""
    place = locate(quote, text)
    return None if place is None else text[place.start : place.end]


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("burned down in 1904", "burned down in 1904"),
        ("  burned down in 1904 ", "burned down in 1904"),
        ('"burned down in 1904"', "burned down in 1904"),
        ("Burned Down In 1904", "burned down in 1904"),
        ("Nobody was hurt", "Nobody was\nhurt"),
        ('the "town council" rebuilt it', "the “town council” rebuilt it"),
        ("£3,000", "£3,000"),
        ("mill", "mill"),
    ],
)
def test_a_copied_quote_is_found_with_blanks_case_and_marks_aside(quote: str, words: str) -> None:
    assert found(quote) == words


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("The mill, that stood by the river, burned down", "The mill, which stood by the river, "
         "burned down"),
        ("rebuilt it withn two years at a cost", "rebuilt it within two years at a cost"),
    ],
)  # fmt: skip
def test_small_slips_are_forgiven_in_a_longer_quote(quote: str, words: str) -> None:
    assert found(quote) == words


@pytest.mark.parametrize(
    "quote",
    [
        "",
        "…",
        "ill",
        "hurt and so",
        "It was rebuilt in record time by the volunteers",
        "burned down in 1905",
        "Nobody was not hurt, and the town council rebuilt it",
        "the mill, which stood by the river, burned down in 1804",
    ],
)
def test_what_the_text_does_not_say_is_not_found(quote: str) -> None:
    assert found(quote) is None


def test_a_one_word_text_does_not_hold_a_long_quote() -> None:
    assert locate("the mill burned in nineteen hundred and four", "mill") is None


def test_a_quote_that_is_a_little_longer_than_its_text_is_found() -> None:
    text = "The town rebuilt it two years later"

    assert found(f"{text}, ok", text) == text


def test_most_of_the_quote_has_to_be_there() -> None:
    quote = "burned down in 1904. The insurance paid every penny of the damage to the owner"

    assert found(quote) is None


def test_scripts_without_blanks_have_places_too() -> None:
    assert found("容纳三百万立方米", CHINESE) == "容纳三百万立方米"
    assert found("它容纳三百万立方来的水，供应整个城市", CHINESE) == (
        "它容纳三百万立方米的水，供应整个城市"
    )


@given(st.text(min_size=1, max_size=120), st.data())
def test_any_stretch_of_whole_words_is_found_in_its_text(text: str, data: st.DataObject) -> None:
    words = text.split()
    if not words:
        return
    first = data.draw(st.integers(0, len(words) - 1))
    quote = " ".join(words[first : data.draw(st.integers(first + 1, len(words)))])
    place = locate(quote, text)

    assert place is None or 0 <= place.start < place.end <= len(text)
    if quote.isascii() and quote.replace(" ", "").isalnum():
        assert place is not None


# evidence: which passage


TEXTS = [TextToScore(1, TEXT), TextToScore(2, "A hotel stands there now. Nobody was hurt.")]


def test_a_quote_is_looked_for_in_the_passage_that_it_names_first() -> None:
    (first,), right = evidence_of("Nobody was hurt", 2, TEXTS)

    assert (first, right) == (Evidence(2, 26, 41, "Nobody was hurt", True), True)


def test_a_quote_that_stands_elsewhere_is_located_there_and_called_wrong() -> None:
    (first,), right = evidence_of("A hotel stands there", 1, TEXTS)

    assert (first.rank, first.located, right) == (2, True, False)


@pytest.mark.parametrize("rank", [1, 7, None])
def test_a_quote_that_stands_nowhere_has_no_place(rank: int | None) -> None:
    (first,), right = evidence_of("The owner sued the town council", rank, TEXTS)

    assert first == Evidence(rank, None, None, "The owner sued the town council", False)
    assert not right


def test_a_quote_without_a_passage_is_looked_for_in_all() -> None:
    (first,), right = evidence_of("A hotel stands there", None, TEXTS)

    assert (first.rank, right) == (2, True)


def test_a_quote_with_dots_in_it_is_several() -> None:
    places, right = evidence_of("The mill … rebuilt it within two years [...] £3,000", 1, TEXTS)

    assert [e.quote for e in places] == ["The mill", "rebuilt it within two years", "£3,000"]
    assert right


def test_the_only_text_is_meant_whatever_the_number() -> None:
    (first,), right = evidence_of("a hotel", 4, [TextToScore(None, "There is a hotel.")])

    assert (first.rank, first.located, right) == (None, True, True)


def test_places_are_counted_in_code_points() -> None:
    text = "🏔️ The pass is closed."

    assert locate("The pass is closed", text) == Place(3, 21)

"""Words, stems and numbers as the lexical screen compares them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_core.lexical.tokens import folded, pieces_of, stem, tokens_of, with_joined_numbers


def stems(text: str, language: str = "en") -> list[str]:
    return [t.stem for t in with_joined_numbers(tokens_of(text, language))]


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("The Libraries closed", "the library closes", "en"),
        ("twenty-five books", "25 books", "en"),
        ("Twenty five books", "25 books", "en"),
        ("two hundred people", "200 people", "en"),
        ("1,240 people", "1240 people", "en"),
        ("zwölf Bücher", "12 Büchern", "de"),
        ("douze chats", "12 chat", "fr"),
        ("20kg", "20 kg", "en"),
        ("２０ ＫＧ", "20 kg", "en"),
        ("٢٠", "20", "ar"),
        ("cafe\u0301", "café", "en"),
        ("co\u00adoperate", "cooperate", "en"),
        ("3,5 mm", "3.5 mm", "de"),
        ("007", "7", "en"),
    ],
)
def test_what_reads_the_same_has_the_same_stems(one: str, other: str, language: str) -> None:
    assert stems(one, language) == stems(other, language)


@pytest.mark.parametrize(
    ("one", "other"), [("3.5", "35"), ("1987", "1978"), ("cat", "dog"), ("twenty", "200")]
)
def test_different_words_and_numbers_stay_different(one: str, other: str) -> None:
    assert stems(one) != stems(other)


def test_scripts_without_blanks_become_pairs_of_characters() -> None:
    assert stems("图书馆", "zh") == ["图书", "书馆"]
    assert stems("馆", "zh") == ["馆"]
    assert stems("ABC图书", "zh") == ["abc", "图书"]


def test_vowel_signs_belong_to_their_hindi_word() -> None:
    assert [t.word for t in tokens_of("पुस्तकालय बंद", "hi")] == ["पुस्तकालय", "बंद"]


def test_function_words_are_no_content() -> None:
    assert [t.content for t in tokens_of("the roof of a house", "en")] == [
        False,
        True,
        False,
        False,
        True,
    ]


def test_a_very_long_number_is_an_identifier_and_is_not_multiplied() -> None:
    assert stems("9" * 5_000 + " hundred")[0] == "9" * 5_000


def test_quotes_dashes_and_width_are_folded() -> None:
    assert folded("’") == "'"
    assert folded("—") == folded("–") == "-"
    assert folded("Ａ") == "a"


def test_a_language_without_a_stemmer_compares_the_words_themselves() -> None:
    assert stem("ቤተመጻሕፍት", "am") == "ቤተመጻሕፍት"


def test_stemming_in_many_threads_gives_what_one_thread_gives() -> None:
    words = [f"{root}{end}" for root in ("librar", "connect", "nation") for end in END]
    alone = [stem.__wrapped__(word, "en") for word in words]
    with ThreadPoolExecutor(8) as threads:
        together = list(threads.map(lambda word: stem.__wrapped__(word, "en"), words * 40))
    assert together == alone * 40


END = ("y", "ies", "ian", "ion", "ions", "al", "ally", "ed", "ing", "ivity", "alization")


@given(st.text(max_size=60))
@settings(deadline=None)
def test_tokens_and_pieces_point_into_the_text_in_order(text: str) -> None:
    for found in (tokens_of(text, "en"), pieces_of(text)):
        assert all(0 <= t.start < t.end <= len(text) for t in found)
        assert [t.start for t in found] == sorted(t.start for t in found)

"""Words, stems and numbers of a text, each with its place in the original.

Languages with spaces: one token a word, stemmed by Snowball where it has the language. Chinese,
Japanese, Korean, Thai, Lao, Khmer and Burmese: one token a pair of neighbouring characters.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

import snowballstemmer

from recall_core.languages import FUNCTION_WORDS
from recall_core.lexical.numbers import NUMBER_WORDS, SCALES, digits

SNOWBALL = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
}

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f"
    "\u31f0-\u31ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003134f"
)
# \w has no vowel signs (Hindi) and no accents that stand alone, and both are part of the word.
_MARKS = "".join(
    chr(c) for c in range(0x300, 0xFF00) if unicodedata.category(chr(c)).startswith("M")
)
_TOKEN = re.compile(
    rf"(?P<number>\d+(?:[.,:]\d+)*)|(?P<unspaced>[{_UNSPACED}]+)"
    rf"|(?P<word>(?:[^\W\d_{_UNSPACED}][{_MARKS}\u00ad\u200c\u200d]*)+)|(?P<other>\S)"
)


@dataclass(frozen=True, slots=True)
class Token:
    """One word, number or pair of characters: `stem` is what is compared."""

    start: int
    end: int
    stem: str
    content: bool
    """Whether it carries meaning: not a function word such as "the" or "of"."""
    number: bool = False
    capital: bool = False
    word: str = ""
    """The folded word; empty for digits and pairs of characters."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What the verbatim rule compares: a folded word, character or punctuation mark."""

    start: int
    end: int
    folded: str
    word: bool


def pieces_of(text: str) -> tuple[Piece, ...]:
    """The text cut as finely as it is compared for verbatim copies: blanks and case folded."""
    return tuple(piece for piece in _pieces(text) if piece.folded)


def _pieces(text: str) -> Iterator[Piece]:
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        surface = match.group()
        if match.lastgroup == "unspaced":
            for i, character in enumerate(surface, start):
                yield Piece(i, i + 1, folded(character), True)
        elif surface not in _EMPHASIS:
            yield Piece(start, end, folded(surface), match.lastgroup != "other")


def tokens_of(text: str, language: str) -> tuple[Token, ...]:
    """The tokens of `text`; punctuation is none."""
    return tuple(_tokens(text, language))


def with_joined_numbers(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """One sentence's tokens with number words that belong together as one.

    "twenty-five" is 25 and "two hundred" is 200.
    """
    return tuple(_joined(tokens))


def _joined(tokens: Sequence[Token]) -> Iterator[Token]:
    waiting: Token | None = None
    for token in tokens:
        whole = _together(waiting, token) if waiting else None
        if whole:
            waiting = whole
            continue
        if waiting:
            yield waiting
        waiting = token if token.number else None
        if not token.number:
            yield token
    if waiting:
        yield waiting


_LONGEST_TO_MULTIPLY = 9
"""Digits; longer ones are identifiers."""


def _together(left: Token, right: Token) -> Token | None:
    if not left.stem.isdecimal() or len(left.stem) > _LONGEST_TO_MULTIPLY:
        return None
    first = int(left.stem)
    scale = SCALES.get(right.word)
    if scale:
        return replace(left, end=right.end, stem=str(first * scale))
    if right.number and right.word and left.word and first in range(20, 100, 10):
        second = int(right.stem)
        return replace(left, end=right.end, stem=str(first + second)) if second < 10 else None
    return None


def _tokens(text: str, language: str) -> Iterator[Token]:
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        surface = match.group()
        match match.lastgroup:
            case "number":
                yield Token(start, end, digits(surface), content=True, number=True)
            case "unspaced":
                yield from _pairs(surface, start)
            case "word":
                yield _word(surface, start, end, language)


def _pairs(run: str, start: int) -> Iterator[Token]:
    if len(run) == 1:
        yield Token(start, start + 1, folded(run), content=True)
    for i in range(len(run) - 1):
        yield Token(start + i, start + i + 2, folded(run[i : i + 2]), content=True)


def _word(surface: str, start: int, end: int, language: str) -> Token:
    word = folded(surface)
    value = NUMBER_WORDS.get(language, {}).get(word)
    if value is not None:
        return Token(start, end, value, content=True, number=True, word=word)
    content = word not in FUNCTION_WORDS.get(language, ())
    return Token(start, end, stem(word, language), content, False, surface[0].isupper(), word)


@lru_cache(maxsize=65_536)
def folded(surface: str) -> str:
    """One spelling for what reads the same: case, width, composed accents, quotes, dashes."""
    plain = surface.translate(_ALIKE)
    return plain.lower() if plain.isascii() else unicodedata.normalize("NFKC", plain).casefold()


_ALIKE: dict[int, str | None] = {
    **dict.fromkeys((0xAD, 0x200B, 0x200C, 0x200D, 0xFEFF)),
    **dict.fromkeys(map(ord, "‘’‚‛′"), "'"),
    **dict.fromkeys(map(ord, "“”„‟″"), '"'),
    **dict.fromkeys(range(0x2010, 0x2016), "-"),
}
_EMPHASIS = frozenset("*_`")

# The pure Python stemmers keep the word they work on in themselves: one at a time.
_STEMMING = threading.Lock()


@lru_cache(maxsize=65_536)
def stem(word: str, language: str) -> str:
    """The Snowball stem of a folded word; the word itself where Snowball lacks the language."""
    name = SNOWBALL.get(language)
    if name is None:
        return word
    with _STEMMING:
        return str(_stemmer(name).stemWord(word))


@cache
def _stemmer(name: str) -> Any:
    return snowballstemmer.stemmer(name)

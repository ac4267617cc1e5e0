"""A text made ready to be compared with: tokens, sentences, windows, and a folded copy.

Preparing costs far more than comparing, so it is done once a text (`Screener` does) and used for
every unit of the example.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from recall_core.lexical.tokens import Piece, Token, pieces_of, tokens_of, with_joined_numbers
from recall_core.statements import sentence_spans

WHOLE_UP_TO = 120
"""Tokens up to which a text is one window; above, its windows are pairs of sentences."""
LONGEST_SENTENCE = 60
"""Tokens after which a text without full stops is cut, so that a window stays a window."""
VERBATIM_FROM = 3
"""Tokens a sentence needs before its copy counts as found word for word."""

_BETWEEN = "\x1f"


@dataclass(frozen=True, slots=True)
class Window:
    """One or more neighbouring sentences of a text, in the form the features need."""

    start: int
    end: int
    stems: frozenset[str]
    bigrams: frozenset[tuple[str, str]]
    sentences: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Sentence:
    """One sentence of a unit; its tokens count from the unit's start, `text` is the whole unit."""

    text: str
    start: int
    end: int
    tokens: tuple[Token, ...]
    pieces: tuple[Piece, ...]

    @cached_property
    def stems(self) -> tuple[str, ...]:
        return tuple(t.stem for t in self.tokens)

    @cached_property
    def content(self) -> tuple[str, ...]:
        """Distinct stems that carry meaning, in order."""
        return tuple(dict.fromkeys(t.stem for t in self.tokens if t.content))

    @cached_property
    def bigrams(self) -> tuple[tuple[str, str], ...]:
        return tuple(zip(self.stems, self.stems[1:], strict=False))

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(t.stem for t in self.tokens if t.number))

    @cached_property
    def capitalised(self) -> tuple[str, ...]:
        """Stems of the words with a capital, without the sentence's first word."""
        return tuple(t.stem for t in self.tokens[1:] if t.capital)

    @cached_property
    def folded(self) -> str:
        """The sentence for the verbatim rule, without punctuation at its ends."""
        words = [i for i, piece in enumerate(self.pieces) if piece.word]
        inner = self.pieces[words[0] : words[-1] + 1] if words else ()
        return _BETWEEN + "".join(piece.folded + _BETWEEN for piece in inner)


def sentences_of(text: str, language: str) -> tuple[Sentence, ...]:
    """The sentences of a unit that have at least one token."""
    found = (
        Sentence(text, start, end, tokens, pieces_of(text[start:end]))
        for start, end, tokens in _tokens_by_sentence(text, language)
    )
    return tuple(sentence for sentence in found if sentence.tokens)


class PreparedText:
    """A text that units are compared with, in the language it is taken to be in."""

    def __init__(self, text: str, language: str) -> None:
        self.text = text
        self.language = language
        self._sentences = [
            (start, end, tuple(t.stem for t in tokens))
            for start, end, tokens in _short_sentences(text, language)
        ]
        self._windows: dict[tuple[int, int], Window] = {}

    @cached_property
    def windows(self) -> tuple[Window, ...]:
        """The whole text if it is short, else every pair of neighbouring sentences."""
        count = len(self._sentences)
        if not count:
            return ()
        if sum(len(stems) for _, _, stems in self._sentences) <= WHOLE_UP_TO:
            return (self._window(0, count),)
        return tuple(self._window(i, i + 2) for i in range(count - 1)) or (self._window(0, 1),)

    def inside(self, window: Window) -> Iterator[Window]:
        """The single sentences and then the pairs within a window: places to point at."""
        inner = [
            i
            for i, (start, end, _) in enumerate(self._sentences)
            if window.start <= start and end <= window.end
        ]
        yield from (self._window(i, i + 1) for i in inner)
        yield from (self._window(i, i + 2) for i in inner[:-1])

    def find_verbatim(self, sentence: Sentence) -> tuple[int, int] | None:
        """Where the sentence stands word for word, blanks and case aside."""
        if len(sentence.tokens) < VERBATIM_FROM:
            return None
        folded, starts, pieces = self._folded
        at = folded.find(sentence.folded)
        if at < 0:
            return None
        first = bisect_left(starts, at)
        last = bisect_right(starts, at + len(sentence.folded) - 2) - 1
        return pieces[first].start, pieces[last].end

    @cached_property
    def _folded(self) -> tuple[str, list[int], tuple[Piece, ...]]:
        """The folded text, and for each piece the place of the separator before it."""
        pieces = pieces_of(self.text)
        starts, length = [], 0
        for piece in pieces:
            starts.append(length)
            length += len(piece.folded) + 1
        folded = _BETWEEN + "".join(piece.folded + _BETWEEN for piece in pieces)
        return folded, starts, pieces

    def _window(self, first: int, last: int) -> Window:
        known = self._windows.get((first, last))
        if known is None:
            part = self._sentences[first:last]
            sentences = tuple(stems for _, _, stems in part)
            known = self._windows[first, last] = Window(
                part[0][0],
                part[-1][1],
                frozenset(stem for stems in sentences for stem in stems),
                frozenset(pair for stems in sentences for pair in pairwise(stems)),
                sentences,
            )
        return known


def _tokens_by_sentence(text: str, language: str) -> Iterator[tuple[int, int, tuple[Token, ...]]]:
    tokens = tokens_of(text, language)
    starts = [t.start for t in tokens]
    for span in sentence_spans(text):
        first, last = bisect_left(starts, span.start), bisect_left(starts, span.end)
        yield span.start, span.end, with_joined_numbers(tokens[first:last])


def _short_sentences(text: str, language: str) -> Iterator[tuple[int, int, Sequence[Token]]]:
    """The sentences with a token, those beyond `LONGEST_SENTENCE` in parts."""
    for start, end, tokens in _tokens_by_sentence(text, language):
        for i in range(0, len(tokens), LONGEST_SENTENCE):
            part = tokens[i : i + LONGEST_SENTENCE]
            rest = tokens[i + LONGEST_SENTENCE :]
            yield part[0].start if i else start, part[-1].end if rest else end, part

"""Screening a unit: each of its sentences against every text, and the mean over its tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from recall_core.languages import language_of
from recall_core.lexical.model import best_window, probability
from recall_core.lexical.text import PreparedText, Sentence, Window, sentences_of
from recall_core.lexical.tokens import Token, pieces_of

POINT_AT_FROM = 0.1
"""Probability below which no place is pointed at: the words there are a coincidence."""


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of one of the texts: its index from 0, offsets in code points, `end` exclusive."""

    text: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ScreenedSentence:
    """One sentence of the unit: how likely it is present, where, and what is missing there.

    `weight` is its number of tokens. Of its `content` distinct content stems `found` stand in the
    window compared with; `missing` are the others as the unit writes them. `pairs` tells that
    they are pairs of characters (Chinese, Japanese, Thai …) and not words.
    """

    start: int
    end: int
    weight: int
    probability: float
    verbatim: bool
    place: Place | None
    content: int
    found: int
    pairs: bool = False
    missing: tuple[str, ...] = ()
    missing_numbers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Screening:
    """A unit's probability of being present in the texts, and how it came about."""

    probability: float
    sentences: tuple[ScreenedSentence, ...]

    @property
    def places(self) -> tuple[Place, ...]:
        """Where the support stands, in reading order, overlapping stretches as one."""
        merged: list[Place] = []
        found = (s.place for s in self.sentences if s.place)
        for place in sorted(found, key=lambda p: (p.text, p.start)):
            before = merged[-1] if merged else None
            if before and before.text == place.text and place.start < before.end:
                merged[-1] = Place(place.text, before.start, max(before.end, place.end))
            else:
                merged.append(place)
        return tuple(merged)


def screen(unit_text: str, texts: Sequence[str]) -> Screening:
    """Screen one unit; for several units against the same texts make one `Screener`."""
    return Screener(texts).screen(unit_text)


class Screener:
    """The texts of one example, prepared once for all of its units.

    Each text is read in its own language; one too short to tell, in that of all texts together.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        common = language_of("\n".join(texts))
        self._texts = [PreparedText(text, language_of(text, common)) for text in texts]
        self._languages = list(dict.fromkeys(t.language for t in self._texts)) or [common]

    def screen(self, unit_text: str) -> Screening:
        """The token-weighted mean of the sentences' probabilities, 0 if there is no text."""
        by_language = [sentences_of(unit_text, language) for language in self._languages]
        screened = tuple(
            max(
                (
                    self._sentence(sentence, language)
                    for sentence, language in zip(alternatives, self._languages, strict=True)
                ),
                key=lambda s: s.probability,
            )
            for alternatives in zip(*by_language, strict=True)
        )
        if not screened:
            return self._symbols(unit_text)
        weight = sum(s.weight for s in screened)
        return Screening(sum(s.probability * s.weight for s in screened) / weight, screened)

    def _sentence(self, sentence: Sentence, language: str) -> ScreenedSentence:
        for i, text in enumerate(self._texts):
            copy = text.find_verbatim(sentence)
            if copy:
                return _screened(sentence, 1.0, Place(i, *copy), None)
        texts = [(i, t) for i, t in enumerate(self._texts) if t.language == language]
        windows = [(i, text, window) for i, text in texts for window in text.windows]
        best = best_window(sentence, [window for _, _, window in windows])
        if best is None:
            return _screened(sentence, 0.0, None, frozenset())
        i, text, window = windows[best.window]
        place = None
        if best.probability >= POINT_AT_FROM:
            narrow = _narrowest(sentence, text, window)
            place = Place(i, narrow.start, narrow.end)
        return _screened(sentence, best.probability, place, window.stems)

    def _symbols(self, unit_text: str) -> Screening:
        """A unit without a word or number (an emoji, a formula sign) is there or it is not."""
        wanted = [piece.folded for piece in pieces_of(unit_text)]
        for i, text in enumerate(self._texts):
            at = text.text.find(unit_text.strip()) if wanted else -1
            if at >= 0:
                place = Place(i, at, at + len(unit_text.strip()))
                found = ScreenedSentence(0, len(unit_text), 1, 1.0, True, place, 0, 0)
                return Screening(1.0, (found,))
        return Screening(0.0, ())


def _narrowest(sentence: Sentence, text: PreparedText, window: Window) -> Window:
    """The sentence or pair of sentences in the window that supports best, the shorter of equals."""
    return max(text.inside(window), key=lambda inner: probability(sentence, inner))


def _screened(
    sentence: Sentence, chance: float, place: Place | None, stems: frozenset[str] | None
) -> ScreenedSentence:
    """`stems` are those of the window compared with; `None`: a verbatim copy, nothing missing."""
    content = sentence.content
    lacking = frozenset(content) - stems if stems is not None else frozenset()
    words = [t for t in sentence.tokens if t.stem in lacking]
    return ScreenedSentence(
        sentence.start,
        sentence.end,
        len(sentence.tokens),
        chance,
        stems is None,
        place,
        len(content),
        len(content) - len(lacking),
        any(not t.number and not t.word for t in sentence.tokens),
        _surfaces(sentence.text, [t for t in words if not t.number]),
        _surfaces(sentence.text, [t for t in words if t.number]),
    )


def _surfaces(text: str, tokens: Sequence[Token]) -> tuple[str, ...]:
    """The tokens as written, each once; overlapping pairs of characters as one run."""
    runs: list[tuple[int, int]] = []
    for token in tokens:
        if runs and token.start < runs[-1][1]:
            runs[-1] = (runs[-1][0], token.end)
        else:
            runs.append((token.start, token.end))
    return tuple(dict.fromkeys(text[start:end] for start, end in runs))

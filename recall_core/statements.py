"""Cutting a text into statements: sentences, list items, table rows and code blocks.

The library `sentencex` finds sentence ends (it knows abbreviations and the full stops of many
scripts). It does not know Markdown, so `recall_core.blocks` cuts the text into blocks first. Every
statement is an exact slice of the original text.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import zip_longest

import sentencex

from recall_core.blocks import BlockKind, Span, blocks, says_something
from recall_core.languages import language_of


def split_statements(text: str) -> tuple[str, ...]:
    """The statements of `text` in order; none for a text that is only punctuation.

    A table's head and rule are no statements. An item or a paragraph of several sentences is
    several statements; a table row and a code block are one each.
    """
    return tuple(
        text[s.start : s.end] for s in sentence_spans(text) if s.kind is not BlockKind.HEADER
    )


def sentence_spans(text: str) -> tuple[Span, ...]:
    """Where the sentences, items, rows and code blocks of `text` stand, table heads included."""
    language = language_of(text)
    pieces = (
        _trimmed(text, piece) for block in blocks(text) for piece in _cut(text, block, language)
    )
    return tuple(piece for piece in pieces if says_something(text[piece.start : piece.end]))


# sentencex 1.0.32 panics on a blank of several bytes before an initial ("A.\u2028B.") and takes no
# lone surrogates. One plain character stands in for each, so that offsets stay right.
_PLAIN = {c: " " for c in range(sys.maxunicode + 1) if chr(c).isspace() and chr(c) != "\n"}
_PLAIN |= dict.fromkeys(range(0xD800, 0xE000), "?")


def _cut(text: str, block: Span, language: str) -> Iterator[Span]:
    if block.kind not in (BlockKind.PROSE, BlockKind.ITEM):
        yield block
        return
    plain = text[block.start : block.end].translate(_PLAIN)
    found = sentencex.get_sentence_boundaries(language, plain)
    start = 0
    for this, following in zip_longest(found, found[1:]):
        if following and _goes_on(plain[start : this["end_index"]], following["text"]):
            continue
        yield Span(block.start + start, block.start + this["end_index"], block.kind)
        start = this["end_index"]


# Abbreviations that sentencex 1.0 does not know, where a number or a small letter follows.
_SHORTENED = re.compile(
    r"(?:^|\W)(?:approx|incl|excl|max|min|avg|ch|vols?|eqs?|resp|lbs?|oz|ft|hrs?|mins?|secs?"
    r"|mon|tues?|wed|thurs?|fri|sat|sun|\d+(?:st|nd|rd|th))\.\s*$",
    re.IGNORECASE,
)
_LONGEST_SHORTENED = 20


def _goes_on(before: str, after: str) -> bool:
    """Whether a sentence goes on after the stop: a lone number, or text after an abbreviation."""
    after = after.strip()
    if after and not any(c.isalpha() for c in after) and any(c.isdigit() for c in after):
        return before.rstrip().endswith(".")
    small = after[:1].isdigit() or after[:1].islower()
    return small and bool(_SHORTENED.search(before[-_LONGEST_SHORTENED:]))


def _trimmed(text: str, span: Span) -> Span:
    """The span without the blanks at both ends."""
    piece = text[span.start : span.end]
    start = span.start + len(piece) - len(piece.lstrip())
    return Span(start, max(start, span.start + len(piece.rstrip())), span.kind)

"""Cutting a text into blocks before its sentences are looked for.

Answers are often half Markdown: lists, tables, code. Each list item, table row and code block is a
block of its own; everything else is prose. A block is a slice of the text without the list marker,
the outer pipes of a row or the fences around code. Rules and fences belong to no block.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto


class BlockKind(Enum):
    """What a stretch of text is."""

    PROSE = auto()
    ITEM = auto()
    ROW = auto()
    HEADER = auto()
    CODE = auto()


@dataclass(frozen=True, slots=True)
class Span:
    """A slice of a text in Unicode code points, `end` exclusive."""

    start: int
    end: int
    kind: BlockKind = BlockKind.PROSE


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)


_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(?=\S)")
_QUOTE = re.compile(r"\s{0,3}(?:>\s?)+")
_RULE = re.compile(r"\s*([-*_=])(?:\s*\1){2,}\s*")


def blocks(text: str) -> list[Span]:
    """The blocks of `text` in order; blocks of prose and items may run over several lines."""
    lines = [_Line(m.start(), m.group().rstrip("\r\n")) for m in _LINE.finditer(text) if m.group()]
    found: list[Span] = []
    at = 0
    while at < len(lines):
        whole, after = _code(lines, at)
        if after == at:
            whole, after = _table(lines, at)
        if after == at:
            whole, after = _text(lines, at, found)
        found += whole
        at = after
    return [cut for block in found for cut in _inline_items(text, block)]


# Code

_FENCE = re.compile(r"\s*(?:>\s?)*(?:[-*+]\s+|\d{1,3}[.)]\s+)?(`{3,}(?=[^`]*$)|~{3,})")


def _code(lines: Sequence[_Line], at: int) -> tuple[list[Span], int]:
    """A fenced block up to its closing fence, or to the end of the text if it has none."""
    opening = _FENCE.match(lines[at].text)
    if not opening:
        return [], at
    fence = opening.group(1)
    closing = re.compile(rf"\s*(?:>\s?)*{re.escape(fence[0])}{{{len(fence)},}}\s*")
    first = last = at + 1
    while last < len(lines) and not closing.fullmatch(lines[last].text):
        last += 1
    inside = [Span(lines[first].start, lines[last - 1].end, BlockKind.CODE)] if first < last else []
    return inside, last + 1


# Tables


def _is_table_rule(line: _Line) -> bool:
    signs = set(line.text)
    return bool(signs <= set("|+-=: \t") and signs & set("|+") and signs & set("-="))


def _is_grid_rule(line: _Line) -> bool:
    return _is_table_rule(line) and line.text.lstrip().startswith("+")


def _has_outer_pipe(line: _Line) -> bool:
    return line.text.lstrip().startswith("|")


def _table(lines: Sequence[_Line], at: int) -> tuple[list[Span], int]:
    """A table: rows with a rule under the first one, a grid, or two rows with outer pipes."""
    ruled = "|" in lines[at].text and at + 1 < len(lines) and _is_table_rule(lines[at + 1])
    after = at
    while after < len(lines) and (
        _has_outer_pipe(lines[after])
        or _is_grid_rule(lines[after])
        or (ruled and "|" in lines[after].text)
    ):
        after += 1
    rows = lines[at:after]
    if not ruled and not any(map(_is_table_rule, rows)) and len(rows) < 2:
        return [], at
    head = _head(rows)
    return [
        _inside_pipes(row, BlockKind.HEADER if row is head else BlockKind.ROW)
        for row in rows
        if not _is_table_rule(row)
    ], after


def _head(rows: Sequence[_Line]) -> _Line | None:
    """The row right above the first rule that has one; the box of a grid may be a plain row."""
    for above, rule, *below in (rows[i:] for i in range(len(rows) - 1)):
        if _is_table_rule(rule) and not _is_table_rule(above):
            boxed = _is_grid_rule(rule) and all(map(_is_table_rule, below))
            return None if boxed else above
    return None


def _inside_pipes(line: _Line, kind: BlockKind) -> Span:
    inner = line.text.rstrip()
    inner = inner.removesuffix("|") if not inner.endswith("\\|") else inner
    start = len(inner) - len(inner.lstrip())
    if inner[start:].startswith("|"):
        start += 1
    return Span(line.start + start, line.start + max(start, len(inner)), kind)


# Prose and lists

_BULLET = r"[-*+•◦▪▫‣⁃∙·●○■□►▸✓✔✗❖➢➤☐☑✅]"
_CJK = r"[\u3040-\u30ff\u3400-\u9fff]"
_MARKER = re.compile(
    rf"(?:(?P<bullet>{_BULLET})(?:\s+\[[ xX]\])?(?:\s+|$)"
    rf"|[(（]?(?P<number>\d{{1,3}})(?:\.\d{{1,3}})*(?:[.)](?:\s+|$|(?={_CJK}))|[、．）]\s*)"
    rf"|(?P<weak>[–—]|[(（]?(?:[A-Za-z]|[ivx]{{2,5}})\)|[①-⓿])(?:\s+|$)"
    rf"|(?P<numeral>[(（]?[一二三四五六七八九十]{{1,3}}[、）])\s*)"
)


def _text(lines: Sequence[_Line], at: int, found: list[Span]) -> tuple[list[Span], int]:
    """A paragraph or one list item with the lines that continue it; headings stand alone."""
    line = lines[at]
    quote = _QUOTE.match(line.text)
    start = quote.end() if quote else len(line.text) - len(line.text.lstrip())
    body = line.text[start:]
    if not body.strip() or _RULE.fullmatch(line.text):
        return [], at + 1
    heading = _HEADING.match(body)
    if heading:
        return [Span(line.start + start + heading.end(), line.end)], at + 1
    marker = _MARKER.match(body)
    is_item = bool(marker) and _opens_a_list(lines, at, found)
    kind = BlockKind.ITEM if is_item else BlockKind.PROSE
    start += marker.end() if marker and is_item else 0
    after = at + 1
    while after < len(lines) and _continues(lines, after, kind):
        after += 1
    return [Span(line.start + start, lines[after - 1].end, kind)], after


def _continues(lines: Sequence[_Line], at: int, kind: BlockKind) -> bool:
    """Whether a line belongs to the paragraph or item above it."""
    line = lines[at].text
    if not line.strip() or _RULE.fullmatch(line) or _HEADING.match(line):
        return False
    if _code(lines, at)[1] > at or _table(lines, at)[1] > at:
        return False
    if _interrupts(lines, at, kind):
        return False
    # "- two ropes" and then "Then stop." at the margin: a new sentence, though Markdown joins them.
    return kind is not BlockKind.ITEM or line[0].isspace() or line[0].islower()


def _marker(line: _Line) -> re.Match[str] | None:
    quote = _QUOTE.match(line.text)
    return _MARKER.match(line.text[quote.end() :] if quote else line.text.lstrip())


def _interrupts(lines: Sequence[_Line], at: int, kind: BlockKind) -> bool:
    """Whether a line starts an item in the middle of a paragraph.

    A wrapped line may happen to start with "12." or a dash, so only bullets and the number 1 do
    that, or any marker after an item or a colon.
    """
    marker = _marker(lines[at])
    if not marker:
        return False
    introduced = kind is BlockKind.ITEM or lines[at - 1].text.rstrip().endswith((":", "："))
    return bool(introduced or marker["bullet"] or (marker["number"] and int(marker["number"]) == 1))


_NEXT_WITHIN = 30
"""Lines among which the next number of a list is looked for."""


def _opens_a_list(lines: Sequence[_Line], at: int, found: Sequence[Span]) -> bool:
    """Whether the marker of a block's first line is one: "3. Mai 2020" may be a date.

    Numbers above 1 want an item before them or the next number soon after.
    """
    marker = _marker(lines[at])
    if not marker or not marker["number"]:
        return bool(marker)
    number = int(marker["number"])
    if number <= 1 or (found and found[-1].kind is BlockKind.ITEM):
        return True
    later = (_marker(line) for line in lines[at + 1 : at + 1 + _NEXT_WITHIN])
    return any(m and m["number"] and int(m["number"]) == number + 1 for m in later)


_INLINE_FIRST = re.compile(r"(?<=[:：;.!?。])\s*[(（]?1[.)）]\s")


def _inline_items(text: str, block: Span) -> list[Span]:
    """A block cut at "1. … 2. …" inside its line, if the numbers run from 1 to at least 2."""
    if block.kind not in (BlockKind.PROSE, BlockKind.ITEM):
        return [block]
    cuts = []
    marker = _INLINE_FIRST.search(text, block.start, block.end)
    while marker:
        cuts.append(marker.span())
        following = re.compile(rf"\s[(（]?{len(cuts) + 1}[.)）]\s")
        marker = following.search(text, marker.end(), block.end)
    if len(cuts) < 2:
        return [block]
    starts = [block.start, *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), block.end]
    kinds = [block.kind, *(BlockKind.ITEM for _ in cuts)]
    return [Span(*piece) for piece in zip(starts, ends, kinds, strict=True)]


def says_something(piece: str) -> bool:
    """Whether there is more than punctuation: a rule, a lone bracket or dots claim nothing."""
    return any(c.isalnum() or unicodedata.category(c) in {"So", "Sc"} for c in piece)

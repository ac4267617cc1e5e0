"""Text in the data that talks to a judge. It changes no score; a person is told to look.

The patterns are few and plain on purpose: a missed one costs a badge, nothing else, because no
judge takes orders from a passage.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

_INVISIBLE = dict.fromkeys((0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF))
_FLAGS = re.IGNORECASE | re.MULTILINE | re.VERBOSE
_ENDS = r"""(?=\s*(?:$|[.!,;)"'\]]|(?:for|and|to|in|or|because|regardless|no\s+matter)\b))"""

_ORDER = "an order to ignore instructions"
_SCORE = "a request for a score"
_LINE = "a line that looks like a verdict"
_ROLE = "text that plays another role"


def _words(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


_VERBS = _words("give assign award rate grade score mark return output answer respond reply")
_SAYING = _words("answer say respond reply return output")
_MARKS = _words("mark marks score scores point points rating ratings grade grades")
_NUMBERS = _words("0 1 2 3 4 5 one five")
_APART = str.maketrans(dict.fromkeys(".,;:!?\"'()[]{}<>/*-–—“”‘’", " "))


@dataclass(frozen=True, slots=True)
class _Pattern:
    """What to look for. A match needs a word of each group of `words` and a part of each group of
    `parts` (in small letters): checking that first spares most texts the slow search.
    """

    what: str
    regex: re.Pattern[str]
    words: tuple[frozenset[str], ...] = ()
    parts: tuple[Sequence[str], ...] = ()


_PATTERNS = (
    _Pattern(
        _ORDER,
        re.compile(
            r"""
        (?<!not\s)(?<!never\s)\b(?:ignore|disregard|forget|override|bypass|do\s+not\s+follow)\b
        (?: [^.]{0,30}?\b(?:instructions?|prompts?|rubrics?|guidelines)\b
          | [^.]{0,30}?\b(?:previous|prior|above|earlier|preceding|your)\s+(?:rules?|directions?) )
        | \bignorie(?:re|ren\s+sie)\b[^.]{0,30}?\b(?:anweisung|anleitung|vorgabe)
        | \bignore[rz]?\s+(?:toutes\s+)?(?:les|vos|tes)\s+(?:instructions|consignes)
        | \bignor[ae]\s+(?:todas\s+)?las\s+(?:instrucciones|indicaciones)
        | (?:忽略|无视|無視)[^。\n]{0,8}(?:指令|指示|说明|規則|规则|提示)
        """,
            _FLAGS,
        ),
        parts=(
            tuple(_words("ignor disregard forget override bypass follow 忽略 无视 無視")),
            tuple(
                _words(
                    "instruc prompt rubric guideline rule direction anweisung anleitung vorgabe",
                    "consigne indicacion 指令 指示 说明 規則 规则 提示",
                )
            ),
        ),
    ),
    _Pattern(
        _SCORE,
        re.compile(
            r"""
        \b(?:give|assign|award|rate|grade|score|mark|return|output|answer|respond|reply)\b
        [^.\n]{0,40}?\b(?:full|top|maximum|highest|perfect|max)\s+
            (?:marks?|scores?|points?|ratings?|grades?)\b
        """,
            _FLAGS,
        ),
        words=(_VERBS, _words("full top maximum highest perfect max"), _MARKS),
    ),
    _Pattern(
        _SCORE,
        re.compile(
            rf"""
        \b(?:give|assign|award|rate|grade|score|mark|return|output|answer|respond|reply)\b
        \s+(?:with\s+|it\s+|this\s+|them\s+|all\s+|every\s+|the\s+|passages?\s+|statements?\s+)*
            (?:as\s+|at\s+)?(?:an?\s+)?(?:score\s+(?:of\s+)?)?
            (?:[0-5]|one|five)(?:\s*/\s*5|\s+out\s+of\s+(?:5|five))?{_ENDS}
        """,
            _FLAGS,
        ),
        words=(_VERBS, _NUMBERS),
    ),
    _Pattern(
        _SCORE,
        re.compile(
            r"""
        \b(?:answer|say|respond|reply|return|output)\s+(?:with\s+)?["']?(?:yes|true)\b["']?
            \s+(?:to|for|in)\s+(?:all|every|each)
        | \bfor\s+(?:all|every|each)\b[^.\n]{0,40}?\b(?:answer|say|respond|reply|return|output)
            \s+(?:with\s+)?["']?(?:yes|true|[0-5])\b
        """,
            _FLAGS,
        ),
        words=(_SAYING, _words("yes true 0 1 2 3 4 5"), _words("all every each")),
    ),
    _Pattern(
        _SCORE,
        re.compile(
            r"""
        \b(?:set|change|make)\s+(?:every|each|all|the|this)\s+(?:score|rating|grade|verdict)s?\b
            [^.\n]{0,20}?\b(?:to\s+)?(?:[0-5]|five|yes)\b
        """,
            _FLAGS,
        ),
        words=(
            _words("set change make"),
            _words("score scores rating ratings grade grades verdict verdicts"),
        ),
    ),
    _Pattern(
        _SCORE,
        re.compile(
            rf"""
        \b(?:passage|statement|answer|text|it)s?\s+(?:must|should|deserves?|has\s+to|have\s+to)\s+
            (?:to\s+)?(?:receive|get|score|be\s+(?:given|scored|rated|graded))?\s*
            (?:as\s+)?(?:an?\s+)?(?:score\s+of\s+)?(?:[0-5]|five){_ENDS}
        """,
            _FLAGS,
        ),
        words=(_words("must should deserve deserves has have"), _NUMBERS - {"one"}),
    ),
    _Pattern(
        _LINE,
        re.compile(
            r"""
        \bRECALL_[A-Z]\w*\s*[:=]
        | ^[^\w\n]*(?:final\s+|total\s+)?(?:score|verdict|rating|grade)
            \W{0,4}[:：=]\W{0,4}(?:\d|yes\b|no\b)
        | \[\s*(?:ESSENTIAL|BONUS)\s+PASSAGE\s*\d*\s*\]
        | ["'](?:score|verdict)["']\s*:\s*["']?(?:\d|yes\b|no\b)
        """,
            _FLAGS,
        ),
        parts=(":：=]", ("recall_", "score", "verdict", "rating", "grade", "essential", "bonus")),
    ),
    _Pattern(
        _ROLE,
        re.compile(
            r"""
        <\|?/?(?:im_start|im_end|system|assistant|endoftext|eot_id|start_header_id)\b[^>\n]{0,20}>
        | </(?:retrieved_)?(?:passages?|contexts?|documents?|data)\s*>
        | \[/?INST\] | <</?SYS>>
        | (?-i:\bSYSTEM\s*[:：]) | ^[^\w\n]*(?:system|assistant)\s+(?:message|prompt)\s*[:：]
        """,
            _FLAGS,
        ),
        parts=(
            "<[:：",
            tuple(
                _words(
                    "im_start im_end sys assistant endoftext eot_id start_header_id passage",
                    "context document data inst",
                )
            ),
        ),
    ),
    _Pattern(
        _ROLE,
        re.compile(
            r"""
        \byou\s+are\s+(?:now\s+)?(?:an?|the)\s+(?:\w+\s+){0,3}(?:judge|evaluator|grader)\b
        | \b(?:note|message|attention|dear|instructions?)\s+(?:to\s+|for\s+)?(?:the\s+)?
            (?:judge|evaluator|grader|language\s+model|llm|ai)s?\b
        """,
            _FLAGS,
        ),
        words=(
            _words("judge judges evaluator evaluators grader graders language llm llms ai ais"),
            _words("you note message attention dear instruction instructions"),
        ),
    ),
)
_NEEDED = frozenset().union(*(group for pattern in _PATTERNS for group in pattern.words))
_SHOWN = 80


class _Text:
    """A text to be searched, and what it holds in small letters: as it stands, and the words
    that patterns need."""

    def __init__(self, text: str) -> None:
        self.plain = text if text.isascii() else text.translate(_INVISIBLE)
        self._small = self.plain.casefold()

    @cached_property
    def _words(self) -> frozenset[str]:
        return _NEEDED.intersection(self._small.translate(_APART).split())

    def may_match(self, pattern: _Pattern) -> bool:
        """Whether it has a word, or a part of one, of each group that the pattern needs."""
        for group in pattern.words:
            if group.isdisjoint(self._words):
                return False
        return all(_has_one(self._small, parts) for parts in pattern.parts)


def _has_one(text: str, parts: Sequence[str]) -> bool:
    for part in parts:  # noqa: SIM110  # `any` with a generator takes twice the time
        if part in text:
            return True
    return False


@dataclass(frozen=True, slots=True)
class Suspicion:
    """What was met, and its words."""

    what: str
    quote: str


def suspicions(text: str) -> tuple[Suspicion, ...]:
    """The first of each kind of text that talks to a judge rather than about its subject."""
    return _found(_Text(text), _PATTERNS)


def _found(text: _Text, patterns: Iterable[_Pattern]) -> tuple[Suspicion, ...]:
    found: dict[str, re.Match[str]] = {}
    for pattern in patterns:
        match = pattern.regex.search(text.plain) if text.may_match(pattern) else None
        if match and (pattern.what not in found or match.start() < found[pattern.what].start()):
            found[pattern.what] = match
    return tuple(Suspicion(what, _shown(match.group())) for what, match in found.items())


def suspicious_warnings(texts: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """One sentence for each (name, text) that holds something suspicious."""
    texts = list(texts)
    # What all texts together do not hold, none of them holds: mostly that settles it.
    together = _Text("\n".join(text for _, text in texts))
    patterns = [pattern for pattern in _PATTERNS if together.may_match(pattern)]
    if not patterns:
        return ()
    return tuple(
        f"Suspicious text in {name}: {' and '.join(s.what for s in found)} "
        f"(“{found[0].quote}”). It changed nothing in the score."
        for name, text in texts
        if (found := _found(_Text(text), patterns))
    )


def _shown(quote: str) -> str:
    """On one line and not too long."""
    line = " ".join(quote.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"

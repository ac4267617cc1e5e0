"""Text in the data that talks to a judge. It changes no score; a person is told to look.

The patterns are few and plain on purpose: a missed one costs a badge, nothing else, because no
judge takes orders from a passage.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_FLAGS = re.IGNORECASE | re.MULTILINE | re.VERBOSE
_ENDS = r"""(?=\s*(?:$|[.!,;)"'\]]|(?:for|and|to|in|or|because|regardless|no\s+matter)\b))"""

_PATTERNS = {
    "an order to ignore instructions": re.compile(
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
    "a request for a score": re.compile(
        rf"""
        \b(?:give|assign|award|rate|grade|score|mark|return|output|answer|respond|reply)\b
        (?: [^.\n]{{0,40}}?\b(?:full|top|maximum|highest|perfect|max)\s+
            (?:marks?|scores?|points?|ratings?|grades?)\b
          | \s+(?:with\s+|it\s+|this\s+|them\s+|all\s+|every\s+|the\s+|passages?\s+|statements?\s+)*
            (?:as\s+|at\s+)?(?:an?\s+)?(?:score\s+(?:of\s+)?)?
            (?:[0-5]|one|five)(?:\s*/\s*5|\s+out\s+of\s+(?:5|five))?{_ENDS} )
        | \b(?:answer|say|respond|reply|return|output)\s+(?:with\s+)?["']?(?:yes|true)\b["']?
            \s+(?:to|for|in)\s+(?:all|every|each)
        | \bfor\s+(?:all|every|each)\b[^.\n]{{0,40}}?\b(?:answer|say|respond|reply|return|output)
            \s+(?:with\s+)?["']?(?:yes|true|[0-5])\b
        | \b(?:set|change|make)\s+(?:every|each|all|the|this)\s+(?:score|rating|grade|verdict)s?\b
            [^.\n]{{0,20}}?\b(?:to\s+)?(?:[0-5]|five|yes)\b
        | \b(?:passage|statement|answer|text|it)s?\s+(?:must|should|deserves?|has\s+to|have\s+to)\s+
            (?:to\s+)?(?:receive|get|score|be\s+(?:given|scored|rated|graded))?\s*
            (?:as\s+)?(?:an?\s+)?(?:score\s+of\s+)?(?:[0-5]|five){_ENDS}
        """,
        _FLAGS,
    ),
    "a line that looks like a verdict": re.compile(
        r"""
        \bRECALL_[A-Z]\w*\s*[:=]
        | ^[^\w\n]*(?:final\s+|total\s+)?(?:score|verdict|rating|grade)
            \W{0,4}[:：=]\W{0,4}(?:\d|yes\b|no\b)
        | \[\s*(?:ESSENTIAL|BONUS)\s+PASSAGE\s*\d*\s*\]
        | ["'](?:score|verdict)["']\s*:\s*["']?(?:\d|yes\b|no\b)
        """,
        _FLAGS,
    ),
    "text that plays another role": re.compile(
        r"""
        <\|?/?(?:im_start|im_end|system|assistant|endoftext|eot_id|start_header_id)\b[^>\n]{0,20}>
        | </(?:retrieved_)?(?:passages?|contexts?|documents?|data)\s*>
        | \[/?INST\] | <</?SYS>>
        | (?-i:\bSYSTEM\s*[:：]) | ^[^\w\n]*(?:system|assistant)\s+(?:message|prompt)\s*[:：]
        | \byou\s+are\s+(?:now\s+)?(?:an?|the)\s+(?:\w+\s+){0,3}(?:judge|evaluator|grader)\b
        | \b(?:note|message|attention|dear|instructions?)\s+(?:to\s+|for\s+)?(?:the\s+)?
            (?:judge|evaluator|grader|language\s+model|llm|ai)s?\b
        """,
        _FLAGS,
    ),
}
_INVISIBLE = dict.fromkeys((0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF))
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Suspicion:
    """What was met, and its words."""

    what: str
    quote: str


def suspicions(text: str) -> tuple[Suspicion, ...]:
    """The first of each kind of text that talks to a judge rather than about its subject."""
    plain = text.translate(_INVISIBLE)
    matches = ((what, pattern.search(plain)) for what, pattern in _PATTERNS.items())
    return tuple(Suspicion(what, _shown(match.group())) for what, match in matches if match)


def suspicious_warnings(texts: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """One sentence for each (name, text) that holds something suspicious."""
    return tuple(
        f"Suspicious text in {name}: {' and '.join(s.what for s in found)} "
        f"(“{found[0].quote}”). It changed nothing in the score."
        for name, text in texts
        if (found := suspicions(text))
    )


def _shown(quote: str) -> str:
    """On one line and not too long."""
    line = " ".join(quote.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"

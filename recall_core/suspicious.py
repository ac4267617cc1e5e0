"""Text in the data that talks to a judge. It changes no score; a person is told to look."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_PATTERNS = {
    "an instruction to ignore other instructions": re.compile(
        r"\b(?:ignore|disregard|forget|override)\b[^.\n]{0,30}"
        r"\b(?:previous|prior|above|earlier|preceding|all|any|your|other|system)\b[^.\n]{0,30}"
        r"\b(?:instructions?|prompts?|rules?|directions?|guidelines?|rubric)\b",
        re.IGNORECASE,
    ),
    "a request for a score": re.compile(
        r"\b(?:give|assign|award|rate|grade|score|mark|return|output|answer|respond(?:\s+with)?)\b"
        r"[^.\n]{0,40}?\b(?:(?:full|top|maximum|highest|perfect|max)\s+(?:marks?|scores?|points?|"
        r"ratings?|grades?)|(?:a|with|as|at|the\s+score|score(?:\s+of)?|it|this|passage|them)\s+"
        r"(?:score\s+(?:of\s+)?)?(?:[0-5]|five|one)(?:\s*/\s*5|\s+out\s+of\s+(?:5|five))?)"
        r"(?=\s*(?:[.!,;:)\"'\]]|$|\n|for\b|regardless\b|no matter\b|and\b))",
        re.IGNORECASE | re.MULTILINE,
    ),
    "a line that looks like a verdict": re.compile(
        r"\bRECALL_[A-Za-z_]+\s*[:=]"
        r"|^\W*(?:final\s+)?(?:score|verdict|rating|grade)\W{0,4}[:：=]\W{0,4}(?:\d|yes\b|no\b)"
        r"|\[(?:ESSENTIAL|BONUS)\s+PASSAGE\s*\d*\]"
        r"|[\"'](?:score|verdict)[\"']\s*:\s*(?:\d|[\"']?(?:yes|no)\b)",
        re.IGNORECASE | re.MULTILINE,
    ),
    "a message that plays another role": re.compile(
        r"<\|?(?:im_start|im_end|system|assistant|endoftext|eot_id|start_header_id)\b[^>\n]{0,20}>"
        r"|\[/?INST\]|<</?SYS>>"
        r"|^\W*(?:system|assistant)(?:\s+(?:message|prompt))?\s*[:：]"
        r"|\byou\s+are\s+(?:now\s+)?(?:an?|the)\s+(?:\w+\s+){0,3}(?:judge|evaluator|grader|assistant)\b"
        r"|\b(?:note|message|attention|dear|instructions?)\s+(?:to|for)?\s*(?:the\s+)?"
        r"(?:judge|evaluator|grader|reviewer)s?\b",
        re.IGNORECASE | re.MULTILINE,
    ),
}
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Suspicion:
    """What was met, and the stretch of text that it is about."""

    what: str
    start: int
    end: int
    quote: str


def suspicions(text: str) -> tuple[Suspicion, ...]:
    """The first stretch of each kind that talks to a judge rather than about its subject."""
    found = []
    for what, pattern in _PATTERNS.items():
        match = pattern.search(text)
        if match:
            found.append(Suspicion(what, *match.span(), match.group()))
    return tuple(found)


def suspicious_warnings(texts: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """One sentence for each (name, text) that holds something suspicious."""
    warnings = []
    for name, text in texts:
        found = suspicions(text)
        if found:
            quote = " ".join(found[0].quote.split())
            quote = quote if len(quote) <= _SHOWN else quote[: _SHOWN - 1] + "…"
            what = " and ".join(s.what for s in found)
            warnings.append(
                f"Suspicious text in {name}: {what} (“{quote}”). It changed nothing in the score."
            )
    return tuple(warnings)

"""What a person should look at twice: the judge's own marks, other judges, the text itself.

Sentences about one unit go with the unit; what is left stands above all of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from db.disagreement import Beside
from recall_core.asking.answers import quote_not_found
from recall_core.details import JudgementDetail
from recall_core.suspicious import suspicions
from recall_core.types import FailureKind, Verdict

MOST_RAW = 6000
"""So many characters of a failed reply stand on the example; the call has all of it."""
_ABOUT = re.compile(r"(?P<label>[EBSC]\d+)(?::| has ) ?")


def unit_remarks(verdict: Verdict, warnings: Sequence[str], beside: Beside) -> dict[str, Any]:
    """Marks in a fixed order, and the sentences that explain them.

    A quote that stands nowhere is shown itself, so the warning about it is not. Suspicious text is
    looked for only where the judge warned of anything, since it does of that.
    """
    ref = verdict.unit.ref
    marks = [mark.value for mark in verdict.marks]
    if verdict.failure is FailureKind.AMBIGUOUS:
        marks.append("conflicting")
    if warnings and suspicions(verdict.unit.text):
        marks.append("suspicious")
    told = {quote_not_found(ref.label)} if any(not e.located for e in verdict.evidence) else set()
    differing = [said.sentence for said in beside.sentences if said.ref == ref]
    if differing:
        marks.append("disagreement")
    return {
        "marks": marks,
        "spread": str(verdict.spread) if verdict.spread else None,
        "remarks": [
            *(w for w in warnings if label_of(w) == ref.label and w not in told),
            *differing,
        ],
    }


def label_of(warning: str) -> str | None:
    """The unit that a warning is about, `None` if it is about the whole example."""
    about = _ABOUT.match(warning)
    return None if about is None else about["label"]


def general_warnings(detail: JudgementDetail) -> list[str]:
    """The warnings that belong to no unit."""
    labels = {verdict.unit.ref.label for verdict in detail.verdicts}
    return [w for w in detail.warnings if label_of(w) not in labels]


def suspicious_ranks(detail: JudgementDetail) -> Mapping[int, list[str]]:
    """Which passages talk to a judge rather than about their subject, and how."""
    if not detail.warnings:
        return {}
    found = {p.rank: suspicions(p.text) for p in detail.example.retrieved or ()}
    return {rank: [f"{s.what}: “{s.quote}”" for s in said] for rank, said in found.items() if said}


def raw_reply(detail: JudgementDetail) -> dict[str, Any] | None:
    """What a judge replied that could not be used, as far as it is shown at once."""
    raw = detail.raw_response
    if raw is None or detail.error_type is None:
        return None
    return {"text": raw[:MOST_RAW], "more": max(0, len(raw) - MOST_RAW)}

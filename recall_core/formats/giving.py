"""What every format needs to know of a judgement: both finals, who gave them, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from recall_core.details import JudgementDetail
from recall_core.export.safe_cells import cell_number
from recall_core.formats.outside import Source
from recall_core.judges import judges
from recall_core.judges.base import LocalJudge

TRACE_FIELDS = ("trace_id", "traceId")
"""Metadata that names the trace of an example in the other tool."""


@dataclass(frozen=True, slots=True)
class Given:
    """A final that somebody gave: the judge, or people by their decisions.

    `overrides`: it takes the judge's place. `overridden`: people's final took its place.
    """

    source: Source
    by: str
    value: int | float | None
    reason: str
    at: datetime
    error: str | None = None
    overrides: bool = False
    overridden: bool = False


def given_finals(detail: JudgementDetail) -> Iterator[Given]:
    """The judge's final first, then the people's where they have decided on anything."""
    judged, now = detail.judge_trace.final, detail.trace.final
    decided = bool(detail.decisions) and any(e.reviewed for e in detail.effective)
    changed = decided and judged != now
    model = detail.run.settings.get("model")
    yield Given(
        _source(detail.run.judge),
        f"{detail.run.judge} {detail.run.judge_version}" + (f" ({model})" if model else ""),
        cell_number(judged),
        detail.details,
        detail.judged_at,
        error=None if judged is not None else _why_not(detail),
        overridden=changed,
    )
    if decided and now is not None:
        last = detail.decisions[-1]
        yield Given(
            Source.HUMAN,
            last.reviewer,
            cell_number(now),
            _reasons(detail),
            last.at,
            overrides=changed,
        )


def trace_of(detail: JudgementDetail) -> str:
    """What the other tool knows the example by: a trace that its metadata name, or its id."""
    named = (detail.example.metadata.get(field) for field in TRACE_FIELDS)
    return next((str(n) for n in named if n), detail.example.id)


def _source(judge: str) -> Source:
    known = judges().get(judge)
    return Source.CODE if known is not None and issubclass(known, LocalJudge) else Source.JUDGE


def _why_not(detail: JudgementDetail) -> str:
    return detail.error_type.value if detail.error_type is not None else detail.status.value


def _reasons(detail: JudgementDetail) -> str:
    """What people changed and why, unit by unit."""
    said = []
    for effective in detail.effective:
        decision = effective.decision
        if decision is not None and effective.changed:
            why = ": ".join(part for part in (decision.cause or "", decision.note) if part)
            said.append(f"{effective.ref.label} {decision.action.value}" + (f", {why}" * bool(why)))
    return "; ".join(said) or "Confirmed."

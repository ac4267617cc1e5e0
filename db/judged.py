"""One outcome on its way into the database: what is kept of it, worked out before any lock."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any

from db.columns import decimal_text, whole_text
from db.copies import fresh_copies
from recall_core.disagreement import OUTPUT, FoldedTexts, counts_verbatim, distance
from recall_core.judges.base import Judge
from recall_core.results import Result, result_of
from recall_core.types import Example, FailureKind, JudgeFailure, Outcome, Skipped, Verdict
from recall_core.unit_key import UnitKeys, text_key
from recall_core.units import with_every_unit

Place = tuple[int, str, int]
"""What a unit's row is found by: its example, key and position."""


@dataclass(frozen=True, slots=True)
class Judged:
    """An outcome with the example it is about (`example_id` is the row's, not the file's)."""

    example_id: int
    position: int
    example: Example
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class KeptUnit:
    """A verdict, and what is known of its unit. `verbatim_rank`: the first text in which it stands
    word for word (`UnitRow.verbatim_rank`)."""

    place: Place
    verdict: Verdict
    verbatim_rank: int | None


@dataclass(frozen=True, slots=True)
class Entry:
    """One judgement to be written."""

    judged: Judged
    result: Result
    units: tuple[KeptUnit, ...]

    @property
    def example_id(self) -> int:
        return self.judged.example_id

    @property
    def disagreement(self) -> float | None:
        """How far it is from the texts' own witness; other judges aside."""
        sizes = [
            distance(unit.verdict.unit.ref.kind, unit.verdict.score, (), verbatim=True)
            for unit in self.units
            if unit.verbatim_rank is not None
            and unit.verdict.score is not None
            and counts_verbatim(unit.verdict.unit.ref.kind)
        ]
        return max(sizes, default=None)


def entry_of(judge: Judge, judged: Judged) -> Entry:
    """What is written of this outcome."""
    outcome = _keepable(judged)
    if isinstance(outcome, JudgeFailure):
        outcome = with_every_unit(outcome, judge.units(judged.example))
    result = result_of(judged.example, judge, outcome)
    return Entry(judged, result, tuple(_units(judged, judge, result.units)))


def _units(judged: Judged, judge: Judge, verdicts: tuple[Verdict, ...]) -> Iterator[KeptUnit]:
    texts = judge.scored_texts(judged.example)
    keys, folded = UnitKeys(texts), FoldedTexts(texts)
    retrieved = judged.example.retrieved or ()
    ranks = [passage.rank for passage in retrieved]
    same = texts == tuple(passage.text for passage in retrieved)
    for verdict in verdicts:
        unit = verdict.unit
        at = folded.place_of(unit.text)
        rank = None if at is None else ranks[at] if same else OUTPUT
        place = (judged.example_id, keys.key(unit.ref.kind, unit.text), unit.ref.index)
        yield KeptUnit(place, verdict, rank)


def _keepable(judged: Judged) -> Outcome:
    """The outcome, or a failure of this example where a judge's answer makes no sense to keep."""
    outcome = judged.outcome
    problem = _problem(judged.example, outcome)
    if problem is None:
        return outcome
    raw = None if isinstance(outcome, Skipped) else outcome.raw_response
    return JudgeFailure(judged.example.id, FailureKind.INTERNAL, problem, raw_response=raw)


def _problem(example: Example, outcome: Outcome) -> str | None:
    if outcome.example_id != example.id:
        return f"The judge answered for example {outcome.example_id} when asked about {example.id}."
    if isinstance(outcome, Skipped):
        return None
    refs = [verdict.unit.ref for verdict in outcome.verdicts]
    if len(set(refs)) < len(refs):
        twice = next(ref.label for ref in refs if refs.count(ref) > 1)
        return f"The judge gave more than one verdict for {twice}."
    for verdict in outcome.verdicts:
        try:
            decimal_text(Fraction(0) if verdict.score is None else verdict.score)
        except ValueError as error:
            return f"The judge's score for {verdict.unit.ref.label} cannot be kept: {error}"
    return None


def judgement_values(run_id: int, judge: Judge, entry: Entry, now: datetime) -> dict[str, Any]:
    """The judgement's columns, by name."""
    result = entry.result
    return {
        "run_id": run_id,
        "example_id": entry.example_id,
        "position": entry.judged.position,
        "repeat": 1,
        "status": result.status.value,
        "error_type": None if result.error_type is None else result.error_type.value,
        "details": whole_text(result.details),
        "warnings": [whole_text(warning) for warning in result.warnings],
        "warning_count": len(result.warnings),
        "raw_response": None if result.raw_response is None else whole_text(result.raw_response),
        "cost": None if result.cost is None else str(result.cost.amount),
        "judged_at": now,
        "disagreement": entry.disagreement,
        **fresh_copies(result.status, result.units, judge.formula, judge.rounding_rule),
    }


def unit_values(unit: KeptUnit) -> dict[str, Any]:
    """The columns of the unit's own row, by name."""
    ref, text = unit.verdict.unit.ref, unit.verdict.unit.text
    example_id, key, position = unit.place
    return {
        "example_id": example_id,
        "kind": ref.kind.value,
        "position": position,
        "text": whole_text(text),
        "unit_key": key,
        "text_key": text_key(ref.kind, text),
        "verbatim_rank": unit.verbatim_rank,
    }


def verdict_values(judgement_id: int, unit_id: int, verdict: Verdict) -> dict[str, Any]:
    """The verdict's columns, by name."""
    return {
        "judgement_id": judgement_id,
        "unit_id": unit_id,
        "score": verdict.score,
        "failure": None if verdict.failure is None else verdict.failure.value,
        "probability": verdict.probability,
        "similarity": verdict.similarity,
        "spread": verdict.spread,
        "marks": [mark.value for mark in verdict.marks],
        "reasoning": whole_text(verdict.reasoning),
    }


def evidence_values(verdict_id: int, verdict: Verdict) -> Iterator[dict[str, Any]]:
    """The columns of each quote's row, by name."""
    for position, evidence in enumerate(verdict.evidence, 1):
        yield {
            "verdict_id": verdict_id,
            "position": position,
            "rank": evidence.rank,
            "start_offset": evidence.start,
            "end_offset": evidence.end,
            "quote": whole_text(evidence.quote),
            "located": evidence.located,
        }

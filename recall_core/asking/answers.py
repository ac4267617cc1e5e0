"""From what a model said to verdicts: quotes placed, batches and samples put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from statistics import median

from recall_core.asking.conversation import STOPPED, Talk
from recall_core.contradiction import contradiction
from recall_core.quotes import evidence_of
from recall_core.replies import Again, UnitReading
from recall_core.scored_text import TextToScore
from recall_core.scoring import SCALES, printed
from recall_core.types import Evidence, FailureKind, Mark, Unit, UnitKind, UnitRef, Verdict

WIDE = {UnitKind.ESSENTIAL: 2, UnitKind.BONUS: 2}
"""From this spread on samples are marked as far apart; of yes and no any spread is."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A verdict on every unit, in order; where it has no score, `troubles` says why. `failure`
    is set where calls failed, with a sentence in `message`."""

    verdicts: tuple[Verdict, ...]
    troubles: Mapping[UnitRef, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    failure: FailureKind | None = None
    message: str = ""

    @property
    def complete(self) -> bool:
        return all(verdict.score is not None for verdict in self.verdicts)


def answer_of(talk: Talk, texts: Sequence[TextToScore]) -> Answer:
    """The verdicts of one talk, with every quote looked up in the texts."""
    warnings = list(talk.warnings)
    if talk.repaired:
        warnings.append("The reply was no valid JSON; its punctuation was repaired.")
    verdicts = []
    troubles: dict[UnitRef, str] = {}
    for unit in talk.units:
        reading = talk.readings.get(unit.ref)
        if reading is None:
            verdicts.append(Verdict(unit, None, failure=talk.failure))
            continue
        verdicts.append(_verdict(reading, texts, warnings, repaired=talk.repaired))
        if reading.score is None:
            troubles[unit.ref] = reading.trouble
    return Answer(tuple(verdicts), troubles, tuple(warnings), talk.failure, talk.message)


def _verdict(
    reading: UnitReading, texts: Sequence[TextToScore], warnings: list[str], *, repaired: bool
) -> Verdict:
    label = reading.unit.ref.label
    evidence, found = _evidence(reading, texts)
    marks = [Mark.REPAIRED] if repaired else []
    if not found:
        marks.append(Mark.NOT_FOUND)
        warnings.append(quote_not_found(label))
    if reading.again is Again.FRACTION and reading.score is not None:
        marks.append(Mark.FRACTION)
        warnings.append(f"{label} has {printed(reading.score)}, which is no whole number.")
    if reading.score is not None:
        odd = contradiction(reading.reasoning, reading.score, reading.unit.ref.kind)
        if odd is not None:
            marks.append(Mark.CONTRADICTION)
            warnings.append(f"{label} has {printed(reading.score)}, but {odd}.")
    return Verdict(
        reading.unit,
        reading.score,
        _reasoning(reading),
        evidence,
        failure=reading.failure,
        marks=tuple(marks),
    )


def quote_not_found(label: str) -> str:
    """The warning about a unit with such a quote."""
    return f"{label}: a quote was not found in the passage that it names."


def _reasoning(reading: UnitReading) -> str:
    """The model's reasoning, and the passages that it names without quoting them."""
    named = [str(q.rank) for q in reading.quotes if not q.text and q.rank is not None]
    if not named:
        return reading.reasoning
    return f"{reading.reasoning} (It names passage {', '.join(named)} and quotes nothing.)".strip()


def _evidence(
    reading: UnitReading, texts: Sequence[TextToScore]
) -> tuple[tuple[Evidence, ...], bool]:
    places: list[Evidence] = []
    all_found = True
    for quote in reading.quotes:
        evidence, found = evidence_of(quote.text, quote.rank, texts)
        places.extend(e for e in evidence if e not in places)
        all_found = all_found and found
    return tuple(places), all_found


def best_of(batches: Sequence[Answer]) -> Answer:
    """Of answers about the same units from different passages, the best verdict on each.

    A unit that one batch could not judge has no score, unless another batch gave it the highest
    there is: the missing one might have been better.
    """
    if len(batches) == 1:
        return batches[0]
    verdicts = tuple(
        _best([batch.verdicts[place] for batch in batches])
        for place in range(len(batches[0].verdicts))
    )
    failed = next((b for b in batches if b.failure is not None), None)
    troubles = {ref: said for batch in batches for ref, said in batch.troubles.items()}
    open_ones = {v.unit.ref for v in verdicts if v.score is None}
    stopped = failed is not None and (bool(open_ones) or failed.failure in STOPPED)
    return Answer(
        verdicts,
        {ref: said for ref, said in troubles.items() if ref in open_ones},
        _each_once(batches),
        failed.failure if failed and stopped else None,
        failed.message if failed and stopped else "",
    )


def _best(verdicts: Sequence[Verdict]) -> Verdict:
    scored = [v for v in verdicts if v.score is not None]
    if not scored:
        return verdicts[0]
    best = max(scored, key=lambda v: v.score or Fraction(0))
    if len(scored) == len(verdicts) or best.score == SCALES[best.unit.ref.kind].highest:
        return best
    lacking = next(v for v in verdicts if v.score is None)
    return replace(best, score=None, failure=lacking.failure or FailureKind.INCOMPLETE)


def median_of(samples: Sequence[Answer], wanted: int) -> Answer:
    """The middle verdict on each unit, of `wanted` samples, more than half of which must have a
    score for it. Reasoning and evidence are those of the sample nearest to the middle."""
    if wanted == 1:
        return samples[0]
    warnings = list(_each_once(samples))
    troubles: dict[UnitRef, str] = {}
    verdicts = []
    for place, first in enumerate(samples[0].verdicts):
        given = [sample.verdicts[place] for sample in samples]
        verdict, trouble = _middle(first.unit, given, wanted, warnings)
        verdicts.append(verdict)
        if trouble:
            causes = (s.troubles.get(first.unit.ref) for s in samples)
            troubles[first.unit.ref] = " ".join([trouble, *filter(None, causes)])
    failed = [s for s in samples if s.failure is not None]
    lacking = any(v.score is None for v in verdicts)
    last = next((s for s in failed if lacking or s.failure in STOPPED), None)
    return Answer(
        tuple(verdicts),
        troubles,
        tuple(warnings),
        last.failure if last else None,
        last.message if last else "",
    )


def _middle(
    unit: Unit, given: Sequence[Verdict], wanted: int, warnings: list[str]
) -> tuple[Verdict, str]:
    label = unit.ref.label
    scored = [v for v in given if v.score is not None]
    scores = [v.score for v in scored if v.score is not None]
    if len(scores) * 2 <= wanted:
        first = next((v for v in given if v.score is None), given[0])
        failure = first.failure or FailureKind.INCOMPLETE
        said = f"{label} has a score in {len(scores)} of {wanted} samples, too few for a median."
        return replace(first, score=None, failure=failure), said
    if len(scores) < wanted:
        warnings.append(f"{label} has a score in {len(scores)} of {wanted} samples.")
    middle = median(scores)
    nearest = min(scored, key=lambda v: abs((v.score or Fraction(0)) - middle))
    spread = max(scores) - min(scores)
    marks = nearest.marks
    if spread >= WIDE.get(unit.ref.kind, 1):
        marks = (*marks, Mark.SPREAD)
        warnings.append(
            f"{label}: the samples go from {printed(min(scores))} to {printed(max(scores))}."
        )
    if SCALES[unit.ref.kind].whole and middle.denominator != 1:
        tied = replace(nearest, score=None, failure=FailureKind.AMBIGUOUS, spread=spread)
        return replace(tied, marks=marks), f"Of {label}, as many samples say yes as no."
    return replace(nearest, score=middle, spread=spread, marks=marks), ""


def _each_once(answers: Sequence[Answer]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(w for answer in answers for w in answer.warnings))

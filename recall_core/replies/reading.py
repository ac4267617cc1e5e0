"""One reply, read for the units that were asked about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from recall_core.document import ReadUnit
from recall_core.replies.entries import Entry, Fitting, Quote
from recall_core.replies.objects import objects_in
from recall_core.replies.text_forms import document_units, verdict_lines
from recall_core.replies.thinking import without_thinking
from recall_core.replies.values import NOTHING, Value, read_value
from recall_core.scoring import printed
from recall_core.types import FailureKind, Unit, UnitKind, UnitRef


class Again(StrEnum):
    """Why asking once more may help."""

    UNREADABLE = "unreadable"
    AMBIGUOUS = "ambiguous"
    MISSING = "missing"
    FRACTION = "fraction"
    TRUNCATED = "truncated"


@dataclass(frozen=True, slots=True)
class UnitReading:
    """What a reply says about one unit; without a score, `failure` and a sentence in `trouble`.
    `again` says why it is worth asking about once more."""

    unit: Unit
    score: Fraction | None
    failure: FailureKind | None = None
    trouble: str = ""
    reasoning: str = ""
    quotes: tuple[Quote, ...] = ()
    again: Again | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """A reading of every unit that was asked about, in order."""

    units: tuple[UnitReading, ...]
    warnings: tuple[str, ...] = ()
    repaired: bool = False


@dataclass(frozen=True, slots=True)
class Unread:
    """A reply that as a whole gives no answer."""

    kind: FailureKind
    message: str
    again: Again | None = None


def read_reply(text: str, asked: Sequence[Unit]) -> Reading | Unread:
    """What the reply says about the units, in whatever shape it says it.

    JSON that fits comes first; the text forms are read only where there is no JSON, so that no
    score is taken from words inside an object. Units that were not asked about are ignored.
    """
    answer = without_thinking(text)
    if not answer.strip():
        return Unread(FailureKind.EMPTY, "The model thought aloud and then gave no answer.")
    objects = objects_in(answer)
    fitting = Fitting(asked)
    answers = [
        _Answer(tuple(entries), found.repaired)
        for found in objects.found
        if (entries := fitting.entries(found)) is not None
    ]
    if answers and not objects.cut_off:
        return _the_one(
            [_reading(one.entries, asked, repaired=one.repaired) for one in _together(answers)]
        )
    if objects.cut_off or any(found.alone for found in objects.found):
        return _unparseable("The answer is JSON that is broken or about something else.")
    return _in_words(answer, asked)


@dataclass(frozen=True, slots=True)
class _Answer:
    """What one object of a reply says."""

    entries: tuple[Entry, ...]
    repaired: bool


def _together(answers: Sequence[_Answer]) -> Sequence[_Answer]:
    """One answer, where each object is about other units (an object a line, say)."""
    refs = [{entry.ref for entry in answer.entries} for answer in answers]
    named = all(None not in some for some in refs)
    if not named or len(set().union(*refs)) < sum(len(some) for some in refs):
        return answers
    entries = tuple(entry for answer in answers for entry in answer.entries)
    return [_Answer(entries, any(answer.repaired for answer in answers))]


def _the_one(readings: Sequence[Reading]) -> Reading | Unread:
    """The answer, where all answers in the reply say the same."""
    if len({tuple(u.score for u in reading.units) for reading in readings}) == 1:
        return readings[-1]
    return Unread(
        FailureKind.AMBIGUOUS,
        f"The reply holds {len(readings)} answers that differ, and none of them says it is final.",
        Again.AMBIGUOUS,
    )


def _unparseable(message: str) -> Unread:
    return Unread(FailureKind.UNPARSEABLE, message, Again.UNREADABLE)


def _in_words(text: str, asked: Sequence[Unit]) -> Reading | Unread:
    document = document_units(text, asked)
    if document is not None:
        by_ref = {unit.ref: unit for unit in asked}
        units = tuple(_of_document(by_ref[read.ref], read) for read in document.units)
        return Reading(units, document.warnings)
    if asked and asked[0].ref.kind is UnitKind.STATEMENT:
        entries = verdict_lines(text)
        if entries is not None:
            return _reading(entries, asked, repaired=False)
        value = read_value(text, UnitKind.STATEMENT)
        if len(asked) == 1 and value.score is not None:
            return Reading((UnitReading(asked[0], value.score),))
    return _unparseable("The reply holds no answer in a form that can be read.")


def _of_document(unit: Unit, read: ReadUnit) -> UnitReading:
    again = None
    if read.failure in (FailureKind.INCOMPLETE, FailureKind.AMBIGUOUS):
        again = Again.MISSING if read.failure is FailureKind.INCOMPLETE else Again.AMBIGUOUS
    elif read.failure is FailureKind.UNPARSEABLE:
        again = Again.UNREADABLE
    elif read.score is not None and read.score.denominator != 1:
        again = Again.FRACTION
    return UnitReading(unit, read.score, read.failure, read.trouble, read.reasoning, again=again)


def _reading(entries: Sequence[Entry], asked: Sequence[Unit], *, repaired: bool) -> Reading:
    warnings: list[str] = []
    by_ref = _by_ref(entries, asked, warnings)
    units = tuple(_unit(unit, by_ref.get(unit.ref, []), warnings) for unit in asked)
    return Reading(units, tuple(warnings), repaired)


def _by_ref(
    entries: Sequence[Entry], asked: Sequence[Unit], warnings: list[str]
) -> dict[UnitRef, list[Entry]]:
    """The entries of each unit. Only where none is named and their number is right does their
    order tell which is which."""
    refs = [unit.ref for unit in asked]
    if all(entry.ref is None for entry in entries):
        if len(entries) != len(refs):
            return {}
        if len(refs) > 1:
            warnings.append("The answers name no units, so they were taken in their order.")
        return {ref: [entry] for ref, entry in zip(refs, entries, strict=True)}
    found: dict[UnitRef, list[Entry]] = {}
    for entry in entries:
        if entry.ref in refs and entry.ref is not None:
            found.setdefault(entry.ref, []).append(entry)
        else:
            what = "An answer without a unit's name" if entry.ref is None else entry.ref.label
            why = "was ignored" if entry.ref is None else "was not asked about and is ignored"
            warnings.append(f"{what} {why}.")
    return found


def _unit(unit: Unit, entries: Sequence[Entry], warnings: list[str]) -> UnitReading:
    label = unit.ref.label
    value, again = _one_value([read_value(v, unit.ref.kind) for e in entries for v in e.values])
    if value.note:
        warnings.append(f"The score of {label} {value.note}.")
    if len(entries) > 1 and value.score is not None:
        warnings.append(f"{label} is answered {len(entries)} times with the same score.")
    return UnitReading(
        unit,
        value.score,
        value.failure,
        f"{label} {value.trouble}." if value.trouble else "",
        "\n\n".join(dict.fromkeys(e.reasoning for e in entries if e.reasoning)),
        tuple(dict.fromkeys(quote for e in entries for quote in e.quotes)),
        again,
    )


_WORTH_ASKING = {
    FailureKind.INCOMPLETE: Again.MISSING,
    FailureKind.UNPARSEABLE: Again.UNREADABLE,
}


def _one_value(values: Sequence[Value]) -> tuple[Value, Again | None]:
    """The value on which all agree, and why it is worth asking again."""
    given = [v for v in values if v.failure is not FailureKind.INCOMPLETE] or [NOTHING]
    value = given[-1]
    if len({(v.score, v.failure) for v in given}) > 1:
        said = " and ".join("none" if v.score is None else printed(v.score) for v in given)
        trouble = f"is answered more than once and differently: {said}"
        return Value(None, FailureKind.AMBIGUOUS, trouble), Again.AMBIGUOUS
    if value.failure is not None:
        return value, _WORTH_ASKING.get(value.failure)
    whole = value.score is None or value.score.denominator == 1
    return value, None if whole else Again.FRACTION

"""Reading a reply in the document's text form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from recall_core.document.labels import KINDS, LABEL, LINE, NAMES, SCORE
from recall_core.document.numbers import read_number
from recall_core.scoring import SCALES, in_range, printed, rounded, trace
from recall_core.types import FailureKind, Formula, Rounding, ScoreTrace, UnitKind, UnitRef

_NOTHING = re.compile(r"[\s*_`]*(?:none|null|n/a|missing)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ReadUnit:
    """What the reply says about one unit that was asked for; `score` is `None` with a `failure`
    and a sentence in `trouble` that says why."""

    ref: UnitRef
    score: Fraction | None
    reasoning: str = ""
    failure: FailureKind | None = None
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A formula where the writer's own result differs from ours."""

    label: str
    reported: Fraction
    computed: Fraction


@dataclass(frozen=True, slots=True)
class DocumentReply:
    """Every unit that was asked for, in order; our own trace of them; and what the writer
    calculated, kept for comparison only."""

    units: tuple[ReadUnit, ...]
    trace: ScoreTrace
    reported: Mapping[str, Fraction]
    mismatches: tuple[Mismatch, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Section:
    kind: UnitKind
    number: int | None
    body: str


def read_document(
    text: str,
    *,
    essential: int = 0,
    bonus: int = 0,
    statements: int = 0,
    expected_contexts: int = 0,
    rounding: Rounding = Rounding.HALF_UP,
) -> DocumentReply:
    """The scores of the units that there are (the counts), matched by label and number.

    A score is what follows the last `Score:` of its passage. Units the reply invents are ignored
    with a warning; missing, doubled and impossible scores are failures of that unit alone, and
    the final then stays empty.
    """
    counts = {
        UnitKind.ESSENTIAL: essential,
        UnitKind.BONUS: bonus,
        UnitKind.STATEMENT: statements,
        UnitKind.EXPECTED_CONTEXT: expected_contexts,
    }
    warnings: list[str] = []
    sections = _numbered(_sections(text), warnings)
    asked = [UnitRef(kind, i) for kind, count in counts.items() for i in range(1, count + 1)]
    for ref in sections.keys() - set(asked):
        warnings.append(f"{_name(ref)} is not one of the example's passages and was ignored.")
    units = tuple(_unit(ref, sections.get(ref, []), warnings) for ref in asked)
    formula = Formula.SHARE if statements or expected_contexts else Formula.PASSAGE
    ours = trace(formula, [(u.ref.kind, u.ref.label, u.score) for u in units], rounding=rounding)
    reported = _reported(text, warnings)
    return DocumentReply(units, ours, reported, _mismatches(ours, reported), tuple(warnings))


def looks_like_document(text: str) -> bool:
    """Whether a passage is named and a score given, as a reply does and ground truth does not."""
    return LABEL.search(text) is not None and SCORE.search(text) is not None


def _sections(text: str) -> list[_Section]:
    formulas = next((m.start() for m in LINE.finditer(text)), len(text))
    sections = []
    for label, end in _up_to_the_next(LABEL, text):
        if label.start() < formulas:
            end = min(end, formulas)
        kind = KINDS[re.sub(r"[\s_]+", " ", (label["kind"] or label["bare"]).lower())]
        number = label["outside"] or label["inside"] or label["bare_number"]
        body = text[label.end() : end]
        sections.append(_Section(kind, int(number) if number else None, body))
    return sections


def _up_to_the_next(pattern: re.Pattern[str], text: str) -> Iterator[tuple[re.Match[str], int]]:
    """Every match with the place where the next one begins, or the text ends."""
    matches = list(pattern.finditer(text))
    ends = [*(match.start() for match in matches[1:]), len(text)]
    yield from zip(matches, ends, strict=False)


def _numbered(sections: Sequence[_Section], warnings: list[str]) -> dict[UnitRef, list[_Section]]:
    """Sections by unit. Labels without any number are counted in their order, with a warning."""
    found: dict[UnitRef, list[_Section]] = {}
    for kind in UnitKind:
        own = [s for s in sections if s.kind is kind]
        if own and all(s.number is None for s in own):
            if len(own) > 1:
                warnings.append(f"{NAMES[kind]} labels have no numbers; counted in their order.")
            own = [_Section(kind, i, s.body) for i, s in enumerate(own, 1)]
        for section in own:
            if section.number is None:
                warnings.append(f"A label {NAMES[kind]} without a number was ignored.")
            else:
                found.setdefault(UnitRef(kind, section.number), []).append(section)
    return found


def _unit(ref: UnitRef, sections: Sequence[_Section], warnings: list[str]) -> ReadUnit:
    if not sections:
        trouble = f"{_name(ref)} is missing from the reply."
        return ReadUnit(ref, None, failure=FailureKind.INCOMPLETE, trouble=trouble)
    readings = [_read_section(ref, section, warnings) for section in sections]
    if len({(r.score, r.failure) for r in readings}) == 1:
        if len(readings) > 1:
            warnings.append(f"{_name(ref)} stands there {len(readings)} times with the same score.")
        return readings[-1]
    scores = " and ".join("none" if r.score is None else printed(r.score) for r in readings)
    trouble = f"{_name(ref)} has different scores: {scores}."
    reasoning = "\n\n".join(r.reasoning for r in readings)
    return ReadUnit(ref, None, reasoning, FailureKind.AMBIGUOUS, trouble)


def _read_section(ref: UnitRef, section: _Section, warnings: list[str]) -> ReadUnit:
    anchors = [m for m in SCORE.finditer(section.body) if not m["whole"]]
    if not anchors:
        trouble = f"{_name(ref)} has no score."
        return ReadUnit(ref, None, section.body.strip(), FailureKind.INCOMPLETE, trouble)
    anchor = anchors[-1]
    reasoning = section.body[: anchor.start()].strip().rstrip("*_").strip()
    written = section.body[anchor.end() :]
    if _NOTHING.match(written):
        return ReadUnit(
            ref, None, reasoning, FailureKind.INCOMPLETE, f"{_name(ref)} has no score yet."
        )
    return _judged(ref, reasoning, written, warnings)


def _judged(ref: UnitRef, reasoning: str, written: str, warnings: list[str]) -> ReadUnit:
    number = read_number(written)
    if number is None:
        said = " ".join(written.split())[:30]
        trouble = f"The score of {_name(ref)} is not a number: {said!r}."
        return ReadUnit(ref, None, reasoning, FailureKind.UNPARSEABLE, trouble)
    scale = SCALES[ref.kind]
    wrong_scale = number.out_of is not None and number.out_of != scale.highest
    if wrong_scale or not in_range(ref.kind, number.value):
        trouble = (
            f"{' '.join(written.split())[:20]!r} is not on the scale of {_name(ref)}, "
            f"which goes from {scale.lowest} to {scale.highest}."
        )
        return ReadUnit(ref, None, reasoning, FailureKind.OUT_OF_RANGE, trouble)
    if number.comma:
        warnings.append(f"The score of {_name(ref)} is written with a decimal comma.")
    if number.value.denominator != 1:
        warnings.append(f"The score of {_name(ref)} is no whole number: {printed(number.value)}.")
    return ReadUnit(ref, number.value, reasoning)


def _reported(text: str, warnings: list[str]) -> dict[str, Fraction]:
    """The writer's own results by label; the last one where a label stands twice."""
    reported = {}
    for line, end in _up_to_the_next(LINE, text):
        rest = text[line.end() : end].strip()
        result = rest.split("\n", 1)[0].rsplit("=", 1)[-1]
        number = read_number(result)
        if number is None:
            continue
        label = "RECALL_" + re.sub(r"\\?[_ ]", "_", line["name"]).title()
        reported[label] = number.value
        if number.comma:
            warnings.append(f"{label} is written with a decimal comma.")
    return reported


def _mismatches(ours: ScoreTrace, reported: Mapping[str, Fraction]) -> tuple[Mismatch, ...]:
    computed = {line.label: Fraction(line.value) for line in ours.lines}
    return tuple(
        Mismatch(label, value, computed[label])
        for label, value in reported.items()
        if label in computed and rounded(value) != computed[label]
    )


def _name(ref: UnitRef) -> str:
    return f"[{NAMES[ref.kind]}] {ref.index}"

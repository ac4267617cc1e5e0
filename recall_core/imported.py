"""Judgements that somebody has already, as replies in the evaluator document's text form.

Scores and reasoning are read from the text; how many passages there are comes from our data, every
formula is computed again, and where the writer's arithmetic differs both numbers are said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from recall_core.contradiction import contradiction
from recall_core.document import DocumentReply, ReadUnit, read_document
from recall_core.ingest.cells import read_text
from recall_core.ingest.table import Table
from recall_core.ingest.trouble import CellError
from recall_core.judges.base import Judge
from recall_core.quotes import FEWEST_WORDS, locate
from recall_core.scored_text import ScoredText, TextToScore, texts_to_score
from recall_core.scoring import printed
from recall_core.suspicious import suspicious_warnings
from recall_core.types import (
    Evidence,
    Example,
    FailureKind,
    Formula,
    JudgeFailure,
    Judgement,
    Mark,
    Outcome,
    Rounding,
    Skipped,
    Unit,
    Verdict,
)

_MISMATCH = re.compile(r"RECALL_\w+: the reply says ")
_QUOTED = re.compile(r"[“\"«„](?P<said>[^“”\"«»„]{8,600})[”\"»“]")


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply, and the example it is about: by its id, or else by its place from 1."""

    text: str
    example_id: str | None = None
    position: int | None = None


class ImportedReplies(Judge):
    """Scores that were given elsewhere, by a person or a model, and imported in the evaluator
    document's text form. No judge is asked; the final score is computed from the scores that the
    replies name."""

    name: ClassVar[str] = "imported"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Imported judgements"
    formula: ClassVar[Formula] = Formula.PASSAGE

    rounding: Rounding = Field(
        default=Rounding.HALF_UP,
        title="Rounding",
        description=(
            "What happens at the third decimal of each formula. half_up: 5 and above goes up. "
            "up: anything above 0 goes up."
        ),
    )
    scored_text: ScoredText = Field(
        default=ScoredText.AUTO,
        title="Scored text",
        description=(
            "Which text the replies are about. auto: the retrieved passages if the example has "
            "that field, else the actual output."
        ),
    )

    @property
    def rounding_rule(self) -> Rounding:
        return self.rounding

    def scored_texts(self, example: Example) -> tuple[str, ...]:
        return tuple(text.text for text in self._texts(example))

    def _texts(self, example: Example) -> tuple[TextToScore, ...]:
        return texts_to_score(example, self.scored_text) or ()

    def lacks(self, example: Example) -> str | None:
        if not example.essential:
            return "The example has no essential passage, so no reply can be a score of it."
        return None

    def read(self, example: Example, text: str) -> Outcome:
        """What the reply says about the example: a judgement, or a failure with what it did say."""
        reason = self.lacks(example)
        if reason is not None:
            return Skipped(example.id, reason)
        units = self.units(example)
        reply = read_document(
            text,
            essential=len(example.essential),
            bonus=len(example.bonus),
            rounding=self.rounding,
        )
        texts = self._texts(example)
        warnings = [*map(str, _mismatches(reply)), *reply.warnings]
        verdicts = tuple(
            _verdict(unit, read, texts, warnings)
            for unit, read in zip(units, reply.units, strict=True)
        )
        warnings += suspicious_warnings((t.name, t.text) for t in texts)
        lacking = [unit for unit in reply.units if unit.score is None]
        if not lacking:
            details = f"Read from an imported reply; {_said(reply)}."
            return Judgement(example.id, verdicts, details, tuple(warnings), raw_response=text)
        kind, message = _failure(reply.units, lacking)
        return JudgeFailure(example.id, kind, message, verdicts, tuple(warnings), raw_response=text)


def is_mismatch(warning: str) -> bool:
    """Whether a judgement's warning says that the writer's arithmetic differs from ours."""
    return _MISMATCH.match(warning) is not None


def _mismatches(reply: DocumentReply) -> Iterator[str]:
    """Where the writer's own arithmetic differs from ours."""
    for found in reply.mismatches:
        yield (
            f"{found.label}: the reply says {printed(found.reported)}, "
            f"the scores make {printed(found.computed)}."
        )


def _said(reply: DocumentReply) -> str:
    if not reply.reported:
        return "it calculates nothing itself"
    return "its own results differ" if reply.mismatches else "its own results agree"


def _failure(units: Sequence[ReadUnit], lacking: Sequence[ReadUnit]) -> tuple[FailureKind, str]:
    silent = all(u.failure is FailureKind.INCOMPLETE and not u.reasoning for u in units)
    if silent:
        return FailureKind.UNPARSEABLE, (
            "The reply names no passage of the example. Each score has to stand behind a label, as "
            "in “[ESSENTIAL PASSAGE] 1: … Score: 4”."
        )
    which = ", ".join(unit.ref.label for unit in lacking)
    troubles = " ".join(unit.trouble for unit in lacking)
    return lacking[0].failure or FailureKind.INCOMPLETE, f"No score for {which}. {troubles}"


def _verdict(
    unit: Unit, read: ReadUnit, texts: Sequence[TextToScore], warnings: list[str]
) -> Verdict:
    marks = []
    if read.score is not None and read.score.denominator != 1:
        marks.append(Mark.FRACTION)
    odd = read.score is not None and contradiction(read.reasoning, read.score, unit.ref.kind)
    if odd and read.score is not None:
        marks.append(Mark.CONTRADICTION)
        warnings.append(f"{unit.ref.label} has {printed(read.score)}, but {odd}.")
    return Verdict(
        unit,
        read.score,
        read.reasoning,
        tuple(_evidence(read.reasoning, texts)),
        failure=read.failure,
        marks=tuple(marks),
    )


def _evidence(reasoning: str, texts: Sequence[TextToScore]) -> Iterator[Evidence]:
    """The quotes in the reasoning that stand in a text. One that stands in none is nobody's fault:
    it may quote the reference passage."""
    quotes = dict.fromkeys(match["said"] for match in _QUOTED.finditer(reasoning))
    for quote in quotes:
        if len(quote.split()) < FEWEST_WORDS:
            continue
        places = ((text, locate(quote, text.text)) for text in texts)
        found = next(((text, place) for text, place in places if place is not None), None)
        if found is not None:
            text, place = found
            yield Evidence(text.rank, place.start, place.end, quote, located=True)


def replies_of(table: Table, reply_column: str, id_column: str | None = None) -> Iterator[Reply]:
    """The replies in a column of a file; rows without one are left out.

    `id_column` names the example's id; without it the first row is about the first example.
    """
    for place, row in enumerate(table.rows(), 1):
        text = _text(row.values.get(reply_column), table)
        if text is None or not text.strip():
            continue
        example_id = _text(row.values.get(id_column), table) if id_column else None
        if id_column is None:
            yield Reply(text, position=place)
        else:
            yield Reply(text, example_id=example_id or "")


def _text(value: object, table: Table) -> str | None:
    try:
        return read_text(value, typed=table.format.typed).value
    except CellError:
        return None

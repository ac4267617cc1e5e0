"""Statements of the expected output, looked for in the retrieved passages by their words alone."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

from recall_core.judges.base import LocalJudge
from recall_core.lexical import (
    SCREEN_VERSION,
    Screener,
    evidence_of,
    explain,
    named_texts,
    unit_grade,
)
from recall_core.shared_settings import Strict, Threshold, mark_of
from recall_core.suspicious import suspicious_warnings
from recall_core.types import (
    Example,
    Formula,
    Judgement,
    RetrievedPassage,
    Unit,
    UnitKind,
    Verdict,
)
from recall_core.units import lacks_statements, statement_units


class ContextualRecallLexical(LocalJudge):
    """Says for each statement of the expected output whether the retrieved passages support it, by
    comparing words. The score is the share of supported statements. It needs no model and no key.

    It is a lexical screen: it looks for the statement's words, numbers and names and their order
    in the passage that fits best. It does not understand the text. It cannot see paraphrase
    ("shut" instead of "closed" counts as missing) and it cannot see contradiction ("is not closed"
    counts as support). Use it to sort a large set, then read what it calls missing.
    """

    name: ClassVar[str] = "contextual_recall_lexical"
    version: ClassVar[int] = SCREEN_VERSION
    title: ClassVar[str] = "Contextual recall (lexical screen)"
    formula: ClassVar[Formula] = Formula.SHARE
    uses_statements: ClassVar[bool] = True
    screen: ClassVar[bool] = True

    threshold: Threshold = 0.5
    strict: Strict = False

    @property
    def pass_mark(self) -> Fraction:
        return mark_of(self.threshold, self.strict, super().pass_mark)

    def lacks(self, example: Example) -> str | None:
        return lacks_statements(example)

    def judge(self, example: Example) -> Judgement:
        passages = example.retrieved or ()
        screener = Screener([p.text for p in passages])
        verdicts = tuple(_verdict(unit, screener, passages) for unit in statement_units(example))
        suspicious = suspicious_warnings((f"retrieved passage {p.rank}", p.text) for p in passages)
        return Judgement(
            example.id,
            verdicts,
            _details(verdicts, passages),
            warnings=(*_few(verdicts), *suspicious),
        )


def _verdict(unit: Unit, screener: Screener, passages: Sequence[RetrievedPassage]) -> Verdict:
    if not passages:
        zero = Fraction(0)
        return Verdict(
            unit, zero, "Nothing was retrieved, so nothing supports it.", probability=0.0
        )
    screening = screener.screen(unit.text)
    ranks = [p.rank for p in passages]
    return Verdict(
        unit,
        unit_grade(UnitKind.STATEMENT, screening.probability),
        explain(screening, ranks, "statement"),
        evidence_of(screening, [p.text for p in passages], ranks),
        probability=screening.probability,
    )


def _few(verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    if len(verdicts) != 1:
        return ()
    return ("The expected output has one statement only, so the score can only be 0 or 1.",)


def _details(verdicts: Sequence[Verdict], passages: Sequence[RetrievedPassage]) -> str:
    if not passages:
        return "Nothing was retrieved, so no statement is supported; there was nothing to compare."
    missing = [v.unit.ref.label for v in verdicts if not v.score]
    supported = f"{len(verdicts) - len(missing)} of {len(verdicts)} statements supported"
    ranks = [e.rank for v in verdicts if v.score for e in v.evidence]
    by = f" by {named_texts(ranks)}" if ranks else ""
    rest = f"; missing: {', '.join(missing)}" if missing else ""
    return f"Lexical screen: {supported}{by}{rest}."

"""Essential and bonus passages, scored by their words alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from recall_core.judges.base import LocalJudge
from recall_core.lexical import (
    SCREEN_VERSION,
    Screener,
    evidence_of,
    explain,
    unit_grade,
)
from recall_core.scored_text import ScoredText, TextToScore, lacks_passages, texts_to_score
from recall_core.shared_settings import RoundingSetting, ScoredTextSetting
from recall_core.suspicious import suspicious_warnings
from recall_core.types import (
    Example,
    Formula,
    Judgement,
    Rounding,
    Unit,
    UnitKind,
    Verdict,
)
from recall_core.units import passage_units


class PassageRecallLexical(LocalJudge):
    """Scores each essential passage from 1 to 5 and each bonus passage from 0 to 5 for how much
    of it the returned text holds, by comparing words. It needs no model and no key.

    It is a lexical screen: it looks for the passage's words, numbers and names and their order,
    sentence by sentence, in the place that fits best. It does not understand the text. It cannot
    see paraphrase ("shut" instead of "closed" counts as missing) and it cannot see contradiction
    ("is not closed" counts as found). On human votes its yes or no agrees with people well beyond
    chance, and clearly less than people agree with each other. Use it to sort a large set and to
    find what is plainly there or plainly missing, then read what lies between.
    """

    name: ClassVar[str] = "passage_recall_lexical"
    version: ClassVar[int] = SCREEN_VERSION
    title: ClassVar[str] = "Passage recall (lexical screen)"
    formula: ClassVar[Formula] = Formula.PASSAGE
    screen: ClassVar[bool] = True

    scored_text: ScoredTextSetting = ScoredText.AUTO
    rounding: RoundingSetting = Rounding.HALF_UP

    @property
    def rounding_rule(self) -> Rounding:
        return self.rounding

    def scored_texts(self, example: Example) -> tuple[str, ...]:
        return tuple(t.text for t in texts_to_score(example, self.scored_text) or ())

    def lacks(self, example: Example) -> str | None:
        return lacks_passages(example, self.scored_text)

    def judge(self, example: Example) -> Judgement:
        texts = texts_to_score(example, self.scored_text) or ()
        screener = Screener([t.text for t in texts])
        verdicts = tuple(_verdict(unit, screener, texts) for unit in passage_units(example))
        warnings = suspicious_warnings((t.name, t.text) for t in texts)
        return Judgement(example.id, verdicts, _details(verdicts, texts), warnings)


def _verdict(unit: Unit, screener: Screener, texts: Sequence[TextToScore]) -> Verdict:
    screening = screener.screen(unit.text)
    ranks = [t.rank for t in texts]
    return Verdict(
        unit,
        unit_grade(unit.ref.kind, screening.probability),
        explain(screening, ranks, "passage") if texts else "Nothing was retrieved.",
        evidence_of(screening, [t.text for t in texts], ranks),
        probability=screening.probability,
    )


def _details(verdicts: Sequence[Verdict], texts: Sequence[TextToScore]) -> str:
    essential = sum(v.unit.ref.kind is UnitKind.ESSENTIAL for v in verdicts)
    units = (
        f"{_count(essential, 'essential passage')} and "
        f"{_count(len(verdicts) - essential, 'bonus passage')}"
    )
    if not texts:
        return f"Nothing was retrieved, so {units} got the lowest score without a comparison."
    if texts[0].rank is None:
        return f"Lexical screen of {units} against the actual output."
    return f"Lexical screen of {units} against {_count(len(texts), 'retrieved passage')}."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

"""The judge `context_recall`: which expected contexts came back, by string distance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import ClassVar

from pydantic import Field

from recall_core.distance import BestMatch, DistanceMeasure, best_matches
from recall_core.judges.base import LocalJudge
from recall_core.types import (
    Evidence,
    Example,
    Formula,
    GroundTruthPassage,
    Judgement,
    RetrievedPassage,
    Unit,
    UnitKind,
    UnitRef,
    Verdict,
)
from recall_core.units import numbered

UNRELATED_JARO = 0.8
"""Pairs of unrelated English texts reach about this much by jaro (99 % of sentences stay below 0.7,
99 % of short paragraphs below 0.77), so a match no better than this says little."""

JARO_WINKLER_FROM = 0.7
"""Up to here jaro_winkler is jaro; above, it adds a bonus for a common beginning."""

NOTHING_RETRIEVED = "No contexts were retrieved."


class ContextRecall(LocalJudge):
    """How many of the expected contexts came back, by plain string distance.

    For each expected context the most similar retrieved passage is looked up; the expected context
    counts as found when that similarity is above the threshold. The score is the number found over
    the number expected, from 0 to 1. It compares characters, not meaning: it cannot see a
    paraphrase or a negation, and a sentence inside a long passage is not similar to it.
    """

    name: ClassVar[str] = "context_recall"
    version: ClassVar[int] = 1
    title: ClassVar[str] = "Context recall (string distance)"
    formula: ClassVar[Formula] = Formula.SHARE

    distance_measure: DistanceMeasure = Field(
        default="levenshtein",
        title="Distance measure",
        description=(
            "How similarity is measured, character by character. jaro and jaro_winkler agree up to "
            "0.7, and both give most pairs of unrelated sentences more than 0.5."
        ),
    )
    threshold: float = Field(
        default=0.5,
        ge=0,
        le=1,
        title="Similarity threshold",
        description=(
            "An expected context is found when its best similarity is above this. At 1 nothing is "
            "found, not even identical text."
        ),
    )
    include_bonus: bool = Field(
        default=False,
        title="Include bonus passages",
        description="Bonus passages count as expected contexts too, not only the essential ones.",
    )

    def lacks(self, example: Example) -> str | None:
        """A sentence when the example has no list of expected or of retrieved texts at all."""
        if example.ground_truth is None:
            return "The example has no expected contexts, which context_recall compares with."
        if example.retrieved is None:
            return "The example has no retrieved contexts, which context_recall looks through."
        return None

    def units(self, example: Example) -> tuple[Unit, ...]:
        return numbered(UnitKind.EXPECTED_CONTEXT, (p.text for p in self._expected(example)))

    def judge(self, example: Example) -> Judgement:
        """Judge one example; an empty list on either side has a score by rule, not an error."""
        expected = self._expected(example)
        retrieved = example.retrieved or ()
        if not expected or not retrieved:
            return self._judge_empty(example, expected, retrieved)
        texts = [p.text for p in expected]
        matches = best_matches(texts, [p.text for p in retrieved], self.distance_measure)
        verdicts = tuple(
            self._verdict(index, text, match, retrieved)
            for index, (text, match) in enumerate(zip(texts, matches, strict=True), 1)
        )
        found = sum(v.score == 1 for v in verdicts)
        return Judgement(
            example.id,
            verdicts,
            details=(
                f"{found} of {len(verdicts)} expected contexts found: "
                f"best {self.distance_measure} similarity above {self.threshold:g}."
            ),
            warnings=(
                *self._measure_warnings(verdicts),
                *_containment_warnings(verdicts),
                *_blank_warnings(expected, retrieved),
            ),
        )

    def _expected(self, example: Example) -> tuple[GroundTruthPassage, ...]:
        return (example.ground_truth or ()) if self.include_bonus else example.essential

    def _judge_empty(
        self,
        example: Example,
        expected: Sequence[GroundTruthPassage],
        retrieved: Sequence[RetrievedPassage],
    ) -> Judgement:
        verdicts = tuple(
            Verdict(_unit(index, passage.text), Fraction(0), NOTHING_RETRIEVED, similarity=0.0)
            for index, passage in enumerate(expected, 1)
        )
        if expected:
            details = f"No contexts were retrieved, so 0 of {len(expected)} expected are found."
        elif retrieved:
            details = "No contexts were expected, so none is missing: recall is 1."
        else:
            details = "No contexts were expected and none were retrieved: recall is 1."
        warnings = list(_blank_warnings(expected, retrieved))
        if not expected and example.bonus:
            warnings.append(
                f"Bonus passages left out, because include_bonus is off: {len(example.bonus)}."
            )
        return Judgement(example.id, verdicts, details, warnings=tuple(warnings))

    def _verdict(
        self, index: int, text: str, match: BestMatch, retrieved: Sequence[RetrievedPassage]
    ) -> Verdict:
        best = retrieved[match.position]
        hit = match.similarity > self.threshold
        inside = None if hit else _containing(text, retrieved)
        evidence = [Evidence(best.rank, 0, len(best.text), best.text, located=True)]
        reasoning = (
            f"Best match: context {best.rank}, similarity "
            f"{_against(match.similarity, self.threshold)}."
        )
        if inside is not None:
            start = inside.text.index(text)
            evidence.append(Evidence(inside.rank, start, start + len(text), text, located=True))
            reasoning += f" It is contained in context {inside.rank}, which is longer."
        return Verdict(
            _unit(index, text),
            Fraction(int(hit)),
            reasoning,
            tuple(evidence),
            similarity=match.similarity,
        )

    def _measure_warnings(self, verdicts: Sequence[Verdict]) -> Iterator[str]:
        if self.threshold >= 1:
            yield "No similarity is above a threshold of 1, so nothing can be found."
        if not self.distance_measure.startswith("jaro"):
            return
        doubtful = sum(v.score == 1 and (v.similarity or 0) <= UNRELATED_JARO for v in verdicts)
        if doubtful:
            yield (
                f"{self.distance_measure} passes unrelated text at {self.threshold:g}: "
                f"{doubtful} found here at {UNRELATED_JARO:g} or less, which unrelated English "
                "texts reach too."
            )
        if self.distance_measure == "jaro_winkler" and self.threshold <= JARO_WINKLER_FROM:
            yield (
                f"At {self.threshold:g} jaro_winkler finds exactly what jaro finds: they differ "
                f"only above {JARO_WINKLER_FROM:g}."
            )


def _unit(index: int, text: str) -> Unit:
    return Unit(UnitRef(UnitKind.EXPECTED_CONTEXT, index), text)


def _containing(text: str, retrieved: Sequence[RetrievedPassage]) -> RetrievedPassage | None:
    """The first retrieved passage that holds `text` inside it; blank text is in everything."""
    if not text.strip():
        return None
    return next((p for p in retrieved if text in p.text), None)


def _containment_warnings(verdicts: Sequence[Verdict]) -> Iterator[str]:
    for verdict in verdicts:
        if len(verdict.evidence) > 1:
            yield (
                f"{verdict.unit.ref.label} counts as missed, but it is contained in context "
                f"{verdict.evidence[1].rank}: texts of different length are never similar."
            )


def _blank_warnings(
    expected: Sequence[GroundTruthPassage], retrieved: Sequence[RetrievedPassage]
) -> Iterator[str]:
    for texts, name in (
        ([p.text for p in expected], "expected contexts"),
        ([p.text for p in retrieved], "retrieved contexts"),
    ):
        if blank := sum(not text.strip() for text in texts):
            yield f"Blank {name}: {blank} of {len(texts)}; they are compared like any other text."


def _against(similarity: float, threshold: float) -> str:
    """`0.83, above 0.5`: two decimals, or as many as it takes to tell it from the threshold."""
    if similarity == threshold:
        return f"exactly {similarity:g}, not above {threshold:g}"
    digits = 2
    while float(f"{similarity:.{digits}f}") == threshold:
        digits += 1
    side = "above" if similarity > threshold else "below"
    return f"{similarity:.{digits}f}, {side} {threshold:g}"

"""The formulas that turn unit scores into an example's final score, printed line by line.

Source of the passage formulas: the RECALL evaluator's document. Each printed value is rounded and
the next formula uses the printed value, so a reader can check every line by hand; the fraction
that no rounding has touched stands beside it in the trace.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache

from recall_core.errors import InvalidScore
from recall_core.types import (
    EffectiveScore,
    Formula,
    FormulaLine,
    Rounding,
    ScoreTrace,
    TraceState,
    UnitKind,
    Verdict,
)

CAP = Fraction(5)

LARGEST_EXPONENT = 300
"""Larger numbers are refused unread: written out as a fraction, 1e999999999 fills the memory."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Lowest and highest score of a unit; `whole` scales take no halves, whatever a run allows."""

    lowest: int
    highest: int
    whole: bool = False

    def allows(self, score: Fraction, *, halves: bool = False) -> bool:
        """Whether a person may give this score (whole numbers, and halves where `halves`)."""
        step = 2 if halves and not self.whole else 1
        return self.lowest <= score <= self.highest and (score * step).denominator == 1


SCALES: Mapping[UnitKind, Scale] = {
    UnitKind.ESSENTIAL: Scale(1, 5),
    UnitKind.BONUS: Scale(0, 5),
    UnitKind.STATEMENT: Scale(0, 1, whole=True),
    UnitKind.EXPECTED_CONTEXT: Scale(0, 1, whole=True),
}

FINAL_RANGE: Mapping[Formula, tuple[Fraction, Fraction]] = {
    Formula.PASSAGE: (Fraction(1), CAP),
    Formula.SHARE: (Fraction(0), Fraction(1)),
}


def require_allowed(kind: UnitKind, score: Fraction, *, halves: bool = False) -> None:
    """Raise `InvalidScore`, naming the scale, unless a person may give `score` to this kind."""
    scale = SCALES[kind]
    if scale.allows(score, halves=halves):
        return
    name = kind.value.replace("_", " ")
    steps = "whole or half numbers" if halves and not scale.whole else "whole numbers"
    raise InvalidScore(
        f"{printed(score)} is not a score of kind {name}: "
        f"it takes {steps} from {scale.lowest} to {scale.highest}."
    )


def exact(value: int | float | str | Decimal | Fraction) -> Fraction:
    """The number as written: 3.67 becomes 367/100 and not the nearest binary fraction."""
    if isinstance(value, Fraction):
        return value
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        raise InvalidScore(f"{value!r} is not a number.") from None
    if not number.is_finite() or abs(number.adjusted()) > LARGEST_EXPONENT:
        raise InvalidScore(f"{value!r} is not a number that can be a score.")
    return Fraction(number)


def rounded(value: Fraction, rounding: Rounding = Rounding.HALF_UP) -> Fraction:
    """`value` with at most two decimals, by the run's rounding rule."""
    hundredths = value * 100
    whole = hundredths.numerator // hundredths.denominator
    rest = hundredths - whole
    up = rest > 0 if rounding is Rounding.UP else rest >= Fraction(1, 2)
    return Fraction(whole + up, 100)


def printed(value: Fraction) -> str:
    """At most two decimals, no trailing zeros: `3.5`, `4`, `0.67`."""
    number = rounded(value)
    whole = f"{float(number):.2f}"
    return whole.rstrip("0").rstrip(".")


def trace(
    formula: Formula,
    scores: Iterable[tuple[UnitKind, str, Fraction | None]],
    *,
    rounding: Rounding = Rounding.HALF_UP,
    excluded: int = 0,
) -> ScoreTrace:
    """The score trace of one example.

    `scores` are (kind, label, score) of every unit that counts, in order; `excluded` says how many
    units a person took out, which decides between "void" and "nothing was expected".
    """
    return _trace(formula, tuple(scores), rounding, excluded)


@lru_cache(maxsize=4096)
def _trace(
    formula: Formula,
    units: tuple[tuple[UnitKind, str, Fraction | None], ...],
    rounding: Rounding,
    excluded: int,
) -> ScoreTrace:
    """Remembered, because the same few scores come again and again in a run."""
    if formula is Formula.PASSAGE:
        essential = [(label, s) for kind, label, s in units if kind is UnitKind.ESSENTIAL]
        bonus = [(label, s) for kind, label, s in units if kind is UnitKind.BONUS]
        return _passage(essential, bonus, rounding)
    return _share([(label, s) for _, label, s in units], excluded)


def trace_of_verdicts(
    formula: Formula, verdicts: Iterable[Verdict], *, rounding: Rounding = Rounding.HALF_UP
) -> ScoreTrace:
    """The judge's own final, before any person's decision."""
    units = [(v.unit.ref.kind, v.unit.ref.label, v.score) for v in verdicts]
    return trace(formula, units, rounding=rounding)


def trace_of_effective(
    formula: Formula, scores: Iterable[EffectiveScore], *, rounding: Rounding = Rounding.HALF_UP
) -> ScoreTrace:
    """The final that counts now, with every override, exclusion and move applied."""
    every = list(scores)
    kept = [(s.state.kind, s.ref.label, s.state.score) for s in every if not s.state.excluded]
    return trace(formula, kept, rounding=rounding, excluded=len(every) - len(kept))


def passage_trace(
    essential: Sequence[Fraction],
    bonus: Sequence[Fraction] = (),
    *,
    rounding: Rounding = Rounding.HALF_UP,
) -> ScoreTrace:
    """The trace of plain scores, each checked against its scale (`InvalidScore`)."""
    for score in essential:
        _require_in_range(UnitKind.ESSENTIAL, score)
    for score in bonus:
        _require_in_range(UnitKind.BONUS, score)
    if not essential:
        raise InvalidScore("There is no essential score, and both formulas divide by their number.")
    return _passage(
        [(f"E{i}", s) for i, s in enumerate(essential, 1)],
        [(f"B{i}", s) for i, s in enumerate(bonus, 1)],
        rounding,
    )


@dataclass(frozen=True, slots=True)
class PassageParts:
    """The numbers of the passage formula: as printed, and `exact` before rounding and cap."""

    essential: Fraction
    bonus: Fraction
    combined: Fraction
    final: Fraction
    exact: Fraction


def passage_parts(
    essential: Sequence[Fraction],
    bonus: Sequence[Fraction],
    rounding: Rounding,
    *,
    bonus_weight: Fraction = Fraction(1),
) -> PassageParts:
    """The passage formula; there is at least one essential score.

    A `bonus_weight` other than 1 is for trying out what the bonus does to the finals.
    """
    e_exact = sum(essential, Fraction(0)) / len(essential)
    divisor = len(essential) * len(bonus) * 2
    b_exact = sum(bonus, Fraction(0)) * bonus_weight / divisor if bonus else Fraction(0)
    e_part, b_part = rounded(e_exact, rounding), rounded(b_exact, rounding)
    combined = e_part + b_part
    return PassageParts(e_part, b_part, combined, min(CAP, combined), e_exact + b_exact)


def in_range(kind: UnitKind, score: Fraction) -> bool:
    """Whether a judge's score lies on the unit's scale; judges may give any fraction on it."""
    return SCALES[kind].lowest <= score <= SCALES[kind].highest


def _require_in_range(kind: UnitKind, score: Fraction) -> None:
    if not in_range(kind, score):
        scale = SCALES[kind]
        raise InvalidScore(
            f"{printed(score)} is not a score of kind {kind.value}: "
            f"it takes {scale.lowest} to {scale.highest}."
        )


def _passage(
    essential: list[tuple[str, Fraction | None]],
    bonus: list[tuple[str, Fraction | None]],
    rounding: Rounding,
) -> ScoreTrace:
    if not essential:
        return _empty(TraceState.VOID, Formula.PASSAGE, rounding=rounding)
    e_scores = [s for _, s in essential if s is not None]
    b_scores = [s for _, s in bonus if s is not None]
    missing = tuple(label for label, s in (*essential, *bonus) if s is None)
    if missing:
        return _empty(TraceState.INCOMPLETE, Formula.PASSAGE, rounding=rounding, missing=missing)
    e_count, b_count = len(e_scores), len(b_scores)
    parts = passage_parts(e_scores, b_scores, rounding)
    e_part, b_part, combined, final = parts.essential, parts.bonus, parts.combined, parts.final
    terms = " + ".join(printed(s) for s in b_scores) or "0"
    lines = (
        FormulaLine(
            "RECALL_Essential_Formula",
            f"({' + '.join(printed(s) for s in e_scores)}) / {e_count}",
            printed(e_part),
        ),
        FormulaLine(
            "RECALL_Bonus_Formula", f"({terms}) / ({e_count} * {b_count} * 2)", printed(b_part)
        ),
        FormulaLine(
            "RECALL_Combined_Formula", f"{printed(e_part)} + {printed(b_part)}", printed(combined)
        ),
        FormulaLine(
            "RECALL_Final_Score_Calculation", f"min(5, {printed(combined)})", printed(final)
        ),
        FormulaLine("RECALL_Final_Score", "", printed(final)),
    )
    return ScoreTrace(
        TraceState.SCORED,
        Formula.PASSAGE,
        final=final,
        exact=parts.exact,
        lines=lines,
        essential=e_part,
        bonus=b_part,
        combined=combined,
        capped=combined > CAP,
        rounding=rounding,
    )


def _share(units: list[tuple[str, Fraction | None]], excluded: int) -> ScoreTrace:
    if not units and excluded:
        return _empty(TraceState.VOID, Formula.SHARE)
    if not units:
        line = FormulaLine("Recall", "nothing was expected", "1")
        one = Fraction(1)
        return ScoreTrace(TraceState.VACUOUS, Formula.SHARE, final=one, exact=one, lines=(line,))
    missing = tuple(label for label, s in units if s is None)
    if missing:
        return _empty(TraceState.INCOMPLETE, Formula.SHARE, missing=missing)
    found = sum((s for _, s in units if s is not None), Fraction(0))
    share = found / len(units)
    line = FormulaLine("Recall", f"{printed(found)} / {len(units)}", printed(share))
    return ScoreTrace(TraceState.SCORED, Formula.SHARE, final=share, exact=share, lines=(line,))


def _empty(
    state: TraceState,
    formula: Formula,
    *,
    rounding: Rounding | None = None,
    missing: tuple[str, ...] = (),
) -> ScoreTrace:
    return ScoreTrace(
        state, formula, final=None, exact=None, lines=(), rounding=rounding, missing=missing
    )

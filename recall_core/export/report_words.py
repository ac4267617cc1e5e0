"""The report's sentences, made from the numbers they speak of."""

from __future__ import annotations

from fractions import Fraction

from recall_core.export.report_parts import counted
from recall_core.scoring import FINAL_RANGE
from recall_core.summary import RunSummary
from recall_core.types import Formula

_LEVELS = (
    (Fraction(7, 8), "The average example gets back nearly all of what it should."),
    (Fraction(5, 8), "The average example gets back most of what it should."),
    (Fraction(3, 8), "The average example gets back about half of what it should."),
    (Fraction(1, 8), "The average example gets back little of what it should."),
    (Fraction(0), "The average example gets back almost nothing of what it should."),
)


def level_sentence(formula: Formula, value: Fraction | None) -> str:
    """What the number means."""
    if value is None:
        return "No example has a score, so there is no recall to report."
    lowest, highest = FINAL_RANGE[formula]
    height = (value - lowest) / (highest - lowest)
    return next(sentence for start, sentence in _LEVELS if height >= start)


def reviewed_sentence(summary: RunSummary) -> str:
    """How much of it people have checked."""
    review = summary.review
    if not summary.counts.scored:
        return ""
    if summary.judge_only:
        return "Judge only, unreviewed: nobody has checked these scores yet."
    total = counted(summary.counts.total, "example")
    partly = f" and {review.examples_started} in part" if review.examples_started else ""
    changed = (
        f"{counted(review.units_changed, 'score')} differently from the judge"
        if review.units_changed
        else "every score agrees with the judge"
    )
    verb = "" if not review.units_changed else "; they count "
    return f"People reviewed {review.examples} of {total} in full{partly}{verb or '; '}{changed}."


def limits(summary: RunSummary) -> list[str]:
    """What the numbers do not say."""
    counts = summary.counts
    said = [
        "The mean speaks of these examples, not of questions that nobody asked.",
        f"It covers {counts.coverage}; an example without a score is left out of it and counted, "
        "never taken for 0.",
    ]
    if summary.run.screen:
        said.append(
            "The judge is a lexical screen: it compares words and sees neither a paraphrase nor a "
            "contradiction."
        )
    if summary.review.units_reviewed < summary.review.units:
        left = summary.review.units - summary.review.units_reviewed
        said.append(f"{counted(left, 'unit')} have the judge’s score, which nobody has checked.")
    if summary.run.formula is Formula.PASSAGE:
        said.append(
            "A bonus can lift an example whose essential passages are weak; the formula lines show "
            "both parts, and the final is capped at 5."
        )
    if summary.withheld:
        said.append(
            f"{counted(summary.withheld, 'example')} are still reviewed blind: they are in the "
            "mean, and what the judge said of each is left out here."
        )
    if counts.vacuous:
        said.append(
            f"{counted(counts.vacuous, 'example')} expected nothing, so nothing could be missed; "
            "they say nothing about the system and are not in the mean."
        )
    if counts.void:
        said.append(
            f"{counted(counts.void, 'example')} lost every unit by people’s decisions and cannot "
            "be scored."
        )
    return said

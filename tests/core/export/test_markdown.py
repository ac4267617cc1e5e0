"""A table for a comment: numbers that a reader can check, and texts that stay texts."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction

from recall_core.comparison import ComparedExample, Comparison, ScoredBy
from recall_core.details import RunFacts
from recall_core.estimation import differences
from recall_core.export.markdown import markdown_report
from recall_core.summary import Counts, Mean, ReviewCounts, RunSummary
from recall_core.types import Formula, Rounding
from tests.core.trusting import audited, unaudited

FACTS = RunFacts(
    id=1,
    name="branch",
    dataset_id=1,
    dataset="demo",
    content_hash="",
    examples=3,
    judge="context_recall",
    judge_title="Context recall",
    judge_version=1,
    screen=False,
    settings={},
    pass_mark=None,
    formula=Formula.SHARE,
    rounding=Rounding.HALF_UP,
    review_mode="shared",
    blind=False,
    reviewers_needed=1,
    halves=False,
    notes_required=False,
    created_at=datetime(2026, 11, 30, tzinfo=UTC),
    created_by="ci",
)
HALF = Mean(Fraction(1, 2), 2, 3)
SUMMARY = RunSummary(
    run=FACTS,
    counts=Counts(scored=2, failed=1),
    mean=HALF,
    judge_mean=HALF,
    finals=(),
    unit_scores=(),
    causes=(),
    reviewers=(),
    review=ReviewCounts(0, 0, 0, 0, 2, 0, 0),
    lowest=(),
)


def compared(*changes: tuple[str, str, int, int]) -> Comparison:
    rows = [
        ComparedExample(
            judgement_a=n,
            judgement_b=n,
            example_id=name,
            question=question,
            a=Fraction(a),
            b=Fraction(b),
            essential_a=None,
            essential_b=None,
            bonus_a=None,
            bonus_b=None,
            scored_by=ScoredBy.JUDGE,
            audited=0,
        )
        for n, (name, question, a, b) in enumerate(changes)
    ]
    [difference] = differences([[]], span=1.0, grade=1.0)
    ordered = tuple(sorted(rows, key=lambda row: row.change))
    return Comparison(replace(FACTS, name="main"), FACTS, difference, None, None, ordered, 0, 0, 0)


def test_a_run_alone_has_its_mean_and_what_is_not_in_it() -> None:
    text = markdown_report(SUMMARY, unaudited(SUMMARY))

    assert "| 0.5 | 2 of 3 |" in text
    assert "Not in the mean: 1 failed." in text


def test_against_another_run_the_change_and_what_fell_most_are_shown() -> None:
    against = compared(
        ("a", "why?", 1, 0), ("b", "how?", 0, 1), ("c", "who?", 1, 0), ("d", "", 1, 1)
    )

    text = markdown_report(SUMMARY, unaudited(SUMMARY), against)

    assert "| mean of shared examples | 0.75 | 0.5 | −0.25 |" in text
    assert "4 shared examples: 2 fell, 1 rose, 1 stayed." in text
    assert text.index("| `a` `why?` | 1 | 0 | −1 |") < text.index("| `c` `who?` | 1 | 0 | −1 |")
    assert "`b`" not in text
    assert f"By people's reviews: {against.sentence}" in text


def test_texts_from_data_are_neither_markup_nor_mentions_nor_table_cells() -> None:
    nasty = "@team |\n# head `code` <img src=x> [a](http://b)"

    text = markdown_report(SUMMARY, unaudited(SUMMARY), compared(("x", nasty, 1, 0)))

    row = next(line for line in text.splitlines() if "@team" in line)
    assert row.count("|") == 5
    assert "`@team ¦ # head 'code' <img src=x> [a](http://b)`" in row


def test_the_recall_comes_with_its_interval_and_without_an_audit_with_the_reason() -> None:
    recall = audited(HALF, HALF)

    told, alone = (markdown_report(SUMMARY, r) for r in (recall, unaudited(SUMMARY)))

    assert f"**{recall.number}** ({recall.interval}), from 40 audited." in told
    assert "Judge only, unreviewed." in alone
    assert "an interval needs 5" in alone

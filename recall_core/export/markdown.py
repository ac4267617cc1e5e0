"""A run as a table in Markdown, for a comment on a pull request.

Names and questions come from data, so they stand in code spans: no link, mention, HTML or table of
theirs can come of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from textwrap import shorten

from recall_core.comparison import ComparedExample, Comparison
from recall_core.headline import Headline
from recall_core.scoring import printed
from recall_core.summary import JudgementLine, RunSummary

MOST = 10
"""How many examples are named."""
_LONGEST = 90
MINUS = "−"


def markdown_report(
    summary: RunSummary, recall: Headline, against: Comparison | None = None
) -> str:
    """What is said of the run's recall, its mean with its coverage, the change since the run it is
    held against, and the examples that fell most (or, alone, those that are lowest).
    """
    run = summary.run
    head = f"### Recall: {_code(run.name)}\n\n{_code(run.dataset)}, judged by {_code(run.judge)}"
    paragraphs = [f"{head} version {run.judge_version}.", _recall(recall)]
    if against is None:
        paragraphs += [_mean_table(summary), *_lowest(summary.lowest)]
    else:
        paragraphs += [_change_table(summary, against), _shared(against)]
        paragraphs += [_by_people(against), *_fallen(against.rows)]
    if summary.counts.left_out:
        paragraphs.append(f"Not in the mean: {summary.counts.left_out}.")
    return "\n\n".join(paragraphs) + "\n"


def _recall(recall: Headline) -> str:
    """The estimate with its interval and what it is made from; without one, why."""
    if recall.estimate is None:
        return f"{recall.standing.value[0].upper()}{recall.standing.value[1:]}. {recall.sentence}"
    interval = f" ({recall.interval})" if recall.interval else ""
    return f"**{recall.number}**{interval}, from {recall.made_from}. {recall.sentence}"


def _mean_table(summary: RunSummary) -> str:
    return _table(["mean", "examples"], [[_two(summary.mean.value), summary.counts.coverage]])


def _change_table(summary: RunSummary, against: Comparison) -> str:
    rows = against.rows
    before = _mean([row.a for row in rows])
    now = _mean([row.b for row in rows])
    fell = None if before is None or now is None else now - before
    return _table(
        ["", _code(against.a.name), "this run", "change"],
        [
            ["mean of shared examples", _two(before), _two(now), _signed(fell)],
            ["mean of all", "", f"{_two(summary.mean.value)} ({summary.counts.coverage})", ""],
        ],
    )


def _shared(against: Comparison) -> str:
    return (
        f"{against.shared} shared examples: {against.worse} fell, {against.better} rose, "
        f"{against.same} stayed."
    )


def _by_people(against: Comparison) -> str:
    """What audits of both runs make of it; the scores above are mostly the judge's."""
    sentence = against.final.sentence(f"Run {against.a.id}", f"Run {against.b.id}")
    return f"By people's reviews: {sentence}"


def _fallen(rows: Sequence[ComparedExample]) -> Iterator[str]:
    fallen = [row for row in rows if row.change < 0]
    if fallen:
        yield _table(
            ["fell most", "before", "now", "change"],
            (
                [_named(r.example_id, r.question), _two(r.a), _two(r.b), _signed(r.change)]
                for r in fallen[:MOST]
            ),
        )
        yield from _more(len(fallen))


def _lowest(lines: Sequence[JudgementLine]) -> Iterator[str]:
    if lines:
        yield _table(
            ["lowest", "score"],
            ([_named(x.example_id, x.question), _two(x.final)] for x in lines[:MOST]),
        )


def _more(fallen: int) -> Iterator[str]:
    if fallen > MOST:
        yield f"{fallen - MOST} more fell."


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _named(example_id: str, question: str | None) -> str:
    return _code(example_id) + (f" {_code(question)}" if question else "")


def _code(text: str) -> str:
    """The text in a code span on one line; a bar would end a table's cell even in there."""
    plain = shorten(text.replace("`", "'"), _LONGEST, placeholder=" …")
    return f"`{plain.replace('|', '¦') or ' '}`"


def _mean(scores: Sequence[Fraction]) -> Fraction | None:
    return sum(scores, Fraction(0)) / len(scores) if scores else None


def _two(value: Fraction | None) -> str:
    return "no score" if value is None else printed(value)


def _signed(change: Fraction | None) -> str:
    if change is None:
        return ""
    return f"{MINUS if change < 0 else '+' if change else ''}{printed(abs(change))}"

"""`judge`: judge a file and print the results, without storing them."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Annotated

import typer

from api.commands.asking import judged_by_model
from api.commands.reading import OpensIt, reads_a_file
from api.console import INCOMPLETE, WRONG_USE, give_json, progress, say
from recall_core.asking.judge import ModelJudge
from recall_core.errors import InvalidSetting
from recall_core.ingest import ParsedRow, Role, parse_examples
from recall_core.judges import Judge, make_judge
from recall_core.judging import judge_all
from recall_core.results import Result, Status, result_of
from recall_core.scoring import printed
from recall_core.types import Example, FailureKind, Json


class Format(StrEnum):
    """How results are printed."""

    JSONL = "jsonl"


@reads_a_file
def judge(
    opens: OpensIt,
    judge_name: Annotated[str, typer.Option("--judge", help="Name of the judge.")],
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting of the judge; repeatable."),
    ] = None,
    output: Annotated[Format, typer.Option("--format", help="One JSON object a line.")] = (
        Format.JSONL
    ),
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format jsonl.")] = False,
    debug: Annotated[bool, typer.Option(help="Give tracebacks in the results.")] = False,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="How many at a time: threads (one a processor unless given), or calls of a model.",
        ),
    ] = None,
) -> None:
    """Judge every row of a file, in its order, and store no judgement.

    A judge that asks a model uses the answers that the database keeps, if there is one, and keeps
    new ones there.

    A row that cannot be read is a result with status error. The exit status is 3 when any result
    has that status.
    """
    asked = make_judge(judge_name, read_settings(settings or ()))
    opened = opens()
    totals = Totals()
    with progress(beside_results=True) as bar:
        task = bar.add_task("Judging", total=None)
        rows = parse_examples(opened.table, opened.mapping)
        id_column = opened.mapping.column(Role.ID)
        for result in judged_rows(asked, rows, id_column, workers=workers, debug=debug):
            give_json(result.as_json())
            totals.add(result)
            bar.advance(task)
    say(totals.sentence())
    if not totals.all:
        raise typer.Exit(WRONG_USE)
    if totals.failed:
        raise typer.Exit(INCOMPLETE)


def read_settings(assignments: Iterable[str]) -> dict[str, Json]:
    """`key=value` texts as settings; the judge's fields give the values their types."""
    settings: dict[str, Json] = {}
    for assignment in assignments:
        key, equals, value = assignment.partition("=")
        if not key or not equals:
            raise InvalidSetting(f"--set takes KEY=VALUE, and {assignment!r} is not that.")
        settings[key.strip()] = value if value.strip() else None
    return settings


def judged_rows(
    asked: Judge,
    rows: Iterable[ParsedRow],
    id_column: str | None = None,
    *,
    workers: int | None = None,
    debug: bool = False,
) -> Iterator[Result]:
    """One result a row, in the rows' order; rows that could not be read stand in their place."""
    waiting: deque[ParsedRow] = deque()

    def examples() -> Iterator[Example]:
        for row in rows:
            waiting.append(row)
            if row.example is not None:
                yield row.example

    if isinstance(asked, ModelJudge):
        outcomes = judged_by_model(asked, examples(), concurrency=workers)
    else:
        outcomes = judge_all(asked, examples(), workers=workers)
    for outcome in outcomes:
        yield from _unread(waiting, id_column)
        example = waiting.popleft().example
        assert example is not None
        yield result_of(example, asked, outcome, debug=debug)
    yield from _unread(waiting, id_column)


def _unread(waiting: deque[ParsedRow], id_column: str | None) -> Iterator[Result]:
    """The results of the unreadable rows before the next example."""
    while waiting and waiting[0].example is None:
        row = waiting.popleft()
        details = " ".join(str(problem) for problem in row.problems)
        yield Result(
            str(row.values.get(id_column or "") or f"row-{row.number}"),
            Status.ERROR,
            None,
            details,
            error_type=FailureKind.UNPARSEABLE,
        )


@dataclass(slots=True)
class Totals:
    """Counts results as they pass by."""

    by_status: Counter[Status] = field(default_factory=Counter)
    vacuous: int = 0
    total: Fraction = Fraction(0)

    def add(self, result: Result) -> None:
        """Count one more; an example that expected nothing is not part of the mean."""
        self.by_status[result.status] += 1
        if result.score is None:
            return
        if result.units:
            self.total += result.score
        else:
            self.vacuous += 1

    @property
    def all(self) -> int:
        """Every result."""
        return self.by_status.total()

    @property
    def failed(self) -> int:
        """Results that are errors."""
        return self.by_status[Status.ERROR]

    def sentence(self) -> str:
        """`Mean 0.75 over 2 of 4: 2 processed, 0 skipped, 2 errors.`"""
        if not self.all:
            return "The file has no rows, so there is nothing to judge."
        scored = self.by_status[Status.PROCESSED] - self.vacuous
        mean = f"Mean {printed(self.total / scored)}" if scored else "No mean"
        counts = [
            f"{self.by_status[Status.PROCESSED]} processed",
            f"{self.by_status[Status.SKIPPED]} skipped",
            f"{self.failed} in error",
        ]
        if self.vacuous:
            counts.insert(1, f"{self.vacuous} of them vacuous")
        return f"{mean} over {scored} of {self.all}: {', '.join(counts)}."

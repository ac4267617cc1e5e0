"""What will be saved and what will not, before anything is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from recall_core.ingest.hashing import ContentHash
from recall_core.ingest.mapping import ColumnMapping
from recall_core.ingest.parsing import ParsedRow, parse_examples
from recall_core.ingest.table import Table
from recall_core.ingest.trouble import RowNotice, RowProblem
from recall_core.judges import Judge, judges
from recall_core.types import Example

SHOWN_ROWS = 50
KEPT_REMARKS = 1_000
"""Problems and notices that are kept to be shown; the counts go on."""


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """A row that will be saved: how many passages it has, and what was done to it."""

    number: int
    question: str
    essential: int | None
    bonus: int | None
    retrieved: int | None
    notices: tuple[RowNotice, ...]


@dataclass(frozen=True, slots=True)
class JudgeTakes:
    """How many of the rows a judge can take with its default settings, and what most of the
    others lack."""

    name: str
    title: str
    takes: int
    lacks: str


@dataclass(frozen=True, slots=True)
class Preview:
    """The whole file, counted: `good` rows have no remark, `warnings` have notices and are saved
    too, `errors` are left out. Lists of remarks hold the first thousand."""

    good: int
    warnings: int
    errors: int
    problems: tuple[RowProblem, ...]
    notices: tuple[RowNotice, ...]
    rows: tuple[PreviewRow, ...]
    judges: tuple[JudgeTakes, ...]
    content_hash: str

    @property
    def all(self) -> int:
        """Every row of the file."""
        return self.good + self.warnings + self.errors

    @property
    def saved(self) -> int:
        """The rows that become examples."""
        return self.good + self.warnings


def preview(
    table: Table,
    mapping: ColumnMapping,
    *,
    among: Sequence[Judge] | None = None,
    shown_rows: int = SHOWN_ROWS,
) -> Preview:
    """Read the whole file once and count. `among` are the judges to ask; all of them by default."""
    asked = [kind() for kind in judges().values()] if among is None else among
    counter = _Counter(asked, shown_rows)
    for row in parse_examples(table, mapping):
        counter.add(row)
    return counter.preview()


class _Counter:
    """Counts rows as they stream by; memory does not grow with the file."""

    def __init__(self, asked: Sequence[Judge], shown_rows: int) -> None:
        self._asked = asked
        self._shown = shown_rows
        self._counts: Counter[str] = Counter()
        self._problems: list[RowProblem] = []
        self._notices: list[RowNotice] = []
        self._rows: list[PreviewRow] = []
        self._takes = [0 for _ in asked]
        self._lacks: list[Counter[str]] = [Counter() for _ in asked]
        self._hash = ContentHash()

    def add(self, row: ParsedRow) -> None:
        if row.example is None:
            self._counts["errors"] += 1
            self._problems.extend(row.problems[: KEPT_REMARKS - len(self._problems)])
            return
        self._counts["warnings" if row.notices else "good"] += 1
        self._notices.extend(row.notices[: KEPT_REMARKS - len(self._notices)])
        self._hash.add(row.example)
        if len(self._rows) < self._shown:
            self._rows.append(_preview_row(row.number, row.example, row.notices))
        for i, judge in enumerate(self._asked):
            lacks = judge.lacks(row.example)
            if lacks is None:
                self._takes[i] += 1
            else:
                self._lacks[i][lacks] += 1

    def preview(self) -> Preview:
        takes = zip(self._asked, self._takes, self._lacks, strict=True)
        return Preview(
            good=self._counts["good"],
            warnings=self._counts["warnings"],
            errors=self._counts["errors"],
            problems=tuple(self._problems),
            notices=tuple(self._notices),
            rows=tuple(self._rows),
            judges=tuple(JudgeTakes(j.name, j.title, n, _most(c)) for j, n, c in takes),
            content_hash=self._hash.hexdigest(),
        )


def _most(lacks: Counter[str]) -> str:
    return next(chain((reason for reason, _ in lacks.most_common(1)), [""]))


def _preview_row(number: int, example: Example, notices: tuple[RowNotice, ...]) -> PreviewRow:
    unknown = example.ground_truth is None
    return PreviewRow(
        number=number,
        question=example.question or "",
        essential=None if unknown else len(example.essential),
        bonus=None if unknown else len(example.bonus),
        retrieved=None if example.retrieved is None else len(example.retrieved),
        notices=notices,
    )

"""Storing a file as a dataset: first what is wrong with it is said, then all is saved or none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from api.console import progress, say
from db.datasets import find_by_hash, save_dataset
from db.engine import Engine
from recall_core.errors import RecallError
from recall_core.export.report_parts import counted as counted_in_words
from recall_core.ingest import ColumnMapping, Preview, Table, parse_examples, preview
from recall_core.types import Example

SHOWN_PROBLEMS = 20


@dataclass(frozen=True, slots=True)
class Counted:
    """A file that has been read once, to know what is in it."""

    table: Table
    mapping: ColumnMapping
    preview: Preview


def count(table: Table, mapping: ColumnMapping) -> Counted:
    """Read the file once; what its columns mean and what is wrong goes to standard error."""
    counted = preview(table, mapping, shown_rows=0)
    roles = ", ".join(f"{role.value}={column}" for role, column in mapping.columns.items())
    say(f"Columns read: {roles or 'none'}. Others with --map ROLE=COLUMN.")
    if kept := mapping.metadata_columns(table.columns):
        say(f"Kept as metadata: {', '.join(kept)}.")
    _tell(counted)
    return Counted(table, mapping, counted)


def _tell(counted: Preview) -> None:
    say(
        f"{counted_in_words(counted.all, 'row')}: {counted.good} good, "
        f"{counted.warnings} with warnings, {counted.errors} in error."
    )
    for remarks in (counted.problems, counted.notices):
        for remark in remarks[:SHOWN_PROBLEMS]:
            say(f"  {remark}")
        if len(remarks) > SHOWN_PROBLEMS:
            say(f"  … and more like these, {SHOWN_PROBLEMS} are shown.")
    for judge in counted.judges:
        lacks = f" Most others: {judge.lacks}" if judge.lacks else ""
        say(f"  {judge.name} can take {judge.takes} of {counted.saved}.{lacks}")


def require_good(counted: Counted, *, skip_bad: bool) -> None:
    """Raise `RecallError` if rows are bad, unless they are to be left out."""
    if counted.preview.errors and not skip_bad:
        raise RecallError(
            "Nothing was saved. Put the rows above right, or save the others with --skip-bad."
        )


def save(engine: Engine, counted: Counted, title: str, author: str) -> int:
    """Save the good rows as a dataset, with a progress bar; its number."""
    with progress() as bar:
        task = bar.add_task("Saving", total=counted.preview.saved)

        def examples() -> Iterator[Example]:
            for row in parse_examples(counted.table, counted.mapping):
                if row.example is not None:
                    yield row.example
                    bar.advance(task)

        return save_dataset(
            engine,
            title,
            examples(),
            content_hash=counted.preview.content_hash,
            source=counted.table.filename,
            author=author,
            now=datetime.now(UTC),
        )


def saved_or_known(engine: Engine, counted: Counted, title: str, author: str) -> int:
    """The dataset that has exactly these examples already, or a new one."""
    known = find_by_hash(engine, counted.preview.content_hash)
    if known is None:
        return save(engine, counted, title, author)
    say(f"Dataset {known.id}, {known.name}, has exactly these examples, so it is used.")
    return known.id

"""Datasets: named sets of examples that never change, only their name and place in lists."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Engine, Select, func, select
from sqlalchemy.orm import Session

from db.deleting import bury_dataset, bury_run, clear_dataset, clear_run
from db.engine import reading, transaction
from db.errors import NotKept, StillNeeded
from db.examples import examples_by_id
from db.importing import required_name, save_dataset
from db.tables import DatasetRow, ExampleRow, RunRow
from recall_core.types import Example

__all__ = [
    "DatasetCard",
    "archive_dataset",
    "delete_dataset",
    "find_by_hash",
    "get_dataset",
    "list_datasets",
    "read_examples",
    "rename_dataset",
    "save_dataset",
    "stream_examples",
    "unarchive_dataset",
]

PAGE = 200
"""How many examples a stream reads at once."""


@dataclass(frozen=True, slots=True)
class DatasetCard:
    """A dataset as lists show it; `essential` and `bonus` count passages, `runs` its runs."""

    id: int
    name: str
    source: str
    content_hash: str
    examples: int
    essential: int
    bonus: int
    runs: int
    created_at: datetime
    created_by: str
    archived_at: datetime | None


@dataclass(frozen=True, slots=True)
class Version:
    """Which of the datasets of one name a dataset is, the oldest is 1; `of`: how many there are."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"version {self.number} of {self.of}" if self.of > 1 else ""


def versions(cards: Sequence[DatasetCard]) -> dict[int, Version]:
    """The version of each of these datasets: those of the same name follow each other."""
    by_name: dict[str, list[int]] = defaultdict(list)
    for card in sorted(cards, key=lambda card: (card.created_at, card.id)):
        by_name[card.name.casefold()].append(card.id)
    return {
        dataset_id: Version(number, len(ids))
        for ids in by_name.values()
        for number, dataset_id in enumerate(ids, 1)
    }


def find_by_hash(engine: Engine, content_hash: str) -> DatasetCard | None:
    """The oldest dataset with this content, or `None`: whether the same file came before."""
    query = _cards().where(DatasetRow.content_hash == content_hash).order_by(DatasetRow.id)
    with reading(engine) as session:
        row = session.execute(query.limit(1)).one_or_none()
    return None if row is None else _card(*row)


def list_datasets(engine: Engine, *, archived: bool = False) -> list[DatasetCard]:
    """The datasets, newest first; those put away only where `archived` says so."""
    query = _cards().order_by(DatasetRow.created_at.desc(), DatasetRow.id.desc())
    if not archived:
        query = query.where(DatasetRow.archived_at.is_(None))
    with reading(engine) as session:
        return [_card(*row) for row in session.execute(query)]


def get_dataset(engine: Engine, dataset_id: int) -> DatasetCard:
    """The dataset of that number; `NotKept` if there is none (any more)."""
    with reading(engine) as session:
        row = session.execute(_cards().where(DatasetRow.id == dataset_id)).one_or_none()
    if row is None:
        raise NotKept(_missing(dataset_id))
    return _card(*row)


def stream_examples(
    engine: Engine, dataset_id: int, *, statement_set_id: int | None = None
) -> Iterator[Example]:
    """Every example in the dataset's order, read in pages, so memory stays flat and no transaction
    stays open while the caller works.
    """
    offset = 0
    while page := read_examples(
        engine, dataset_id, offset=offset, limit=PAGE, statement_set_id=statement_set_id
    ):
        yield from page
        offset += len(page)


def read_examples(
    engine: Engine,
    dataset_id: int,
    *,
    offset: int,
    limit: int,
    statement_set_id: int | None = None,
) -> list[Example]:
    """At most `limit` examples after the first `offset`, as they were saved."""
    query = select(ExampleRow.id).where(ExampleRow.dataset_id == dataset_id)
    query = query.where(ExampleRow.position > offset).order_by(ExampleRow.position).limit(limit)
    with reading(engine) as session:
        ids = session.scalars(query).all()
        return list(examples_by_id(session, ids, statement_set_id).values())


def rename_dataset(engine: Engine, dataset_id: int, name: str) -> None:
    """Give the dataset another name."""
    _change(engine, dataset_id, name=required_name(name))


def archive_dataset(engine: Engine, dataset_id: int, *, now: datetime) -> None:
    """Put the dataset away: out of the lists, with everything kept."""
    _change(engine, dataset_id, archived_at=now)


def unarchive_dataset(engine: Engine, dataset_id: int) -> None:
    """Bring it back into the lists."""
    _change(engine, dataset_id, archived_at=None)


def delete_dataset(
    engine: Engine, dataset_id: int, *, author: str, now: datetime, with_runs: bool = False
) -> None:
    """Delete the dataset for good; a tombstone says who, when and which content.

    Its runs hold people's decisions, so it goes only when they are gone (`StillNeeded`), or with
    them where `with_runs` says so. It is out of sight at once; its rows go in short batches.
    """
    with transaction(engine) as session:
        row = required_dataset(session, dataset_id)
        runs = session.scalars(
            select(RunRow).where(RunRow.dataset_id == dataset_id, RunRow.state != "deleting")
        ).all()
        if runs and not with_runs:
            raise StillNeeded(
                f"{row.name} has {len(runs)} run{'s' * (len(runs) > 1)}, with what people decided "
                "there. Delete the runs first, or choose to delete them together with the dataset."
            )
        for run in runs:
            bury_run(session, run, author=author, now=now)
        bury_dataset(session, row, author=author, now=now)
        buried = [run.id for run in runs]
    for run_id in buried:
        clear_run(engine, run_id)
    clear_dataset(engine, dataset_id)


def _cards() -> Select[Any]:
    runs = (
        select(func.count())
        .where(RunRow.dataset_id == DatasetRow.id, RunRow.state != "deleting")
        .correlate(DatasetRow)
        .scalar_subquery()
    )
    return select(DatasetRow, runs.label("runs")).where(DatasetRow.state == "ready")


def _card(row: DatasetRow, runs: int) -> DatasetCard:
    return DatasetCard(
        id=row.id,
        name=row.name,
        source=row.source,
        content_hash=row.content_hash,
        examples=row.examples,
        essential=row.essential,
        bonus=row.bonus,
        runs=runs,
        created_at=row.created_at,
        created_by=row.created_by,
        archived_at=row.archived_at,
    )


def _change(engine: Engine, dataset_id: int, **values: Any) -> None:
    with transaction(engine) as session:
        row = required_dataset(session, dataset_id)
        for name, value in values.items():
            setattr(row, name, value)


def required_dataset(session: Session, dataset_id: int) -> DatasetRow:
    """The row of a visible dataset; `NotKept` if there is none (any more)."""
    row = session.get(DatasetRow, dataset_id)
    if row is None or row.state != "ready":
        raise NotKept(_missing(dataset_id))
    return row


def _missing(dataset_id: int) -> str:
    return f"There is no dataset {dataset_id}. It may have been deleted."

"""Saving a dataset: in batches that nobody sees, then visible in one small transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Engine, insert, select
from sqlalchemy.orm import Session

from db.columns import whole_text
from db.deleting import clear_dataset
from db.engine import transaction
from db.errors import Unkeepable
from db.examples import example_values, ground_truth_values, retrieved_values
from db.owners import new_owner
from db.tables import Base, DatasetRow, ExampleRow, GroundTruthRow, RetrievedRow
from recall_core.ingest.storing import steers, visible
from recall_core.types import Example

LONGEST_NAME = 300
"""In characters. Pages and the HTTP interface ask for 200, and programs add a judge's title."""

BATCH_EXAMPLES = 500
BATCH_CHARACTERS = 2_000_000
"""A batch ends at whichever comes first, so that its transaction stays short."""


def save_dataset(
    engine: Engine,
    name: str,
    examples: Iterable[Example],
    *,
    content_hash: str | Callable[[], str],
    source: str,
    author: str,
    now: datetime,
) -> int:
    """Save all of `examples` as a new dataset, or nothing; its id.

    They are written in batches that nobody sees, and become visible together at the end. Whatever
    `examples` raises goes to the caller, after the batches are gone again. `content_hash` may be a
    function that is asked when the last example has been read, for files read only once.
    """
    title = required_name(name)
    dataset_id = _begin(engine, title, source, author, now)
    try:
        counts = _Counts()
        for batch in _batches(examples):
            counts = _save_batch(engine, dataset_id, batch, counts)
        if not counts.examples:
            raise Unkeepable(f"{title} has no example, so there is nothing to save.")
        digest = content_hash if isinstance(content_hash, str) else content_hash()
        _make_visible(engine, dataset_id, counts, digest)
    except BaseException:
        clear_dataset(engine, dataset_id)
        raise
    return dataset_id


@dataclass(frozen=True, slots=True)
class _Counts:
    examples: int = 0
    essential: int = 0
    bonus: int = 0


def _begin(engine: Engine, name: str, source: str, author: str, now: datetime) -> int:
    with transaction(engine) as session:
        row = DatasetRow(
            name=name,
            state="importing",
            owner=new_owner(),
            content_hash="",
            source=source,
            created_at=now,
            created_by=author,
        )
        session.add(row)
        session.flush()
        return row.id


def _batches(examples: Iterable[Example]) -> Iterator[list[Example]]:
    batch: list[Example] = []
    characters = 0
    for example in examples:
        batch.append(example)
        characters += sum(len(text) for text in _texts(example))
        if len(batch) >= BATCH_EXAMPLES or characters >= BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _save_batch(
    engine: Engine, dataset_id: int, batch: Sequence[Example], so_far: _Counts
) -> _Counts:
    first = so_far.examples + 1
    rows = [example_values(e, dataset_id, position) for position, e in enumerate(batch, first)]
    try:
        with transaction(engine) as session:
            session.execute(insert(ExampleRow), rows)
            saved = list(zip(_ids_from(session, dataset_id, first), batch, strict=True))
            _insert(
                session, GroundTruthRow, [v for i, e in saved for v in ground_truth_values(e, i)]
            )
            _insert(session, RetrievedRow, [v for i, e in saved for v in retrieved_values(e, i)])
    except UnicodeEncodeError:
        raise Unkeepable(_half_a_character(batch, first)) from None
    return _Counts(
        so_far.examples + len(batch),
        so_far.essential + sum(len(e.essential) for e in batch),
        so_far.bonus + sum(len(e.bonus) for e in batch),
    )


def _ids_from(session: Session, dataset_id: int, position: int) -> Sequence[int]:
    query = select(ExampleRow.id).where(ExampleRow.dataset_id == dataset_id)
    return session.scalars(
        query.where(ExampleRow.position >= position).order_by(ExampleRow.position)
    ).all()


def _insert(session: Session, table: type[Base], rows: list[dict[str, Any]]) -> None:
    if rows:
        session.execute(insert(table), rows)


def _half_a_character(batch: Sequence[Example], first: int) -> str:
    broken = next(
        f"Example {position} ({example.id!a})"
        for position, example in enumerate(batch, first)
        if not all(_is_whole(text) for text in _texts(example))
    )
    return (
        f"{broken} holds half of a character (a lone surrogate), which no database can keep. "
        "Repair the text, or leave the example out."
    )


def _texts(example: Example) -> Iterator[str]:
    own = (example.id, example.question, example.actual_output, example.expected_output)
    yield from (text for text in own if text is not None)
    for owed in example.ground_truth or ():
        yield from (owed.text, owed.id or "")
    for returned in example.retrieved or ():
        yield from (returned.text, returned.id or "")


def _is_whole(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _make_visible(engine: Engine, dataset_id: int, counts: _Counts, content_hash: str) -> None:
    with transaction(engine) as session:
        row = session.get_one(DatasetRow, dataset_id)
        row.state, row.owner, row.content_hash = "ready", None, content_hash
        row.examples, row.essential, row.bonus = counts.examples, counts.essential, counts.bonus


def required_name(name: str) -> str:
    """`name` on one line, without the blanks around it; `Unkeepable` if nothing is left that can be
    seen, or if it is no name by its length.
    """
    one_line = (" " if steers(c) else c for c in whole_text(name))
    title = "".join(one_line).strip()
    if not visible(title):
        raise Unkeepable("A name is needed, so that people can tell one from another.")
    if len(title) > LONGEST_NAME:
        raise Unkeepable(
            f"A name has at most {LONGEST_NAME} characters, and this one has {len(title):,}."
        )
    return title

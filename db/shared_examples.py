"""Which examples of two runs are the same: by their row, or in two datasets by what they ask."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping

from sqlalchemy import select
from sqlalchemy.orm import Session

from db.tables import ExampleRow, GroundTruthRow
from recall_core.details import RunFacts


def shared_examples(session: Session, a: RunFacts, b: RunFacts) -> dict[int, int]:
    """The row id of each example of A's dataset that B's dataset has too, and its row id there.

    The same question with the same expected output and ground truth is the same example, whatever
    was retrieved for it. Where one occurs several times, those with the same id are matched first
    and the others in the order of the files.
    """
    if a.dataset_id == b.dataset_id:
        query = select(ExampleRow.id).where(ExampleRow.dataset_id == a.dataset_id)
        return {i: i for i in session.scalars(query.order_by(ExampleRow.position))}
    ours, theirs = _by_content(session, a.dataset_id), _by_content(session, b.dataset_id)
    shared: dict[int, int] = {}
    for content, mine in ours.items():
        if content in theirs:
            shared |= _matched(mine, theirs[content])
    return shared


def _matched(mine: Mapping[int, str], theirs: Mapping[int, str]) -> dict[int, int]:
    """Rows (with their ids in the files) of the same content, two and two."""
    left = dict(theirs)
    found: dict[int, int] = {}
    for row, name in mine.items():
        same = next((other for other, n in left.items() if n == name), None)
        if same is not None:
            found[row] = same
            del left[same]
    others = [row for row in mine if row not in found]
    return found | dict(zip(others, left, strict=False))


def _by_content(session: Session, dataset_id: int) -> dict[Hashable, dict[int, str]]:
    """The examples of a dataset by what makes them the same, in their order."""
    example, passage = ExampleRow, GroundTruthRow
    truths: dict[int, list[tuple[str, str]]] = defaultdict(list)
    passages = (
        select(passage.example_id, passage.kind, passage.text)
        .join(example, example.id == passage.example_id)
        .where(example.dataset_id == dataset_id)
    )
    for example_id, kind, text in session.execute(passages):
        truths[example_id].append((kind, text))
    columns = (example.id, example.external_id, example.question, example.expected_output)
    query = select(*columns).where(example.dataset_id == dataset_id).order_by(example.position)
    found: dict[Hashable, dict[int, str]] = defaultdict(dict)
    for row, name, question, expected in session.execute(query):
        found[question, expected, tuple(sorted(truths[row]))][row] = name
    return found

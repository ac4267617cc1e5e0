"""Examples as rows and back again, exactly: a missing field and an empty list stay apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import BindParameter, Row, bindparam, select
from sqlalchemy.orm import Session

from db.tables import (
    ExampleRow,
    GroundTruthRow,
    RetrievedRow,
    StatementRow,
    StatementSetRow,
    table_of,
)
from recall_core.types import Example, GroundTruthPassage, PassageKind, RetrievedPassage


def example_values(example: Example, dataset_id: int, position: int) -> dict[str, Any]:
    """The attributes of the example's own row."""
    return {
        "dataset_id": dataset_id,
        "position": position,
        "external_id": example.id,
        "question": example.question,
        "actual_output": example.actual_output,
        "expected_output": example.expected_output,
        "has_ground_truth": example.ground_truth is not None,
        "has_retrieved": example.retrieved is not None,
        "details": dict(example.metadata),
    }


def ground_truth_values(example: Example, example_id: int) -> list[dict[str, Any]]:
    """The columns of its ground-truth passages' rows."""
    return [
        {
            "example_id": example_id,
            "position": position,
            "kind": passage.kind.value,
            "text": passage.text,
            "external_id": passage.id,
        }
        for position, passage in enumerate(example.ground_truth or (), 1)
    ]


def retrieved_values(example: Example, example_id: int) -> list[dict[str, Any]]:
    """The columns of its retrieved passages' rows."""
    return [
        {
            "example_id": example_id,
            "rank": passage.rank,
            "text": passage.text,
            "external_id": passage.id,
        }
        for passage in example.retrieved or ()
    ]


def examples_by_id(
    session: Session, example_ids: Collection[int], statement_set_id: int | None = None
) -> dict[int, Example]:
    """The examples with these row ids, in the dataset's order.

    With a statement set, every example that has an expected output gets the set's statements;
    in a set that grows, one whose statements are not made yet gets `None`.
    """
    ids = list(example_ids)
    parts = _parts(session, ids, statement_set_id)
    found = session.execute(_EXAMPLES, {"ids": ids})
    return {row.id: _example(row, parts) for row in found}


_IDS: BindParameter[Any] = bindparam("ids", expanding=True)
_E, _G, _R, _S, _SETS = (
    table_of(row).c
    for row in (ExampleRow, GroundTruthRow, RetrievedRow, StatementRow, StatementSetRow)
)
# Made once: making such queries takes as long as running them.
_EXAMPLES = select(table_of(ExampleRow)).where(_E.id.in_(_IDS)).order_by(_E.position)
_TRUTHS = (
    select(_G.example_id, _G.kind, _G.text, _G.external_id)
    .where(_G.example_id.in_(_IDS))
    .order_by(_G.position)
)
_PASSAGES = (
    select(_R.example_id, _R.rank, _R.text, _R.external_id)
    .where(_R.example_id.in_(_IDS))
    .order_by(_R.rank)
)
_STATEMENTS = (
    select(_S.example_id, _S.text)
    .where(_S.example_id.in_(_IDS), _S.set_id == bindparam("set_id"))
    .order_by(_S.position)
)
_WHOLE_SET = select(_SETS.id).where(_SETS.id == bindparam("set_id"), _SETS.method != "model")


@dataclass(frozen=True, slots=True)
class _Parts:
    """The lists of many examples, by the example's row id."""

    truth: dict[int, list[GroundTruthPassage]] = field(default_factory=lambda: defaultdict(list))
    retrieved: dict[int, list[RetrievedPassage]] = field(default_factory=lambda: defaultdict(list))
    statements: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    split: bool = False
    """Whether every expected output is split, so that no statements means that there are none."""


def _parts(session: Session, ids: list[int], statement_set_id: int | None) -> _Parts:
    of_set = {"set_id": statement_set_id}
    split = statement_set_id is not None and session.scalar(_WHOLE_SET, of_set) is not None
    parts = _Parts(split=split)
    for example_id, kind, text, external_id in session.execute(_TRUTHS, {"ids": ids}):
        passage = GroundTruthPassage(PassageKind(kind), text, external_id)
        parts.truth[example_id].append(passage)
    for example_id, rank, text, external_id in session.execute(_PASSAGES, {"ids": ids}):
        parts.retrieved[example_id].append(RetrievedPassage(rank, text, external_id))
    if statement_set_id is not None:
        for example_id, text in session.execute(_STATEMENTS, {"ids": ids, **of_set}):
            parts.statements[example_id].append(text)
    return parts


def _example(row: Row[Any], parts: _Parts) -> Example:
    statements = tuple(parts.statements.get(row.id, ()))
    known = row.expected_output is not None and (parts.split or statements)
    return Example(
        id=row.external_id,
        question=row.question,
        ground_truth=tuple(parts.truth[row.id]) if row.has_ground_truth else None,
        retrieved=tuple(parts.retrieved[row.id]) if row.has_retrieved else None,
        actual_output=row.actual_output,
        expected_output=row.expected_output,
        statements=statements if known else None,
        metadata=row.metadata,
    )

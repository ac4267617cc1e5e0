"""Reads examples to find at which rank what they expect came back."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Engine, select

from db.engine import reading
from db.examples import examples_by_id
from db.tables import JudgementRow
from recall_core.ranks import Method, Ranks, first_ranks

_BATCH = 200


def ranks_of(
    engine: Engine, judgement_ids: Sequence[int], method: Method
) -> dict[int, tuple[Ranks, int]]:
    """For each judgement the first ranks of its example's essential passages, and how many passages
    came back.
    """
    found: dict[int, tuple[Ranks, int]] = {}
    for start in range(0, len(judgement_ids), _BATCH):
        some = judgement_ids[start : start + _BATCH]
        with reading(engine) as session:
            row = JudgementRow
            query = select(row.id, row.example_id).where(row.id.in_(some))
            example_of = {one.id: one.example_id for one in session.execute(query)}
            examples = examples_by_id(session, set(example_of.values()))
        for judgement, example_id in example_of.items():
            example = examples[example_id]
            found[judgement] = first_ranks(example, method), len(example.retrieved or ())
    return found

"""At which rank a run's passages first held each essential (`recall_core.ranks`)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Engine, select

from db.details import read_run_facts
from db.engine import reading
from db.examples import examples_by_id
from db.tables import ExampleRow
from recall_core.details import RunFacts
from recall_core.judges.context_recall import ContextRecall
from recall_core.ranks import USUAL, Ranks, Similar, ranks_of
from recall_core.types import Example

MOST = 1000
"""Of longer datasets so many examples are looked at, drawn at random: some ten seconds of work."""

_SEED = 0
_BATCH = 200


@dataclass(frozen=True, slots=True)
class RunRanks:
    """The ranks of a run's dataset; `drawn` of its `of` examples were looked at."""

    ranks: Ranks
    similar: Similar
    drawn: int
    of: int

    @property
    def sentence(self) -> str:
        """What the figures are over."""
        said = f"Over {self.ranks.examples} examples"
        if self.drawn < self.of:
            said += f", of {self.drawn} drawn at random from {self.of}"
        if self.ranks.left_out:
            said += f"; {self.ranks.left_out} have no essentials, or no list of what came back"
        return f"{said}."


def run_ranks(engine: Engine, run_id: int, *, most: int = MOST) -> RunRanks:
    """The ranks of what the run's dataset retrieved; `NotKept` if the run is gone.

    They hang on the dataset alone, except that string distance measures as the run's judge does
    where that is `context_recall`. So they may be kept as long as the run is there.
    """
    run = read_run_facts(engine, run_id)
    similar = _similar(run)
    with reading(engine) as session:
        query = select(ExampleRow.id).where(ExampleRow.dataset_id == run.dataset_id)
        ids = list(session.scalars(query.order_by(ExampleRow.position)))
    chosen = ids if len(ids) <= most else random.Random(_SEED).sample(ids, most)
    return RunRanks(ranks_of(_examples(engine, chosen), similar), similar, len(chosen), len(ids))


def _similar(run: RunFacts) -> Similar:
    if run.judge != ContextRecall.name:
        return USUAL
    judge = ContextRecall.model_validate(dict(run.settings))
    return Similar(judge.distance_measure, judge.threshold)


def _examples(engine: Engine, ids: list[int]) -> Iterator[Example]:
    for start in range(0, len(ids), _BATCH):
        with reading(engine) as session:
            found = examples_by_id(session, ids[start : start + _BATCH])
        yield from found.values()

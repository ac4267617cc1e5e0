"""Proof that a run's scores are what was judged and decided, and that no decision was touched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Engine, select

from db.claims import unjudged
from db.decisions import ChainReport, verify_chain
from db.details import read_run_facts
from db.engine import reading
from db.recount import Recount, recount
from db.run_cards import JUDGED, RunState
from db.tables import ExampleRow, RunRow


@dataclass(frozen=True, slots=True)
class Verified:
    """What computing a run again has found: `chain` of its decisions, `counted` of its scores."""

    run_id: int
    name: str
    chain: ChainReport
    counted: Recount
    unjudged: tuple[int, ...] = ()
    """The places of examples that have no judgement although the run is done."""

    @property
    def equal(self) -> bool:
        return not self.problems

    @property
    def problems(self) -> tuple[str, ...]:
        """Where it breaks, in sentences."""
        broken = () if self.chain.intact else (self.chain.problem,)
        gone = (
            f"Run {self.run_id}, example {place}: the run is done, and its judgement is not there."
            for place in self.unjudged
        )
        return (*broken, *gone, *self.counted.problems)


def verify(engine: Engine, run_id: int | None = None) -> Iterator[Verified]:
    """Compute every final of the run (or of all runs) again and hash its decisions again.

    Needs no judge and no model: what they said is stored. Changes nothing.
    """
    if run_id is None:
        query = select(RunRow.id).where(RunRow.state != "deleting").order_by(RunRow.id)
        with reading(engine) as session:
            ids = list(session.scalars(query))
    else:
        ids = [run_id]
    for number in ids:
        name = read_run_facts(engine, number).name
        chain, counted = verify_chain(engine, number), recount(engine, number)
        yield Verified(number, name, chain, counted, _unjudged(engine, number))


def _unjudged(engine: Engine, run_id: int) -> tuple[int, ...]:
    """A run whose judgements were made elsewhere has only those that were brought in."""
    with reading(engine) as session:
        run = session.get_one(RunRow, run_id)
        if run.state != RunState.DONE or run.kind != JUDGED:
            return ()
        missing = unjudged(run_id, run.dataset_id, after=0).subquery()
        query = select(ExampleRow.position).where(ExampleRow.id.in_(select(missing.c.id)))
        return tuple(session.scalars(query.order_by(ExampleRow.position)))

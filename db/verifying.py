"""Proof that a run's scores are what was judged and decided, and that no decision was touched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Engine, select

from db.decisions import ChainReport, verify_chain
from db.details import read_run_facts
from db.engine import reading
from db.recount import Recount, recount
from db.tables import RunRow


@dataclass(frozen=True, slots=True)
class Verified:
    """What computing a run again has found: `chain` of its decisions, `counted` of its scores."""

    run_id: int
    name: str
    chain: ChainReport
    counted: Recount

    @property
    def equal(self) -> bool:
        return self.chain.intact and self.counted.equal

    @property
    def problems(self) -> tuple[str, ...]:
        """Where it breaks, in sentences."""
        broken = () if self.chain.intact else (self.chain.problem,)
        return (*broken, *(str(difference) for difference in self.counted.differences))


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
        yield Verified(number, name, verify_chain(engine, number), recount(engine, number))

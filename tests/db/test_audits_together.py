"""Several people at the same audit."""

from __future__ import annotations

import threading

from sqlalchemy import Engine

from db.audits import Draw, audit_draws, draw_audit
from db.engine import open_engine, transaction
from db.tables import RunRow
from tests.db.making import NOW
from tests.db.reviewing import desk, told

EACH = 8


def test_two_reviewers_never_get_the_same_draw(engine: Engine, database_url: str) -> None:
    run = desk(engine, *(told(f"e{i}", [3]) for i in range(2 * EACH)))
    with transaction(engine) as session:
        session.get_one(RunRow, run.run_id).state = "done"
    drawn: dict[str, list[Draw | None]] = {"Mara": [], "Ben": []}
    together = threading.Barrier(2)

    def audit(reviewer: str) -> None:
        own = open_engine(database_url)
        together.wait()
        for _ in range(EACH):
            drawn[reviewer].append(draw_audit(own, run.run_id, reviewer=reviewer, now=NOW))
        own.dispose()

    threads = [threading.Thread(target=audit, args=(name,)) for name in drawn]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    judgements = [d.judgement_id for draws in drawn.values() for d in draws if d is not None]
    assert sorted(judgements) == sorted(run.judgements.values())
    rows = audit_draws(engine, run.run_id)
    assert [d.position for d in rows] == list(range(1, 2 * EACH + 1))
    assert [d.undrawn for d in rows] == list(range(2 * EACH, 0, -1))

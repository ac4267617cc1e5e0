"""One audit that serves two runs: what it draws is drawn in both, and reviewed in both."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Engine, Row
from sqlalchemy.orm import Session

from db.audits import run_to_draw_from, undrawn_of, write_draw
from db.details import run_facts
from db.engine import transaction
from db.errors import NotPossibleNow
from db.shared_examples import shared_examples


@dataclass(frozen=True, slots=True)
class Together:
    """What was drawn: `both` in both runs; the others only in the one where they could be, because
    the other run lacks them, or they were drawn or reviewed there before.
    """

    both: int
    only_a: int
    only_b: int


def draw_together(
    engine: Engine, a: int, b: int, *, count: int, reviewer: str, now: datetime
) -> Together:
    """Draw for the person until `count` examples are drawn in both runs, or none is left.

    Each draw is random among all examples that can still be drawn in one of the runs, so it is a
    fair draw in each run where it counts. The drawn examples wait at the front of the person's
    audit queue in both runs. `NotPossibleNow` while one of the runs still judges.
    """
    if a == b:
        raise NotPossibleNow("A run is audited together with another one, not with itself.")
    with transaction(engine) as session:
        runs = [run_to_draw_from(session, run_id) for run_id in (a, b)]
        seeds = [run.audit_seed for run in runs]
        sides = [_Side.of(session, run.id) for run in runs]
        candidates = _candidates(session, a, b, sides)
        # Not the order of either run's own audit: what one run has drawn already must not be
        # foreseeable in the other.
        order = sorted(candidates, key=lambda pair: _lot(a, b, seeds, pair))
        drawn: Counter[tuple[bool, bool]] = Counter()
        for place, pair in enumerate(order):
            if drawn[True, True] == count:
                break
            # Draws are told apart by their moments, which are the same in both runs.
            moment = now + timedelta(microseconds=place)
            for side, found, seed in zip(sides, pair, seeds, strict=True):
                if found is not None:
                    write_draw(
                        session,
                        side.run_id,
                        found,
                        seed=seed,
                        undrawn=side.take(found),
                        by=reviewer,
                        now=moment,
                    )
            drawn[pair[0] is not None, pair[1] is not None] += 1
    return Together(drawn[True, True], drawn[True, False], drawn[False, True])


Pair = tuple[Row[Any] | None, Row[Any] | None]


@dataclass(frozen=True, slots=True)
class _Side:
    """What can still be drawn in one of the runs, by example, and how many of each stratum."""

    run_id: int
    undrawn: Mapping[int, Row[Any]]
    left: Counter[str]

    @classmethod
    def of(cls, session: Session, run_id: int) -> _Side:
        rows = {row.example_id: row for row in undrawn_of(session, run_id)}
        return cls(run_id, rows, Counter(row.stratum for row in rows.values()))

    def take(self, found: Row[Any]) -> int:
        """How many of its stratum there were, this one included."""
        self.left[found.stratum] -= 1
        return self.left[found.stratum] + 1


def _candidates(session: Session, a: int, b: int, sides: Sequence[_Side]) -> list[Pair]:
    """Every example that can be drawn in one of the runs, with its row in each where it can."""
    mine, theirs = sides
    shared = shared_examples(session, run_facts(session, a), run_facts(session, b))
    pairs: list[Pair] = [(mine.undrawn.get(i), theirs.undrawn.get(j)) for i, j in shared.items()]
    pairs += [(row, None) for i, row in mine.undrawn.items() if i not in shared]
    known = set(shared.values())
    pairs += [(None, row) for j, row in theirs.undrawn.items() if j not in known]
    return [pair for pair in pairs if pair != (None, None)]


def _lot(a: int, b: int, seeds: Sequence[int], pair: Pair) -> bytes:
    row = pair[0] if pair[0] is not None else pair[1]
    assert row is not None
    side = "a" if pair[0] is not None else "b"
    return hashlib.sha256(f"{a}/{b}/{seeds}/{side}/{row.position}".encode()).digest()

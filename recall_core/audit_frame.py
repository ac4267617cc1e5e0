"""When people took an example out of the audit's frame, from what they decided on it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Act:
    """A decision as far as it says who has decided on what; resolutions are none."""

    id: int
    unit_id: int
    reviewer: str
    undoes: int | None
    at: datetime


def first_whole(acts: Sequence[Act], units: int, needed: int) -> datetime | None:
    """The moment from which enough people had decided on every unit, for the first time.

    `acts` are those on one judgement, oldest first. People who see each other's decisions count as
    one person.
    """
    standing: dict[int, tuple[str, int]] = {}
    for act in acts:
        if act.undoes is not None:
            standing.pop(act.undoes, None)
            continue
        standing[act.id] = (act.reviewer if needed > 1 else "", act.unit_id)
        if _done(standing.values(), units) >= needed:
            return act.at
    return None


def _done(standing: Collection[tuple[str, int]], units: int) -> int:
    """How many people have a decision standing on every unit."""
    by_person: dict[str, set[int]] = defaultdict(set)
    for person, unit_id in standing:
        by_person[person].add(unit_id)
    return sum(len(decided) >= units for decided in by_person.values())

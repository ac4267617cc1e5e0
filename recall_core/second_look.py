"""How well a person agrees with themselves: some of their examples come back after a while."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from recall_core.types import UnitState

ONE_IN = 20
"""About so many examples of a person are there for each that comes back: 5 %."""
AFTER = 20
"""So many others the person has finished before one comes back, so that they do not remember it."""


def comes_back(reviewer: str, judgement_id: int) -> bool:
    """Whether this example of theirs is one of those; the same each time it is asked."""
    lot = hashlib.sha256(f"{judgement_id}/{reviewer}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(lot[:4], "big") % ONE_IN == 0


@dataclass(frozen=True, slots=True)
class SelfAgreement:
    """Of `units` units that a person scored twice, `same` got the same value again, and `near` one
    that is at most a point away (the same ones included).
    """

    examples: int
    units: int
    same: int
    near: int


def self_agreement_of(examples: Iterable[Iterable[tuple[UnitState, UnitState]]]) -> SelfAgreement:
    """The agreement over examples, each with its units' first and second states."""
    pairs = [list(example) for example in examples]
    every = [pair for example in pairs for pair in example]
    return SelfAgreement(
        examples=len(pairs),
        units=len(every),
        same=sum(_apart(*pair) == 0 for pair in every),
        near=sum((distance := _apart(*pair)) is not None and distance <= 1 for pair in every),
    )


def _apart(first: UnitState, second: UnitState) -> float | None:
    """How far two states are from each other; `None` where they are not on one scale."""
    if first.excluded or second.excluded:
        return 0 if first.excluded == second.excluded else None
    if first.kind is not second.kind or first.score is None or second.score is None:
        return 0 if first == second else None
    return abs(float(first.score - second.score))

"""Units to ask about, by their labels, and short ways to look at a reading."""

from __future__ import annotations

from fractions import Fraction

from recall_core.replies import Reading, Unread, read_reply
from recall_core.types import FailureKind, Unit, UnitKind, UnitRef

KINDS = {"E": UnitKind.ESSENTIAL, "B": UnitKind.BONUS, "S": UnitKind.STATEMENT}


def units(labels: str) -> tuple[Unit, ...]:
    """`"E1 E2 B1"` as units; the text of each is `text of E1` and so on."""
    return tuple(
        Unit(UnitRef(KINDS[label[0]], int(label[1:])), f"text of {label}")
        for label in labels.split()
    )


def read(text: str, labels: str) -> Reading:
    """The reading of a reply that can be read."""
    reading = read_reply(text, units(labels))
    assert isinstance(reading, Reading), reading
    return reading


def unread(text: str, labels: str) -> Unread:
    """Why a reply cannot be read."""
    reading = read_reply(text, units(labels))
    assert isinstance(reading, Unread), reading
    return reading


def scores(text: str, labels: str) -> list[int | float | FailureKind | None]:
    """The score of each unit, or the kind of its failure."""
    return [
        unit.failure if unit.score is None else plain(unit.score)
        for unit in read(text, labels).units
    ]


def plain(score: Fraction) -> int | float:
    return int(score) if score.denominator == 1 else float(score)

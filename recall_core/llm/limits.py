"""Ceilings per minute, kept exactly: no window of sixty seconds ever holds more."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

MINUTE = 60.0


@dataclass(slots=True)
class Entry:
    """What one call takes of a ceiling, and when it began; `counted` while it is in the window."""

    at: float
    amount: int
    counted: bool = True


class Ceiling:
    """At most `limit` of something in any sixty seconds; `None` is no ceiling.

    An amount above the whole limit is let through when nothing else is in the window: the server
    will say if that is too much, and waiting would not make it less.
    """

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._entries: deque[Entry] = deque()
        self._held = 0

    def wait(self, now: float, amount: int) -> float:
        """Seconds until that amount would fit; 0 if it fits now."""
        self._forget(now)
        if self._limit is None or not self._entries:
            return 0.0
        excess = self._held + amount - self._limit
        if excess <= 0:
            return 0.0
        for entry in self._entries:
            excess -= entry.amount
            if excess <= 0:
                break
        return entry.at + MINUTE - now

    def take(self, now: float, amount: int) -> Entry:
        """Count a call that begins now."""
        entry = Entry(now, amount)
        self._entries.append(entry)
        self._held += amount
        return entry

    def correct(self, entry: Entry, amount: int) -> None:
        """Put the real amount in the place of the one that was taken."""
        if entry.counted:
            self._held += amount - entry.amount
        entry.amount = amount

    def _forget(self, now: float) -> None:
        while self._entries and self._entries[0].at + MINUTE <= now:
            gone = self._entries.popleft()
            gone.counted = False
            self._held -= gone.amount

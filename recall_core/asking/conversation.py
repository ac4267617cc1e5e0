"""Asking about units until each is answered, or until asking again cannot help."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field

from recall_core.llm.finish import finish_failure
from recall_core.llm.types import CallFailed, ChatReply
from recall_core.replies import Again, Reading, UnitReading, Unread, read_reply
from recall_core.types import FailureKind, Unit, UnitRef

Ask = Callable[[Sequence[Unit], Collection[Again], int], Awaitable[ChatReply]]
"""Asks about some units: for which reasons it is done again (none: it is not), and the how
manieth time it is. Raises `CallFailed`."""

STOPPED = frozenset({FailureKind.CANCELLED, FailureKind.BUDGET})
"""Failures of the run rather than of the example: it has to be judged again as a whole."""


@dataclass(slots=True)
class Talk:
    """What came of asking. `readings` has the units about which something was said; `failure` is
    why the others, or all of them, have no answer."""

    units: Sequence[Unit]
    readings: dict[UnitRef, UnitReading] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    repaired: bool = False
    failure: FailureKind | None = None
    message: str = ""

    def take(self, reading: Reading) -> None:
        """Keep what the reply says; a unit that has a score keeps it unless there is a new one."""
        for unit in reading.units:
            ref = unit.unit.ref
            if (
                unit.score is not None
                or ref not in self.readings
                or self.readings[ref].score is None
            ):
                self.readings[ref] = unit
        self.warnings += [w for w in reading.warnings if w not in self.warnings]
        self.repaired = self.repaired or reading.repaired

    def fail(self, kind: FailureKind, message: str) -> None:
        """The last reply brought nothing; what was answered before stays."""
        answered = [r for r in self.readings.values() if r.score is not None]
        if len(answered) == len(self.units) and kind not in STOPPED:
            self.warnings.append(f"Asking again brought no answer: {message}")
        else:
            self.failure, self.message = kind, message


async def talk(ask: Ask, units: Sequence[Unit]) -> Talk:
    """Ask about the units; what is missing, unreadable, ambiguous, cut off or no whole number is
    asked about once more, once for each of these reasons."""
    result = Talk(units)
    open_units: Sequence[Unit] = units
    reasons: frozenset[Again] = frozenset()
    used: set[Again] = set()
    number = 1
    while open_units:
        try:
            reply = await ask(open_units, reasons, number)
        except CallFailed as failed:
            result.fail(failed.kind, failed.message)
            break
        reading = read(reply, open_units)
        if isinstance(reading, Reading):
            result.take(reading)
            again = {
                u.ref: a for u in open_units if (a := result.readings[u.ref].again) not in used
            }
            open_units = [u for u in open_units if again.get(u.ref)]
            reasons = frozenset(a for a in again.values() if a)
        elif reading.again is not None and reading.again not in used:
            reasons = frozenset({reading.again})
        else:
            result.fail(reading.kind, reading.message)
            break
        used |= reasons
        number += 1
    return result


def read(reply: ChatReply, units: Sequence[Unit]) -> Reading | Unread:
    """What a reply says, unless it was cut off, filtered, refused or empty."""
    failure = finish_failure(reply)
    if failure is None:
        return read_reply(reply.text, units)
    kind, message = failure
    return Unread(kind, message, Again.TRUNCATED if kind is FailureKind.TRUNCATED else None)

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

    def lacks_scores(self, units: Sequence[Unit]) -> bool:
        """Whether any of them has no score yet, not even a fraction."""
        return any((r := self.readings.get(u.ref)) is None or r.score is None for u in units)

    def fail(self, kind: FailureKind, message: str) -> None:
        """The last reply brought nothing; what was answered before stays."""
        if not self.lacks_scores(self.units) and kind not in STOPPED:
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
            again = {u.ref: result.readings[u.ref].again for u in open_units}
            open_units = [u for u in open_units if again[u.ref] not in (None, *used)]
            reasons = frozenset(a for u in open_units if (a := again[u.ref]))
        elif reading.again and reading.again not in used and result.lacks_scores(open_units):
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

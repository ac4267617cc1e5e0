"""Stores one act of the desk: a decision, a commit, something taken over or said."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from db.batches import BulkDone, undo_bulk
from db.comments import comment
from db.engine import Engine
from db.memory import apply_memory, apply_memory_all
from db.resolving import resolve
from db.reviews import Decided, commit, decide, undo
from db.second_looks import end_second_look, score_again
from pages.components.review_desk.showing import set_flag, show
from recall_core.errors import InvalidDecision, InvalidScore
from recall_core.queues import Queue
from recall_core.scoring import exact
from recall_core.types import Action, Cause, Decision, UnitKind, UnitRef

What = Literal[
    "decide",
    "resolve",
    "recall",
    "recall_run",
    "undo_bulk",
    "commit",
    "comment",
    "show",
    "flag",
    "unflag",
]


class Entry(BaseModel):
    """One act from the desk's outbox.

    `what` says which of the other fields it needs: a decision and a resolution name a unit, what
    is taken over from memory too; a commit and a comment are about the whole example.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    client: str
    seq: int
    judgement: int
    what: What = "decide"
    kind: UnitKind | None = None
    index: int | None = None
    action: Action | None = None
    score: str | None = None
    to_kind: UnitKind | None = None
    cause: Cause | None = None
    note: str = ""
    twin: str | None = None
    keep: int | None = None
    exclude: bool = False
    text: str = ""
    run: int | None = None
    queue: Queue | None = None
    seen: int = 0
    follows: str | None = None

    @property
    def name(self) -> str:
        return f"{self.client}/{self.seq}"

    @property
    def unit(self) -> UnitRef:
        """The unit that the act is about; `InvalidDecision` if it names none."""
        if self.kind is None or self.index is None:
            raise InvalidDecision("This act names no unit.")
        return UnitRef(self.kind, self.index)


@dataclass(frozen=True, slots=True)
class Stored:
    """What an act left: its decisions, and whether the example has to be shown `anew` because more
    has changed than they say."""

    decisions: tuple[Decision, ...] = ()
    anew: bool = False
    drawn: int | None = None
    """The judgement that the audit drew, where an example was shown in it."""
    bulk: BulkDone | None = None
    """What was decided, or taken back, in the whole run as one."""


@dataclass(frozen=True, slots=True)
class Writer:
    """Whose acts are stored, and when."""

    engine: Engine
    reviewer: str
    now: datetime

    def store(self, entry: Entry, seen: int) -> Stored:
        """Store the act once, however often it is sent; `seen` as in `db.reviews.decide`."""
        return _HOW[entry.what](self, entry, seen)

    def write(self, entry: Entry) -> dict[str, Any]:
        """By which the database knows an act that is sent again."""
        return {
            "reviewer": self.reviewer,
            "client_id": entry.client,
            "client_seq": entry.seq,
            "now": self.now,
        }


def _decide(writer: Writer, entry: Entry, seen: int) -> Stored:
    if entry.action is None:
        raise InvalidDecision("This act does not say what to do.")
    if _second(writer, entry, entry.action):
        return Stored(anew=True)
    write = writer.write(entry)
    if entry.action is Action.UNDO:
        return _stored(undo(writer.engine, entry.judgement, entry.unit, seen=seen, **write))
    decided = decide(
        writer.engine,
        entry.judgement,
        entry.unit,
        entry.action,
        seen=seen,
        score=_score(entry),
        to_kind=entry.to_kind,
        cause=entry.cause,
        note=entry.note,
        twin=None if entry.twin is None else _twin(entry.twin),
        **write,
    )
    return _stored(decided)


def _second(writer: Writer, entry: Entry, action: Action) -> bool:
    """Whether the act belonged to a second look, which is kept apart from decisions."""
    return score_again(
        writer.engine,
        entry.judgement,
        entry.unit,
        action,
        reviewer=writer.reviewer,
        now=writer.now,
        score=_score(entry),
        to_kind=entry.to_kind,
    )


def _resolve(writer: Writer, entry: Entry, seen: int) -> Stored:
    decided = resolve(
        writer.engine,
        entry.judgement,
        entry.unit,
        seen=seen,
        keep=entry.keep,
        score=_score(entry),
        to_kind=entry.to_kind,
        exclude=entry.exclude,
        cause=entry.cause,
        note=entry.note,
        **writer.write(entry),
    )
    return _stored(decided)


def _recall(writer: Writer, entry: Entry, seen: int) -> Stored:
    write = writer.write(entry)
    return _stored(apply_memory(writer.engine, entry.judgement, [entry.unit], **write))


def _recall_run(writer: Writer, entry: Entry, seen: int) -> Stored:
    done = apply_memory_all(writer.engine, _run(entry), **writer.write(entry))
    return Stored(anew=True, bulk=done)


def _undo_bulk(writer: Writer, entry: Entry, seen: int) -> Stored:
    done = undo_bulk(writer.engine, _run(entry), entry.text, **writer.write(entry))
    return Stored(anew=True, bulk=done)


def _run(entry: Entry) -> int:
    if entry.run is None:
        raise InvalidDecision("This act names no run.")
    return entry.run


def _commit(writer: Writer, entry: Entry, seen: int) -> Stored:
    who_and_when: Any = {"reviewer": writer.reviewer, "now": writer.now}
    if not end_second_look(writer.engine, entry.judgement, **who_and_when):
        commit(writer.engine, entry.judgement, **who_and_when)
    return Stored(anew=True)


def _comment(writer: Writer, entry: Entry, seen: int) -> Stored:
    comment(
        writer.engine,
        entry.judgement,
        entry.text,
        author=writer.reviewer,
        now=writer.now,
        client_id=entry.client,
        client_seq=entry.seq,
    )
    return Stored(anew=True)


def _show(writer: Writer, entry: Entry, seen: int) -> Stored:
    if entry.run is None or entry.queue is None:
        raise InvalidDecision("What was shown names no run or no queue.")
    facts: Any = {"reviewer": writer.reviewer, "now": writer.now}
    return Stored(drawn=show(writer.engine, entry.judgement, entry.run, entry.queue, **facts))


def _flag(writer: Writer, entry: Entry, seen: int) -> Stored:
    facts: Any = {"reviewer": writer.reviewer, "now": writer.now}
    set_flag(writer.engine, entry.judgement, entry.what == "flag", **facts)
    return Stored(anew=True)


_HOW: Mapping[What, Callable[[Writer, Entry, int], Stored]] = {
    "decide": _decide,
    "resolve": _resolve,
    "recall": _recall,
    "recall_run": _recall_run,
    "undo_bulk": _undo_bulk,
    "commit": _commit,
    "comment": _comment,
    "show": _show,
    "flag": _flag,
    "unflag": _flag,
}


def _stored(decided: Decided) -> Stored:
    """Where independent reviewers are all done, each decision may change what counts for all."""
    detail = decided.judgement
    return Stored(decided.decisions, detail.run.independent and not detail.sight.others_hidden)


def _score(entry: Entry) -> Any:
    """People give whole numbers and halves; anything longer is not from the desk's keys."""
    if entry.score is None:
        return None
    if len(entry.score) > 4:
        raise InvalidScore(f"{entry.score[:20]!r} is not a score.")
    return exact(entry.score)


def _twin(label: str) -> UnitRef:
    try:
        return UnitRef.of(label)
    except ValueError as error:
        raise InvalidDecision(str(error)) from None

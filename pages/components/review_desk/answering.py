"""Answers what the desk sends: stores its acts, and brings the examples that it lacks.

The desk sends everything it needs each time, and every act until it is answered; each answer is a
function of that and of the database alone. So a lost message, a new session or a restarted server
costs a repetition and nothing else.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from db.disagreement import beside
from db.engine import Engine
from db.reviews import ChangedMeanwhile, Decided, decide, read_judgements, undo
from pages.components.review_desk.items import (
    NOTHING_BESIDE,
    Item,
    desk_decision,
    desk_item,
    gone_item,
    version_of,
)
from pages.components.review_desk.panels import PanelAsked
from recall_core.errors import InvalidScore, RecallError
from recall_core.scoring import exact
from recall_core.types import Action, Cause, UnitKind, UnitRef

Answer = dict[str, Any]
"""`{client, seq, status, decision or sentence}`; status: saved, changed or refused."""

log = logging.getLogger(__name__)

BUDGET = 1_000_000
"""About how many characters of examples one answer carries; the desk asks again for the rest."""
FIRST = 61
"""How many examples come along unasked: the first one and the whole window ahead of it."""
STORAGE_TROUBLE = "The database took nothing just now."
READING_TROUBLE = "The database did not answer just now; the desk asks again by itself."


class Entry(BaseModel):
    """One act from the desk's outbox."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    client: str
    seq: int
    judgement: int
    kind: UnitKind
    index: int
    action: Action
    score: str | None = None
    to_kind: UnitKind | None = None
    cause: Cause | None = None
    note: str = ""
    seen: int = 0
    follows: str | None = None

    @property
    def name(self) -> str:
        return f"{self.client}/{self.seq}"

    @property
    def unit(self) -> UnitRef:
        return UnitRef(self.kind, self.index)


class Asked(BaseModel):
    """What the desk sends: where it is, what it lacks, and the acts that nobody has answered."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    turn: int = 0
    at: int | None = None
    newest: int = 0
    judged: str | None = None
    order_key: str | None = None
    want: tuple[int, ...] = ()
    entries: tuple[Entry, ...] = ()
    panel: PanelAsked | None = None


@dataclass(frozen=True)
class ReviewList:
    """The judgements to walk through, in their order; `name` is what people call the list."""

    ids: tuple[int, ...]
    name: str

    @cached_property
    def key(self) -> str:
        """By which the desk knows that it has this list in this order."""
        return hashlib.sha256(repr(self.ids).encode()).hexdigest()[:16]

    @cached_property
    def places(self) -> Mapping[int, int]:
        """Where each judgement stands, from 0."""
        return {judgement_id: place for place, judgement_id in enumerate(self.ids)}


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of the acts; `trouble` is a sentence if the database took none of the rest."""

    answers: tuple[Answer, ...]
    changed: frozenset[int]
    trouble: str | None = None

    @property
    def saved(self) -> dict[str, Answer]:
        """The answers to the acts that are in the database, by the act's name."""
        saved = (a for a in self.answers if a["status"] == "saved")
        return {f"{a['client']}/{a['seq']}": a for a in saved}


def asked_of(state: object) -> Asked:
    """What arrived, checked once; something that no desk of ours sends counts as nothing."""
    try:
        return Asked.model_validate(state or {})
    except ValidationError:
        log.exception("The review desk sent something unreadable.")
        return Asked()


def settle(
    engine: Engine,
    entries: Sequence[Entry],
    *,
    reviewer: str,
    now: datetime,
    known: Mapping[str, Answer],
) -> Settled:
    """Store the acts in their order, each at most once however often it is sent.

    An act that somebody else's decision overtook is not written, nor is what was built on it; the
    judgements concerned are `changed` and have to be shown anew. `known` has answers by the name
    of the act that need not be asked of the database again.
    """
    answers: list[Answer] = []
    stored: dict[str, int] = {}
    changed: set[int] = set()
    for entry in entries:
        if (answer := known.get(entry.name)) is not None:
            stored[entry.name] = answer["decision"]["id"]
            answers.append(answer)
            continue
        try:
            decided = _store(engine, entry, stored, reviewer, now)
        except ChangedMeanwhile as error:
            changed.add(entry.judgement)
            answers.append(_answer(entry, "changed", sentence=str(error)))
        except RecallError as error:
            changed.add(entry.judgement)
            answers.append(_answer(entry, "refused", sentence=f"Not written. {error}"))
        except Exception:
            # The acts stay in the browser and are sent again: nothing is lost, and nobody may
            # see an error page in the place of their work.
            log.exception("An act of the review desk could not be stored.")
            return Settled(tuple(answers), frozenset(changed), STORAGE_TROUBLE)
        else:
            (decision,) = decided.decisions
            stored[entry.name] = decision.id
            answers.append(_answer(entry, "saved", decision=desk_decision(decision)))
    return Settled(tuple(answers), frozenset(changed))


def _store(
    engine: Engine, entry: Entry, stored: Mapping[str, int], reviewer: str, now: datetime
) -> Decided:
    seen = entry.seen if entry.follows is None else stored.get(entry.follows, entry.seen)
    write: dict[str, Any] = {
        "reviewer": reviewer,
        "seen": seen,
        "client_id": entry.client,
        "client_seq": entry.seq,
        "now": now,
    }
    if entry.action is Action.UNDO:
        return undo(engine, entry.judgement, entry.unit, **write)
    score = None if entry.score is None else exact(_decimal(entry.score))
    return decide(
        engine,
        entry.judgement,
        entry.unit,
        entry.action,
        score=score,
        to_kind=entry.to_kind,
        cause=entry.cause,
        note=entry.note,
        **write,
    )


def _decimal(score: str) -> str:
    """People give whole numbers and halves; anything else is not from the desk's keys."""
    if len(score) > 4:
        raise InvalidScore(f"{score[:20]!r} is not a score.")
    return score


def _answer(entry: Entry, status: str, **more: Any) -> Answer:
    return {"client": entry.client, "seq": entry.seq, "status": status, **more}


def items_or_trouble(
    engine: Engine, asked: Asked, settled: Settled, listed: ReviewList, opened: int
) -> tuple[list[Item], str | None]:
    """`items_for`, or none of them with a sentence where the database does not answer."""
    try:
        return items_for(engine, asked, settled, listed, opened), None
    except Exception:
        # What is on screen stays, and the desk asks again: better than an error page in its place.
        log.exception("The review desk's examples could not be read.")
        return [], READING_TROUBLE


def items_for(
    engine: Engine, asked: Asked, settled: Settled, listed: ReviewList, opened: int
) -> list[Item]:
    """The examples to send: those that changed, the one on screen if it is stale, those asked for.

    Nearest first, and no more than the budget; a desk that has just opened gets the first few.
    """
    if asked.order_key is None:
        start = listed.places.get(opened, 0)
        return _within_budget(engine, listed.ids[start : start + FIRST], must=1)
    must = dict.fromkeys((*settled.changed, *_stale(engine, asked, settled)))
    wanted = [i for i in asked.want if i in listed.places and i not in must]
    return _within_budget(engine, [*must, *wanted], must=max(1, len(must)))


def _stale(engine: Engine, asked: Asked, settled: Settled) -> list[int]:
    """The example on screen, if anybody else has decided on it since it was sent, or if it was
    judged again."""
    if asked.at is None or asked.at in asked.want:
        return []
    own = {answer["decision"]["id"] for answer in settled.saved.values()}
    for detail in read_judgements(engine, [asked.at]):
        new = any(d.id > asked.newest and d.id not in own for d in detail.decisions)
        if new or asked.judged not in (None, version_of(detail)):
            return [asked.at]
    return []


def _within_budget(engine: Engine, ids: Sequence[int], *, must: int) -> list[Item]:
    """Items in the order of `ids` until the budget is spent, but at least `must` of them."""
    items: list[Item] = []
    spent = 0
    for start in range(0, len(ids), 10):
        part = ids[start : start + 10]
        details = {d.id: d for d in read_judgements(engine, part)}
        around = beside(engine, part)
        for judgement_id in part:
            detail = details.get(judgement_id)
            item = (
                gone_item(judgement_id)
                if detail is None
                else desk_item(detail, around.get(judgement_id, NOTHING_BESIDE))
            )
            spent += len(json.dumps(item))
            if spent > BUDGET and len(items) >= must:
                return items
            items.append(item)
    return items

"""Answers what the desk sends: stores its acts, and brings the examples that it lacks.

The desk sends everything it needs each time, and every act until it is answered; each answer is a
function of that and of the database alone. So a lost message, a new session or a restarted server
costs a repetition and nothing else.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from db.batches import BulkDone
from db.engine import Engine
from db.reviews import ChangedMeanwhile
from pages.components.review_desk.gathering import details_for, items_of
from pages.components.review_desk.items import Item, version_of
from pages.components.review_desk.lists import ReviewList
from pages.components.review_desk.panels import PanelAsked
from pages.components.review_desk.people import desk_decision
from pages.components.review_desk.storing import Entry, Stored, Writer
from recall_core.errors import RecallError

Answer = dict[str, Any]
"""`{client, seq, status, decisions or sentence}`; status: saved, changed or refused."""

log = logging.getLogger(__name__)

BUDGET = 1_000_000
"""About how many characters of examples one answer carries; the desk asks again for the rest."""
FIRST = 61
"""How many examples come along unasked: the first one and the whole window ahead of it."""
STORAGE_TROUBLE = "The database took nothing just now."
READING_TROUBLE = "The database did not answer just now; the desk asks again by itself."


class Asked(BaseModel):
    """What the desk sends: where it is, what it lacks, and the acts that nobody has answered."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    turn: int = 0
    at: int | None = None
    newest: int = 0
    judged: str | None = None
    order_key: str | None = None
    want: tuple[int, ...] = ()
    brought: tuple[int, ...] = ()
    """Examples in the desk's order that did not come with the list: a draw, the most valuable."""
    valuable: bool = False
    """Whether the person asks for the most valuable example after the one on screen."""
    entries: tuple[Entry, ...] = ()
    panel: PanelAsked | None = None

    def bringing(self, judgement_id: int | None) -> Asked:
        """The same, asking first for an example that the list may lack."""
        if judgement_id is None:
            return self
        more = {
            "want": (judgement_id, *self.want),
            "brought": (judgement_id, *self.brought),
        }
        return self.model_copy(update=more)


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of the acts; `trouble` is a sentence if the database took none of the rest."""

    answers: tuple[Answer, ...]
    changed: frozenset[int]
    trouble: str | None = None
    moved: bool = False
    """Whether any of them was stored just now that changes what is left to do."""

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
    writer = Writer(engine, reviewer, now)
    answers: list[Answer] = []
    stored: dict[str, int] = {}
    changed: set[int] = set()
    moved = False
    for entry in entries:
        if (answer := known.get(entry.name)) is not None:
            _remember(stored, answer)
            answers.append(answer)
            continue
        try:
            seen = entry.seen if entry.follows is None else stored.get(entry.follows, entry.seen)
            left = writer.store(entry, seen)
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
            return Settled(tuple(answers), frozenset(changed), STORAGE_TROUBLE, moved)
        else:
            moved = moved or entry.what != "show"
            changed |= _to_show_anew(entry, left)
            answers.append(_saved(entry, left))
            _remember(stored, answers[-1])
    return Settled(tuple(answers), frozenset(changed), moved=moved)


def _to_show_anew(entry: Entry, left: Stored) -> set[int]:
    anew = {entry.judgement} if left.anew else set()
    return anew if left.drawn in (None, entry.judgement) else anew | {left.drawn}


def _saved(entry: Entry, left: Stored) -> Answer:
    decisions = [desk_decision(d) for d in left.decisions]
    bulk = {} if left.bulk is None else {"bulk": _bulk(left.bulk)}
    return _answer(entry, "saved", decisions=decisions, drawn=left.drawn, **bulk)


def _bulk(done: BulkDone) -> dict[str, Any]:
    return {
        "batch": done.batch,
        "examples": done.examples,
        "units": done.units,
        "left_out": len(done.left_out),
    }


def _remember(stored: dict[str, int], answer: Answer) -> None:
    """Keep under the act's name the newest decision that it left, for acts that build on it."""
    if answer["decisions"]:
        stored[f"{answer['client']}/{answer['seq']}"] = answer["decisions"][-1]["id"]


def _answer(entry: Entry, status: str, **more: Any) -> Answer:
    return {"client": entry.client, "seq": entry.seq, "status": status, **more}


def items_or_trouble(
    engine: Engine, asked: Asked, settled: Settled, listed: ReviewList, opened: int, viewer: str
) -> tuple[list[Item], str | None]:
    """`items_for`, or none of them with a sentence where the database does not answer."""
    try:
        return items_for(engine, asked, settled, listed, opened, viewer), None
    except Exception:
        # What is on screen stays, and the desk asks again: better than an error page in its place.
        log.exception("The review desk's examples could not be read.")
        return [], READING_TROUBLE


def items_for(
    engine: Engine, asked: Asked, settled: Settled, listed: ReviewList, opened: int, viewer: str
) -> list[Item]:
    """The examples to send: those that changed, the one on screen if it is stale, those asked for.

    Nearest first, and no more than the budget; a desk that has just opened gets the first few.
    """
    if asked.order_key is None:
        start = listed.places.get(opened, 0)
        return _within_budget(engine, listed.ids[start : start + FIRST], viewer, must=1)
    must = dict.fromkeys((*settled.changed, *_stale(engine, asked, settled, viewer)))
    wanted = [i for i in asked.want if i not in must and (i in listed.places or i in asked.brought)]
    return _within_budget(engine, [*must, *dict.fromkeys(wanted)], viewer, must=max(1, len(must)))


def _stale(engine: Engine, asked: Asked, settled: Settled, viewer: str) -> list[int]:
    """The example on screen, if anybody else has decided on it since it was sent, if it was judged
    again, or if the person may see more of it."""
    if asked.at is None or asked.at in asked.want:
        return []
    own = {d["id"] for answer in settled.saved.values() for d in answer["decisions"]}
    for detail in details_for(engine, [asked.at], viewer).values():
        new = any(d.id > asked.newest and d.id not in own for d in detail.decisions)
        if new or asked.judged not in (None, version_of(detail)):
            return [asked.at]
    return []


def _within_budget(engine: Engine, ids: Sequence[int], viewer: str, *, must: int) -> list[Item]:
    """Items in the order of `ids` until the budget is spent, but at least `must` of them."""
    items: list[Item] = []
    spent = 0
    for start in range(0, len(ids), 10):
        for item in items_of(engine, ids[start : start + 10], viewer):
            spent += len(json.dumps(item))
            if spent > BUDGET and len(items) >= must:
                return items
            items.append(item)
    return items

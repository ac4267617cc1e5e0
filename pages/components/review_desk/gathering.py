"""Reads the examples that the desk is sent, as far as the person who reviews may see them."""

from __future__ import annotations

from collections.abc import Sequence

from db.comments import comment_counts
from db.disagreement import beside
from db.engine import Engine
from db.first_values import revealed_values
from db.flags import flags_of
from db.memory import remembered
from db.reviews import read_judgements
from db.second_looks import agreements_on, second_scores
from pages.components.review_desk.items import Item, desk_item, gone_item
from pages.components.review_desk.people import Around
from recall_core.details import JudgementDetail
from recall_core.viewing import second_look


def items_of(engine: Engine, ids: Sequence[int], viewer: str) -> list[Item]:
    """One item for each id, in their order; one that says so where a judgement is gone."""
    details = details_for(engine, ids, viewer)
    open_ids = [i for i in ids if i in details and not details[i].sight.judge_hidden]
    judges = beside(engine, open_ids)
    waiting = [i for i in open_ids if _waits(details[i])]
    memories = remembered(engine, waiting, viewer=viewer)
    first = revealed_values(engine, [i for i in open_ids if details[i].decisions], viewer)
    comments = comment_counts(engine, open_ids, viewer)
    twice = agreements_on(engine, open_ids, viewer)
    flags = flags_of(engine, list(details))
    return [
        desk_item(
            details[i],
            Around(
                beside=judges.get(i),
                memories=memories.get(i, ()),
                first=first.get(i, {}),
                comments=comments.get(i, 0),
                flag=flags.get(i),
                twice=twice.get(i),
            ),
        )
        if i in details
        else gone_item(i)
        for i in ids
    ]


def details_for(engine: Engine, ids: Sequence[int], viewer: str) -> dict[int, JudgementDetail]:
    """The judgements as the person may see them on the desk: one that has come back to them for a
    second look is as if nobody had scored it."""
    again = second_scores(engine, ids, viewer)
    return {
        d.id: second_look(d, viewer, again[d.id]) if d.id in again else d
        for d in read_judgements(engine, ids, viewer)
    }


def _waits(detail: JudgementDetail) -> bool:
    """Whether any unit waits for a decision of the person, so that a memory could help."""
    return any(not e.reviewed for e in detail.effective)

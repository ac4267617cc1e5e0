"""Who is asked to review what, and what wants a second look."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field, RootModel

from api.routes.judgements import author_of
from api.routes.parameters import Body, Id, JudgementId, Name, RunId
from api.routes.review_shapes import Authored
from api.web.operations import Call, Noun, Operation
from db.assignments import assign, split_evenly
from db.flags import flag, flags_of, unflag
from db.judgement_lists import ordered_ids
from db.runs import get_run
from db.tokens import Scope
from recall_core.errors import InvalidDecision

MOST = 1_000


class SetFlag(Authored):
    """Whether the example wants a second look."""

    flagged: bool = True
    note: str = Field(default="", max_length=10_000)


class FlagShape(BaseModel):
    """Whether it is flagged, by whom, and why."""

    flagged: bool
    by: str | None
    note: str | None


class Assign(Body):
    """Whom to ask. Without `judgements` what is unreviewed is shared out evenly among them."""

    reviewers: Annotated[list[Name], Field(min_length=1, max_length=100)]
    judgements: Annotated[list[Id], Field(min_length=1, max_length=MOST)] | None = None


class Assigned(RootModel[dict[str, int]]):
    """How many examples each of them was asked about anew."""


def operations() -> list[Operation[Any, Any]]:
    """Flags and assignments."""
    noun = Noun("Reviews")
    one, run = "/api/v1/judgements/{judgement_id}", "/api/v1/runs/{run_id}"
    flag_what, ask_what = "Flag an example, or take the flag down", "Ask people to review"
    return [
        noun.act(
            "POST",
            f"{one}/flag",
            flag_what,
            JudgementId,
            SetFlag,
            FlagShape,
            set_flag,
            Scope.REVIEW,
        ),
        noun.act(
            "POST", f"{run}/assignments", ask_what, RunId, Assign, Assigned, ask, Scope.REVIEW
        ),
    ]


def set_flag(call: Call[JudgementId, SetFlag]) -> BaseModel:
    """Raise it or take it down; either may be done twice."""
    by, judgement_id = author_of(call, call.body), call.params.judgement_id
    if call.body.flagged:
        flag(call.engine, judgement_id, by=by, now=call.now, note=call.body.note)
    else:
        unflag(call.engine, judgement_id, by=by, now=call.now)
    found = flags_of(call.engine, [judgement_id]).get(judgement_id)
    if found is None:
        return FlagShape(flagged=False, by=None, note=None)
    return FlagShape(flagged=True, by=found.by, note=found.note)


def ask(call: Call[RunId, Assign]) -> BaseModel:
    """Ask each of the people about each of the examples, or share these out."""
    engine, run_id, wanted = call.engine, call.params.run_id, call.body
    get_run(engine, run_id)
    by, now = call.caller.name, call.now
    if wanted.judgements is None:
        shared = split_evenly(engine, run_id, wanted.reviewers, by=by, now=now)
        return Assigned(dict(shared))
    foreign = set(wanted.judgements) - set(ordered_ids(engine, run_id))
    if foreign:
        raise InvalidDecision(f"Judgement {min(foreign)} is not one of this run.")
    assign(engine, wanted.judgements, wanted.reviewers, by=by, now=now)
    return Assigned(dict.fromkeys(wanted.reviewers, len(set(wanted.judgements))))

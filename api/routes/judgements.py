"""Judgements: what the judge said of one example, and what people decide on it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from pydantic import BaseModel

from api.routes.datasets import example_shape
from api.routes.parameters import (
    JudgementId,
    RunId,
)
from api.routes.results import result_json
from api.routes.review_shapes import (
    Authored,
    Comments,
    CommentShape,
    ConfirmLeft,
    DecidedShape,
    DecisionShape,
    Drawn,
    DrawShape,
    JudgementShape,
    NewComment,
    NewDecision,
    OpenReview,
    People,
    PersonShape,
    QueueParams,
    QueueShape,
    SightShape,
    StateShape,
)
from api.web.answers import Problem
from api.web.operations import Call, Noun, Operation
from db.audits import draw_audit
from db.comments import comment, comments_of
from db.queues import queue_ids
from db.resolving import resolve
from db.review_progress import review_progress
from db.reviews import Decided, commit, confirm_left, decide, open_review, read_judgement, undo
from db.runs import get_run
from db.tokens import Scope
from recall_core.details import JudgementDetail
from recall_core.types import Action, Decision, UnitKind, UnitRef


def operations() -> list[Operation[Any, Any]]:
    """What can be read and written of reviews."""
    noun = Noun("Reviews")
    one, run = "/api/v1/judgements/{judgement_id}", "/api/v1/runs/{run_id}"

    def post(path: str, summary: str, takes: Any, gives: type[BaseModel], do: Any) -> Any:
        params = RunId if path.startswith(run) else JudgementId
        return noun.act("POST", path, summary, params, takes, gives, do, Scope.REVIEW)

    return [
        noun.read(one, "Read one judgement whole", JudgementId, JudgementShape, read_one),
        post(f"{one}/decisions", "Decide on one unit", NewDecision, DecidedShape, decide_on_unit),
        post(f"{one}/confirm", "Confirm all that is left", ConfirmLeft, DecidedShape, confirm_all),
        post(f"{one}/commit", "End scoring blind", Authored, JudgementShape, commit_blind),
        post(f"{one}/reviews", "Open a review", OpenReview, JudgementShape, open_one),
        noun.read(f"{one}/comments", "Read the comments", JudgementId, Comments, read_comments),
        post(f"{one}/comments", "Comment on an example", NewComment, CommentShape, add_comment),
        noun.read(f"{run}/reviews", "See who has reviewed how much", RunId, People, read_people),
        noun.read(
            f"{run}/queue", "Read what waits in a queue", QueueParams, QueueShape, read_queue
        ),
        post(f"{run}/audit", "Draw the next example of the audit", None, Drawn, draw_next),
    ]


def read_one(call: Call[JudgementId, bytes]) -> BaseModel:
    return judgement_shape(
        read_judgement(call.engine, call.params.judgement_id, call.caller.viewer)
    )


def decide_on_unit(call: Call[JudgementId, NewDecision]) -> BaseModel:
    wanted = call.body
    write: dict[str, Any] = {
        "reviewer": author_of(call, wanted),
        "seen": wanted.seen,
        "client_id": f"api-{call.write}",
        "client_seq": 1,
        "now": call.now,
    }
    unit = UnitRef.of(wanted.unit)
    judgement_id = call.params.judgement_id
    if wanted.action == "undo":
        return decided_shape(undo(call.engine, judgement_id, unit, **write))
    write |= {
        "score": None if wanted.score is None else Fraction(str(wanted.score)),
        "to_kind": None if wanted.to_kind is None else UnitKind(wanted.to_kind),
        "cause": wanted.cause,
        "note": wanted.note,
    }
    if wanted.action == "resolve":
        write |= {"keep": wanted.keep, "exclude": wanted.exclude}
        return decided_shape(resolve(call.engine, judgement_id, unit, **write))
    twin = None if wanted.twin is None else UnitRef.of(wanted.twin)
    action = Action(wanted.action)
    return decided_shape(decide(call.engine, judgement_id, unit, action, twin=twin, **write))


def confirm_all(call: Call[JudgementId, ConfirmLeft]) -> BaseModel:
    seen: Mapping[UnitRef, int] = {UnitRef.of(u): newest for u, newest in call.body.seen.items()}
    done = confirm_left(
        call.engine,
        call.params.judgement_id,
        reviewer=author_of(call, call.body),
        seen=seen,
        client_id=f"api-{call.write}",
        client_seq=1,
        now=call.now,
    )
    return decided_shape(done)


def commit_blind(call: Call[JudgementId, Authored]) -> BaseModel:
    reviewer = author_of(call, call.body)
    return judgement_shape(
        commit(call.engine, call.params.judgement_id, reviewer=reviewer, now=call.now)
    )


def open_one(call: Call[JudgementId, OpenReview]) -> BaseModel:
    reviewer, judgement_id = author_of(call, call.body), call.params.judgement_id
    open_review(call.engine, judgement_id, reviewer=reviewer, queue=call.body.queue, now=call.now)
    return judgement_shape(read_judgement(call.engine, judgement_id, reviewer))


def read_comments(call: Call[JudgementId, bytes]) -> BaseModel:
    judgement_id = call.params.judgement_id
    read_judgement(call.engine, judgement_id, call.caller.name)
    found = comments_of(call.engine, judgement_id, call.caller.name)
    return Comments([CommentShape.model_validate(one) for one in found])


def add_comment(call: Call[JudgementId, NewComment]) -> BaseModel:
    said = comment(
        call.engine,
        call.params.judgement_id,
        call.body.text,
        author=author_of(call, call.body),
        now=call.now,
        client_id=f"api-{call.write}",
        client_seq=1,
    )
    return CommentShape.model_validate(said)


def read_people(call: Call[RunId, bytes]) -> BaseModel:
    get_run(call.engine, call.params.run_id)
    people = review_progress(call.engine, call.params.run_id)
    return People([PersonShape.model_validate(person) for person in people])


def read_queue(call: Call[QueueParams, bytes]) -> BaseModel:
    asked = call.params
    ids = queue_ids(call.engine, asked.run_id, asked.queue, call.caller.name)
    return QueueShape(judgements=list(ids))


def draw_next(call: Call[RunId, bytes]) -> BaseModel:
    drawn = draw_audit(call.engine, call.params.run_id, reviewer=call.caller.name, now=call.now)
    return Drawn(draw=None if drawn is None else DrawShape.model_validate(drawn))


def author_of(call: Call[Any, Any], wanted: Authored) -> str:
    """Whose write it is; only an administrator's token writes in other names."""
    if wanted.author is None or wanted.author == call.caller.name:
        return call.caller.name
    if not call.caller.may(Scope.ADMIN):
        raise Problem(
            403,
            f"The token {call.caller.name} writes as {call.caller.name}. Only an administrator's "
            "token may name another author.",
        )
    return wanted.author


def decided_shape(decided: Decided) -> DecidedShape:
    """What a write left."""
    return DecidedShape(
        decisions=[decision_shape(one) for one in decided.decisions],
        batch=decided.batch,
        judgement=judgement_shape(decided.judgement),
    )


def judgement_shape(detail: JudgementDetail) -> JudgementShape:
    """A judgement with everything beside it, as far as its reader may see."""
    record: Any = result_json(detail)
    newest = [detail.newest.get(effective.ref, 0) for effective in detail.effective]
    units = [{**u, "newest": n} for u, n in zip(record["units"], newest, strict=True)]
    return JudgementShape.model_validate(
        {
            **record,
            "units": units,
            "run_id": detail.run.id,
            "example": example_shape(detail.example),
            "decisions": [decision_shape(one) for one in detail.decisions],
            "provisional": detail.provisional,
            "sight": SightShape.model_validate(detail.sight),
        }
    )


def decision_shape(decision: Decision) -> DecisionShape:
    """A decision as JSON has it."""
    return DecisionShape(
        id=decision.id,
        unit=decision.unit.label,
        action=decision.action.value,
        before=StateShape.model_validate(decision.before),
        after=StateShape.model_validate(decision.after),
        reviewer=decision.reviewer,
        at=decision.at,
        cause=None if decision.cause is None else decision.cause.value,
        note=decision.note,
        undoes=decision.undoes,
        twin=None if decision.twin is None else decision.twin.label,
        recalled=decision.recalled,
    )

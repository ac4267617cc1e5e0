"""What the desk asks for only when a person opens it: calls, other judges, comments, memory, and
what taking a decision back would do."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from db.calls import Call, calls_of
from db.comments import comments_of, mark_read
from db.disagreement import OtherJudgement, beside
from db.engine import Engine
from db.errors import NotKept
from db.memory import remembered_in_run
from db.reverting import what_reverting_would_do
from db.review_rows import hides_judge
from pages.components.review_desk.gathering import details_for
from pages.components.style import dollars
from recall_core.details import JudgementDetail
from recall_core.errors import InvalidDecision, RecallError
from recall_core.ledger import Reverting
from recall_core.scoring import printed
from recall_core.summary import Mean
from recall_core.types import TraceState

log = logging.getLogger(__name__)

WITHHELD = "You review this example blind. Commit your own scores first, then this opens."
OTHERS_LATER = "What others say here is shown once you are done with your own scores."
TROUBLE = "The database did not answer just now. Close this and open it again."


class PanelAsked(BaseModel):
    """Which panel stands open over which judgement, and lacks its content."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    kind: Literal["calls", "judges", "comments", "memory", "revert"]
    judgement: int
    decision: int | None = None


def panel_of(
    engine: Engine, asked: PanelAsked | None, viewer: str, now: datetime
) -> dict[str, Any] | None:
    """The content of the panel, or a sentence in `trouble`; `None` if none is wanted.

    Who reviews blind gets none but the comments before they have committed a score of their own.
    """
    if asked is None:
        return None
    name = asked.model_dump()
    try:
        detail = details_for(engine, [asked.judgement], viewer).get(asked.judgement)
        if detail is None:
            raise NotKept("This judgement is no longer kept. Its run may have been deleted.")
        if detail.sight.judge_hidden and asked.kind != "comments":
            return name | {"trouble": WITHHELD}
        body = _BODIES[asked.kind](Opened(engine, detail, viewer, now, asked.decision))
    except RecallError as error:
        return name | {"trouble": str(error)}
    except Exception:
        log.exception("A panel of the review desk could not be read.")
        return name | {"trouble": TROUBLE}
    return name | {"body": body}


@dataclass(frozen=True, slots=True)
class Opened:
    """A panel that somebody has opened over an example, which they see as `detail`."""

    engine: Engine
    detail: JudgementDetail
    viewer: str
    now: datetime
    decision: int | None


def _calls(opened: Opened) -> list[dict[str, Any]]:
    return [_call(call) for call in calls_of(opened.engine, opened.detail.id)]


def _call(call: Call) -> dict[str, Any]:
    return {
        "id": call.id,
        "purpose": call.purpose,
        "repeat": call.repeat,
        "ask": call.ask,
        "endpoint": call.endpoint,
        "model": call.model,
        "answered_by": call.answered_by,
        "prompt": [{"role": m.role, "content": m.content} for m in call.prompt],
        "parameters": dict(call.parameters),
        "raw": call.raw_reply,
        "reasoning": call.reasoning,
        "refusal": call.refusal,
        "finish_reason": call.finish_reason,
        "failure": None if call.failure is None else call.failure.value,
        "failure_message": call.failure_message,
        "failure_raw": call.failure_raw,
        "level": None if call.level is None else call.level.value,
        "attempts": call.attempts,
        "tokens_in": call.tokens_in,
        "tokens_out": call.tokens_out,
        "cost": None if call.cost is None else dollars(call.cost),
        "seconds": call.seconds,
        "at": call.at.isoformat(),
        "from_store": call.from_store,
        "earlier": call.earlier,
    }


def _judges(opened: Opened) -> dict[str, Any]:
    judgement_id = opened.detail.id
    found = beside(opened.engine, [judgement_id]).get(judgement_id)
    if found is None:
        raise NotKept("This judgement is no longer kept. Its run may have been deleted.")
    return {
        "others": [_other(other) for other in found.others],
        "sentences": [{"unit": s.ref.label, "text": s.sentence} for s in found.sentences],
    }


def _other(other: OtherJudgement) -> dict[str, Any]:
    return {
        "judgement": other.judgement_id,
        "run_id": other.run_id,
        "run": other.run,
        "judge": other.judge_title,
        "final": None if other.judge_final is None else str(other.judge_final),
        "scores": {
            ref.label: {
                "score": None if said.score is None else str(said.score),
                "reasoning": said.reasoning,
                "same_texts": said.same_texts,
            }
            for ref, said in other.scores.items()
        },
    }


def _comments(opened: Opened) -> dict[str, Any]:
    """What has been said of the example, which is read with that."""
    sight, judgement_id = opened.detail.sight, opened.detail.id
    withheld = sight.judge_hidden or sight.others_hidden
    if not withheld:
        mark_read(opened.engine, opened.viewer, now=opened.now, judgement_id=judgement_id)
    said = comments_of(opened.engine, judgement_id, opened.viewer)
    return {
        "comments": [
            {"id": c.id, "author": c.author, "text": c.text, "at": c.at.isoformat()}
            for c in said
            if not withheld or c.author == opened.viewer
        ],
        "withheld": OTHERS_LATER if withheld else None,
    }


def _memory(opened: Opened) -> dict[str, Any]:
    found = remembered_in_run(opened.engine, opened.detail.run.id, viewer=opened.viewer)
    return {
        "examples": found.examples,
        "units": found.units,
        "changed_units": found.changed_units,
    }


def _revert(opened: Opened) -> dict[str, Any]:
    """What taking the decision back would do, as a sentence; of the run nothing while the person
    still scores any of it blind."""
    detail = opened.detail
    if opened.decision is None or opened.decision not in {d.id for d in detail.decisions}:
        raise InvalidDecision("That decision is not on this example.")
    if detail.sight.others_hidden:
        return {"words": "Nothing counts yet: the other reviewers are not done."}
    found = what_reverting_would_do(opened.engine, detail.run.id, [opened.decision])
    words = [f"Without it the final {_final_words(found.examples[0].reverting)}"]
    if not hides_judge(opened.engine, detail.run.id, opened.viewer):
        words.append(f", and the run's mean {_mean_words(found.mean_now, found.mean_without)}")
    return {"words": f"{''.join(words)}."}


def _final_words(example: Reverting) -> str:
    now, without = example.final_now, example.final_without
    if without is None:
        void = example.state_without is TraceState.VOID
        return "is void" if void else "is missing: a unit lacks a score"
    if now is None:
        return f"is {printed(without)}"
    return f"stays {printed(now)}" if now == without else f"goes from {_step(now, without)}"


def _mean_words(now: Mean, without: Mean) -> str:
    if now.value is None or without.value is None:
        return "is missing" if without.value is None else f"is {printed(without.value)}"
    if printed(now.value) == printed(without.value):
        return f"stays {printed(now.value)}"
    return f"goes from {_step(now.value, without.value)}"


def _step(now: Fraction, without: Fraction) -> str:
    return f"{printed(now)} to {printed(without)}"


_BODIES: Mapping[str, Callable[[Opened], Any]] = {
    "calls": _calls,
    "judges": _judges,
    "comments": _comments,
    "memory": _memory,
    "revert": _revert,
}

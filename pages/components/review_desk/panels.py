"""What the desk asks for only when a person opens it: the calls behind an answer, other judges."""

from __future__ import annotations

import logging
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from db.calls import Call, calls_of
from db.details import read_judgement
from db.disagreement import OtherJudgement, beside
from db.engine import Engine
from db.errors import NotKept
from pages.components.style import dollars
from recall_core.errors import RecallError

log = logging.getLogger(__name__)

WITHHELD = "You review this example blind. Commit your own scores first, then this opens."
TROUBLE = "The database did not answer just now. Close this and open it again."


class PanelAsked(BaseModel):
    """Which panel stands open over which judgement, and lacks its content."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    kind: Literal["calls", "judges"]
    judgement: int


def panel_of(engine: Engine, asked: PanelAsked | None, viewer: str) -> dict[str, Any] | None:
    """The content of the panel, or a sentence in `trouble`; `None` if none is wanted.

    Who reviews blind gets none before they have committed a score of their own.
    """
    if asked is None:
        return None
    name = {"kind": asked.kind, "judgement": asked.judgement}
    try:
        if read_judgement(engine, asked.judgement, viewer).sight.judge_hidden:
            return name | {"trouble": WITHHELD}
        body = (_calls if asked.kind == "calls" else _judges)(engine, asked.judgement)
    except RecallError as error:
        return name | {"trouble": str(error)}
    except Exception:
        log.exception("A panel of the review desk could not be read.")
        return name | {"trouble": TROUBLE}
    return name | {"body": body}


def _calls(engine: Engine, judgement_id: int) -> list[dict[str, Any]]:
    return [_call(call) for call in calls_of(engine, judgement_id)]


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


def _judges(engine: Engine, judgement_id: int) -> dict[str, Any]:
    found = beside(engine, [judgement_id]).get(judgement_id)
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
        "judge": "lexical screen" if other.screen else other.judge_title,
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

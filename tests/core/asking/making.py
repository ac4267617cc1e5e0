"""Examples, judges and replies for the tests of judging by a model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from recall_core.asking.judge import ModelJudge
from recall_core.judges.contextual_recall import ContextualRecall
from recall_core.judges.passage_recall import PassageRecall
from recall_core.llm.scripted import ScriptedChat
from recall_core.llm.types import ChatReply, ChatRequest
from recall_core.types import (
    Example,
    GroundTruthPassage,
    JudgeFailure,
    Judgement,
    Outcome,
    PassageKind,
    RetrievedPassage,
)

TEXTS = ("In 1904 the old mill burned to the ground.", "The town rebuilt it two years later.")


def passages(
    essential: Sequence[str] = ("The mill burned in 1904.",),
    bonus: Sequence[str] = (),
    retrieved: Sequence[str] | None = TEXTS,
    **fields: Any,
) -> Example:
    """An example with ground-truth passages."""
    truth = [GroundTruthPassage(PassageKind.ESSENTIAL, text) for text in essential]
    truth += [GroundTruthPassage(PassageKind.BONUS, text) for text in bonus]
    return Example(
        "a", ground_truth=tuple(truth), retrieved=returned(retrieved), **{"question": "q", **fields}
    )


def statements(*texts: str, retrieved: Sequence[str] | None = TEXTS, **fields: Any) -> Example:
    """An example whose statements are frozen."""
    return Example("a", retrieved=returned(retrieved), statements=texts, **fields)


def returned(texts: Sequence[str] | None) -> tuple[RetrievedPassage, ...] | None:
    if texts is None:
        return None
    return tuple(RetrievedPassage(rank, text) for rank, text in enumerate(texts, 1))


def passage_judge(**settings: Any) -> PassageRecall:
    return PassageRecall(**{"model": "m", **settings})


def statement_judge(**settings: Any) -> ContextualRecall:
    return ContextualRecall(**{"model": "m", **settings})


def scored(**scores: Any) -> str:
    """A reply with a score for each label: `scored(E1=4, B1=0)`."""
    entries = [
        {"passage": label, "reasoning": f"about {label}", "quotes": [], "score": score}
        for label, score in scores.items()
    ]
    return json.dumps({"passages": entries})


def verdicts(**supported: Any) -> str:
    """A reply with a verdict for each label: `verdicts(S1=True, S2="no")`."""
    entries = [
        {"statement": label, "reasoning": f"about {label}", "quotes": [], "supported": value}
        for label, value in supported.items()
    ]
    return json.dumps({"verdicts": entries})


def cut_off(text: str, tokens_out: int = 4000) -> ChatReply:
    """A reply that ended because it had reached its limit."""
    return ChatReply(text, model="m", finish_reason="length", tokens_out=tokens_out)


def judged(
    judge: ModelJudge,
    example: Example,
    chat: ScriptedChat,
    *,
    window: int | None = None,
) -> Outcome:
    return asyncio.run(judge.judge(example, chat, window=window))


def judgement(judge: ModelJudge, example: Example, chat: ScriptedChat) -> Judgement:
    outcome = judged(judge, example, chat)
    assert isinstance(outcome, Judgement), outcome
    return outcome


def failure(judge: ModelJudge, example: Example, chat: ScriptedChat) -> JudgeFailure:
    outcome = judged(judge, example, chat)
    assert isinstance(outcome, JudgeFailure), outcome
    return outcome


def by_label(outcome: Judgement | JudgeFailure) -> dict[str, Any]:
    """The score of each unit by its label."""
    return {v.unit.ref.label: v.score for v in outcome.verdicts}


def asked_for(request: ChatRequest) -> str:
    """The labels that a request asks about: `E1, B1`."""
    line = next(x for x in request.messages[0].content.splitlines() if x.startswith("Answer with"))
    return line.split(": ", 1)[1].rstrip(".")

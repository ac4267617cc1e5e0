"""Asking about one example: its samples, its batches, and what comes of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from recall_core.asking.answers import Answer, answer_of, best_of
from recall_core.asking.conversation import STOPPED, talk
from recall_core.asking.settings import USUAL_LIMIT, LongExamples
from recall_core.llm.finish import cut_question
from recall_core.llm.plan import window_excess
from recall_core.llm.types import CallFailed, Chat, ChatReply, ChatRequest
from recall_core.replies import Again
from recall_core.scored_text import TextToScore
from recall_core.suspicious import suspicious_warnings
from recall_core.types import (
    Cost,
    Example,
    FailureKind,
    JudgeFailure,
    Judgement,
    Outcome,
    Unit,
    Verdict,
)

if TYPE_CHECKING:
    from recall_core.asking.judge import ModelJudge

LARGER = 4
"""By how much the limit of a reply that was cut off is raised, once."""


class Asking:
    """Asks about one example and keeps what the replies said and cost."""

    def __init__(self, judge: ModelJudge, example: Example, chat: Chat, window: int | None) -> None:
        self.judge, self.example, self.chat, self.window = judge, example, chat, window
        self.replies: list[ChatReply] = []
        self._failed_raw: list[str] = []
        self._cut: dict[str, None] = {}
        """Warnings that a server read only a part of a question, each once, in order."""

    async def sample(
        self, units: Sequence[Unit], texts: tuple[TextToScore, ...], repeat: int
    ) -> Answer:
        """One answer about all units, in batches of texts where it has to be."""
        groups = self.judge.batches(self.example, units, texts, self.window)
        answers = []
        for group in groups:
            answers.append(await self._answer(units, group, repeat))
            if answers[-1].failure in STOPPED:
                break
        return best_of(answers)

    async def _answer(
        self, units: Sequence[Unit], texts: tuple[TextToScore, ...], repeat: int
    ) -> Answer:
        limit = self.judge.max_output_tokens
        allowed: int | None = None

        async def ask(asked: Sequence[Unit], again: Collection[Again], number: int) -> ChatReply:
            nonlocal limit, allowed
            if Again.TRUNCATED in again:
                limit = LARGER * (limit or self.replies[-1].tokens_out or USUAL_LIMIT)
            request = self.judge.request(
                self.example,
                asked,
                texts,
                repeat=repeat,
                ask=number,
                again=again,
                limit=limit,
                window=self.window,
            )
            longer = (request.max_output_tokens or 0) > (allowed or 0)
            if Again.TRUNCATED in again and not (longer and self._fits(request)):
                raise _no_more_room(request, self.window)
            allowed = request.max_output_tokens
            return await self.ask(self._within_window(request))

        answer = answer_of(await talk(ask, units), texts)
        halves = self.judge.long_examples is LongExamples.BATCHES and len(texts) > 1
        if answer.failure is FailureKind.CONTEXT_TOO_LONG and halves:
            middle = len(texts) // 2
            first = await self._answer(units, texts[:middle], repeat)
            return best_of([first, await self._answer(units, texts[middle:], repeat)])
        return answer

    def _fits(self, request: ChatRequest) -> bool:
        return window_excess(request, self.window) is None

    def _within_window(self, request: ChatRequest) -> ChatRequest:
        """The request, unless it cannot fit: then `CallFailed` with both numbers, and no call."""
        excess = window_excess(request, self.window)
        if excess is None:
            return request
        needed, window = excess
        batches = (
            " Set long examples to batches to have its passages judged in groups."
            if self.judge.long_examples is LongExamples.REFUSE
            else ""
        )
        raise CallFailed(
            FailureKind.CONTEXT_TOO_LONG,
            f"The example is too long: with room for the answer it needs about {needed} tokens, "
            f"and the window of {request.model} holds {window}. Nothing was cut, nothing asked."
            f"{batches}",
            attempts=0,
        )

    async def ask(self, request: ChatRequest) -> ChatReply:
        """One call; its reply is kept for the outcome."""
        try:
            reply = await self.chat.ask(request)
        except CallFailed as failed:
            if failed.raw:
                self._failed_raw.append(failed.raw)
            raise
        self.replies.append(reply)
        cut = cut_question(request, reply)
        if cut is not None:
            self._cut[cut] = None
        return reply

    def outcome(self, answer: Answer, texts: Sequence[TextToScore]) -> Outcome:
        """The judgement, or the failure that keeps what was scored."""
        units = [v.unit for v in answer.verdicts]
        warnings = (
            *self._cut,
            *answer.warnings,
            *self.judge.hints(units),
            *self._suspicious(units, texts),
        )
        if answer.complete and answer.failure is None:
            return Judgement(
                self.example.id,
                answer.verdicts,
                self.judge.told(answer.verdicts, texts),
                warnings,
                cost=self.cost,
                raw_response=self.raw,
            )
        kinds = (v.failure for v in answer.verdicts if v.score is None and v.failure is not None)
        kind = answer.failure or next(kinds, FailureKind.INCOMPLETE)
        return self.failure(kind, _why(answer), answer.verdicts, warnings)

    def failure(
        self,
        kind: FailureKind,
        message: str,
        verdicts: tuple[Verdict, ...] = (),
        warnings: tuple[str, ...] = (),
    ) -> JudgeFailure:
        """A failure with everything that the replies said and cost."""
        return JudgeFailure(
            self.example.id,
            kind,
            message,
            verdicts,
            warnings,
            raw_response=self.raw,
            cost=self.cost,
        )

    def _suspicious(self, units: Sequence[Unit], texts: Sequence[TextToScore]) -> tuple[str, ...]:
        question = [("the question", self.example.question)] if self.example.question else []
        every = [(t.name, t.text) for t in texts] + [(u.ref.label, u.text) for u in units]
        return suspicious_warnings(every + question)

    @property
    def raw(self) -> str | None:
        """What was replied, word for word; where there were several replies, each under a head."""
        texts = [r.text or r.refusal or _thoughts(r) for r in self.replies] + self._failed_raw
        if len(texts) < 2:
            return texts[0] if texts else None
        heads = [f"--- reply {number} of {len(texts)} ---" for number in range(1, len(texts) + 1)]
        return "\n\n".join(f"{head}\n{text}" for head, text in zip(heads, texts, strict=True))

    @property
    def cost(self) -> Cost | None:
        """What all replies cost together; `None` if any of them has no price, or there is none."""
        costs = [reply.cost for reply in self.replies]
        if not costs or any(cost is None for cost in costs):
            return None
        return Cost(sum((cost for cost in costs if cost is not None), Decimal(0)))


def _no_more_room(request: ChatRequest, window: int | None) -> CallFailed:
    return CallFailed(
        FailureKind.TRUNCATED,
        f"The answer was cut off, and the window of {request.model} ({window} tokens) leaves no "
        "room for a longer one.",
        attempts=0,
    )


def _thoughts(reply: ChatReply) -> str:
    return (
        f"(no answer; the model's reasoning:)\n{reply.reasoning_text}"
        if reply.reasoning_text
        else ""
    )


def _why(answer: Answer) -> str:
    """Which units have no score, and why."""
    lacking = [v for v in answer.verdicts if v.score is None]
    troubles = [answer.troubles[v.unit.ref] for v in lacking if answer.troubles.get(v.unit.ref)]
    said = " ".join([answer.message, *troubles]).strip()
    if len(lacking) == len(answer.verdicts):
        return said if answer.message else f"There is no usable answer. {said}".strip()
    which = ", ".join(v.unit.ref.label for v in lacking)
    return f"No score for {which}. {said}".strip()

"""A chat that answers from a script: for tests, examples and trying a prompt without a model."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from recall_core.llm.types import ChatReply, ChatRequest

Answer = str | ChatReply | Exception


class ScriptedChat:
    """Gives the enqueued answers in turn and keeps every request in `history`.

    A text becomes a finished reply; an exception (`CallFailed`, `NotConfigured`) is raised. When
    the queue is empty `otherwise` answers, or, without one, a `LookupError` says which request had
    no answer.
    """

    def __init__(
        self, *answers: Answer, otherwise: Callable[[ChatRequest], Answer] | None = None
    ) -> None:
        self._answers = deque(answers)
        self._otherwise = otherwise
        self.history: list[ChatRequest] = []

    def enqueue(self, *answers: Answer) -> None:
        """Add answers to the end of the script."""
        self._answers.extend(answers)

    @property
    def left(self) -> int:
        """How many answers nobody has asked for yet."""
        return len(self._answers)

    async def ask(self, request: ChatRequest) -> ChatReply:
        """The next answer of the script."""
        self.history.append(request)
        answer = self._next(request)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, str):
            return ChatReply(answer, model=request.model, finish_reason="stop", level=request.level)
        return answer

    def _next(self, request: ChatRequest) -> Answer:
        if self._answers:
            return self._answers.popleft()
        if self._otherwise is not None:
            return self._otherwise(request)
        raise LookupError(
            f"The script has no answer left for request {len(self.history)} "
            f"({request.purpose}, example {request.example_id!r}, ask {request.ask})."
        )

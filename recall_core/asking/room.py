"""Room for the answer: what the window leaves beside the question."""

from __future__ import annotations

from dataclasses import replace

from recall_core.llm.plan import window_excess
from recall_core.llm.tokens import prompt_tokens
from recall_core.llm.types import ChatRequest

SPARE = 10
"""Per cent by which a question may turn out longer than estimated."""


def within(request: ChatRequest, window: int | None, least: int) -> ChatRequest:
    """The request with its limit lowered to the room that the window leaves, if that is at least
    `least` tokens, which such an answer may need; else the request as it is.

    So a long limit for the answer does not make every question too long for a small window.
    """
    limit = request.max_output_tokens
    if window is None or limit is None or window_excess(request, window) is None:
        return request
    room = window - prompt_tokens(request).expected * (100 + SPARE) // 100
    return replace(request, max_output_tokens=min(limit, room)) if room >= least else request

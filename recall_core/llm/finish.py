"""Whether a model finished what it had to say, judged from the reply's own marks."""

from __future__ import annotations

from recall_core.llm.tokens import prompt_tokens
from recall_core.llm.types import ChatReply, ChatRequest
from recall_core.types import FailureKind

CUT_OFF = frozenset(
    ["length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"]
)
FILTERED = frozenset(
    [
        "content_filter",
        "content_filtered",
        "safety",
        "blocklist",
        "prohibited_content",
        "recitation",
        "spii",
    ]
)
DECLINED = frozenset({"refusal"})
"""Servers invent words for "finished" (eos, STOP, end_turn, nothing at all), so only the words for
trouble are listed, in lower case."""
NOTHING_COUNTED = 500
"""Fewer tokens than this come from servers that leave cached tokens out of their count."""
SIGNS_A_TOKEN = 8
"""No more than this on average, in any language: so most replies need no estimate."""


def finish_failure(reply: ChatReply) -> tuple[FailureKind, str] | None:
    """Why the reply must not be scored, with a sentence for people; `None` when it is whole.

    A content filter outranks everything, since more tokens would not help. An answer that stands
    in the reasoning alone is empty: it was never given as the answer, but people can read it.
    """
    reason = (reply.finish_reason or "").strip().lower()
    if reason in FILTERED:
        return FailureKind.CONTENT_FILTER, (
            "The server's content filter stopped the answer. A person can score this example."
        )
    if reply.refusal or reason in DECLINED:
        said = f": “{reply.refusal.strip()}”" if reply.refusal else "."
        return FailureKind.REFUSAL, f"The model refused to answer{said}"
    if reason in CUT_OFF:
        return FailureKind.TRUNCATED, _cut_off(reply)
    if not reply.text.strip():
        return FailureKind.EMPTY, (
            "The model gave no answer, only its reasoning (kept with the call)."
            if reply.reasoning_text
            else "The model gave an empty answer."
        )
    return None


def _cut_off(reply: ChatReply) -> str:
    limit = next(
        (
            reply.parameters[n]
            for n in ("max_tokens", "max_completion_tokens")
            if n in reply.parameters
        ),
        None,
    )
    after = f" after {reply.tokens_out} tokens" if reply.tokens_out is not None else ""
    if limit is not None:
        return f"The answer was cut off{after}; {limit} were allowed. Allow more output tokens."
    return f"The answer was cut off{after}. Allow more output tokens."


def cut_question(request: ChatRequest, reply: ChatReply) -> str | None:
    """A warning where the server seems to have read only a part of the question.

    Some servers (Ollama, with the window it has by default) cut a long prompt without a word; their
    own count of the tokens read then falls far short of the least that the question can be.
    """
    if reply.tokens_in is None or reply.tokens_in < NOTHING_COUNTED:
        return None
    if reply.tokens_in * SIGNS_A_TOKEN >= sum(len(m.content) for m in request.messages):
        return None
    least = prompt_tokens(request).low
    if reply.tokens_in * 2 >= least:
        return None
    return (
        f"The server says that it read {reply.tokens_in} tokens, but the question has about "
        f"{least}: it may have cut the question. Give the model a larger context window."
    )

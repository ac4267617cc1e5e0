"""Tests an endpoint with one small question: who answers, how fast, and in which shape."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from recall_core.llm.endpoints import Endpoint
from recall_core.llm.finish import finish_failure
from recall_core.llm.openai_chat import OpenAIChat
from recall_core.llm.types import CallFailed, ChatReply, ChatRequest, Message, OutputLevel
from recall_core.types import Json

SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {"works": {"type": "boolean"}},
    "required": ["works"],
    "additionalProperties": False,
}
QUESTION = 'Answer with this JSON object and nothing else: {"works": true}'
ANSWER_TOKENS = 2000
"""Room for models that think before they answer."""


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """What a test found. `level` is the firmest output level that gave a JSON object, `None` if
    none did; `problem` is a sentence where the endpoint cannot be used."""

    endpoint: str
    model: str
    seconds: float | None = None
    level: OutputLevel | None = None
    problem: str | None = None


async def probe(endpoint: Endpoint, model: str, *, timeout_seconds: float = 30.0) -> ProbeResult:
    """Ask the model once, and once more a level lower while the answer is no JSON object.

    Nothing is stored and nothing tried again; a test that costs a few hundred tokens at most.
    """
    if endpoint.problem is not None:
        return ProbeResult(endpoint.name, model, problem=endpoint.problem)
    request = ChatRequest(
        (Message("user", QUESTION),),
        model=model,
        schema_name="test",
        schema=SCHEMA,
        max_output_tokens=ANSWER_TOKENS,
        timeout_seconds=timeout_seconds,
        purpose="test",
    )
    async with OpenAIChat(endpoint) as chat:
        try:
            return await _first_that_works(chat, endpoint, request)
        except CallFailed as failed:
            return ProbeResult(endpoint.name, model, problem=failed.message)


async def _first_that_works(
    chat: OpenAIChat, endpoint: Endpoint, request: ChatRequest
) -> ProbeResult:
    while True:
        reply = await chat.ask(request)
        found = ProbeResult(endpoint.name, reply.model, reply.seconds)
        if _is_object(reply):
            return replace(found, level=reply.level)
        lower = reply.level.next_down
        if lower is None:
            return replace(found, problem=_unreadable(reply))
        request = replace(request, level=lower)


def _is_object(reply: ChatReply) -> bool:
    """Whether the reply holds the object, bare or with something around it."""
    start, end = reply.text.find("{"), reply.text.rfind("}")
    try:
        return isinstance(json.loads(reply.text[start : end + 1]), dict) and start >= 0
    except ValueError:
        return False


def _unreadable(reply: ChatReply) -> str:
    failure = finish_failure(reply)
    if failure is not None:
        return failure[1]
    return f"{reply.model} answers, but not with JSON: “{reply.text.strip()[:200]}”"

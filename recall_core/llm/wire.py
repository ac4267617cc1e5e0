"""What goes over the wire and what comes back, without the client that carries it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from recall_core.llm.complaints import LIMITS, Complaint, Trouble
from recall_core.llm.types import CallFailed, ChatReply, ChatRequest, OutputLevel
from recall_core.types import FailureKind, Json


class WireFailed(CallFailed):
    """One try on the wire that brought no answer.

    `again`: the same request may well be answered later. `retry_after`: seconds the server asked
    to wait. `throttled`: it said that we are too fast or it too busy. `charged`: the server may
    have done (and billed) the work. `strange`: a 5xx of a model that has never answered, so it may
    be the output level that it cannot take.
    """

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        *,
        raw: str | None = None,
        hopeless: bool = False,
        again: bool = False,
        retry_after: float | None = None,
        throttled: bool = False,
        charged: bool = False,
        strange: bool = False,
    ) -> None:
        super().__init__(kind, message, raw=raw, hopeless=hopeless)
        self.again = again
        self.retry_after = retry_after
        self.throttled = throttled
        self.charged = charged
        self.strange = strange


@dataclass(frozen=True, slots=True)
class Form:
    """How a request is put to a server: its output level, and the parameters it takes.

    Repairing a form only ever takes something away or swaps the limit's name once, so a request
    is repaired a handful of times at most.
    """

    level: OutputLevel = OutputLevel.JSON_SCHEMA
    dropped: frozenset[str] = frozenset()
    limit_name: str = "max_tokens"
    swapped: bool = False

    def repaired(self, complaint: Complaint) -> Form | None:
        """The form to try after a complaint, or `None` when there is nothing to change."""
        if complaint.trouble is Trouble.FORMAT and self.level.next_down:
            return replace(self, level=self.level.next_down)
        named = complaint.parameter
        if named is None or named in self.dropped:
            return None
        if named not in LIMITS:
            return replace(self, dropped=self.dropped | {named})
        if named != self.limit_name or self.swapped:
            return None
        other = LIMITS[1 - LIMITS.index(named)]
        return replace(self, limit_name=other, swapped=True)


@dataclass
class Manners:
    """What each model of an endpoint was found to take; shared by every call of a process.

    Only what has led to an answer is learnt: a level counts as refused once a lower one was
    answered, and not any longer when it is answered itself.
    """

    forms: dict[str, Form] = field(default_factory=dict)

    def opening(self, request: ChatRequest, first: Form) -> Form:
        """How to put a request at first: as the model is known to take it, `first` if unknown."""
        form = self.forms.get(request.model, first)
        if request.level is form.level:
            return form
        levels = list(OutputLevel)
        lower = max(levels.index(form.level), levels.index(request.level))
        return replace(form, level=levels[lower])

    def knows(self, model: str) -> bool:
        """Whether the model has answered before."""
        return model in self.forms

    def learn(self, request: ChatRequest, form: Form) -> None:
        """Remember what the model has just answered to."""
        known = self.forms.get(request.model)
        if known == form:
            return
        asked_lower = request.level is form.level and request.level is not OutputLevel.JSON_SCHEMA
        if known is not None and asked_lower:
            form = replace(form, level=known.level)
        self.forms[request.model] = form


def parameters_of(request: ChatRequest, form: Form) -> dict[str, Any]:
    """The body of the request beside the messages; what is `None` or dropped is not in it."""
    wanted: dict[str, Any] = {
        "model": request.model,
        "temperature": request.temperature,
        "seed": request.seed,
        "reasoning_effort": request.reasoning_effort,
        form.limit_name: request.max_output_tokens,
        "response_format": response_format(request, form.level),
    }
    return {k: v for k, v in wanted.items() if v is not None and k not in form.dropped}


def response_format(request: ChatRequest, level: OutputLevel) -> dict[str, Any] | None:
    """The `response_format` that asks for the level."""
    if level is OutputLevel.JSON_SCHEMA:
        named = {"name": request.schema_name, "schema": dict(request.schema), "strict": True}
        return {"type": "json_schema", "json_schema": named}
    return {"type": "json_object"} if level is OutputLevel.JSON_OBJECT else None


def messages_of(request: ChatRequest, level: OutputLevel) -> list[dict[str, str]]:
    """The messages as sent: below the schema level the last one also names the shape in words,
    since the server will not hold the model to it (and JSON mode wants to read the word JSON).
    """
    messages = [{"role": m.role, "content": _encodable(m.content)} for m in request.messages]
    if level is not OutputLevel.JSON_SCHEMA:
        last = messages[-1]
        last["content"] = f"{last['content']}\n\n{shape_in_words(request.schema)}"
    return messages


def _encodable(text: str) -> str:
    """The text without halves of surrogate pairs, which no request can carry."""
    return text.encode("utf-8", "replace").decode("utf-8")


def shape_in_words(schema: Mapping[str, Json]) -> str:
    """The sentence that asks for the schema where the server cannot."""
    shape = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return f"Answer with one JSON object and nothing else. It must fit this JSON schema: {shape}"


def read_completion(completion: Mapping[str, Any], request: ChatRequest) -> ChatReply | None:
    """The reply in a completion object, or `None` if it is not one."""
    choices = completion.get("choices")
    if not isinstance(choices, list):
        return None
    choice = choices[0] if choices and isinstance(choices[0], dict) else {}
    message = choice.get("message")
    message = message if isinstance(message, dict) else {}
    text, thoughts = _content(message.get("content", choice.get("text")))
    usage = completion.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    return ChatReply(
        text=text,
        model=_text(completion.get("model")) or request.model,
        finish_reason=_text(choice.get("finish_reason")) or _text(choice.get("stop_reason")),
        reasoning_text=thoughts or _thoughts(message),
        refusal=_text(message.get("refusal")),
        tokens_in=_count(usage.get("prompt_tokens")),
        tokens_out=_count(usage.get("completion_tokens")),
    )


def _content(content: object) -> tuple[str, str]:
    """Answer and reasoning of a content that is a text, nothing, or a list of parts."""
    if isinstance(content, str):
        return content, ""
    answer: list[str] = []
    thoughts: list[str] = []
    for part in content if isinstance(content, list) else ():
        if not isinstance(part, dict):
            continue
        kind = str(part.get("type", ""))
        target = thoughts if kind in ("thinking", "reasoning") else answer
        inner = part.get("text", part.get("thinking", part.get("reasoning")))
        target.append(inner if isinstance(inner, str) else "".join(_content(inner)))
    return "".join(answer), "".join(thoughts)


def _thoughts(message: Mapping[str, Any]) -> str | None:
    """The reasoning, by the names that servers give it."""
    names = ("reasoning_content", "reasoning", "thinking")
    return next((t for name in names if (t := _text(message.get(name)))), None)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def shown(parameters: dict[str, Any], level: OutputLevel, body: dict[str, Any]) -> dict[str, Any]:
    """The parameters to keep: as sent, with the sentence that was added to the last message."""
    if level is OutputLevel.JSON_SCHEMA:
        return parameters
    added = body["messages"][-1]["content"].rpartition("\n\n")[2]
    return {**parameters, "added_to_last_message": added}


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asked to wait, from any of the headers (in small letters) that say
    so."""
    exact = _seconds(headers.get("retry-after-ms"))
    if exact is not None:
        return exact / 1000
    value = headers.get("retry-after")
    plain = _seconds(value)
    if plain is not None or not value:
        return plain
    try:
        until = parsedate_to_datetime(value)
        now = parsedate_to_datetime(headers["date"]) if "date" in headers else datetime.now(UTC)
        return max(0.0, (until - now).total_seconds())
    except (ValueError, TypeError):
        return None


def _seconds(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None

"""What is asked of a model and what comes back; no client, no network."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Literal, Protocol

from recall_core.errors import RecallError
from recall_core.types import FailureKind, Json

Purpose = Literal["verdicts", "statements", "test"]


class OutputLevel(StrEnum):
    """How firmly a server is asked for the shape of the answer, from the firmest down."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    PLAIN = "plain"

    @property
    def next_down(self) -> OutputLevel | None:
        """The next level down, or `None` below the plain prompt."""
        return {
            OutputLevel.JSON_SCHEMA: OutputLevel.JSON_OBJECT,
            OutputLevel.JSON_OBJECT: OutputLevel.PLAIN,
        }.get(self)


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One question to a model. What is `None` is not sent.

    `repeat` tells samples of the same question apart, so that they are never answered from one
    stored reply; `ask` counts the times an example was asked (2: the one re-ask). `example_id`
    and `purpose` say what the call was for and are not sent. `timeout_seconds` holds for each try
    on the wire. `level` is the firmest output level to ask for; what the server is known to
    refuse is left out anyway.
    """

    messages: tuple[Message, ...]
    model: str
    schema_name: str
    schema: Mapping[str, Json]
    temperature: float | None = None
    seed: int | None = None
    reasoning_effort: str | None = None
    max_output_tokens: int | None = None
    timeout_seconds: float = 120.0
    purpose: Purpose = "verdicts"
    example_id: str | None = None
    repeat: int = 1
    ask: int = 1
    level: OutputLevel = OutputLevel.JSON_SCHEMA


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What the model answered, as it arrived.

    `text` is empty where the server gave no content. `tokens_*` are the server's own count,
    `None` where it gave none. `parameters` are what was really sent beside the messages, after
    repairs; never the key. `attempts` counts the tries on the wire, `seconds` is the last one's
    time. `cost` is in US dollars, `None` where the price or a token count is unknown. A call that
    was paid for earlier and is answered from the store keeps the numbers of that call.
    """

    text: str
    model: str
    finish_reason: str | None = None
    reasoning_text: str | None = None
    refusal: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    level: OutputLevel = OutputLevel.JSON_SCHEMA
    attempts: int = 1
    seconds: float = 0.0
    parameters: Mapping[str, Json] = field(default_factory=dict)
    cost: Decimal | None = None
    from_store: bool = False


class NotConfigured(RecallError):
    """The endpoint lacks what only the operator can give (a key, an address): skip, do not fail."""


class CallFailed(RecallError):
    """A call that brought no answer to read.

    `raw` is what the server did say, if anything. `attempts` counts the tries on the wire, 0 where
    the call was never made (budget, cancelled). `hopeless`: every other call to this endpoint would
    end the same way (a wrong key, an unknown model), so a run need not go on.
    """

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        *,
        raw: str | None = None,
        attempts: int = 1,
        hopeless: bool = False,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.raw = raw
        self.attempts = attempts
        self.hopeless = hopeless


class Chat(Protocol):
    """Anything that can be asked: a model behind an endpoint, a layer around one, or a script."""

    async def ask(self, request: ChatRequest) -> ChatReply:
        """The model's reply; raises `CallFailed`, or `NotConfigured`: nobody to ask."""
        ...


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One call for the store: what was asked, and the reply or the failure it ended in."""

    request_hash: str
    endpoint: str
    request: ChatRequest
    reply: ChatReply | None
    failure: FailureKind | None = None
    failure_message: str | None = None
    failure_raw: str | None = None
    attempts: int = 1
    seconds: float = 0.0


class CallStore(Protocol):
    """Where replies are kept on arrival, before anybody reads them."""

    async def find(self, request_hash: str, request: ChatRequest) -> ChatReply | None:
        """The kept reply to an identical call (`from_store` set), or `None`.

        What counts as identical is the store's to say: of a run that wants fresh answers, only a
        call of the same example in the same run (it was killed, and goes on).
        """
        ...

    async def keep(self, record: CallRecord) -> None:
        """Store the call for good; returns when it would survive a crash."""
        ...


def request_hash(address: str, request: ChatRequest) -> str:
    """SHA-256 over the endpoint's address and everything that shapes the answer.

    The address and not the name: a renamed endpoint keeps its answers, and a name that was pointed
    at another server gets new ones.
    """
    asked = {
        "address": address,
        "model": request.model,
        "messages": [[m.role, m.content] for m in request.messages],
        "schema": request.schema,
        "temperature": request.temperature,
        "seed": request.seed,
        "reasoning_effort": request.reasoning_effort,
        "max_output_tokens": request.max_output_tokens,
        "repeat": request.repeat,
        "ask": request.ask,
        "level": request.level,
    }
    text = json.dumps(asked, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

"""A real HTTP server on loopback that speaks OpenAI's chat protocol by a script.

Give it a function from what it received to what it answers, or enqueue answers; it keeps every
request. Runs in a thread of its own, or alone (`serve`) for benchmarks. No client is patched.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any


@dataclass(frozen=True)
class Received:
    """One request; header names are in lower case, `body` is the parsed JSON."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def level(self) -> str:
        """The output level that was asked for."""
        return str(self.body.get("response_format", {}).get("type", "plain"))

    @property
    def prompt(self) -> str:
        """All message contents, one after the other."""
        return "\n".join(m["content"] for m in self.body.get("messages", []))


@dataclass(frozen=True)
class Answer:
    """What goes back: `body` after `after` seconds. `hangs`: nothing, ever. `drops`: the connection
    is closed without a word. `drips`: a byte of the body a tenth of a second.
    """

    body: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    after: float = 0.0
    hangs: bool = False
    drops: bool = False
    drips: bool = False

    def encoded(self) -> bytes:
        """The whole response as bytes."""
        content = self.body.encode()
        head = {"content-type": "application/json", **self.headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        return (
            f"HTTP/1.1 {self.status} Said\r\n{lines}content-length: {len(content)}\r\n\r\n".encode()
            + content
        )


Respond = Callable[[Received], Answer]


def reply(
    content: object,
    *,
    finish_reason: str | None = "stop",
    tokens: tuple[int, int] | None = (100, 20),
    model: str = "model-of-the-server",
    after: float = 0.0,
    **message: object,
) -> Answer:
    """A chat completion with that content; `message` adds fields (refusal, reasoning_content)."""
    choice = {
        "index": 0,
        "finish_reason": finish_reason,
        "message": {"role": "assistant", "content": content, **message},
    }
    completion: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [choice],
    }
    if tokens is not None:
        completion["usage"] = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}
    return Answer(json.dumps(completion), after=after)


def error(
    status: int,
    message: str,
    *,
    param: str | None = None,
    code: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """An error in OpenAI's envelope."""
    body = {"error": {"message": message, "type": "error", "param": param, "code": code}}
    return Answer(json.dumps(body), status=status, headers=headers or {})


def too_fast(seconds: float) -> Answer:
    """A 429 that asks to wait."""
    return error(429, "Rate limit reached", headers={"retry-after": f"{seconds:g}"})


HANG = Answer(hangs=True)
DROP = Answer(drops=True)
BROKEN = Answer("The server had an error", status=500)


def only_levels(*levels: str, status: int = 400, then: Respond | Answer) -> Respond:
    """A server that refuses every output level but those named (`plain` among them)."""

    def respond(received: Received) -> Answer:
        if received.level not in levels:
            return error(status, f"response_format {received.level} is not supported")
        return then if isinstance(then, Answer) else then(received)

    return respond


def without_parameter(name: str, *, then: Respond | Answer, message: str = "") -> Respond:
    """A server that refuses a parameter, naming it."""

    def respond(received: Received) -> Answer:
        if name in received.body:
            said = message or f"Unsupported parameter: '{name}' is not supported with this model."
            return error(400, said, param=name, code="unsupported_parameter")
        return then if isinstance(then, Answer) else then(received)

    return respond


class LlmServer:
    """`with LlmServer(reply("{}")) as server:` … `server.url`, `server.received`.

    Enqueued answers come first, each once; after them `respond` answers.
    """

    def __init__(self, respond: Respond | Answer | None = None) -> None:
        self._respond = respond if respond is not None else error(500, "nothing was scripted")
        self._script: deque[Answer | Respond] = deque()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._server: asyncio.Server | None = None
        self.received: list[Received] = []
        self.under_way = 0
        self.most_under_way = 0
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def enqueue(self, *answers: Answer | Respond) -> None:
        """Answers for the next requests, before `respond` is asked."""
        self._script.extend(answers)

    def answer(self, received: Received) -> Answer:
        """What goes back for a request; keeps it."""
        self.received.append(received)
        chosen = self._script.popleft() if self._script else self._respond
        return chosen if isinstance(chosen, Answer) else chosen(received)

    async def start(self, port: int = 0) -> None:
        """Listen in the running loop."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Connection(self), "127.0.0.1", port)
        self.port = self._server.sockets[0].getsockname()[1]

    def __enter__(self) -> LlmServer:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self.start(), self._loop).result(10)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        failure: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _close(self) -> None:
        assert self._server is not None
        self._server.close()
        for connection in tuple(_Connection.open_of(self)):
            connection.close()
        await asyncio.sleep(0)


class _Connection(asyncio.Protocol):
    """One kept-alive connection; requests on it come one after the other."""

    _all: set[_Connection] = set()  # noqa: RUF012  # every open connection of the process

    def __init__(self, server: LlmServer) -> None:
        self._of = server
        self._read = bytearray()
        self._transport: asyncio.Transport | None = None
        self._timers: list[asyncio.TimerHandle] = []

    @classmethod
    def open_of(cls, server: LlmServer) -> list[_Connection]:
        return [c for c in cls._all if c._of is server]

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._all.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._all.discard(self)
        for timer in self._timers:
            timer.cancel()

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        self._read += data
        head_ends = self._read.find(b"\r\n\r\n")
        if head_ends < 0:
            return
        first, *lines = self._read[:head_ends].decode("latin-1").split("\r\n")
        headers = {
            name.strip().lower(): value.strip()
            for name, value in (line.split(":", 1) for line in lines)
        }
        ends = head_ends + 4 + int(headers.get("content-length", "0"))
        if len(self._read) < ends:
            return
        body = bytes(self._read[head_ends + 4 : ends])
        del self._read[:ends]
        method, path, _ = first.split(" ", 2)
        self._answer(Received(method, path, headers, json.loads(body or b"{}")))

    def _answer(self, received: Received) -> None:
        answer = self._of.answer(received)
        self._of.under_way += 1
        self._of.most_under_way = max(self._of.most_under_way, self._of.under_way)
        if answer.hangs:
            return
        self._later(answer.after, lambda: self._send(answer))

    def _later(self, seconds: float, act: Callable[[], None]) -> None:
        if not seconds:
            act()
            return
        self._timers = [t for t in self._timers if not t.cancelled()][-8:]
        self._timers.append(asyncio.get_running_loop().call_later(seconds, act))

    def _send(self, answer: Answer) -> None:
        self._of.under_way -= 1
        assert self._transport is not None
        if answer.drops:
            self._transport.abort()
        elif answer.drips:
            for number, byte in enumerate(answer.encoded()):
                self._later(number / 10 + 0.001, lambda b=byte: self._drip(b))  # type: ignore[misc]
        else:
            self._transport.write(answer.encoded())

    def _drip(self, byte: int) -> None:
        assert self._transport is not None
        if not self._transport.is_closing():
            self._transport.write(bytes([byte]))

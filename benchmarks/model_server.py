"""A server that speaks OpenAI's chat protocol and takes a fixed time to answer.

    python benchmarks/model_server.py [--latency 0.05] [--faults]

Prints its port, then answers until it is killed. It is written for speed: what is measured is
whoever asks. The path chooses whose shape the answer has (`/desk`, `/ragas`, `/deepeval`, each with
`/v1/chat/completions` behind), and `GET /counts` tells what it did, by example.

With `--faults` it is as bad as servers get: of all requests 20 % are answered 429 with Retry-After,
10 % with 500, 5 % with broken JSON as the model's answer, and 2 % never.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import resource
from collections import Counter
from typing import Any

WAIT = 0.2
"""Seconds that a 429 asks to wait."""
SHARES = (("too fast", 0.20), ("broken", 0.10), ("malformed", 0.05), ("hanging", 0.02))
EXAMPLE = re.compile(rb"item-(\d+)")

STATEMENTS = 4
REASON = "Passage 2 names the interval and the guarantee, which is what the statement says. " * 2
SUPPORTED = (True, True, False, True)


def completion(content: str) -> bytes:
    """A whole response that carries that text as the model's answer."""
    body = json.dumps(
        {
            "id": "chatcmpl-benchmark",
            "object": "chat.completion",
            "created": 1,
            "model": "model",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": content},
                }
            ],
            "usage": {"prompt_tokens": 1500, "completion_tokens": 260, "total_tokens": 1760},
        }
    ).encode()
    return response(200, body)


def response(status: int, body: bytes, *headers: str) -> bytes:
    """A response as bytes."""
    lines = [
        f"HTTP/1.1 {status} Said",
        "content-type: application/json",
        f"content-length: {len(body)}",
        *headers,
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def desk_answer() -> str:
    """Verdicts as Recall Desk asks for them."""
    quote = {"rank": 2, "quote": "serviced at least once a year"}
    verdicts = [
        {
            "statement": f"S{number}",
            "reasoning": REASON,
            "quotes": [quote] if supported else [],
            "supported": supported,
        }
        for number, supported in enumerate(SUPPORTED, 1)
    ]
    return json.dumps({"verdicts": verdicts})


def ragas_answer() -> str:
    """Classifications as ragas asks for them."""
    classes = [
        {"statement": f"Statement number {number}.", "reason": REASON, "attributed": int(supported)}
        for number, supported in enumerate(SUPPORTED, 1)
    ]
    return json.dumps({"classifications": classes})


def deepeval_answer() -> str:
    """Verdicts as deepeval asks for them."""
    verdicts = [{"verdict": "yes" if s else "no", "reason": REASON} for s in SUPPORTED]
    return json.dumps({"verdicts": verdicts})


ANSWERS = {
    b"/desk": completion(desk_answer()),
    b"/ragas": completion(ragas_answer()),
    b"/deepeval": completion(deepeval_answer()),
}
MALFORMED = completion(desk_answer()[:-40])
FAULTS = {
    "too fast": response(429, b'{"error": {"message": "Too fast"}}', f"retry-after: {WAIT}"),
    "broken": response(500, b"The server had an error"),
    "malformed": MALFORMED,
    "hanging": None,
}


class Service:
    """What all connections share: latency, chance, and what was done."""

    def __init__(self, latency: float, faults: bool) -> None:
        self.latency = latency
        self._chance = random.Random(20261130) if faults else None
        self.did: Counter[str] = Counter()
        self.answered: Counter[int] = Counter()
        """Good answers, by the number of the example."""

    def answer(self, path: bytes, body: bytes) -> bytes | None:
        """What goes back, or `None` for nothing, ever."""
        fault = self._fault()
        self.did[fault or "answered"] += 1
        if fault is not None:
            return FAULTS[fault]
        example = EXAMPLE.search(body)
        if example is not None:
            self.answered[int(example[1])] += 1
        return ANSWERS[path[: path.index(b"/", 1)]]

    def _fault(self) -> str | None:
        if self._chance is None:
            return None
        dice = self._chance.random()
        for name, share in SHARES:
            dice -= share
            if dice < 0:
                return name
        return None

    def counts(self) -> dict[str, Any]:
        """What was done, and the processor time it took."""
        used = resource.getrusage(resource.RUSAGE_SELF)
        return {
            "did": dict(self.did),
            "answered": dict(self.answered),
            "cpu": used.ru_utime + used.ru_stime,
        }


class Connection(asyncio.Protocol):
    """One kept-alive connection; whole requests only, one after the other."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._read = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._read += data
        head_ends = self._read.find(b"\r\n\r\n")
        if head_ends < 0:
            return
        head = self._read[:head_ends]
        body_ends = head_ends + 4 + _content_length(head)
        if len(self._read) < body_ends:
            return
        body, self._read = self._read[head_ends + 4 : body_ends], self._read[body_ends:]
        path = head[head.index(b" ") + 1 : head.index(b" ", head.index(b" ") + 1)]
        if path == b"/counts":
            self._send(response(200, json.dumps(self._service.counts()).encode()))
            return
        answer = self._service.answer(path, body)
        if answer is None:
            return
        if self._service.latency:
            asyncio.get_running_loop().call_later(self._service.latency, self._send, answer)
        else:
            self._send(answer)

    def _send(self, answer: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(answer)


def _content_length(head: bytes) -> int:
    place = head.lower().find(b"content-length:")
    return int(head[place + 15 :].split(b"\r\n", 1)[0]) if place >= 0 else 0


async def serve(service: Service) -> None:
    """Answer on a free port of this machine."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(service), "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def main() -> None:
    """Serve as the command line says."""
    parser = argparse.ArgumentParser(description="A model that answers after a fixed time")
    parser.add_argument("--latency", type=float, default=0.05)
    parser.add_argument("--faults", action="store_true")
    asked = parser.parse_args()
    asyncio.run(serve(Service(asked.latency, asked.faults)))


if __name__ == "__main__":
    main()

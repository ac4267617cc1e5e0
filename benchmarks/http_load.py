"""How fast the desk answers `POST /ragas/context_recall/evaluate` when 500 requests come a second.

    python benchmarks/http_load.py [--rate 500] [--seconds 20] [--connections 32] [--alone]
                                   [--first]

Starts the real app on a loopback port with a database of its own, and sends 5 x 10 short contexts
from another process over connections that stay open. Requests leave on a fixed schedule and each
is timed from the moment it was due, so a server that stands still is not excused. Measured three
times: alone, while a run is judged, and while a page with the run's progress is open in a browser
as well (`--alone`: only the first, which needs no browser). With `--first` the server process and
the sender come before all other jobs of a busy machine (real-time priority, Linux, root); the
worker and the browser do not. Prints a table in Markdown; exit status 1 if any request failed, if
fewer than 99 % of the rate were answered, or if the 99th percentile is over 50 ms.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from db.datasets import save_dataset  # noqa: E402
from db.engine import Engine, open_engine  # noqa: E402
from db.runs import RunOptions, RunState, create_run, get_run  # noqa: E402
from db.tokens import Scope, create_token  # noqa: E402
from recall_core.judges import make_judge  # noqa: E402
from recall_core.types import (  # noqa: E402
    Example,
    GroundTruthPassage,
    PassageKind,
    RetrievedPassage,
)
from tests.e2e.server import Server  # noqa: E402

LIMIT_MS = 50.0
LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)
SCORED = b'"status":"processed"'
WARM_UP = 2.0
EXPECTED, RETRIEVED = 5, 10
WORDS = (
    *("key", "battery", "water", "lamp", "garden", "winter", "ticket", "harbour", "refund"),
    *("the", "of", "and", "in", "a", "to", "for", "it", "opens", "closes", "thirty", "days"),
)
JUDGED = 20_000
"""Examples of the run that is judged meanwhile: more than it can get through."""


@dataclass(frozen=True)
class Load:
    """What to send, where, how fast."""

    port: int
    token: str
    rate: int
    seconds: float
    connections: int
    first: bool = False


@dataclass(frozen=True)
class Measured:
    """What came of it; times in milliseconds."""

    sent: int
    failed: int
    p50: float
    p95: float
    p99: float
    slowest: float
    answered_a_second: float


def text(rng: random.Random, words: int) -> str:
    return " ".join(rng.choices(WORDS, k=words))


def body(rng: random.Random) -> bytes:
    """5 expected contexts, 10 contexts, a sentence each."""
    data = {
        "contexts": [text(rng, 12) for _ in range(RETRIEVED)],
        "expected_contexts": [text(rng, 10) for _ in range(EXPECTED)],
    }
    return json.dumps({"data": data, "settings": {"distance_measure": "levenshtein"}}).encode()


def request(token: str, content: bytes) -> bytes:
    head = (
        "POST /ragas/context_recall/evaluate HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        f"X-Auth-Token: {token}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(content)}\r\n\r\n"
    )
    return head.encode() + content


class Connection(asyncio.Protocol):
    """One connection that stays open; a request at a time."""

    def __init__(self) -> None:
        self._received = bytearray()
        self._answer: asyncio.Future[bool] | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def ask(self, content: bytes) -> asyncio.Future[bool]:
        """Send one request; its answer, read to the end, is a score or not."""
        assert self._transport is not None
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(content)
        return self._answer

    def data_received(self, data: bytes) -> None:
        self._received += data
        head = self._received.find(b"\r\n\r\n")
        if head < 0:
            return
        found = LENGTH.search(self._received, 0, head)
        assert found is not None
        if len(self._received) < head + 4 + int(found[1]):
            return
        good = self._received.startswith(b"HTTP/1.1 200") and SCORED in self._received
        self._received.clear()
        self._end(good)

    def connection_lost(self, exc: Exception | None) -> None:
        self._end(False)

    def _end(self, good: bool) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(good)


async def send(load: Load) -> Measured:
    """Send the load; a request that finds every connection busy waits, and that counts."""
    rng = random.Random(5)
    requests = [request(load.token, body(rng)) for _ in range(200)]
    free: asyncio.Queue[Connection] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    for _ in range(load.connections):
        _, connection = await loop.create_connection(Connection, "127.0.0.1", load.port)
        free.put_nowait(connection)
    took: list[float] = []
    failed = 0

    async def timed(due: float, content: bytes, counts: bool) -> None:
        nonlocal failed
        connection = await free.get()
        good = await connection.ask(content)
        free.put_nowait(connection)
        if counts:
            took.append((time.perf_counter() - due) * 1000)
            failed += not good

    total = int((WARM_UP + load.seconds) * load.rate)
    warm = int(WARM_UP * load.rate)
    begun = time.perf_counter()
    tasks = []
    for number in range(total):
        due = begun + number / load.rate
        if (wait := due - time.perf_counter()) > 0:
            await asyncio.sleep(wait)
        content = requests[number % len(requests)]
        tasks.append(asyncio.create_task(timed(due, content, number >= warm)))
    await asyncio.wait_for(asyncio.gather(*tasks), timeout=60)
    lasted = time.perf_counter() - begun - WARM_UP
    took.sort()
    return Measured(
        sent=len(took),
        failed=failed,
        p50=took[len(took) // 2],
        p95=took[int(len(took) * 0.95)],
        p99=took[int(len(took) * 0.99)],
        slowest=took[-1],
        answered_a_second=len(took) / lasted,
    )


def come_first(process: int) -> None:
    """Put every thread of the process before all other jobs, and none of its children."""
    how = os.SCHED_FIFO | os.SCHED_RESET_ON_FORK
    for thread in Path(f"/proc/{process}/task").iterdir():
        os.sched_setscheduler(int(thread.name), how, os.sched_param(5))


def measured(load: Load, server: Server) -> tuple[Measured, float]:
    """The load sent from another process; and the server's processor time a request, in ms."""
    process = psutil.Process(server.process.pid)
    before = process.cpu_times()
    sent = subprocess.run(
        [sys.executable, __file__, "--send", json.dumps(asdict(load))],
        capture_output=True,
        text=True,
        timeout=load.seconds + WARM_UP + 90,
        check=True,
    )
    after = process.cpu_times()
    result = Measured(**json.loads(sent.stdout))
    used = after.user + after.system - before.user - before.system
    return result, used / ((load.seconds + WARM_UP) * load.rate) * 1000


def examples(rng: random.Random, number: int) -> Iterator[Example]:
    for i in range(1, number + 1):
        yield Example(
            f"example-{i:05d}",
            question=f"What is known of {text(rng, 4)}?",
            ground_truth=tuple(
                GroundTruthPassage(PassageKind.ESSENTIAL, text(rng, 60)) for _ in range(EXPECTED)
            ),
            retrieved=tuple(
                RetrievedPassage(rank, text(rng, 60)) for rank in range(1, RETRIEVED + 1)
            ),
        )


def start_run(engine: Engine) -> int:
    """A run that keeps the worker busy."""
    now = datetime.now(UTC)
    rows = examples(random.Random(7), JUDGED)
    facts = {"source": "benchmark", "author": "benchmark", "now": now}
    dataset = save_dataset(engine, "load", rows, content_hash="load", **facts)
    return create_run(
        engine,
        dataset_id=dataset,
        judge=make_judge("passage_recall_lexical"),
        name="load",
        options=RunOptions(),
        author="benchmark",
        now=now,
    )


def wait_until_judged(engine: Engine, run: int) -> None:
    deadline = time.monotonic() + 60
    while get_run(engine, run).processed < 100:
        if time.monotonic() > deadline:
            sys.exit("The worker did not begin within a minute.")
        time.sleep(0.2)


@contextmanager
def open_page(url: str) -> Iterator[None]:
    """The page of the run's progress, which asks the server once a second."""
    from playwright.sync_api import sync_playwright

    from tests.e2e.browser import FLAGS, at_rest, chromium_path

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        page = browser.new_page()
        page.goto(url)
        at_rest(page)
        yield
        browser.close()


def row(name: str, result: Measured, processor: float) -> str:
    return (
        f"| {name} | {result.answered_a_second:.0f} | {result.p50:.1f} | {result.p95:.1f} | "
        f"{result.p99:.1f} | {result.slowest:.0f} | {result.failed} | {processor:.2f} |"
    )


def good(result: Measured, rate: int) -> bool:
    enough = result.answered_a_second >= 0.99 * rate
    return not result.failed and enough and result.p99 <= LIMIT_MS


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rate", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--send", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.send:
        load = Load(**json.loads(asked.send))
        if load.first:
            come_first(os.getpid())
        print(json.dumps(asdict(asyncio.run(send(load)))))
        return 0
    print("| | answers a second | p50 ms | p95 ms | p99 ms | slowest ms | failed | CPU ms each |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    results = []
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/recall.db"
        engine = open_engine(url)
        token = create_token(engine, "load", [Scope.EVALUATE], now=datetime.now(UTC))
        server = Server(url, Path(folder) / "server.log")
        server.start()
        load = Load(server.port, token, asked.rate, asked.seconds, asked.connections, asked.first)
        if load.first:
            come_first(server.process.pid)

        def measure(name: str) -> None:
            result, processor = measured(load, server)
            results.append(result)
            print(row(name, result, processor), flush=True)

        try:
            measure("alone")
            if not asked.alone:
                run = start_run(engine)
                wait_until_judged(engine, run)
                measure("while a run is judged")
                with open_page(f"{server.url}/run?run={run}"):
                    measure("while a run is judged and its page is open")
                if get_run(engine, run).state is not RunState.RUNNING:
                    sys.exit("The run ended too early: the figures are of a quiet worker.")
        finally:
            server.stop()
            engine.dispose()
    return 0 if all(good(result, asked.rate) for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())

"""The sides of `model_judging.py`: `python model_sides.py SIDE PORT EXAMPLES CONCURRENCY`.

Runs in whichever environment has the side's packages, and prints one JSON object: the seconds of
wall and CPU time (of this process, all threads) that judging took, and how often each score came.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import random
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

SIDE, PORT = sys.argv[1], int(sys.argv[2])
EXAMPLES, CONCURRENCY = int(sys.argv[3]), int(sys.argv[4])
ADDRESS = f"http://127.0.0.1:{PORT}"
MODEL = "gpt-4o-mini"

EXPECTED = (
    "The boiler is serviced once a year. The guarantee lasts ten years. "
    "The filter is cleaned every month. The pressure is one and a half bar."
)
SENTENCES = """
The boiler must be serviced at least once a year by somebody who is registered.
A service takes about an hour and leaves a stamp in the book that came with the boiler.
The guarantee lasts ten years if every service was made in time.
Keep the book in a dry place because the guarantee depends on it.
The filter under the cover is cleaned with warm water every month.
Nobody but an engineer may open the sealed part of the casing.
If the pressure falls below one bar water is added through the filling loop.
In a cold winter the pump runs at night to keep the pipes from freezing.
The display shows a letter and two digits when something is wrong.
Radiators that stay cold at the top are bled with the key in the bag.
""".strip().splitlines()

Judge = Callable[[int], Awaitable[float]]


def passages(rng: random.Random) -> list[str]:
    """Five passages of six sentences, about 400 characters each, every one different."""
    return [
        " ".join([*rng.sample(SENTENCES, 6), f"Leaflet {rng.randrange(10**6)}."]) for _ in range(5)
    ]


RNG = random.Random(20261130)
DATA = [
    (f"item-{number}: how often is the boiler serviced?", passages(RNG))
    for number in range(EXAMPLES)
]


def client(path: str) -> Any:
    """One client of the `openai` package for all calls; tuned: over aiohttp."""
    from openai import AsyncOpenAI, DefaultAioHttpClient

    http = DefaultAioHttpClient() if SIDE.endswith("tuned") else None
    return AsyncOpenAI(
        api_key="none", base_url=f"{ADDRESS}/{path}/v1", max_retries=0, http_client=http
    )


def ragas() -> Judge:
    """The metric with ragas' own structured output, as its documents show it."""
    from ragas.llms.base import llm_factory
    from ragas.metrics.collections import ContextRecall

    metric = ContextRecall(llm=llm_factory(MODEL, client=client("ragas")))

    async def judge(number: int) -> float:
        question, retrieved = DATA[number]
        result = await metric.ascore(
            user_input=question, retrieved_contexts=retrieved, reference=EXPECTED
        )
        return float(result.value)

    return judge


def ragas_tuned() -> Judge:
    """The older metric over LangChain, which is the cheaper one, with the client over aiohttp."""
    from langchain_openai import ChatOpenAI
    from ragas import SingleTurnSample
    from ragas.llms import LangchainLLMWrapper
    from ragas.metrics import ContextRecall

    model = ChatOpenAI(
        model=MODEL,
        api_key="none",
        base_url=f"{ADDRESS}/ragas/v1",
        async_client=client("ragas").chat.completions,
        max_retries=0,
    )
    metric = ContextRecall(llm=LangchainLLMWrapper(model))

    async def judge(number: int) -> float:
        question, retrieved = DATA[number]
        sample = SingleTurnSample(
            user_input=question, retrieved_contexts=retrieved, reference=EXPECTED
        )
        return float(await metric.single_turn_ascore(sample))

    return judge


def deepeval() -> Judge:
    """The metric without its call for a reason; one client instead of a new one each time. Tuned:
    its model for local servers, which asks without `.parse()`."""
    from deepeval.metrics import ContextualRecallMetric
    from deepeval.models import GPTModel, LocalModel
    from deepeval.test_case import LLMTestCase

    shared = client("deepeval")
    base: Any = LocalModel if SIDE.endswith("tuned") else GPTModel

    class Shared(base):  # type: ignore[misc]
        def load_model(self, async_mode: bool = False) -> Any:
            return shared

    model = Shared(model=MODEL, base_url=f"{ADDRESS}/deepeval/v1", api_key="none")

    async def judge(number: int) -> float:
        question, retrieved = DATA[number]
        metric = ContextualRecallMetric(model=model, include_reason=False)
        case = LLMTestCase(
            input=question,
            actual_output="",
            expected_output=EXPECTED,
            retrieval_context=retrieved,
        )
        return float(await metric.a_measure(case, _show_indicator=False))

    return judge


async def gathered(judge: Judge) -> dict[str, Any]:
    """Times as many workers as are asked for, over all examples, after one to warm up."""
    await judge(0)
    numbers = iter(range(EXAMPLES))
    scores: Counter[str] = Counter()

    async def work() -> None:
        for number in numbers:
            scores[f"{await judge(number):g}"] += 1

    wall, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(work() for _ in range(CONCURRENCY)))
    return {
        "wall": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
        "scores": dict(scores),
    }


async def desk(store: Any = None) -> dict[str, Any]:
    """Our judge through the engine that every run uses; without a store it keeps nothing, as the
    peers do."""
    from recall_core.judges.contextual_recall import ContextualRecall
    from recall_core.judging import judge_stream
    from recall_core.llm.client import open_chat
    from recall_core.llm.endpoints import Endpoint
    from recall_core.llm.paced import workers_for
    from recall_core.results import result_of

    judge = ContextualRecall(model=MODEL)
    scores: Counter[str] = Counter()
    examples = desk_examples()
    endpoint = Endpoint("bench", f"{ADDRESS}/desk/v1")
    async with open_chat(endpoint, concurrency=CONCURRENCY) as warm:
        await judge.judge(examples[0], warm)
    async with open_chat(endpoint, concurrency=CONCURRENCY, store=store) as chat:
        wall, cpu = time.perf_counter(), time.process_time()
        workers = workers_for(CONCURRENCY)
        stream = judge_stream(judge, examples, chat, concurrency=workers)
        async for place, outcome in stream:
            result = result_of(examples[place], judge, outcome)
            scores["none" if result.score is None else f"{float(result.score):g}"] += 1
        return {
            "wall": time.perf_counter() - wall,
            "cpu": time.process_time() - cpu,
            "scores": dict(scores),
        }


def desk_replies() -> dict[str, Any]:
    """The same with every call looked up in and committed to SQLite before its reply is read."""
    from datetime import UTC, datetime

    from db.call_store import SqlCallStore
    from db.engine import open_engine

    with tempfile.TemporaryDirectory() as folder:
        engine = open_engine(f"sqlite:///{folder}/recall.db")
        gc.freeze()  # this and the next line as worker.py does
        gc.set_threshold(20_000, 50, 100)
        return asyncio.run(desk(SqlCallStore(engine, clock=lambda: datetime.now(UTC))))


def desk_examples() -> list[Any]:
    """The data as our examples, with statements split beforehand as every run has them."""
    from recall_core.statements import split_statements
    from recall_core.types import Example, RetrievedPassage

    statements = tuple(split_statements(EXPECTED))
    return [
        Example(
            str(number),
            question=question,
            expected_output=EXPECTED,
            retrieved=tuple(RetrievedPassage(r, text) for r, text in enumerate(retrieved, 1)),
            statements=statements,
        )
        for number, (question, retrieved) in enumerate(DATA)
    ]


class Blast(asyncio.Protocol):
    """A client that sends the same bytes again as soon as an answer is there."""

    def __init__(self, question: bytes, left: list[int], done: asyncio.Future[None]) -> None:
        self._question, self._left, self._done = question, left, done
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.write(self._question)

    def data_received(self, data: bytes) -> None:
        self._left[0] -= 1
        if self._left[0] > 0 and self._transport is not None:
            self._transport.write(self._question)
        elif not self._done.done():
            self._done.set_result(None)


async def server() -> dict[str, Any]:
    """Questions of the usual length to the server, from as many connections as are asked for."""
    loop = asyncio.get_running_loop()
    body = json.dumps({"messages": [{"role": "user", "content": " ".join(DATA[0][1]) * 3}]})
    head = f"POST /desk/v1/chat/completions HTTP/1.1\r\ncontent-length: {len(body)}\r\n\r\n"
    left, done = [EXAMPLES], loop.create_future()
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(CONCURRENCY):
        await loop.create_connection(
            lambda: Blast((head + body).encode(), left, done), "127.0.0.1", PORT
        )
    await done
    took = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    return {**took, "scores": {}}


def desk_kept() -> dict[str, Any]:
    """Our judge as the worker runs it: every reply and every verdict kept in SQLite."""
    from model_kept import run_kept

    from recall_core.llm.endpoints import Endpoint

    settings = {
        "model": MODEL,
        "concurrency": CONCURRENCY,
        "timeout_seconds": float(os.environ.get("TIMEOUT", "30")),
    }
    endpoint = Endpoint("bench", f"{ADDRESS}/desk/v1")
    with tempfile.TemporaryDirectory() as folder:
        return run_kept(Path(folder), desk_examples(), endpoint, settings)


def main() -> None:
    """Time the side that the command line names."""
    warnings.simplefilter("ignore")
    found: dict[str, Any]
    if SIDE == "desk":
        found = asyncio.run(desk())
    elif SIDE == "desk, replies kept":
        found = desk_replies()
    elif SIDE == "desk, whole run":
        found = desk_kept()
    elif SIDE == "server":
        found = asyncio.run(server())
    else:
        make = {
            "ragas": ragas,
            "ragas tuned": ragas_tuned,
            "deepeval": deepeval,
            "deepeval tuned": deepeval,
        }[SIDE]
        found = asyncio.run(gathered(make()))
    print(json.dumps(found), flush=True)
    os._exit(0)  # peers leave clients open and complain at length


if __name__ == "__main__":
    main()

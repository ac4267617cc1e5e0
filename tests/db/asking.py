"""Things that the tests with a model are made of: a server on loopback, and whom to ask there."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from pydantic import SecretStr
from sqlalchemy import Engine

from db.judging_models import Models
from db.owners import new_owner
from db.recording import Pace
from db.runs import RunOptions, create_run, get_run
from db.working import work
from recall_core.judges import Judge, make_judge
from recall_core.llm.endpoints import Endpoint
from recall_core.llm.prices import ModelFacts, Price
from recall_core.types import Example, GroundTruthPassage, PassageKind, RetrievedPassage
from tests.db.making import NOW, make_found
from tests.llm_server import Answer, LlmServer, Received, reply

KEY = "key-of-the-lab-0123456789abcdef"
QUICK = Pace(record=0.02, look=0.02, patience=5)
PRICE = Price(Decimal(10), Decimal(20))
"""Dollars per million tokens: a reply of 100 tokens in and 20 out costs $0.0014."""
COST = PRICE.cost(100, 20)
_LABEL = re.compile(r"^=== ([EBS]\d+):", re.MULTILINE)


def lab(server: LlmServer, **more: Any) -> Endpoint:
    """An endpoint with a key and a priced model, at that server."""
    models = {"big": ModelFacts("big", window=8000, price=PRICE)}
    return Endpoint("lab", server.url, key=SecretStr(KEY), models=models, **more)


def models(server: LlmServer, **more: Any) -> Models:
    endpoint = lab(server, **more)
    return Models(endpoints=lambda: {"lab": endpoint})


def asked_units(received: Received) -> list[str]:
    """The labels of the units that a request asks about."""
    return _LABEL.findall(received.prompt)


def scores(received: Received, score: int = 4, *, after: float = 0.0) -> Answer:
    """Gives every unit that was asked about that score, or says yes to every statement."""
    if "take a text apart" in received.prompt:
        return reply(json.dumps({"statements": ["It is one.", "It is two.", "It is three."]}))
    labels = asked_units(received)
    entries = [
        {"statement": label, "reasoning": "r", "quotes": [], "supported": True}
        if label.startswith("S")
        else {"passage": label, "reasoning": "r", "quotes": [], "score": score}
        for label in labels
    ]
    name = "verdicts" if labels[0].startswith("S") else "passages"
    return reply(json.dumps({name: entries}), after=after)


def slowly(seconds: float) -> Callable[[Received], Answer]:
    return lambda received: scores(received, after=seconds)


def facts(count: int) -> list[Example]:
    """Examples with two essential passages each, no two alike."""
    return [
        Example(
            id=f"e{number}",
            question="What is it?",
            ground_truth=(
                GroundTruthPassage(PassageKind.ESSENTIAL, f"Fact {number} is here."),
                GroundTruthPassage(PassageKind.ESSENTIAL, f"Fact {number} is there."),
            ),
            retrieved=(RetrievedPassage(1, f"They speak of {number}."),),
            expected_output=f"Number {number}. And more.",
        )
        for number in range(1, count + 1)
    ]


def model_run(
    engine: Engine, dataset_id: int, judge: str = "passage_recall", **settings: Any
) -> int:
    """A queued run of a model judge at the lab."""
    chosen = {"endpoint": "lab", "model": "big", "max_output_tokens": 100, **settings}
    return create_run(
        engine,
        dataset_id=dataset_id,
        judge=make_judge(judge, chosen),
        name="by model",
        options=RunOptions(),
        author="Ana",
        now=NOW,
    )


def make_any(name: str, settings: Mapping[str, Any]) -> Judge:
    """The registry, and the tests' own local judge."""
    return make_found(name, settings) if name == "found" else make_judge(name, settings)


@contextmanager
def at_work(engine: Engine, known: Models, pace: Pace = QUICK) -> Iterator[threading.Event]:
    """A worker in a thread of this process, stopped at the end."""
    stop = threading.Event()
    thread = threading.Thread(
        target=work,
        args=(engine,),
        kwargs={
            "owner": new_owner(),
            "stop": stop,
            "clock": lambda: datetime.now(UTC),
            "pace": pace,
            "make": make_any,
            "models": known,
        },
    )
    thread.start()
    try:
        yield stop
    finally:
        stop.set()
        thread.join(30)
        assert not thread.is_alive()


def is_over(engine: Engine, run_id: int) -> bool:
    return not get_run(engine, run_id).state.active


def example_numbers(server: LlmServer) -> Mapping[str, int]:
    """How often the server was asked about each example of `facts`."""
    asked: dict[str, int] = {}
    for received in server.received:
        number = re.search(r"They speak of (\d+)\.|Number (\d+)\. And", received.prompt)
        assert number is not None
        name = f"e{number[1] or number[2]}"
        asked[name] = asked.get(name, 0) + 1
    return asked

"""A run's progress as a stream of events."""

from __future__ import annotations

import json
import threading
import time
from typing import Any

import pytest

from api.routes import events
from db.engine import Engine
from db.runs import cancel_run
from tests.api.calling import NOW, Program
from tests.db.making import Found, judge_everything, kept_dataset, queued_run
from tests.db.making import examples as some_examples


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "LOOK", 0.02)
    monkeypatch.setattr(events, "SIGN_OF_LIFE", 2)


def listened(text: str) -> list[tuple[str, Any]]:
    parts = [part.split("\n") for part in text.split("\n\n") if part.startswith("event: ")]
    return [(name[len("event: ") :], json.loads(data[len("data: ") :])) for name, data in parts]


def test_each_change_is_told_once_and_the_end_closes_the_stream(
    program: Program, engine: Engine
) -> None:
    run = queued_run(engine, kept_dataset(engine, some_examples(3)))

    def go_on() -> None:
        time.sleep(0.3)
        judge_everything(engine, run, Found())
        time.sleep(0.3)
        cancel_run(engine, run, now=NOW)

    worker = threading.Thread(target=go_on)
    worker.start()
    answer = program.get(f"/api/v1/runs/{run}/events")
    worker.join()

    told = listened(answer.text)
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert [(name, data["state"], data["processed"]) for name, data in told] == [
        ("progress", "queued", 0),
        ("progress", "queued", 3),
        ("end", "cancelled", 3),
    ]
    assert ": still there" in answer.text


def test_a_run_that_is_over_is_told_so_at_once_and_one_that_is_not_there_is_a_404(
    program: Program, engine: Engine
) -> None:
    run = queued_run(engine, kept_dataset(engine, some_examples(1)))
    cancel_run(engine, run, now=NOW)

    told = listened(program.get(f"/api/v1/runs/{run}/events").text)

    assert [name for name, _ in told] == ["end"]
    assert program.get("/api/v1/runs/99/events").status_code == 404


def test_more_listeners_than_the_database_should_have_are_sent_away(
    program: Program, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = queued_run(engine, kept_dataset(engine, some_examples(1)))
    monkeypatch.setattr(events, "MOST_LISTENERS", 0)

    answer = program.get(f"/api/v1/runs/{run}/events")

    assert (answer.status_code, answer.headers["retry-after"]) == (503, "30")

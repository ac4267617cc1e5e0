"""A run as the worker judges it, for `model_judging.py`: from the claim to the last row written."""

from __future__ import annotations

import gc
import threading
import time
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, select

from db.claims import claim_run
from db.datasets import save_dataset
from db.engine import open_engine, reading
from db.judging_models import Models
from db.owners import new_owner
from db.recording import Pace
from db.rerunning import rerun_failed
from db.runs import RunOptions, create_run, get_run
from db.tables import JudgementRow
from db.working import judge_claimed
from recall_core.judges import make_judge
from recall_core.llm.endpoints import Endpoint
from recall_core.types import Example

MOST_RERUNS = 9


def run_kept(
    folder: Path, examples: Iterable[Example], endpoint: Endpoint, settings: dict[str, Any]
) -> dict[str, Any]:
    """The seconds that a run over the examples takes, and the scores in the database after it.

    `failed` counts the examples without a score by the kind of failure; `reruns` says how often
    those were judged again until each had one.
    """
    engine = open_engine(f"sqlite:///{folder / 'recall.db'}")
    run_id = _queued(engine, examples, {"endpoint": endpoint.name, **settings})
    models = Models(endpoints=lambda: {endpoint.name: endpoint})
    gc.freeze()  # this and the next line as worker.py does
    gc.set_threshold(20_000, 50, 100)
    wall, cpu = time.perf_counter(), time.process_time()
    _judge(engine, models)
    took = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    run = get_run(engine, run_id)
    if run.state.value != "done":
        raise SystemExit(f"The run is {run.state}: {run.message}")
    failed = _counted(engine, run_id, JudgementRow.error_type)
    reruns = 0
    while rerun_failed(engine, run_id) and reruns < MOST_RERUNS:
        _judge(engine, models)
        reruns += 1
    scores = _counted(engine, run_id, JudgementRow.final_number)
    return {**took, "scores": scores, "failed": failed, "reruns": reruns}


def _queued(engine: Engine, examples: Iterable[Example], settings: dict[str, Any]) -> int:
    dataset_id = save_dataset(
        engine, "bench", examples, content_hash="", source="", author="bench", now=_now()
    )
    return create_run(
        engine,
        dataset_id=dataset_id,
        judge=make_judge("contextual_recall", settings),
        name="bench",
        options=RunOptions(),
        author="bench",
        now=_now(),
    )


def _judge(engine: Engine, models: Models) -> None:
    """Judge what waits to the end."""
    claim = claim_run(engine, new_owner(), _now())
    if claim is None:
        raise SystemExit("The run cannot be claimed.")
    judge_claimed(
        engine,
        claim,
        stop=threading.Event(),
        clock=_now,
        make=make_judge,
        pace=Pace(),
        models=models,
    )


def _counted(engine: Engine, run_id: int, column: Any) -> dict[str, int]:
    """How often each value of a column comes in the run's judgements."""
    with reading(engine) as session:
        found = session.scalars(select(column).where(JudgementRow.run_id == run_id)).all()
    return dict(
        Counter(
            value if isinstance(value, str) else f"{value:g}"
            for value in found
            if value is not None
        )
    )


def _now() -> datetime:
    return datetime.now(UTC)

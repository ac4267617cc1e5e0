"""How long a long run's headline, its judge's calibration and a comparison take.

    python benchmarks/estimating.py [--examples 20000] [--audited 60] [--chosen 500]

Makes two datasets that ask the same and got other passages, judges both with the lexical screen,
lets one person audit and choose examples in both, and asks what the pages ask. Prints the median
of seven answers each, in Markdown.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from threading import Event

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.list_pages import examples, now  # noqa: E402
from db.audits import draw_audit  # noqa: E402
from db.bulk import BulkAct, decide_bulk  # noqa: E402
from db.calibrating import between_people, calibrations  # noqa: E402
from db.claims import claim_run  # noqa: E402
from db.comparing import compare  # noqa: E402
from db.datasets import save_dataset  # noqa: E402
from db.engine import Engine, open_engine  # noqa: E402
from db.estimating import headline  # noqa: E402
from db.owners import new_owner  # noqa: E402
from db.recording import Pace  # noqa: E402
from db.results import ordered_ids  # noqa: E402
from db.reviews import confirm_left, read_judgement  # noqa: E402
from db.runs import RunOptions, create_run  # noqa: E402
from db.working import judge_claimed  # noqa: E402
from recall_core.calibration import Side  # noqa: E402
from recall_core.judges import make_judge  # noqa: E402
from recall_core.types import Action, RetrievedPassage  # noqa: E402

REPEATS = 7


@dataclass
class Reviewer:
    """Somebody who confirms what the judge said."""

    engine: Engine
    sequence: int = 0

    def write(self) -> dict[str, object]:
        self.sequence += 1
        writer = {"reviewer": "Mara", "client_id": "benchmark", "client_seq": self.sequence}
        return {**writer, "now": now()}

    def audit(self, run: int, count: int) -> None:
        for _ in range(count):
            draw = draw_audit(self.engine, run, reviewer="Mara", now=now())
            assert draw is not None
            detail = read_judgement(self.engine, draw.judgement_id)
            seen = {e.ref: 0 for e in detail.effective}
            confirm_left(self.engine, draw.judgement_id, seen=seen, **self.write())

    def choose(self, run: int, count: int) -> None:
        ids = ordered_ids(self.engine, run)[:count]
        act = BulkAct(Action.CONFIRM)
        decide_bulk(self.engine, run, ids, act, seen=10**9, **self.write())


def judged(engine: Engine, number: int, seed: int) -> int:
    """A run over so many examples; other seeds get other passages for the same questions."""
    rng = Random(seed)
    facts = {"author": "benchmark", "now": now()}

    def shuffled(passages: tuple[RetrievedPassage, ...]) -> tuple[RetrievedPassage, ...]:
        texts = [p.text for p in passages if rng.random() < 0.8]
        return tuple(RetrievedPassage(rank, text) for rank, text in enumerate(texts, 1))

    rows = (replace(e, retrieved=shuffled(e.retrieved or ())) for e in examples(Random(7), number))
    name = f"long {seed}"
    dataset = save_dataset(engine, name, rows, content_hash=name, source="", **facts)
    judge, options = make_judge("passage_recall_lexical"), RunOptions(audit_seed=seed)
    run = create_run(engine, dataset_id=dataset, judge=judge, name=name, options=options, **facts)
    claim = claim_run(engine, new_owner(), now())
    assert claim is not None
    judge_claimed(engine, claim, stop=Event(), clock=now, make=make_judge, pace=Pace())
    return run


def milliseconds(ask: Callable[[], object]) -> float:
    """The median of `REPEATS` answers; a first one fills the caches and does not count."""
    ask()
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        ask()
        times.append(time.perf_counter() - began)
    return 1000 * statistics.median(times)


def questions(engine: Engine, a: int, b: int) -> Mapping[str, Callable[[], object]]:
    """What the pages ask, by name."""
    read = calibrations(engine, [a])
    return {
        "a run's headline": lambda: headline(engine, a),
        "reviews for a calibration": lambda: calibrations(engine, [a]),
        "of these, audit reviews alone": lambda: calibrations(engine, [a], audit_only=True),
        "every measure of one kind, with intervals": lambda: read[0].agreement(Side(audit=None)),
        "people against each other": lambda: between_people(engine, [a]),
        "two runs compared": lambda: compare(engine, a, b),
    }


def main() -> None:
    """Make the runs, ask, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--examples", type=int, default=20_000)
    parser.add_argument("--audited", type=int, default=60)
    parser.add_argument("--chosen", type=int, default=500)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="recall-estimating-") as folder:
        engine = open_engine(f"sqlite:///{folder}/recall.db")
        a, b = (judged(engine, given.examples, seed) for seed in (1, 2))
        mara = Reviewer(engine)
        for run in (a, b):
            mara.audit(run, given.audited)
            mara.choose(run, given.chosen)
            mara.audit(run, 1)
        print(
            f"| asked of runs of {given.examples:,} examples, {given.audited} audited, "
            f"{given.chosen} chosen | ms |\n|---|---|"
        )
        for name, ask in questions(engine, a, b).items():
            print(f"| {name} | {milliseconds(ask):,.0f} |", flush=True)
        engine.dispose()


if __name__ == "__main__":
    main()

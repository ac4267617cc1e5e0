"""How long the database takes for a page of a long run's list, its results and one judgement.

    python benchmarks/list_pages.py [--examples 20000]

Makes a dataset in a temporary folder, judges it with the lexical screen, and asks what the pages
ask: fifty lines from the beginning, the middle and the end, sorted, filtered, searched. Prints the
median of twenty answers each, in Markdown.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from threading import Event

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from db.claims import claim_run  # noqa: E402
from db.datasets import save_dataset  # noqa: E402
from db.engine import Engine, open_engine  # noqa: E402
from db.judgement_filters import JudgementFilter, JudgementOrder, OrderBy  # noqa: E402
from db.owners import new_owner  # noqa: E402
from db.recording import Pace  # noqa: E402
from db.results import list_judgements, ordered_ids, run_summary, slices  # noqa: E402
from db.reviews import read_judgement  # noqa: E402
from db.runs import RunOptions, create_run  # noqa: E402
from db.working import judge_claimed  # noqa: E402
from recall_core.judges import make_judge  # noqa: E402
from recall_core.types import (  # noqa: E402
    Example,
    GroundTruthPassage,
    PassageKind,
    RetrievedPassage,
)

REPEATS = 20
PAGE = 50
PROSE = (
    "the key of a battery expires after ninety days unless an administrator extends it in the "
    "settings where every member sees how often it was used and when it has to be renewed"
)
WORDS = PROSE.split()
TOPICS = ("keys", "billing", "members", "settings")


def examples(rng: random.Random, number: int) -> Iterator[Example]:
    """Two essential passages and a bonus passage against three retrieved ones, which hold some."""
    for i in range(1, number + 1):
        texts = [" ".join(rng.choices(WORDS, k=12)) for _ in range(6)]
        kinds = (PassageKind.ESSENTIAL, PassageKind.ESSENTIAL, PassageKind.BONUS)
        found = [texts[k] if rng.random() < 0.5 else texts[k + 3] for k in range(3)]
        yield Example(
            f"question-{i:06d}",
            question=" ".join(rng.choices(WORDS, k=8)),
            ground_truth=tuple(map(GroundTruthPassage, kinds, texts)),
            retrieved=tuple(RetrievedPassage(r, t) for r, t in enumerate(found, 1)),
            metadata={"topic": rng.choice(TOPICS)},
        )


def judged(engine: Engine, number: int) -> int:
    """A run over so many examples, judged to its end."""
    facts = {"author": "benchmark", "now": now()}
    rows = examples(random.Random(7), number)
    dataset = save_dataset(engine, "long", rows, content_hash="long", source="", **facts)
    judge = make_judge("passage_recall_lexical")
    options = RunOptions()
    run = create_run(engine, dataset_id=dataset, judge=judge, name="long", options=options, **facts)
    claim = claim_run(engine, new_owner(), now())
    assert claim is not None
    judge_claimed(engine, claim, stop=Event(), clock=now, make=make_judge, pace=Pace())
    return run


def now() -> datetime:
    return datetime.now(UTC)


def questions(engine: Engine, run: int) -> Mapping[str, Callable[[], object]]:
    """What the pages ask, by name."""
    lowest = JudgementOrder(OrderBy.FINAL)
    pages = list_judgements(engine, run).pages
    middle = list_judgements(engine, run, page=pages // 2).rows[0].id

    def page(number: int = 1, order: JudgementOrder | None = None, **where: object) -> object:
        kept = JudgementFilter(**where)
        return list_judgements(
            engine, run, where=kept, order=order or JudgementOrder(), page=number
        )

    return {
        "first page, in the file's order": page,
        "page in the middle": lambda: page(pages // 2),
        "last page": lambda: page(pages),
        "lowest final first": lambda: page(order=lowest),
        "lowest final first, page in the middle": lambda: page(pages // 2, lowest),
        "finals from 2 to 3, lowest first": lambda: page(
            order=lowest, lowest=Fraction(2), highest=Fraction(3)
        ),
        "one value of a metadata field": lambda: page(metadata={"topic": "keys"}),
        "a word in any text": lambda: page(text="administrator"),
        "the whole list's order, for the desk": lambda: ordered_ids(engine, run),
        "one judgement with all that the desk shows": lambda: read_judgement(engine, middle),
        "the run's results": lambda: run_summary(engine, run),
        "slices by a metadata field": lambda: slices(engine, run, "topic"),
    }


def milliseconds(ask: Callable[[], object]) -> float:
    """The median of `REPEATS` answers; a first one fills the caches and does not count."""
    ask()
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        ask()
        times.append(time.perf_counter() - began)
    return 1000 * statistics.median(times)


def main() -> None:
    """Make the run, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--examples", type=int, default=20_000)
    number = parser.parse_args().examples
    with tempfile.TemporaryDirectory(prefix="recall-lists-") as folder:
        engine = open_engine(f"sqlite:///{folder}/recall.db")
        run = judged(engine, number)
        print(f"| asked of a run of {number:,} examples | ms |\n|---|---|")
        for name, ask in questions(engine, run).items():
            print(f"| {name} | {milliseconds(ask):,.1f} |")
        engine.dispose()


if __name__ == "__main__":
    main()

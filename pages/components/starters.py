"""What a fresh installation offers at one click: a demo, and examples that people have judged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Final

from db.datasets import find_by_hash, save_dataset
from db.engine import Engine
from db.runs import RunOptions, create_run
from recall_core.errors import UnreadableFile
from recall_core.ingest import content_hash, parse_examples, read_file, suggest_mapping
from recall_core.judges import make_judge
from recall_core.types import Example

EXAMPLES: Final = Path(__file__).resolve().parents[2] / "examples"
OFFLINE_JUDGES: Final = {
    "context_recall": "string distance",
    "contextual_recall_lexical": "statements",
    "passage_recall_lexical": "passages",
}
"""The judges that need no key, and what they look at."""
LABELLED_SYSTEMS: Final = {
    "abs_t5_out_11B_Batch_crowd_3": "T5 11B",
    "abs_bottom_up_out_Batch_crowd_3": "Bottom-Up",
}
"""Two of the three summarisers of the labelled set, by what their authors call them."""


def start_demo(engine: Engine, *, author: str, now: datetime) -> list[int]:
    """Save the twelve demo examples and queue a run of each judge that needs no key; their ids."""
    examples = read_examples_file(EXAMPLES / "demo.jsonl")
    dataset = _kept(engine, "Demo", examples, "examples/demo.jsonl", author, now)
    return [
        _start(engine, dataset, f"Demo, {what}", judge, author, now)
        for judge, what in OFFLINE_JUDGES.items()
    ]


def start_labelled(engine: Engine, *, author: str, now: datetime) -> list[int]:
    """Save the sixty labelled summaries, and two of the systems apart, each with a lexical screen.

    In the two parts an example has its article's id, so that runs on them share their examples
    and can be compared.
    """
    source = "examples/realsumm_mini.jsonl"
    examples = read_examples_file(EXAMPLES / "realsumm_mini.jsonl")
    parts: list[tuple[str, Sequence[Example]]] = [
        (f"REALSumm, {name}", _of_system(examples, system))
        for system, name in LABELLED_SYSTEMS.items()
    ]
    runs = []
    for name, part in [*parts, ("REALSumm, all 60", examples)]:
        dataset = _kept(engine, name, part, source, author, now)
        runs.append(_start(engine, dataset, name, "passage_recall_lexical", author, now))
    return runs


def read_examples_file(path: Path) -> list[Example]:
    """Every example of a file that is known to be good; `UnreadableFile` names a bad row."""
    table = read_file(path)
    parsed = list(parse_examples(table, suggest_mapping(table.columns, table.sample())))
    for row in parsed:
        if row.problems:
            raise UnreadableFile(f"{path.name}: {row.problems[0]}")
    return [row.example for row in parsed if row.example is not None]


def _of_system(examples: Iterable[Example], system: str) -> list[Example]:
    own = [e for e in examples if e.metadata.get("system") == system]
    return [replace(e, id=e.id.split(":")[1]) for e in own]


def _kept(
    engine: Engine,
    name: str,
    examples: Sequence[Example],
    source: str,
    author: str,
    now: datetime,
) -> int:
    """The dataset with these examples: the one that is there already, else a new one."""
    digest = content_hash(examples)
    there = find_by_hash(engine, digest)
    if there is not None and there.archived_at is None:
        return there.id
    return save_dataset(
        engine, name, examples, content_hash=digest, source=source, author=author, now=now
    )


def _start(
    engine: Engine, dataset_id: int, name: str, judge: str, author: str, now: datetime
) -> int:
    made = make_judge(judge)
    return create_run(
        engine,
        dataset_id=dataset_id,
        judge=made,
        name=name,
        options=RunOptions(),
        author=author,
        now=now,
    )

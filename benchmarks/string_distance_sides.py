"""The two sides of `string_distance.py`: `python string_distance_sides.py ours|ragas FILE`.

Runs in whichever environment has the side's packages, and prints one JSON object: the seconds of
wall and CPU time that judging took, and every score.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

Rows = list[dict[str, list[str]]]


def ours(rows: Rows) -> Callable[[], list[float]]:
    """`context_recall` through the engine that every run uses; `WORKERS` threads."""
    from recall_core.judges.context_recall import ContextRecall
    from recall_core.judging import judge_all
    from recall_core.results import result_of
    from recall_core.types import Example, GroundTruthPassage, PassageKind, RetrievedPassage

    judge = ContextRecall()
    examples = [
        Example(
            str(number),
            ground_truth=tuple(
                GroundTruthPassage(PassageKind.ESSENTIAL, text) for text in row["expected"]
            ),
            retrieved=tuple(
                RetrievedPassage(r, text) for r, text in enumerate(row["retrieved"], 1)
            ),
        )
        for number, row in enumerate(rows)
    ]

    def judged() -> list[float]:
        outcomes = judge_all(judge, examples, workers=int(os.environ["WORKERS"]))
        results = [
            result_of(example, judge, outcome)
            for example, outcome in zip(examples, outcomes, strict=True)
        ]
        return [float(result.score) for result in results if result.score is not None]

    return judged


def ragas(rows: Rows) -> Callable[[], list[float]]:
    """ragas' metric, one awaited call a row."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from ragas import SingleTurnSample
        from ragas.metrics import NonLLMContextRecall

    samples = [
        SingleTurnSample(retrieved_contexts=row["retrieved"], reference_contexts=row["expected"])
        for row in rows
    ]

    async def all_scores() -> list[float]:
        metric = NonLLMContextRecall()
        return [await metric.single_turn_ascore(sample) for sample in samples]

    return lambda: asyncio.run(all_scores())


def main() -> None:
    """Time the side that the command line names."""
    side, data = sys.argv[1:]
    judged = {"ours": ours, "ragas": ragas}[side](json.loads(Path(data).read_text()))
    wall, cpu = time.perf_counter(), time.process_time()
    scores = judged()
    took = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    print(json.dumps({**took, "scores": scores}))


if __name__ == "__main__":
    main()

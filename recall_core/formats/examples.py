"""Datasets as ragas and deepeval load them; our importer reads both back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from recall_core.types import Example, Json


def ragas_jsonl(examples: Iterable[Example]) -> Iterator[str]:
    """An `EvaluationDataset` of ragas, one sample a line.

    Essential passages are its reference contexts. It has no place for bonus passages, ids and
    metadata.
    """
    for example in examples:
        yield _line(
            {
                "user_input": example.question,
                "response": example.actual_output,
                "reference": example.expected_output,
                "retrieved_contexts": _retrieved(example),
                "reference_contexts": _essential(example),
            }
        )


def deepeval_json(examples: Iterable[Example]) -> str:
    """Test cases of deepeval, one JSON list. Essential passages are the ideal `context`; bonus
    passages have no place, and stand in the metadata.
    """
    cases = [
        _filled(
            {
                "name": example.id,
                "input": example.question or "",
                "actual_output": example.actual_output,
                "expected_output": example.expected_output,
                "context": _essential(example),
                "retrieval_context": _retrieved(example),
                "additional_metadata": _metadata(example) or None,
            }
        )
        for example in examples
    ]
    return json.dumps(cases, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _metadata(example: Example) -> dict[str, Json]:
    bonus: list[Json] = [passage.text for passage in example.bonus]
    return {**example.metadata, **({"bonus": bonus} if bonus else {})}


def _essential(example: Example) -> Json:
    return None if example.ground_truth is None else [p.text for p in example.essential]


def _retrieved(example: Example) -> Json:
    return None if example.retrieved is None else [p.text for p in example.retrieved]


def _filled(record: dict[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in record.items() if value is not None}


def _line(record: dict[str, Json]) -> str:
    return json.dumps(_filled(record), ensure_ascii=False, allow_nan=False) + "\n"

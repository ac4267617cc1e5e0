"""A dataset's content hash: the same examples in the same order, whatever file they came from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from recall_core.types import Example


class ContentHash:
    """Hashes examples as they stream by, so that a file need not be read again for it."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def add(self, example: Example) -> None:
        """Count one more example."""
        self._hash.update(canonical(example))
        self._hash.update(b"\n")

    def hexdigest(self) -> str:
        """The hash of the examples so far, 64 hexadecimal digits."""
        return self._hash.hexdigest()


def content_hash(examples: Iterable[Example]) -> str:
    """The hash of these examples in this order."""
    running = ContentHash()
    for example in examples:
        running.add(example)
    return running.hexdigest()


def canonical(example: Example) -> bytes:
    """One example as JSON with sorted keys, so that equal examples have equal bytes."""
    content = {
        "id": example.id,
        "question": example.question,
        "ground_truth": None
        if example.ground_truth is None
        else [[p.kind.value, p.text, p.id] for p in example.ground_truth],
        "retrieved": None
        if example.retrieved is None
        else [[p.rank, p.text, p.id] for p in example.retrieved],
        "actual_output": example.actual_output,
        "expected_output": example.expected_output,
        "metadata": example.metadata,
    }
    return json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()

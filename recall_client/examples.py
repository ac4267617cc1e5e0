"""What is evaluated: one question, with what should have come back and what did."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from recall_client.errors import InvalidExample
from recall_core.ingest import parse_examples, read_file, suggest_mapping
from recall_core.ingest.tagged import read_tagged
from recall_core.ingest.trouble import CellError
from recall_core.types import Example as CoreExample
from recall_core.types import GroundTruthPassage, Json, PassageKind, RetrievedPassage

_LISTS = ("retrieval_context", "expected_contexts", "bonus_contexts")


@dataclass(frozen=True, slots=True)
class Example:
    """One question and what belongs to it; leave out what your judges do not need.

    `retrieval_context` holds the texts that your retriever returned, best first; an empty list says
    that it returned nothing, `None` that nobody knows. `expected_contexts` ought to be among them
    and `bonus_contexts` would be extra; `ground_truth` says both in one text, where a line
    `[ESSENTIAL PASSAGE]` or `[BONUS PASSAGE]` starts each passage. `metadata` is kept with the
    example and cuts the run into slices. Raises `InvalidExample` for a value of the wrong type.
    """

    input: str | None = None
    actual_output: str | None = None
    expected_output: str | None = None
    retrieval_context: Sequence[str] | None = None
    expected_contexts: Sequence[str] | None = None
    bonus_contexts: Sequence[str] | None = None
    ground_truth: str | None = None
    id: str | None = None
    metadata: Mapping[str, Json] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in _LISTS:
            _require_list(name, getattr(self, name))
        for name in ("input", "actual_output", "expected_output", "ground_truth", "id"):
            _require_text(name, getattr(self, name))
        if self.ground_truth is not None and (self.expected_contexts or self.bonus_contexts):
            raise InvalidExample(
                "Give ground_truth, or expected_contexts and bonus_contexts, but not both."
            )
        self._ground_truth()
        _require_json(self.metadata)

    def has(self, name: str) -> bool:
        """Whether the field is there; an empty list is, a blank text is not."""
        value = getattr(self, name)
        return bool(value.strip()) if isinstance(value, str) else value is not None

    def as_core(self, number: int) -> CoreExample:
        """The example as judges take it; `number` is its id where it has none."""
        return CoreExample(
            self.id or str(number),
            question=self.input,
            ground_truth=self._ground_truth(),
            retrieved=_ranked(self.retrieval_context),
            actual_output=self.actual_output,
            expected_output=self.expected_output,
            metadata=dict(self.metadata),
        )

    def _ground_truth(self) -> tuple[GroundTruthPassage, ...] | None:
        if self.ground_truth is not None:
            try:
                return read_tagged(self.ground_truth)
            except CellError as error:
                raise InvalidExample(f"ground_truth: {error}") from None
        if self.expected_contexts is None and self.bonus_contexts is None:
            return None
        return (
            *(GroundTruthPassage(PassageKind.ESSENTIAL, t) for t in self.expected_contexts or ()),
            *(GroundTruthPassage(PassageKind.BONUS, t) for t in self.bonus_contexts or ()),
        )


def _require_list(name: str, value: object) -> None:
    if value is None:
        return
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise InvalidExample(f"{name} must be a list of texts, and this is {_kind(value)}.")
    for number, text in enumerate(value, 1):
        if not isinstance(text, str):
            raise InvalidExample(f"{name} must hold texts, and number {number} is {_kind(text)}.")


def _require_text(name: str, value: object) -> None:
    if value is not None and not isinstance(value, str):
        raise InvalidExample(f"{name} must be a text, and this is {_kind(value)}.")


def _require_json(metadata: Mapping[str, Json]) -> None:
    try:
        json.dumps(metadata, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidExample(f"metadata must be what JSON can hold: {error}.") from None


def _kind(value: object) -> str:
    return "one text" if isinstance(value, str) else f"of type {type(value).__name__}"


def _ranked(texts: Sequence[str] | None) -> tuple[RetrievedPassage, ...] | None:
    if texts is None:
        return None
    return tuple(RetrievedPassage(rank, text) for rank, text in enumerate(texts, 1))


def examples_of(given: object) -> tuple[Example, ...]:
    """Examples from a list of them, or of mappings with their fields, or from a data frame.

    What a mapping has beside the fields becomes metadata.
    """
    rows = given.to_dict("records") if _is_frame(given) else given  # type: ignore[attr-defined]
    if isinstance(rows, str | Mapping | Example) or not isinstance(rows, Iterable):
        raise InvalidExample("examples must be a list of Example.")
    return tuple(_example(row, number) for number, row in enumerate(rows, 1))


def _is_frame(given: object) -> bool:
    return hasattr(given, "to_dict") and hasattr(given, "columns")


def _example(row: object, number: int) -> Example:
    if isinstance(row, Example):
        return row
    if not isinstance(row, Mapping):
        raise InvalidExample(f"Example {number} is {_kind(row)}, not an Example.")
    known = {f.name for f in fields(Example)}
    values = {str(name): _plain(value) for name, value in row.items()}
    values = {name: value for name, value in values.items() if not _is_missing(value)}
    more = {name: value for name, value in values.items() if name not in known}
    own = {name: value for name, value in values.items() if name in known}
    try:
        return Example(**{**own, "metadata": {**own.get("metadata", {}), **more}})
    except InvalidExample as error:
        raise InvalidExample(f"Example {number}: {error}") from None


def _plain(value: Any) -> Any:
    """What a data frame has in its cells as Python's own: numbers, lists, dates as text."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return value.isoformat() if hasattr(value, "isoformat") else value


def _is_missing(value: object) -> bool:
    """`None`, and the NaN that a data frame has in its place."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def read_examples(file: Path | str) -> list[Example]:
    """The examples in a file: CSV, JSON, JSON lines, Excel, Parquet, in any column names that the
    dashboard understands. Raises `InvalidExample` for the first row that cannot be read.
    """
    table = read_file(Path(file))
    mapping = suggest_mapping(table.columns, table.sample())
    found = []
    for row in parse_examples(table, mapping):
        if row.example is None:
            problems = " ".join(map(str, row.problems))
            raise InvalidExample(f"{table.filename}: {problems}")
        found.append(_from_core(row.example))
    return found


def _from_core(core: CoreExample) -> Example:
    owed = core.ground_truth is not None
    return Example(
        input=core.question,
        actual_output=core.actual_output,
        expected_output=core.expected_output,
        retrieval_context=None if core.retrieved is None else [p.text for p in core.retrieved],
        expected_contexts=[p.text for p in core.essential] if owed else None,
        bonus_contexts=[p.text for p in core.bonus] if core.bonus else None,
        id=core.id,
        metadata=dict(core.metadata),
    )

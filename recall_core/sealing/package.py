"""A sealed package as values: to bytes, and back with each trouble's file and line."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pydantic import ValidationError

from recall_core.sealing.container import Refused
from recall_core.sealing.records import (
    Record,
    SealedDecision,
    SealedDraw,
    SealedExample,
    SealedJudgement,
    SealedNumbers,
    SealedPolicy,
    SealedPrompt,
    SealedReview,
    SealedRun,
)

R = TypeVar("R", bound=Record)


@dataclass(frozen=True, slots=True)
class Package:
    """All that a run's numbers follow from, and the numbers."""

    run: SealedRun
    prompts: tuple[SealedPrompt, ...]
    examples: tuple[SealedExample, ...]
    judgements: tuple[SealedJudgement, ...]
    reviews: tuple[SealedReview, ...]
    ledger: tuple[SealedDecision, ...]
    audit: tuple[SealedDraw, ...]
    policies: tuple[SealedPolicy, ...]
    numbers: SealedNumbers

    def members(self) -> dict[str, bytes]:
        """The files of the package, each record one line."""
        return {
            "run.json": _lines([self.run]),
            "prompts.jsonl": _lines(self.prompts),
            "examples.jsonl": _lines(self.examples),
            "judgements.jsonl": _lines(self.judgements),
            "reviews.jsonl": _lines(self.reviews),
            "ledger.jsonl": _lines(self.ledger),
            "audit.jsonl": _lines(self.audit),
            "policies.jsonl": _lines(self.policies),
            "numbers.json": _lines([self.numbers]),
        }


def package_of(files: Mapping[str, bytes]) -> Package:
    """The package of these files; `Refused` names file, line and field of what has no sense."""
    return Package(
        run=_single(files, "run.json", SealedRun),
        prompts=_each(files, "prompts.jsonl", SealedPrompt),
        examples=_each(files, "examples.jsonl", SealedExample),
        judgements=_each(files, "judgements.jsonl", SealedJudgement),
        reviews=_each(files, "reviews.jsonl", SealedReview),
        ledger=_each(files, "ledger.jsonl", SealedDecision),
        audit=_each(files, "audit.jsonl", SealedDraw),
        policies=_each(files, "policies.jsonl", SealedPolicy),
        numbers=_single(files, "numbers.json", SealedNumbers),
    )


def _lines(records: Sequence[Record]) -> bytes:
    lines = (
        json.dumps(
            record.model_dump(mode="json"),
            ensure_ascii=False,
            allow_nan=False,
            separators=(",", ":"),
        )
        for record in records
    )
    return "".join(line + "\n" for line in lines).encode()


def _single(files: Mapping[str, bytes], name: str, shape: type[R]) -> R:
    found = _each(files, name, shape)
    if len(found) != 1:
        raise Refused(f"{name} has {len(found)} lines instead of 1.")
    return found[0]


def _each(files: Mapping[str, bytes], name: str, shape: type[R]) -> tuple[R, ...]:
    lines = files[name].split(b"\n")
    if lines.pop() != b"":
        raise Refused(f"{name}: the last line is cut off.")
    return tuple(_record(line, f"{name}, line {n}", shape) for n, line in enumerate(lines, 1))


def _record(line: bytes, where: str, shape: type[R]) -> R:
    try:
        return shape.model_validate_json(line)
    except ValidationError as invalid:
        problem = invalid.errors(include_url=False)[0]
        field = ".".join(str(part) for part in problem["loc"])
        raise Refused(f"{where}, {field or 'as a whole'}: {problem['msg']}.") from invalid

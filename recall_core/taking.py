"""How many of a dataset's examples each judge can take, and what most of the others lack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from recall_core.judges import Judge
from recall_core.types import Example


@dataclass(frozen=True, slots=True)
class Takes:
    """`takes` of `of` examples; `lacks` is the judge's commonest reason for passing one over."""

    judge: str
    takes: int
    of: int
    lacks: str = ""


def takes_of(judges: Sequence[Judge], examples: Iterable[Example]) -> tuple[Takes, ...]:
    """One answer a judge, in their order; `examples` are read once, one at a time."""
    reasons: list[Counter[str | None]] = [Counter() for _ in judges]
    total = 0
    for total, example in enumerate(examples, 1):  # noqa: B007
        for judge, said in zip(judges, reasons, strict=True):
            said[judge.lacks(example)] += 1
    return tuple(
        Takes(
            judge.name,
            said.pop(None, 0),
            total,
            next((r for r, _ in said.most_common(1)), "") or "",
        )
        for judge, said in zip(judges, reasons, strict=True)
    )

"""What was expected of a run when it was made, kept to be compared with what it came to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from recall_core.llm.plan import Range, RunPlan
from recall_core.llm.tokens import Tokens


@dataclass(frozen=True, slots=True)
class Estimate:
    """A `RunPlan` as it is kept with the run; `too_long` counts the examples beyond the window."""

    calls: int
    from_store: int
    tokens_in: Tokens
    tokens_out: Tokens
    cost: Range | None
    seconds: Range
    too_long: int

    @property
    def to_make(self) -> int:
        """How many calls were expected to go to the server."""
        return self.calls - self.from_store


def estimate_values(plan: RunPlan) -> dict[str, Any]:
    """The plan as JSON; dollars as decimal text."""
    return {
        "calls": plan.calls,
        "from_store": plan.from_store,
        "tokens_in": _token_values(plan.tokens_in),
        "tokens_out": _token_values(plan.tokens_out),
        "cost": None if plan.cost is None else _range_values(plan.cost),
        "seconds": _range_values(plan.seconds),
        "too_long": len(plan.too_long),
    }


def read_estimate(values: Mapping[str, Any] | None) -> Estimate | None:
    """What `estimate_values` wrote; `None` where nothing was estimated."""
    if values is None:
        return None
    cost = values["cost"]
    return Estimate(
        calls=values["calls"],
        from_store=values["from_store"],
        tokens_in=Tokens(*values["tokens_in"]),
        tokens_out=Tokens(*values["tokens_out"]),
        cost=None if cost is None else _range(cost),
        seconds=_range(values["seconds"]),
        too_long=values["too_long"],
    )


def _token_values(tokens: Tokens) -> list[int]:
    return [tokens.low, tokens.expected, tokens.high]


def _range_values(span: Range) -> list[str]:
    return [str(span.low), str(span.expected), str(span.high)]


def _range(values: list[str]) -> Range:
    return Range(*map(Decimal, values))

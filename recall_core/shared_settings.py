"""Settings that a model judge and its lexical twin have in common: what a form says of them, what
they allow, and what they come to. Judges do not know each other, so it stands here."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from pydantic import Field

from recall_core.scored_text import ScoredText
from recall_core.types import Rounding

ScoredTextSetting = Annotated[
    ScoredText,
    Field(
        title="Scored text",
        description=(
            "auto: the retrieved passages if the example has that field, else the actual output. "
            "retrieved or output: always that one; examples without it are skipped."
        ),
    ),
]
RoundingSetting = Annotated[
    Rounding,
    Field(
        title="Rounding",
        description=(
            "What happens at the third decimal of each formula. half_up: 5 and above goes up. "
            "up: anything above 0 goes up."
        ),
    ),
]
Threshold = Annotated[
    float,
    Field(
        ge=0,
        le=1,
        title="Threshold",
        description=(
            "An example passes when its exact score is at least this (0 to 1). "
            "With a pass mark too, it has to reach both."
        ),
    ),
]
Strict = Annotated[
    bool,
    Field(
        title="Strict",
        description="An example passes only when every statement is supported (threshold 1).",
    ),
]


def mark_of(threshold: float, strict: bool, pass_mark: Fraction | None) -> Fraction:
    """The score from which an example passes: the stricter of the threshold and an explicit pass
    mark."""
    mark = Fraction(1) if strict else Fraction(str(threshold))
    return mark if pass_mark is None else max(mark, pass_mark)

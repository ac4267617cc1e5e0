"""`score`: the formula lines for scores that somebody already has."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

import typer

from api.console import give, give_json
from recall_core.scoring import exact, passage_trace
from recall_core.types import Rounding


def score(
    essential: Annotated[
        str, typer.Option(help="Scores of the essential passages, 1 to 5: 4,3", metavar="SCORES")
    ],
    bonus: Annotated[
        str, typer.Option(help="Scores of the bonus passages, 0 to 5: 4,0", metavar="SCORES")
    ] = "",
    rounding: Annotated[
        Rounding, typer.Option(help="What happens at the third decimal.")
    ] = Rounding.HALF_UP,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Print the formula lines and the final score for these passage scores."""
    trace = passage_trace(_scores(essential), _scores(bonus), rounding=rounding)
    lines = [str(line) for line in trace.lines]
    if not as_json:
        give("\n".join(lines))
        return
    parts = {
        "essential": trace.essential,
        "bonus": trace.bonus,
        "combined": trace.combined,
        "final": trace.final,
    }
    numbers = {name: float(part) for name, part in parts.items() if part is not None}
    give_json({**numbers, "lines": list(lines)})


def _scores(text: str) -> list[Fraction]:
    if not text.strip():
        return []
    return [exact(part.strip()) for part in text.split(",")]

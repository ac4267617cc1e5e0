"""`recount`: proof that the kept copies of scores are what verdicts and decisions say."""

from __future__ import annotations

from typing import Annotated

import typer

from api.commands.database import database
from api.console import BELOW, give, give_json
from db import recount as kept
from recall_core.types import Json


def recount(
    run: Annotated[int | None, typer.Option(help="Only this run; every run unless given.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Compute every final score again and compare it with the stored one; changes nothing."""
    with database() as engine:
        counted = kept.recount(engine, run)
    if as_json:
        found: list[Json] = [*counted.problems]
        give_json({"judgements": counted.judgements, "differences": found})
    else:
        for problem in counted.problems:
            give(problem)
        give(f"Recounted {counted.judgements} judgements: {len(counted.problems)} differences.")
    if not counted.equal:
        raise typer.Exit(BELOW)

"""`verify`: proof that stored scores are what was judged and decided, and nobody changed that."""

from __future__ import annotations

from typing import Annotated

import typer

from api.commands.database import database
from api.console import BELOW, give, give_json
from db import verifying
from recall_core.types import Json


def verify(
    run: Annotated[int | None, typer.Option(help="Only this run; every run unless given.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a run.")] = False,
) -> None:
    """Compute every final again and check the chain of decisions: equal, or where it breaks.

    The exit status is 1 if anything differs. It changes nothing and asks no judge.
    """
    equal = True
    with database() as engine:
        for verified in verifying.verify(engine, run):
            equal = equal and verified.equal
            judged, decided = verified.counted.judgements, verified.chain.decisions
            if as_json:
                problems: list[Json] = [str(problem) for problem in verified.problems]
                give_json(
                    {
                        "run": verified.run_id,
                        "name": verified.name,
                        "equal": verified.equal,
                        "judgements": judged,
                        "decisions": decided,
                        "problems": problems,
                    }
                )
                continue
            found = f"{judged} judgements and {decided} decisions checked"
            word = "equal" if verified.equal else "not equal"
            give(f"Run {verified.run_id}, {verified.name}: {word}, {found}.")
            for problem in verified.problems:
                give(f"  {problem}")
    if not equal:
        raise typer.Exit(BELOW)
    if not as_json:
        give("equal")

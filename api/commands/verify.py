"""`verify`: proof that scores are what was judged and decided, and nobody changed that."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from api.commands.database import database
from api.console import BELOW, give, give_json
from db import verifying
from db.verifying import Verified
from recall_core.errors import RecallError
from recall_core.sealing import verify_file
from recall_core.types import Json


def verify(
    package: Annotated[
        Path | None,
        typer.Argument(help="A sealed package, which needs no database. Without: what is kept."),
    ] = None,
    run: Annotated[int | None, typer.Option(help="Only this run; every run unless given.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a run.")] = False,
) -> None:
    """Compute every final again and check the chain of decisions: equal, or where it breaks.

    Of a sealed package (`export --format sealed`) also every hash, the means, the headline with its
    interval and the policies. The exit status is 1 if anything differs. It changes nothing and asks
    no judge.
    """
    if package is not None and run is not None:
        raise RecallError("--run chooses among the runs that are kept; a package holds one.")
    equal = _of_package(package, as_json) if package is not None else _of_database(run, as_json)
    if not equal:
        raise typer.Exit(BELOW)
    if not as_json:
        give("equal")


def _of_package(package: Path, as_json: bool) -> bool:
    try:
        found = verify_file(package)
    except OSError as problem:
        raise RecallError(f"{package} cannot be read: {problem.strerror}.") from problem
    manifest = found.manifest
    if as_json:
        problems: list[Json] = [str(broken) for broken in found.breaks]
        give_json(
            {
                "package": str(package),
                "run": None if manifest is None else manifest.run,
                "name": None if manifest is None else manifest.name,
                "seal": None if manifest is None else manifest.seal,
                "equal": found.equal,
                "judgements": found.judgements,
                "decisions": found.decisions,
                "problems": problems,
            }
        )
        return found.equal
    for broken in found.breaks:
        give(str(broken))
    if found.equal and manifest is not None:
        give(f"{found.judgements} judgements and {found.decisions} decisions computed again.")
        give(f"Seal: {manifest.seal}")
    return found.equal


def _of_database(run: int | None, as_json: bool) -> bool:
    equal = True
    with database() as engine:
        for verified in verifying.verify(engine, run):
            equal = equal and verified.equal
            _tell(verified, as_json)
    return equal


def _tell(verified: Verified, as_json: bool) -> None:
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
        return
    word = "equal" if verified.equal else "not equal"
    give(
        f"Run {verified.run_id}, {verified.name}: {word}, "
        f"{judged} judgements and {decided} decisions checked."
    )
    for problem in verified.problems:
        give(f"  {problem}")

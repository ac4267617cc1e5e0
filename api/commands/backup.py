"""`backup` and `restore`: the whole database as one file, and back."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from api.console import give, give_json, say
from db.backups import back_up, database_file
from db.backups import restore as put_back
from db.engine import database_url, open_engine

JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object.")]


def backup(
    file: Annotated[Path, typer.Argument(help="The copy to write; it must not be there yet.")],
    as_json: JsonOption = False,
) -> None:
    """Copy the database to a file, whole and consistent, also while the app runs."""
    source = database_file(database_url())
    size = back_up(source, file)
    if as_json:
        give_json({"database": str(source), "backup": str(file), "bytes": size})
        return
    give(f"Copied {source} to {file}, {size:,} bytes.")


def restore(
    file: Annotated[Path, typer.Argument(help="A copy that `backup` wrote.")],
    as_json: JsonOption = False,
) -> None:
    """Put a backup in the place of the database, which is kept beside it.

    Refused while the app, a worker or a command has the database open.
    """
    target = database_file(database_url())
    kept = put_back(file, target, now=datetime.now(UTC))
    # Brings an older copy up to date at once, so that what is wrong with it shows now.
    open_engine().dispose()
    if as_json:
        kept_name = None if kept is None else str(kept)
        give_json({"database": str(target), "restored": str(file), "kept": kept_name})
        return
    give(f"Restored {target} from {file}.")
    if kept is not None:
        say(f"What was there before is kept as {kept}.")
    say("`python -m api verify` proves that all scores are as they were judged and decided.")

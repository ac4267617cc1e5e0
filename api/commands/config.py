"""`config`: which database the commands use."""

from __future__ import annotations

import os
from typing import Annotated

import typer
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from api.console import give, give_json
from db.engine import PROJECT_ROOT, VARIABLE, database_url
from db.errors import UnusableDatabase


def config(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Show which database is used and who named it; opens and changes nothing."""
    address = shown_address(database_url())
    named_by = VARIABLE if os.environ.get(VARIABLE, "").strip() else "default"
    if as_json:
        give_json({"database": address, "named_by": named_by})
        return
    give(f"Database: {address}")
    give(f"Named by: {named_by}")


def shown_address(url: str) -> str:
    """The address with the password hidden and a relative SQLite path made absolute."""
    try:
        address = make_url(url)
    except ArgumentError:
        raise UnusableDatabase(f"{VARIABLE} is not a database address: {url!r}.") from None
    if address.get_backend_name() == "sqlite" and address.database not in (None, "", ":memory:"):
        address = address.set(database=str(PROJECT_ROOT / str(address.database)))
    return address.render_as_string()

"""`token`: let programs in, and out again."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from api.commands.database import database
from api.console import give, give_json, give_table, say
from db.tokens import Scope, TokenCard, create_token, list_tokens, revoke_token
from recall_core.types import Json

app = typer.Typer(no_args_is_help=True, help="Make, list and revoke the tokens of programs.")

NameOption = Annotated[
    str, typer.Option("--name", help="Whose it is: the author of all that is written with it.")
]


@app.command("create")
def create(
    name: NameOption,
    scopes: Annotated[
        list[Scope],
        typer.Option(
            "--scope",
            help=(
                "What it is good for; repeatable. evaluate: score examples, bring datasets in, "
                "start runs. read: read and export. review: read, and decide on units. admin: "
                "everything, also delete."
            ),
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Make a token and print it alone, this one time: it is kept only as a hash."""
    with database() as engine:
        token = create_token(engine, name, scopes, now=datetime.now(UTC))
    if as_json:
        give_json({"name": name.strip(), "scopes": [s.value for s in scopes], "token": token})
    else:
        give(token)
    say("This is the only time that the token can be seen.")


@app.command("list")
def list_all(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON array.")] = False,
) -> None:
    """List the tokens: who has one, what for, and when it was last used."""
    with database() as engine:
        cards = list_tokens(engine)
    if as_json:
        give_json([_as_json(card) for card in cards])
        return
    give_table(
        ("Name", "Scopes", "Made", "Last used", "Revoked"),
        [
            (
                card.name,
                ", ".join(card.scopes),
                _when(card.created_at),
                _when(card.last_used_at),
                _when(card.revoked_at),
            )
            for card in cards
        ],
    )


@app.command("revoke")
def revoke(
    name: NameOption,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Let nobody in with the token of that name any more; it takes a second at most."""
    with database() as engine:
        revoke_token(engine, name, now=datetime.now(UTC))
    if as_json:
        give_json({"name": name.strip(), "revoked": True})
    say(f"The token {name.strip()} is revoked.")


def _as_json(card: TokenCard) -> dict[str, Json]:
    return {
        "name": card.name,
        "scopes": [scope.value for scope in card.scopes],
        "created_at": _iso(card.created_at),
        "last_used_at": _iso(card.last_used_at),
        "revoked_at": _iso(card.revoked_at),
    }


def _iso(when: datetime | None) -> str | None:
    return None if when is None else when.isoformat(timespec="seconds")


def _when(when: datetime | None) -> str:
    return "" if when is None else when.strftime("%Y-%m-%d %H:%M UTC")

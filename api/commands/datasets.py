"""`datasets`: what is stored."""

from __future__ import annotations

from typing import Annotated

import typer

from api.commands.database import database
from api.console import give_json, give_table, say
from db.datasets import DatasetCard, list_datasets
from recall_core.types import Json


def datasets(
    archived: Annotated[bool, typer.Option(help="Those put away too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON array.")] = False,
) -> None:
    """List the stored datasets, newest first."""
    with database() as engine:
        cards = list_datasets(engine, archived=archived)
    if as_json:
        give_json([_as_json(card) for card in cards])
        return
    if not cards:
        say("There is no dataset yet. `python -m api import FILE` makes one.")
        return
    give_table(
        ["id", "name", "examples", "essential", "bonus", "runs", "created"],
        ([str(cell) for cell in _as_row(card)] for card in cards),
    )


def _as_row(card: DatasetCard) -> tuple[int | str, ...]:
    created = card.created_at.strftime("%Y-%m-%d %H:%M UTC")
    counts = (card.examples, card.essential, card.bonus, card.runs)
    return (card.id, card.name, *counts, created)


def _as_json(card: DatasetCard) -> dict[str, Json]:
    return {
        "id": card.id,
        "name": card.name,
        "source": card.source,
        "content_hash": card.content_hash,
        "examples": card.examples,
        "essential": card.essential,
        "bonus": card.bonus,
        "runs": card.runs,
        "created_at": card.created_at.isoformat(),
        "created_by": card.created_by,
        "archived_at": None if card.archived_at is None else card.archived_at.isoformat(),
    }

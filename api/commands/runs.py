"""`runs` and `show`: what was judged, and what came of it."""

from __future__ import annotations

from typing import Annotated

import typer

from api.commands.database import database
from api.commands.finding import RunArgument, found_dataset, found_run
from api.commands.telling import mean_json, recall_words, run_json, run_lines
from api.console import BELOW, INCOMPLETE, give, give_json, give_table, say
from db.details import stream_details
from db.estimating import headline, headlines
from db.results import run_summary
from db.review_rows import withheld_from_files
from db.run_figures import run_figures
from db.runs import RunCard, list_runs
from db.sights import NOBODY
from recall_core.export.result_json import reviewed_json
from recall_core.headline import Headline
from recall_core.summary import Gate, Mean
from recall_core.types import Json


def runs(
    dataset: Annotated[
        str | None, typer.Option(help="Only those over this dataset: its number or name.")
    ] = None,
    archived: Annotated[bool, typer.Option(help="Those put away too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON array.")] = False,
) -> None:
    """List the runs, newest first, with their recall."""
    with database() as engine:
        dataset_id = None if dataset is None else found_dataset(engine, dataset).id
        cards = list_runs(engine, dataset_id=dataset_id, archived=archived)
        ids = [card.id for card in cards]
        figures, recalls = run_figures(engine, ids), headlines(engine, ids)
    if as_json:
        give_json([_as_json(c, figures[c.id].mean, recalls[c.id]) for c in cards])
        return
    if not cards:
        say("There is no run yet. `python -m api run FILE --judge NAME` makes one.")
        return
    give_table(
        ["id", "name", "dataset", "judge", "state", "recall", "failed", "created"],
        (_as_row(card, figures[card.id].mean, recalls[card.id]) for card in cards),
    )


def _as_row(card: RunCard, mean: Mean, recall: Headline) -> list[str]:
    created = card.created_at.strftime("%Y-%m-%d %H:%M UTC")
    names = [str(card.id), card.name, card.dataset, card.judge, card.state.value]
    return [*names, recall_words(mean, recall), str(card.failed), created]


def _as_json(card: RunCard, mean: Mean, recall: Headline) -> dict[str, Json]:
    return {
        "id": card.id,
        "name": card.name,
        "dataset_id": card.dataset_id,
        "dataset": card.dataset,
        "judge": card.judge,
        "state": card.state.value,
        "recall": recall.as_json(),
        "mean": mean_json(mean),
        "examples": card.examples,
        "processed": card.processed,
        "skipped": card.skipped,
        "failed": card.failed,
        "created_at": card.created_at.isoformat(),
        "created_by": card.created_by,
        "archived_at": None if card.archived_at is None else card.archived_at.isoformat(),
    }


def show(
    run: RunArgument,
    results: Annotated[
        bool, typer.Option("--results", help="Every example's result, one JSON object a line.")
    ] = False,
    at_least: Annotated[
        float | None,
        typer.Option(
            help="The exit status is 0 only if the lower end of the recall's interval is at least "
            "this, 1 if all of it is below, and 3 if it cannot be told yet. Without an audit it is "
            "told by what people could still make of the run."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Show a run's recall, what is not in it, and the examples that are lowest."""
    with database() as engine:
        card = found_run(engine, run)
        if results:
            withheld = withheld_from_files(engine, card.id, NOBODY)
            for detail in stream_details(engine, card.id, withheld=withheld):
                give_json(reviewed_json(detail))
            return
        summary = run_summary(engine, card.id, NOBODY)
        recall = headline(engine, card.id)
    if as_json:
        give_json(run_json(card, summary, recall))
    else:
        give("\n".join(run_lines(card, summary, recall)))
    if at_least is not None:
        _hold(recall, at_least)


def _hold(recall: Headline, mark: float) -> None:
    """End with the exit status that says whether the recall is at least `mark`."""
    match recall.gate(mark):
        case Gate.PASSED:
            say(f"The recall is at least {mark:g}, as far as an audit can tell.")
        case Gate.FAILED:
            say(f"The recall is below {mark:g}.")
            raise typer.Exit(BELOW)
        case Gate.INCONCLUSIVE:
            needed = recall.reviews_for()
            more = f" {needed.sentence.rstrip('.')}." if needed is not None else ""
            cannot = f"Whether the recall is at least {mark:g} cannot be told yet."
            say(f"{cannot} {recall.sentence}{more}")
            raise typer.Exit(INCOMPLETE)
